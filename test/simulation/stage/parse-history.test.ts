import { describe, expect, it } from 'vitest';
import { drawHistory } from './draw-history.ts';
import { parseHistory } from './parse-history.ts';

const HISTORY = drawHistory(1);
const [first] = HISTORY.acts;

describe('a stored history', () => {
  it('is read as it was written', () => {
    const stored = { ...HISTORY, faults: ['send write SEND#request-1 1 late'] };
    expect(parseHistory(JSON.stringify(stored, null, 2))).toEqual({ kind: 'history', history: stored });
  });

  it.each([
    ['[]', 'it is not a JSON object.'],
    ['{', 'it is not a JSON object.'],
    [JSON.stringify({ ...HISTORY, seed: 'one' }), 'it has no seed.'],
    [JSON.stringify({ ...HISTORY, features: undefined }), 'it has no features.'],
    [
      JSON.stringify({ ...HISTORY, features: { ...HISTORY.features, content: undefined } }),
      'its features have no content.',
    ],
    [JSON.stringify({ ...HISTORY, faults: [1] }), 'its faults are no list of ids.'],
    [
      JSON.stringify({ ...HISTORY, acts: [{ ...first, kind: 'explode' }] }),
      'its acts are no list of acts with a known kind and a time.',
    ],
    [JSON.stringify({ ...HISTORY, acts: HISTORY.acts.toReversed() }), 'its acts are not in the order of their times.'],
  ])('is refused: %#', (text, why) => {
    expect(parseHistory(text)).toEqual({ kind: 'invalid', why });
  });
});
