import { describe, expect, it } from 'vitest';
import { readEventContent } from '../../../../lambdas/domain/event-content.ts';
import { USER, wireMessage } from '../../../support/builders.ts';

const contentOf = (wire: unknown) => readEventContent(JSON.stringify(wire));

const NO_MEDIA = { images: [], audios: [], files: [], videos: [] };

describe('readEventContent', () => {
  it('returns JSON inside MESSAGE, a button press, as text', () => {
    expect(contentOf(wireMessage({ MESSAGE: '{"button":"yes"}' }))).toMatchObject({ text: '{"button":"yes"}' });
  });

  it('ignores fields of another type, and entries that are empty or not strings', () => {
    const wire = wireMessage({
      FROM: 5491155550000,
      MESSAGE: { text: 'Hi' },
      IMAGES_URLS: 'none',
      AUDIOS_URLS: [''],
      FILES_URLS: [7, 'https://media.example/3.pdf', null],
    });
    expect(contentOf(wire)).toEqual({
      from: '5491155550000',
      sender: 'user',
      media: { ...NO_MEDIA, files: ['https://media.example/3.pdf'] },
    });
  });

  it.each([
    ['uppercase', wireMessage({ MESSAGE: 1 })],
    ['camelCase', { _id_: '1', contactId: USER, fromCustomer: true, message: 1, caption: 'two' }],
  ])('reads a number that a user wrote as text: %s', (_, event) => {
    expect(contentOf(event)).toMatchObject({ sender: 'user', text: '1' });
  });

  it('replaces lone surrogates, which no table item may contain', () => {
    expect(readEventContent('{"_id_":"1","FROM":"2","MESSAGE":"a\\ud800","IMAGES_URLS":["b\\udc00"]}')).toMatchObject({
      text: 'a\ufffd',
      media: { images: ['b\ufffd'] },
    });
  });

  it.each(['', 'hello', '[]', 'null'])('is empty for the body %j', (body) => {
    expect(readEventContent(body)).toEqual({ media: NO_MEDIA });
  });
});
