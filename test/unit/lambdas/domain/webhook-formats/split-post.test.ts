import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  MAX_POST_BYTES,
  MAX_POST_EVENTS,
  splitPost,
} from '../../../../../lambdas/domain/webhook-formats/split-post.ts';

/** The text of a value, with white space wherever JSON allows some. */
const spaced = (value: unknown): string => JSON.stringify(value, null, '\r\n\t ');
const message = (id: unknown) => ({ _id: id, from: 'user', message: 'Hi' });
const post = (messages: readonly unknown[], fields = {}) => ({
  v: '1.1',
  contactId: '5491155550000',
  ...fields,
  messages,
});
const refused = (body: string) => [{ body, reason: expect.stringContaining('too many events') }];

describe('a post with several messages', () => {
  it('is split into events that read as if each had been posted alone, whatever its other fields contain', () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue(), { minLength: 1, maxLength: 5 }),
        fc.dictionary(
          fc.string().filter((name) => name !== '__proto__'),
          fc.jsonValue(),
        ),
        (entries, fields) => {
          const events = splitPost(spaced(post(entries, fields)));
          const bodies = events.map(({ body }) => JSON.parse(body));
          expect(bodies).toEqual(entries.map((entry) => JSON.parse(JSON.stringify(post([entry], fields)))));
        },
      ),
    );
  });

  it('keeps the text of each message, also if the name of the list is repeated or escaped', () => {
    const list = `"messages":[1.0, {"_id":"a","x":1e2,"x":"\\u0041]}"}]`;
    const body = `{"messages":[0,0,0],"v":1,"m\\u0065ssages":[9,9],${list},"messages ":[]}`;
    expect(splitPost(body).map((event) => event.body)).toEqual([
      `{"messages":[0,0,0],"v":1,"m\\u0065ssages":[9,9],"messages":[1.0],"messages ":[]}`,
      `{"messages":[0,0,0],"v":1,"m\\u0065ssages":[9,9],"messages":[{"_id":"a","x":1e2,"x":"\\u0041]}"}],"messages ":[]}`,
    ]);
  });
});

describe('a post beyond the bounds', () => {
  const half = post(Array.from({ length: MAX_POST_EVENTS / 2 }, (_, index) => message(`m-${index}`)));
  const tooLong = post(Array.from({ length: MAX_POST_EVENTS + 1 }, (_, index) => message(`m-${index}`)));

  it('is split if it is within them', () => {
    expect(splitPost(JSON.stringify([half, half]))).toHaveLength(MAX_POST_EVENTS);
  });

  it.each([
    ['has too many elements', Array.from({ length: MAX_POST_EVENTS + 1 }, () => post([]))],
    ['has a list that is too long', tooLong],
    ['has two lists that are too long', [tooLong, tooLong]],
    ['has one list that is too long beside another event', [post([message('alone')]), tooLong]],
    ['has lists that are too long together', [half, half, post([message('one-more')])]],
    [
      'has envelopes whose copies are too large together',
      Array.from({ length: 2 }, () => post(Array(10).fill(message('m')), { x: 'x'.repeat(MAX_POST_BYTES / 19) })),
    ],
  ])('is refused once, as a whole, if it %s', (_case, json) => {
    const body = JSON.stringify(json);
    expect(splitPost(body)).toEqual(refused(body));
  });
});
