import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** An independent implementation of an AWS service that runs as a process on this machine. */
export interface RunningReference extends AsyncDisposable {
  readonly url: string;
}

/** Thrown if a tool cannot run on this machine. The message says what is missing. */
export class ToolMissingError extends Error {
  override readonly name = 'ToolMissingError';
}

/** Returns the path of a file next to this one. */
export const referenceFile = (path: string): string => join(import.meta.dirname, path);

/** A program with its arguments. */
export type Command = readonly [program: string, ...parameters: readonly string[]];

/**
 * Runs a command that a tool needs, and waits until it ends.
 *
 * @param needs what the tool needs, as the start of a sentence
 * @throws ToolMissingError if the program is missing, or if the command fails.
 */
export const runTool = async (needs: string, [program, ...parameters]: Command, cwd?: string): Promise<void> => {
  const child = spawn(program, parameters, { stdio: ['ignore', 'ignore', 'pipe'], cwd });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const code = await exitOf(child);
  if (code === 'missing')
    throw new ToolMissingError(`${needs}: \`${program}\` was not found. Install it and try again.`);
  if (code === 0) return;
  throw new ToolMissingError(`${needs}: \`${[program, ...parameters].join(' ')}\` failed.\n${errors.trim()}`);
};

/**
 * Runs a program of an installed tool. Returns what it prints.
 *
 * @param input what the program reads from its standard input
 * @throws Error if the program fails, because the tool is there.
 */
export const readOutput = async ([program, ...parameters]: Command, input = ''): Promise<string> => {
  const child = spawn(program, parameters, { stdio: ['pipe', 'pipe', 'pipe'] });
  const [output, errors] = [child.stdout, child.stderr].map((stream) => stream.setEncoding('utf8').toArray());
  child.stdin.end(input);
  const code = await exitOf(child);
  if (code === 0) return ((await output) ?? []).join('');
  throw new Error(`${program} ended with ${code}.\n${((await errors) ?? []).join('').trim()}`);
};

const exitOf = async (child: ChildProcess): Promise<number | 'missing'> => {
  try {
    const [code] = await once(child, 'close');
    return Number(code ?? 1);
  } catch {
    return 'missing';
  }
};

/**
 * Installs a tool into a folder of the cache, unless this version is installed already. Returns the folder.
 *
 * @param version the version to install, which replaces any other version
 */
export const installOnce = (
  cacheFolder: string,
  name: string,
  version: string,
  install: (folder: string) => Promise<void>,
): Promise<string> => {
  const folder = join(cacheFolder, name);
  const known = installing.get(folder);
  if (known) return known;
  const started = installInto(folder, version, install);
  installing.set(folder, started);
  return started;
};

/** Parts that run concurrently share a tool. */
const installing = new Map<string, Promise<string>>();

const installInto = async (
  folder: string,
  version: string,
  install: (folder: string) => Promise<void>,
): Promise<string> => {
  const marker = join(folder, 'installed-version');
  const installed = await readFile(marker, 'utf8').catch(() => undefined);
  if (installed === version) return folder;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await install(folder);
  await writeFile(marker, version);
  return folder;
};

/** Installs the packages of NAME/requirements.txt into a virtual environment. Returns the path of its Python. */
export const installPython = async (name: string, needs: string, cacheFolder: string): Promise<string> => {
  const requirements = referenceFile(`${name}/requirements.txt`);
  const pythonOf = (folder: string): string => join(folder, 'venv', 'bin', 'python');
  const folder = await installOnce(cacheFolder, name, await readFile(requirements, 'utf8'), async (into) => {
    await runTool(needs, ['python3', '-m', 'venv', join(into, 'venv')]);
    await runTool(needs, [pythonOf(into), '-m', 'pip', 'install', '--quiet', '-r', requirements]);
  });
  return pythonOf(folder);
};

/** Downloads the dependencies of NAME/pom.xml. Returns the class path. */
export const installJava = async (name: string, needs: string, cacheFolder: string): Promise<string> => {
  await runTool(needs, ['java', '-version']);
  const pom = referenceFile(`${name}/pom.xml`);
  const folder = await installOnce(cacheFolder, name, await readFile(pom, 'utf8'), (into) =>
    runTool(needs, [
      'mvn',
      ...['-q', '-B', '-f', pom, 'dependency:build-classpath'],
      `-Dmdep.outputFile=${join(into, 'classpath')}`,
    ]),
  );
  return (await readFile(join(folder, 'classpath'), 'utf8')).trim();
};

export const findFreePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
};

const START_SECONDS = 60;

/** Starts a server. @throws ToolMissingError if it does not answer within a minute. */
export const startReference = async (
  needs: string,
  port: number,
  [program, ...parameters]: Command,
): Promise<RunningReference> => {
  const child = spawn(program, parameters, { stdio: 'ignore' });
  const ended = exitOf(child);
  const stop = async (): Promise<void> => {
    child.kill();
    await ended;
  };
  const url = `http://127.0.0.1:${port}`;
  for (let second = 0; second < START_SECONDS && child.exitCode === null; second += 1) {
    const answers = await fetch(url).then(
      () => true,
      () => false,
    );
    if (answers) return { url, [Symbol.asyncDispose]: stop };
    await pause(1_000);
  }
  await stop();
  throw new ToolMissingError(`${needs}: it did not start within ${START_SECONDS} seconds.`);
};
