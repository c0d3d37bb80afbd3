import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { REFUSAL_CODES } from '../../../lambdas/domain/decision.ts';
import * as z from '../../../lambdas/domain/schema.ts';
import { PROBLEM_CODES } from '../../../lambdas/manage/api/answer.ts';
import { stageSettings } from '../../../lib/settings/stage-settings.ts';
import { commandLines } from './public-surface/command-lines.ts';
import { exportLines } from './public-surface/declared-exports.ts';
import { localRunLines } from './public-surface/local-run-lines.ts';
import { schemaLines } from './public-surface/schema-lines.ts';
import { messageAttributeLines, metricLines, outputLines } from './public-surface/stack-lines.ts';

const FOLDER = join(import.meta.dirname, 'public-surface');

/**
 * What other systems and people depend on, besides the schemas in docs/, which other tests keep up to date.
 * docs/upgrading.md says what a change of each means.
 */
const SURFACE: Readonly<Record<string, () => readonly string[] | Promise<readonly string[]>>> = {
  exports: exportLines,
  settings: () => schemaLines(stageSettings),
  outputs: outputLines,
  messages: messageAttributeLines,
  metrics: metricLines,
  'error-codes': () => PROBLEM_CODES,
  'refusal-codes': () => REFUSAL_CODES,
  command: commandLines,
  'local-run': localRunLines,
};

/** Describes how a part differs from its file, one line for each name that is missing or new. */
const describeChanges = (part: string, listed: readonly string[], lines: readonly string[]): string =>
  [
    `The public surface differs from test/unit/house/public-surface/${part}.txt:`,
    ...listed.filter((line) => !lines.includes(line)).map((line) => `- ${line}`),
    ...lines.filter((line) => !listed.includes(line)).map((line) => `+ ${line}`),
    'If you meant to change it: run "npm run surface", which rewrites the file, and add a line to CHANGELOG.md. If users',
    'must do something, add what to docs/upgrading.md, which also says what kind of version such a change needs.',
  ].join('\n');

describe('the public surface', () => {
  it.each(Object.entries(SURFACE))('of %s is as listed', async (part, list) => {
    const lines = [...new Set(await list())].toSorted();
    const file = join(FOLDER, `${part}.txt`);
    // Only on request: a missing list must fail, not be written again.
    if (process.env.WRITE_PUBLIC_SURFACE === '1') writeFileSync(file, `${lines.join('\n')}\n`);
    const listed = readFileSync(file, 'utf8').trimEnd().split('\n');
    if (listed.join('\n') !== lines.join('\n')) throw new Error(describeChanges(part, listed, lines));
  });

  it('lists the fields of nested objects, lists, alternatives, and maps, with types and defaults', () => {
    const point = z.object({ x: z.number() });
    const schema = z.object({
      list: z.array(point),
      either: z.union([z.object({ a: z.string() }), z.object({ b: z.optional(z.array(point)) })]),
      map: z.record(z.string(), z.object({ deep: point })),
      size: z._default(z.int().check(z.minimum(1), z.maximum(9)), 5),
      kind: z.optional(z.enum(['a', 'b'])),
    });

    expect(schemaLines(schema)).toEqual([
      'list: object[]',
      'list[].x: number',
      'either: object',
      'either.a: string',
      'either.b?: object[]',
      'either.b[].x: number',
      'map: object',
      'map.*.deep: object',
      'map.*.deep.x: number',
      'size?: integer 1..9 = 5',
      'kind?: "a" | "b"',
    ]);
  });

  it('is compared line by line', () => {
    expect(describeChanges('outputs', ['A', 'B'], ['A', 'C']).split('\n').slice(1, 3)).toEqual(['- B', '+ C']);
  });
});
