import { describe, expect, it } from 'vitest';
import { readEventContent } from '../../../../lambdas/domain/event-content.ts';
import { wireMessage } from '../../../support/builders.ts';

const contentOf = (wire: unknown) => readEventContent(JSON.stringify(wire));

const NO_MEDIA = { images: [], audios: [], files: [], videos: [] };

describe('readEventContent', () => {
  it('returns the text and the sender as received', () => {
    expect(contentOf(wireMessage())).toEqual({
      from: '5491155550000',
      sender: 'user',
      text: 'Where is my parcel?',
      media: NO_MEDIA,
    });
  });

  it('returns media of all four kinds, and no text when there is none', () => {
    const wire = wireMessage({
      MESSAGE: undefined,
      IMAGES_URLS: ['https://media.example/1.jpg'],
      AUDIOS_URLS: ['https://media.example/2.ogg'],
      FILES_URLS: ['https://media.example/3.pdf'],
      VIDEOS_URLS: ['https://media.example/4.mp4'],
    });
    expect(contentOf(wire)).toEqual({
      from: '5491155550000',
      sender: 'user',
      media: {
        images: ['https://media.example/1.jpg'],
        audios: ['https://media.example/2.ogg'],
        files: ['https://media.example/3.pdf'],
        videos: ['https://media.example/4.mp4'],
      },
    });
  });

  it('returns JSON inside MESSAGE, a button press, as text', () => {
    expect(contentOf(wireMessage({ MESSAGE: '{"button":"yes"}' }))).toMatchObject({ text: '{"button":"yes"}' });
  });

  it('ignores fields of another type, and entries that are not strings', () => {
    const wire = wireMessage({
      FROM: 5491155550000,
      MESSAGE: { text: 'Hi' },
      IMAGES_URLS: 'none',
      FILES_URLS: [7, 'https://media.example/3.pdf', null],
    });
    expect(contentOf(wire)).toEqual({
      from: '5491155550000',
      sender: 'user',
      media: { ...NO_MEDIA, files: ['https://media.example/3.pdf'] },
    });
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
