import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** An independent implementation of SQS. */
export const REFERENCES = ['ElasticMQ', 'moto'] as const;
export type ReferenceName = (typeof REFERENCES)[number];

export interface RunningReference extends AsyncDisposable {
  readonly url: string;
}

/** A reference cannot run on this machine. The message says what to do. */
export class ReferenceUnavailableError extends Error {
  override readonly name = 'ReferenceUnavailableError';
}

/** Returns the path of a file next to this one that a reference needs. */
const fileOf = (path: string): string => join(import.meta.dirname, path);

/**
 * Installs a reference into a folder, and starts it.
 *
 * @throws ReferenceUnavailableError if a tool is missing, or if the reference does not start.
 */
export const startReference = (name: ReferenceName, folder: string): Promise<RunningReference> =>
  name === 'ElasticMQ' ? startElasticMq(folder) : startMoto(folder);

const startElasticMq = async (folder: string): Promise<RunningReference> => {
  const needs = 'ElasticMQ needs Java 17 or later and Maven';
  const classpath = join(folder, 'classpath');
  await run(needs, 'java', ['-version']);
  const goal = 'dependency:build-classpath';
  await run(needs, 'mvn', ['-q', '-B', '-f', fileOf('elasticmq/pom.xml'), goal, `-Dmdep.outputFile=${classpath}`]);
  const port = await freePort();
  const config = join(folder, 'elasticmq.conf');
  await writeFile(
    config,
    `node-address { host = 127.0.0.1, port = ${port} }
rest-sqs { bind-hostname = "127.0.0.1", bind-port = ${port}, sqs-limits = strict }
rest-stats.enabled = false`,
  );
  const jars = (await readFile(classpath, 'utf8')).trim();
  return listening(needs, port, 'java', [`-Dconfig.file=${config}`, '-cp', jars, 'org.elasticmq.server.Main']);
};

const startMoto = async (folder: string): Promise<RunningReference> => {
  const needs = 'moto needs Python 3.10 or later';
  const python = join(folder, 'venv', 'bin', 'python');
  await run(needs, 'python3', ['-m', 'venv', join(folder, 'venv')]);
  await run(needs, python, ['-m', 'pip', 'install', '--quiet', '-r', fileOf('moto/requirements.txt')]);
  const port = await freePort();
  return listening(needs, port, python, ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)]);
};

const run = async (needs: string, command: string, args: readonly string[]): Promise<void> => {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const code = await exitOf(child);
  if (code === 'missing')
    throw new ReferenceUnavailableError(`${needs}: \`${command}\` was not found. Install it and try again.`);
  if (code !== 0)
    throw new ReferenceUnavailableError(`${needs}: \`${command} ${args.join(' ')}\` failed.\n${errors.trim()}`);
};

const exitOf = async (child: ChildProcess): Promise<number | 'missing'> => {
  try {
    const [code] = await once(child, 'close');
    return Number(code ?? 1);
  } catch {
    return 'missing';
  }
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
};

const START_SECONDS = 60;

const listening = async (
  needs: string,
  port: number,
  command: string,
  args: readonly string[],
): Promise<RunningReference> => {
  const child = spawn(command, args, { stdio: 'ignore' });
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
  throw new ReferenceUnavailableError(`${needs}: it did not start within ${START_SECONDS} seconds.`);
};
