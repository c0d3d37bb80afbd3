/**
 * Records what an app reads while it is synthesized. Preloaded with `NODE_OPTIONS` into its Node.js process, the ones that
 * this starts, and their worker threads. Each writes a file of its own, at once, because a thread can end without notice.
 */
import childProcess from 'node:child_process';
import fs from 'node:fs';
import { registerHooks, syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import workerThreads from 'node:worker_threads';

const { PARLEY_RECORD_FOLDER: folder = '', PARLEY_RECORD_PROGRAM: allowedProgram } = process.env;
const { writeSync } = fs;
const file = fs.openSync(`${folder}/${process.pid}-${workerThreads.threadId}`, 'a', 0o600);
const recorded = new Set<string>();

const record = (kind: string, what: string): void => {
  const line = JSON.stringify([kind, what]);
  if (recorded.has(line)) return;
  recorded.add(line);
  writeSync(file, `${line}\n`);
};

const recordPath = (kind: string, path: unknown): void => {
  if (typeof path === 'string') record(kind, resolve(path));
  else if (path instanceof URL) record(kind, fileURLToPath(path));
  else if (Buffer.isBuffer(path)) record(kind, resolve(path.toString()));
};

/** Replaces functions of a module by ones that first report their first argument. */
const observe = (module: object, names: readonly string[], report: (argument: unknown) => void): void => {
  for (const name of names) {
    const original: unknown = Reflect.get(module, name);
    if (typeof original !== 'function') continue;
    const observed = function (this: unknown, ...args: readonly unknown[]): unknown {
      report(args[0]);
      return Reflect.apply(original, this, args);
    };
    // Such as `realpath.native`, and the symbols of `promisify`.
    Object.defineProperties(observed, Object.getOwnPropertyDescriptors(original));
    Reflect.set(module, name, observed);
  }
};

const READS = ['access', 'exists', 'lstat', 'open', 'openAsBlob', 'readFile', 'readlink', 'realpath', 'stat'];
const LISTS = ['glob', 'opendir', 'readdir'];
const COPIES = ['copyFile', 'cp'];
const withSync = (names: readonly string[]): readonly string[] => names.flatMap((name) => [name, `${name}Sync`]);
for (const module of [fs, fs.promises]) {
  observe(module, [...withSync(READS), 'createReadStream'], (path) => recordPath('read', path));
  observe(module, withSync(LISTS), (path) => recordPath('listed', path));
  observe(module, withSync(COPIES), (path) => recordPath('copied', path));
}
observe(childProcess, ['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync'], (program) => {
  if (typeof program !== 'string' || basename(program) !== allowedProgram) record('unchecked', String(program));
});
// A thread whose code is text starts without what is preloaded.
class ObservedWorker extends workerThreads.Worker {
  constructor(...args: ConstructorParameters<typeof workerThreads.Worker>) {
    if (args[1]?.eval) record('unchecked', 'thread');
    super(...args);
  }
}
Reflect.set(workerThreads, 'Worker', ObservedWorker);
observe(net.Socket.prototype, ['connect'], () => record('unchecked', 'network'));
syncBuiltinESMExports();
registerHooks({
  load(url, context, nextLoad) {
    if (url.startsWith('file:')) record('module', fileURLToPath(url));
    return nextLoad(url, context);
  },
});
