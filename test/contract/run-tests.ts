import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

const ROOT = join(import.meta.dirname, '../..');

const report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      message: z.string().default(''),
      assertionResults: z.array(
        z.object({ fullName: z.string(), status: z.string(), failureMessages: z.array(z.string()).default([]) }),
      ),
    }),
  ),
});

export type TestReport = z.output<typeof report>;

/**
 * Runs test files.
 *
 * @param project the Vitest project
 * @param environment variables beside those of this process
 */
export const runTests = async (
  project: string,
  files: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<TestReport> => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'parley-fidelity-'));
  const outputFile = join(folder.path, 'report.json');
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const options = ['--project', project, '--maxWorkers', '1', '--reporter', 'json', '--outputFile', outputFile];
  const child = spawn(process.execPath, [vitest, 'run', ...options, ...files], {
    cwd: ROOT,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  await once(child, 'close');
  const written = await readFile(outputFile, 'utf8').catch(() => undefined);
  if (written === undefined) throw new Error(`Vitest wrote no report.\n${errors.trim()}`);
  return report.parse(JSON.parse(written));
};
