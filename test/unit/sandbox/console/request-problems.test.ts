import { describe, expect, it } from 'vitest';
import { contentToSend, mediaWarning, problemsOf } from '../../../../sandbox/console/page/controls/request-problems.ts';

const REQUEST = {
  text: 'Hello',
  template: 'parcel_update',
  values: new Map([['name', 'Ana']]),
  mediaUrls: ['', 'https://media.example/parcel.jpg'],
};

describe('a request of the send card', () => {
  it('has no problems', () => {
    expect(problemsOf(REQUEST).size).toBe(0);
    expect(problemsOf({ ...REQUEST, text: '', template: '', values: new Map() }).size).toBe(0);
  });

  it.each(['', '  ', '\u00a0'])('needs a value for every variable, not "%s"', (value) => {
    expect([...problemsOf({ ...REQUEST, values: new Map([['name', value]]) })]).toEqual([
      ['name', 'Enter a value for ${name}. The chat service rejects empty values.'],
    ]);
  });

  it('needs content', () => {
    const problems = problemsOf({ text: ' ', template: '', values: new Map(), mediaUrls: ['', ''] });

    expect([...problems]).toEqual([[undefined, 'Enter text, choose a template, or add media.']]);
  });

  it.each([
    ['', false],
    ['https://media.example/a.jpg', false],
    ['http://media.example/a.jpg', true],
    ['parcel.jpg', true],
  ])('warns about the media address "%s": %s', (url, isWarned) => {
    expect(mediaWarning(url) !== undefined).toBe(isWarned);
  });
});

it.each([
  ['Hello', '', true, 'text'],
  ['Hello', '', false, 'refused'],
  ['Hello', 'parcel_update', true, 'text'],
  ['Hello', 'parcel_update', false, 'template'],
  [' ', 'parcel_update', true, 'template'],
  ['', 'parcel_update', false, 'template'],
] as const)('sends of "%s" and "%s" with an open window (%s) the %s', (text, template, isWindowOpen, expected) => {
  expect(contentToSend({ text, template }, isWindowOpen)).toBe(expected);
});
