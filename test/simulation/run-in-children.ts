import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A run of a script in its own process, which writes its result to standard output. */
export interface ChildRun {
  readonly name: string;
  readonly arguments: readonly string[];
}

/** Runs a script several times, each in its own process, and a limited number of them in parallel. */
export const runInChildren = async (
  script: URL,
  runs: readonly ChildRun[],
  workers: number,
  onOutput: (name: string, text: string) => Promise<void> | void,
  onFailure: (name: string, why: string) => void,
): Promise<void> => {
  const waiting = [...runs];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { name } = next;
      const output = await outputOf(script, next.arguments);
      if (output.text === undefined) onFailure(name, output.why);
      else await onOutput(name, output.text);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, workers) }, work));
};

const outputOf = (
  script: URL,
  given: readonly string[],
): Promise<{ readonly text: string; readonly why?: never } | { readonly text?: never; readonly why: string }> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [...process.execArgv, fileURLToPath(script), ...given], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', (error) => resolve({ why: error.message }));
    child.on('close', (code, signal) => {
      const text = Buffer.concat(chunks).toString();
      resolve(code === 0 ? { text } : { why: `The process ended with ${signal ?? `exit code ${code}`}.` });
    });
  });
