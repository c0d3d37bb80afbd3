import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const read = (path: string) => readFileSync(join(import.meta.dirname, '../../..', path), 'utf8');

/** The contract's sentences, one a line: where it stands, a tab, the sentence. */
const sentences = read('test/unit/sandbox/contract-sentences.txt').trimEnd().split('\n');

type Row = { sentence: string; restsOn: string; tests: { file: string; title: string }[] };

const table =
  read('docs/sandbox.md').split('| contract | sentence | rests on | tested by |\n|---|---|---|---|\n')[1] ?? '';

const rows = table
  .trimEnd()
  .split('\n')
  .map((line): Row => {
    const [, place = '', sentence = '', restsOn = '', tests = ''] = line
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll('\\|', '|'));
    const named = tests === '–' ? [] : tests.split('<br>');
    return {
      sentence: `${place}\t${sentence}`,
      restsOn,
      tests: named.map((test) => {
        const [, file = '', title = ''] = /^`([\w-]+\.test\.ts)` (.+)$/.exec(test) ?? [];
        return { file, title };
      }),
    };
  });

/** The titles of a file's tests as they are written, with the placeholders of those that run over a list. */
const titlesOf = (file: string): string[] => {
  const title = /(?:\btest|\))\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*,\s*(?:async\s*)?\(/g;
  return Array.from(read(`test/unit/sandbox/${file}`).matchAll(title), ([, single, double = '']) =>
    (single ?? double).replace(/\\(.)/g, '$1'),
  );
};

describe('the table of the contract in docs/sandbox.md', () => {
  test('has every sentence, in the order of the contract, and no other', () => {
    expect(rows.map(({ sentence }) => sentence)).toEqual(sentences);
  });

  test('names for each a test that exists', () => {
    const missing = rows.flatMap(({ sentence, tests }) => {
      if (tests.length === 0) return sentence === 'Events\tRules:' ? [] : [`${sentence}: no test`];
      return tests
        .filter(({ file, title }) => !titlesOf(file).includes(title))
        .map(({ file, title }) => `${file}: ${title}`);
    });
    expect(missing).toEqual([]);
  });

  test('says for each that the contract does not show what it rests on instead', () => {
    const silent = rows.filter(({ sentence, restsOn }) => sentence.includes('not shown') && restsOn === 'contract');
    expect(silent.map(({ sentence }) => sentence)).toEqual([]);
  });
});
