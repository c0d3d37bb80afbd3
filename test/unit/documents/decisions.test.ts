import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './markdown.ts';

const FOLDER = join(ROOT, 'docs/decisions');
const decisions = readdirSync(FOLDER).filter((file) => file !== 'README.md');
const textOf = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');

/** One page. What a reader looks up belongs to another page of docs/. */
const MAX_WORDS = 420;

describe('decisions', () => {
  it('are few enough to read, so related ones share a page', () => {
    expect(decisions.length).toBeLessThanOrEqual(42);
  });
});

describe('a decision', () => {
  it('is listed once in the index, by its own title', () => {
    const index = textOf('README.md').replaceAll(/\s+/g, ' ');
    const listed = [...index.matchAll(/\[([^\]]+)\]\(([\w-]+\.md)\)/g)].map(([, title, file]) => `${file} ${title}`);

    expect(listed.toSorted()).toEqual(
      decisions.map((file) => `${file} ${/^# (.+)$/m.exec(textOf(file))?.[1]}`).toSorted(),
    );
  });

  it('says what was decided, why, what it costs, and perhaps what else was considered, in that order', () => {
    const headings = decisions.map((file) => (textOf(file).match(/^## .+$/gm) ?? []).join(' '));
    const expected = /^## Decision ## Why ## What it costs( ## Alternatives)?$/;

    expect(decisions.filter((_, index) => !expected.test(headings[index] ?? ''))).toEqual([]);
  });

  it('fits on a page, without its links', () => {
    const words = (file: string) =>
      textOf(file)
        .replaceAll(/https?:\S+|\([^)\s]+\.md[^)\s]*\)/g, '')
        .split(/\s+/).length;

    expect(decisions.filter((file) => words(file) > MAX_WORDS).map((file) => `${file}: ${words(file)}`)).toEqual([]);
  });
});
