import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const read = (path: string) => readFileSync(join(import.meta.dirname, '../../..', path), 'utf8');

/** The contract's sentences, one per line: the section, a tab, the sentence. */
const sentences = read('test/unit/sandbox/contract-sentences.txt').trimEnd().split('\n');

interface Row {
  sentence: string;
  basis: string;
  tests: { file: string; title: string }[];
}

const list = read('docs/sandbox-contract.md');

/** The sentences with their details, which are nested list items under a heading for each section. */
const rows: Row[] = [];
let section = '';
// Joins wrapped lines: an indented line that starts no list item continues the previous line.
for (const line of list
  .replaceAll(/\n +(?![ -])/g, ' ')
  .replaceAll(/\\([<_])/g, '$1')
  .split('\n')) {
  const [, heading] = /^## (.+)$/.exec(line) ?? [];
  const [, number, sentence] = /^- (?:\*\*(\d+)\.\*\* )?(.+)$/.exec(line) ?? [];
  const [, basis] = /^ {2}- Basis: (.+)$/.exec(line) ?? [];
  const [, file, title] = /^ {2}- `([\w-]+\.test\.ts)`: (.+)$/.exec(line) ?? [];
  const row = rows.at(-1);
  if (heading !== undefined) section = heading;
  if (sentence !== undefined) {
    const place = number === undefined ? section : `${section} ${number}`;
    rows.push({ sentence: `${place}\t${sentence}`, basis: '', tests: [] });
  }
  if (row !== undefined && basis !== undefined) row.basis = basis;
  if (row !== undefined && file !== undefined && title !== undefined) row.tests.push({ file, title });
}

/** Returns the titles of a file's tests as written, with their placeholders. */
const titlesOf = (file: string): string[] => {
  const title = /(?:\btest|\))\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*,\s*(?:async\s*)?\(/g;
  return Array.from(read(`test/unit/sandbox/${file}`).matchAll(title), ([, single, double = '']) =>
    (single ?? double).replace(/\\(.)/g, '$1'),
  );
};

describe('the contract in docs/sandbox-contract.md, sentence by sentence', () => {
  test('has every sentence of the contract, in its order, and no other', () => {
    expect(rows.map(({ sentence }) => sentence)).toEqual(sentences);
  });

  test('names an existing test for each sentence', () => {
    const missing = rows.flatMap(({ sentence, tests }) => {
      if (tests.length === 0) return sentence === 'Events\tRules:' ? [] : [`${sentence}: no test`];
      return tests
        .filter(({ file, title }) => !titlesOf(file).includes(title))
        .map(({ file, title }) => `${file}: ${title}`);
    });
    expect(missing).toEqual([]);
  });

  test('names another basis for each sentence that the contract does not show', () => {
    const unsupported = rows.filter(
      ({ sentence, basis }) => sentence.includes('not shown') && ['', 'contract'].includes(basis),
    );
    expect(unsupported.map(({ sentence }) => sentence)).toEqual([]);
  });
});
