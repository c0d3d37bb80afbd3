import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFormatting } from '../../../../sandbox/console/page/phone/parse-formatting.ts';

const summarize = (text: string) =>
  parseFormatting(text).map(({ text: run, style }) => (style === 'plain' ? run : `${style}(${run})`));

describe('parseFormatting', () => {
  it.each([
    ['plain', ['plain']],
    ['*bold* and _italic_', ['bold(bold)', ' and ', 'italic(italic)']],
    ['~gone~, `code`', ['strikethrough(gone)', ', ', 'code(code)']],
    ['```two\nlines```', ['code(two\nlines)']],
    ['(*bold*)', ['(', 'bold(bold)', ')']],
    ['2 * 3 * 4', ['2 * 3 * 4']],
    ['snake_case_name', ['snake_case_name']],
    ['*not\nover lines*', ['*not\nover lines*']],
    ['*open', ['*open']],
    ['**', ['**']],
    ['', []],
  ])('parses %j as %j', (text, runs) => {
    expect(summarize(text)).toEqual(runs);
  });

  it('keeps every character except the marks', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', ' ', '*', '_', '~', '`', '\n', 'é', '😀') }), (text) => {
        const shown = parseFormatting(text)
          .map((run) => run.text)
          .join('');
        const withoutMarks = (of: string) => of.replace(/[*_~`]/g, '');
        expect(withoutMarks(shown)).toBe(withoutMarks(text));
      }),
    );
  });
});
