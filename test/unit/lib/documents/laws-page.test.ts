import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LAWS } from '../../../../lambdas/laws/check-laws.ts';
import { lawsPage } from '../../../../lib/documents/laws-page.ts';

const page = readFileSync(new URL('../../../../docs/laws.md', import.meta.url), 'utf8');

describe('docs/laws.md', () => {
  it('is up to date; "npm run schemas" writes the laws', () => {
    expect(page).toBe(lawsPage(page));
  });

  it('has every law once, and keeps its lines short', () => {
    const headings = page.split('\n').filter((line) => line.startsWith('### '));
    expect(headings.toSorted()).toEqual(LAWS.map(({ name }) => `### \`${name}\``).toSorted());
    expect(page.split('\n').filter((line) => line.length > 120)).toEqual([]);
  });
});
