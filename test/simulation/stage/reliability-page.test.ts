import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { STAGE_INVARIANT_NAMES } from './stage-invariants.ts';

const page = readFileSync(new URL('../../../docs/reliability.md', import.meta.url), 'utf8');

/** Returns the names in the last column of the table of promises. */
const invariantsIn = (text: string): readonly string[] => {
  const [, section = ''] = text.split(/^## Promises$/m);
  const rows = section.split(/^## /m)[0]?.match(/^\|.*\|$/gm) ?? [];
  return rows.flatMap((row) => [...(row.split('|').at(-2) ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
};

describe('docs/reliability.md', () => {
  it('derives each invariant from one promise, and names no other', () => {
    expect(invariantsIn(page).toSorted()).toEqual(STAGE_INVARIANT_NAMES.toSorted());
  });

  it('names an invariant for each promise', () => {
    const table = page.split('## How the promises are checked')[0] ?? '';
    const promises = table.match(/^\|.*\|$/gm)?.slice(2) ?? [];

    expect(promises.length).toBeGreaterThan(10);
    expect(promises.filter((row) => invariantsIn(`## Promises\n${row}`).length === 0)).toEqual([]);
  });
});
