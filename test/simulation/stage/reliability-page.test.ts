import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { STAGE_INVARIANT_NAMES } from './stage-invariants.ts';

const page = readFileSync(new URL('../../../docs/reliability.md', import.meta.url), 'utf8');

const [, promises = ''] = /^## Promises$([\s\S]*?)^## /m.exec(page) ?? [];

/** Returns the names of the invariants after each promise, which are alone on the last lines of its list item. */
const invariantsOf = (item: string): readonly string[] =>
  [...(item.split('\\\n').at(-1) ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name);

describe('docs/reliability.md', () => {
  const items = promises.split(/^- /m).slice(1);

  it('names each invariant once, and no other', () => {
    expect(items.flatMap(invariantsOf).toSorted()).toEqual(STAGE_INVARIANT_NAMES.toSorted());
  });

  it('names an invariant for each promise', () => {
    expect(items.length).toBeGreaterThan(10);
    expect(items.filter((item) => invariantsOf(item).length === 0)).toEqual([]);
  });
});
