import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blocksOf, formatJson, jsonParts } from '../../../../sandbox/console/page/components/json-text.ts';

const lines = (value: unknown) => formatJson(value).text.split('\n');

describe('the text of a JSON value', () => {
  it('is what JSON.stringify writes, for any value that is sent', () => {
    fc.assert(
      fc.property(fc.oneof(fc.object(), fc.array(fc.jsonValue())), (value) => {
        const parsed: unknown = JSON.parse(JSON.stringify(value));

        expect(formatJson(parsed)).toEqual({ text: JSON.stringify(parsed, null, 2), isJson: true });
      }),
    );
  });

  it('keeps the order in which keys were sent', () => {
    expect(lines({ b: 1, a: { d: 2, c: 3 } }).map((line) => line.trim())).toEqual([
      '{',
      '"b": 1,',
      '"a": {',
      '"d": 2,',
      '"c": 3',
      '}',
      '}',
    ]);
  });

  it('shows a string that contains JSON as that JSON, unchanged', () => {
    const body = '{"b":12345678901234567890,"1":1.0,"b":"\\u00e9"}';

    expect(formatJson(body).text).toBe('{\n  "b": 12345678901234567890,\n  "1": 1.0,\n  "b": "\\u00e9"\n}');
  });

  it.each(['', 'not JSON', '"text"', '12', '{"open":', '[1,]'])('shows %j as it is', (text) => {
    expect(formatJson(text)).toEqual({ text, isJson: false });
  });

  it('does not show a text that a user wrote as JSON', () => {
    expect(lines({ MESSAGE: '{"a":1}' })[1]).toBe(String.raw`  "MESSAGE": "{\"a\":1}"`);
  });

  it('shows JSON that is nested too deeply to indent', () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    let value: unknown = [];
    for (let depth = 0; depth < 50_000; depth += 1) value = [value];

    expect(formatJson(deep)).toEqual({ text: deep, isJson: true });
    expect(formatJson(value).text).toBe('This value is nested too deeply to show.');
  });
});

describe('the parts of JSON', () => {
  it('are its keys, strings, numbers, and literals', () => {
    const { text } = formatJson({ 'a:"b"': 'x": 1', n: [-1.5e3, true, null] });

    expect(jsonParts(text, 100).filter(({ kind }) => kind !== undefined)).toEqual([
      { kind: 'key', text: String.raw`"a:\"b\""` },
      { kind: 'string', text: String.raw`"x\": 1"` },
      { kind: 'key', text: '"n"' },
      { kind: 'number', text: '-1500' },
      { kind: 'literal', text: 'true' },
      { kind: 'literal', text: 'null' },
    ]);
  });

  it('form the whole text when joined, with a limited number of colored parts', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat({ max: 20 }), (value, maxColored) => {
        const { text } = formatJson(value);
        const parts = jsonParts(text, maxColored);

        expect(parts.map((part) => part.text).join('')).toBe(text);
        expect(parts.filter(({ kind }) => kind !== undefined).length).toBeLessThanOrEqual(maxColored);
      }),
    );
  });
});

describe('blocks of a long text', () => {
  it('have at most 100 lines each and are the text again when joined', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 350 }), (lines) => {
        const text = lines.join('\n');

        const blocks = blocksOf(text);

        expect(blocks.join('')).toBe(text);
        for (const block of blocks) expect(block.replace(/\n$/, '').split('\n').length).toBeLessThanOrEqual(100);
      }),
    );
  });
});
