/**
 * Notes that an app uses more than its files while it is synthesized: files elsewhere, other programs, threads, the
 * network, or a part of Node.js that is not observed. Preloaded into the app's Node.js process with `NODE_OPTIONS`.
 */
import childProcess from 'node:child_process';
import fs from 'node:fs';
import module, { registerHooks, syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import workerThreads from 'node:worker_threads';
import { isInput } from './app-inputs.ts';

const listIn = (json = '[]'): readonly string[] => {
  const value: unknown = JSON.parse(json);
  return Array.isArray(value) ? value.map(String) : [];
};
const { PARLEY_NOTES: notes = '' } = process.env;
const folders = listIn(process.env.PARLEY_INPUTS);
const outputs = listIn(process.env.PARLEY_OUTPUTS);
const programs = listIn(process.env.PARLEY_PROGRAMS);

const { writeSync } = fs;
// An empty file shows that the app was observed.
const file = fs.openSync(notes, 'a', 0o600);
const note = (what: string): void => {
  writeSync(file, `${what}\n`);
};

const isIn = (allowed: readonly string[], path: string): boolean =>
  allowed.some((folder) => `${path}/`.startsWith(`${folder}/`));

const notePath = (path: unknown): void => {
  if (typeof path !== 'string' && !(path instanceof URL) && !Buffer.isBuffer(path)) return;
  const full = path instanceof URL ? fileURLToPath(path) : resolve(String(path));
  if (!isInput(folders, full) && !isIn(outputs, full)) note(full);
};

type Report = (...args: readonly unknown[]) => void;

const reporting = (original: unknown, report: Report): unknown => {
  if (typeof original !== 'function') return original;
  return function (this: unknown, ...args: readonly unknown[]): unknown {
    report(...args);
    return Reflect.apply(original, this, args);
  };
};

/** Replaces functions of an object, and those among their properties, such as `realpath.native`, by reporting ones. */
const observe = (object: object, names: readonly string[], report: Report): void => {
  for (const name of names) {
    const original: unknown = Reflect.get(object, name);
    if (typeof original !== 'function') continue;
    const replacement = Object(reporting(original, report));
    for (const key of Reflect.ownKeys(original)) {
      const descriptor = Reflect.getOwnPropertyDescriptor(original, key);
      if (descriptor?.value) descriptor.value = reporting(descriptor.value, report);
      if (descriptor) Object.defineProperty(replacement, key, descriptor);
    }
    Reflect.set(object, name, replacement);
  }
};

const TWO_PATHS = ['copyFile', 'cp', 'link', 'rename', 'symlink'].flatMap((name) => [name, `${name}Sync`]);
for (const object of [fs, fs.promises]) {
  // Classes have capital letters. They open files with the functions.
  const functions = Object.keys(object).filter((name) => /^[a-z]/.test(name));
  observe(object, functions, notePath);
  observe(object, TWO_PATHS, (_, second) => notePath(second));
}
observe(process, ['loadEnvFile'], (path = '.env') => notePath(path));
observe(process, ['binding', 'dlopen', 'execve'], () => note('native code'));
observe(module, ['findPackageJSON', 'register'], () => note('modules'));
observe(net.Socket.prototype, ['connect'], () => note('network'));
const noteProgram = (program: unknown): void => {
  if (!isIn(programs, String(program))) note(String(program));
};
observe(childProcess, ['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync'], noteProgram);
class NotedWorker extends workerThreads.Worker {
  constructor(...args: ConstructorParameters<typeof workerThreads.Worker>) {
    noteProgram(args[0]);
    super(...args);
  }
}
Reflect.set(workerThreads, 'Worker', NotedWorker);

/** Modules of Node.js that read files or use the network in a way that is not observed. */
const UNOBSERVED = /^(?:node:)?(?:cluster|dgram|dns|inspector|repl|sqlite|test|trace_events|wasi)(?:\/|$)/;
const noteBuiltin = (name: unknown): void => {
  if (UNOBSERVED.test(String(name))) note(String(name));
};
observe(process, ['getBuiltinModule'], noteBuiltin);
syncBuiltinESMExports();

registerHooks({
  resolve(specifier, context, nextResolve) {
    try {
      const found = nextResolve(specifier, context);
      noteBuiltin(found.url);
      // What is loaded from the output is read by the rules of the folders above it.
      if (found.url.startsWith('file:') && !isInput(folders, fileURLToPath(found.url))) note(found.url);
      return found;
    } catch (error) {
      // It has been looked for in the folders above the app's.
      note(specifier);
      throw error;
    }
  },
});
