import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseSearched, type SearchedScenario } from './scenario-table.ts';

const RUN_SEARCH = fileURLToPath(new URL('run-search.ts', import.meta.url));

export interface ChildSearch {
  readonly name: string;
  readonly arguments: readonly string[];
}

/** Searches several scenarios in parallel, each in its own process. */
export const searchInChildren = async (
  searches: readonly ChildSearch[],
  workers: number,
  onResult: (name: string, result: SearchedScenario) => Promise<void>,
  onFailure: (name: string, why: string) => void,
): Promise<void> => {
  const waiting = [...searches];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { name } = next;
      const output = await outputOf(next.arguments);
      if (output.text === undefined) onFailure(name, output.why);
      else await onResult(name, parseSearched(output.text));
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, workers) }, work));
};

const outputOf = (
  given: readonly string[],
): Promise<{ readonly text: string; readonly why?: never } | { readonly text?: never; readonly why: string }> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [...process.execArgv, RUN_SEARCH, ...given, '--json'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', (error) => resolve({ why: error.message }));
    child.on('close', (code, signal) => {
      const text = Buffer.concat(chunks).toString();
      resolve(code === 0 ? { text } : { why: `The search ended with ${signal ?? `exit code ${code}`}.` });
    });
  });
