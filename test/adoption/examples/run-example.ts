import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { LocalCloud } from '../../../local/cloud/local-cloud.ts';

const ROOT = join(import.meta.dirname, '../../..');
const TIMEOUT_MS = 60_000;

/** How an example ended. */
export interface ExampleResult {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Returns the environment variables that examples/README.md sets, for a local run. */
export const exampleEnvironment = (cloud: LocalCloud): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  ...cloud.env,
  SEND_QUEUE_URL: cloud.sendQueueUrl,
  MANAGEMENT_URL: cloud.managementUrl,
});

/** Runs a TypeScript example against a local run, in a process of its own that ends after a minute at the latest. */
export const runExample = (cloud: LocalCloud, file: string, args: readonly string[] = []): Promise<ExampleResult> =>
  runProgram(cloud, join(ROOT, 'examples', file), args);

/** Runs a TypeScript program like an example. */
export const runProgram = async (
  cloud: LocalCloud,
  file: string,
  args: readonly string[] = [],
): Promise<ExampleResult> => {
  const child = spawn(process.execPath, [file, ...args], {
    env: exampleEnvironment(cloud),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
  });
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('close', resolve).once('error', reject);
  });
  const [exitCode, stdout, stderr] = await Promise.all([exited, text(child.stdout), text(child.stderr)]);
  return { exitCode, signal: child.signalCode, stdout, stderr };
};
