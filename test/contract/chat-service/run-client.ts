import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../../local/base/json.ts';
import { startSandbox } from '../../../sandbox/sandbox.ts';
import { CHANNEL, CLIENT_CASES, type ClientCase, PLATFORM, TOKEN } from './client-cases.ts';

const PROGRAM = join(import.meta.dirname, 'call_client.py');

/** A call with its result. */
export interface ClientRow {
  readonly call: ClientCase;
  readonly result: unknown;
  readonly isExpected: boolean;
}

/**
 * Makes every call of the independent client against a new sandbox.
 *
 * @param python a Python with the packages of references/botmaker/requirements.txt
 */
export const runClient = async (python: string): Promise<readonly ClientRow[]> => {
  const sandbox = await startSandbox({
    accessTokens: [TOKEN],
    chatPlatform: PLATFORM,
    chatChannelNumbers: [CHANNEL],
    credit: 100,
  });
  const program = spawn(python, [PROGRAM, `${sandbox.url}/api/v1.0`], { stdio: ['pipe', 'pipe', 'inherit'] });
  try {
    const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
    const rows: ClientRow[] = [];
    for (const call of CLIENT_CASES) {
      for (const { method, path, body } of call.before ?? []) {
        const answer = await fetch(`${sandbox.url}/sandbox${path}`, { method, body: JSON.stringify(body) });
        if (!answer.ok) throw new Error(`${method} ${path} returned ${answer.status}: ${await answer.text()}`);
      }
      const { method, args, named = {}, token = TOKEN, expected } = call;
      program.stdin.write(`${JSON.stringify({ method, args, named, token })}\n`);
      const line = await lines.next();
      if (line.done) throw new Error(`The client ended before it answered the call "${call.name}".`);
      const result: unknown = JSON.parse(line.value);
      rows.push({ call, result, isExpected: hasParts(result, expected) });
    }
    return rows;
  } finally {
    program.kill();
    await sandbox.close();
  }
};

const hasParts = (value: unknown, expected: unknown): boolean => {
  if (expected instanceof RegExp) return typeof value === 'string' && expected.test(value);
  if (!isObject(expected)) return isDeepStrictEqual(value, expected);
  return isObject(value) && Object.entries(expected).every(([name, part]) => hasParts(value[name], part));
};

/** Returns a table with a line for each call: what was called, whether the result is as expected, and the result. */
export const clientTable = (rows: readonly ClientRow[]): string =>
  rows
    .map(({ call, result, isExpected }) =>
      [isExpected ? 'ok   ' : 'WRONG', call.method.padEnd(24), call.name.padEnd(48), JSON.stringify(result)].join(' '),
    )
    .join('\n');
