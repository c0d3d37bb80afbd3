import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');

const page = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');

/** The last section, which makes no claim, and the first ones, which the others explain. */
const WITHOUT_CLAIMS = ['Security', 'Trust boundaries', 'What Parley does not protect against'];

/** A test that proves a claim, as a footnote names it. */
interface Proof {
  readonly id: string;
  readonly file: string;
  readonly test: string;
}

/** Returns the tests of the footnotes, such as ``[^id]: `test/a.test.ts`: "says hello"``, several to a footnote. */
const proofsIn = (text: string): readonly Proof[] =>
  footnotesIn(text).flatMap(([id, body]) => {
    const named = [...body.matchAll(/`(test\/[^`]+)`:((?:\s*;?\s*"(?:[^"\\]|\\.)*")+)/g)];
    return named.flatMap(([, file = '', tests = '']) =>
      [...tests.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, test = '']) => ({
        id,
        file,
        test: test.replaceAll('\\"', '"'),
      })),
    );
  });

/** Returns the ids and texts of the footnotes, whose further lines are indented. */
const footnotesIn = (text: string): readonly (readonly [id: string, body: string])[] =>
  [...text.matchAll(/^\[\^([\w-]+)\]: (.*(?:\n {4}.*)*)$/gm)].map(([, id = '', body = '']) => [
    id,
    body.replaceAll(/\s+/g, ' '),
  ]);

const referencesIn = (text: string): readonly string[] =>
  [...text.matchAll(/\[\^([\w-]+)\](?!:)/g)].map(([, id = '']) => id);

/** Returns the names of the tests in a file, as they are written, without the backslashes that escape quotation marks. */
const testsIn = (code: string): readonly string[] =>
  [...code.matchAll(/\(\s*(['"`])((?:\\.|(?!\1)[^\\\n])*)\1,\s*(?:async\b|\(|\{ timeout)/g)].map(([, , name = '']) =>
    name.replaceAll(/\\(['"`])/g, '$1'),
  );

/** Returns the table rows and list items of each section that makes claims. */
const claimsIn = (text: string): readonly string[] =>
  text
    .split(/^(?=#{1,6} )/m)
    .filter((section) => !WITHOUT_CLAIMS.includes(/^#+ (.*)/.exec(section)?.[1] ?? ''))
    .flatMap((section) => {
      const prose = section.replaceAll(/^```[\s\S]*?^```/gm, '');
      const rows = [...prose.matchAll(/^\|(?!-).*\|\n(?!\|-)/gm)].map(([row]) => row.trim());
      const items = [...prose.matchAll(/^- .*(?:\n {2}.*)*/gm)].map(([item]) => item);
      return [...rows, ...items];
    });

const faultOf = ({ id, file, test }: Proof): string | undefined => {
  if (!existsSync(join(ROOT, file))) return `${id}: ${file} does not exist`;
  const code = readFileSync(join(ROOT, file), 'utf8');
  return testsIn(code).includes(test) ? undefined : `${id}: ${file} has no test "${test}"`;
};

describe('docs/security.md', () => {
  it('names only tests that exist', () => {
    expect(proofsIn(page).flatMap((proof) => faultOf(proof) ?? [])).toEqual([]);
    expect(proofsIn(page).length).toBeGreaterThan(50);
  });

  it('has a footnote with a test for each reference, and no other footnotes', () => {
    const footnotes = footnotesIn(page).map(([id]) => id);
    expect(footnotes.toSorted()).toEqual([...new Set(referencesIn(page))].toSorted());
    expect(footnotes).toEqual([...new Set(footnotes)]);
    const proven = new Set(proofsIn(page).map(({ id }) => id));
    expect(footnotes.filter((id) => !proven.has(id))).toEqual([]);
  });

  it('names a test, a page, or a source for each claim in a table or a list', () => {
    const claims = claimsIn(page);
    expect(claims.filter((claim) => !/\[\^[\w-]+\]|\]\(|\]\[/.test(claim))).toEqual([]);
    expect(claims.length).toBeGreaterThan(60);
  });
});

describe('a claim', () => {
  it('is found in tables and lists, and its test in the footnote', () => {
    const text = `# Page

## Claims

| what | how |
|---|---|
| one | safe[^one] |

- two, over
  two lines

[^one]: \`test/a.test.ts\`: "says \\"hello\\""; "and
    goodbye"
    \`test/b.test.ts\`: "third"

## What Parley does not protect against

- three
`;
    expect(claimsIn(text)).toEqual(['| one | safe[^one] |', '- two, over\n  two lines']);
    expect(proofsIn(text)).toEqual([
      { id: 'one', file: 'test/a.test.ts', test: 'says "hello"' },
      { id: 'one', file: 'test/a.test.ts', test: 'and goodbye' },
      { id: 'one', file: 'test/b.test.ts', test: 'third' },
    ]);
  });

  it('is not proven by a missing file or by a test of another name', () => {
    const file = 'test/unit/house/security-claims.test.ts';
    expect(faultOf({ id: 'a', file: 'test/missing.test.ts', test: 'x' })).toBe(
      'a: test/missing.test.ts does not exist',
    );
    expect(faultOf({ id: 'a', file, test: 'names only' })).toBe(`a: ${file} has no test "names only"`);
    expect(faultOf({ id: 'a', file, test: 'names only tests that exist' })).toBeUndefined();
  });
});
