import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  MAX_POST_BYTES,
  MAX_POST_EVENTS,
  splitPost,
} from '../../../../../lambdas/domain/webhook-formats/split-post.ts';

const space = fc.constantFrom('', ' ', '\n', '\r\n\t', '   ');

/** The texts of JSON strings: with escapes, and with what looks like JSON. */
const string = fc.oneof(
  fc.string().map((text) => JSON.stringify(text)),
  fc
    .string({ unit: fc.constantFrom('[', ']', '{', '}', ',', ':', '"', '\\', ' ', 'é', '😀') })
    .map((text) => JSON.stringify(text)),
  fc.constantFrom('"\\u0041"', '"\\ud83d\\ude00"', '"\\/"', '"\\\\"', '"\\\\\\""', '"\\ud800"'),
);
const scalar = fc.oneof(
  string,
  fc.constantFrom('0', '-0', '1.0', '1e400', '-1.5E+3', '12345678901234567890', '0.10', 'true', 'false', 'null'),
);

/**
 * No random name is that of the list, and none is escaped: if a name is repeated with an escape, V8's `JSON.parse` takes
 * the first value in some calls, and the last one in others.
 */
const name = fc.oneof(
  fc.constantFrom('"a"', '"b"', '"_id_"', '"v"', '"type"', '"contactId"', '"FROM"', '"__proto__"', '""'),
  string.filter((text) => !text.includes('\\')),
);

const joined = (open: string, parts: readonly string[], close: string, gap: string): string =>
  `${open}${gap}${parts.join(`${gap},${gap}`)}${gap}${close}`;

/** JSON texts with all that parsing and serializing again would change: spaces, numbers, escapes, repeated names. */
const { value, object } = fc.letrec<{ value: string; object: string; member: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.tuple(fc.array(tie('value'), { maxLength: 4 }), space).map(([parts, gap]) => joined('[', parts, ']', gap)),
    tie('object'),
  ),
  object: fc
    .tuple(fc.array(tie('member'), { maxLength: 5 }), space)
    .map(([members, gap]) => joined('{', members, '}', gap)),
  member: fc
    .tuple(name, space, space, tie('value'))
    .map(([key, before, after, text]) => `${key}${before}:${after}${text}`),
}));

/** Without `_id_` and `type`, with which an event can be one that has no list. */
const members = fc.array(
  fc
    .tuple(
      name.filter((key) => !['_id_', 'type'].includes(JSON.parse(key))),
      value,
    )
    .map(([key, text]) => `${key}: ${text}`),
  { maxLength: 4 },
);
const listName = fc.constantFrom('"messages"', '"\\u006dessages"', '"mess\\u0061ges"');

describe('a post that is an array', () => {
  it('is split into the texts of its entries, exactly as received', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(object, value), { minLength: 1, maxLength: 8 }), space, (texts, gap) => {
        const events = splitPost(`${gap}${joined('[', texts, ']', gap)}${gap}`);

        expect(events.map(({ body }) => body)).toEqual(texts);
        for (const event of events) if ('fields' in event) expect(event.fields).toEqual(JSON.parse(event.body));
      }),
    );
  });
});

describe('an event with a list', () => {
  it('is split into events with one entry each, whose other text is exactly as received', () => {
    const lists = fc.record({
      before: members,
      after: members,
      earlier: fc.array(value, { maxLength: 2 }),
      key: listName,
      entries: fc.array(fc.oneof(object, value), { minLength: 2, maxLength: 6 }),
      gap: space,
    });
    fc.assert(
      fc.property(lists, ({ before, after, earlier, key, entries, gap }) => {
        // Of repeated names, the last one counts.
        const repeated = key.includes('\\') ? [] : earlier.map((text) => `${key}:${text}`);
        const head = [...repeated, ...before].map((one) => `${one},`).join(gap);
        const tail = after.map((one) => `,${gap}${one}`).join('');
        const post = (parts: readonly string[]) =>
          `{${gap}${head}${key}${gap}:${gap}${joined('[', parts, ']', gap)}${tail}}`;

        const events = splitPost(post(entries));

        expect(events.map(({ body }) => body)).toEqual(entries.map((entry) => post([entry])));
        for (const event of events) {
          if (!('format' in event)) throw new Error(event.reason);
          expect(event.format.name).toBe('v1.1');
          expect(event.format.read(event.fields, event.entry)).toEqual(event.format.read(JSON.parse(event.body)));
        }
      }),
    );
  });
});

it.each(['status', 'event', 'typing'])('an event of the type %s is one event, whatever lists it has', (type) => {
  const post = JSON.stringify({ v: '1.1', type, messageId: '1', status: 'read', messages: [{}, {}] });

  expect(splitPost(post).map(({ body }) => body)).toEqual([post]);
});

describe('any text', () => {
  it('is split without an error, and nothing of it is lost', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), value, fc.json()), (text) => {
        const events = splitPost(text);

        expect(events.length).toBeGreaterThan(0);
        for (const { body } of events) expect(text).toContain(body);
      }),
    );
  });
});

const event = (id: number) => `{"_id_":"${id}","FROM":"5491150000001"}`;
const batch = (count: number, envelope = '') =>
  `{"v":"1.1"${envelope},"messages":[${Array.from({ length: count }, (_, id) => `{"_id":"${id}"}`).join()}]}`;
const list = (...texts: readonly string[]) => `[${texts.join()}]`;
const many = (count: number) => list(...Array.from({ length: count }, (_, id) => event(id)));
/** A field with half as many characters as all events may have. */
const half = (less = 0) => `,"pad":"${'x'.repeat(MAX_POST_BYTES / 2 - less)}"`;

describe('the limits of a post', () => {
  it.each([
    ['events in an array', many(MAX_POST_EVENTS)],
    ['messages in an event', batch(MAX_POST_EVENTS)],
    ['messages in several events', list(batch(MAX_POST_EVENTS - 1), event(1))],
  ])(`allow %s: ${MAX_POST_EVENTS}`, (_what, post) => {
    expect(splitPost(post).map((one) => 'reason' in one)).toEqual(Array(MAX_POST_EVENTS).fill(false));
  });

  it.each([
    ['events in an array', many(MAX_POST_EVENTS + 1)],
    ['entries of an array that are no events', list(...Array(MAX_POST_EVENTS + 1).fill('1'))],
    ['messages in an event', batch(MAX_POST_EVENTS + 1)],
    ['messages in several events', list(batch(MAX_POST_EVENTS), event(1))],
    ['characters in copies of an envelope', batch(2, half())],
    ['characters in all events', list(batch(2, half(50)), event(1))],
  ])('quarantine the whole post with more %s', (_what, post) => {
    const [quarantined, ...others] = splitPost(post);

    expect(others).toEqual([]);
    expect(quarantined?.body === post).toBe(true);
    expect(quarantined).toHaveProperty('reason', expect.stringMatching(`up to ${MAX_POST_EVENTS} .* up to 8 MiB`));
  });

  it('quarantine only the entry of an array that exceeds them', () => {
    const large = batch(MAX_POST_EVENTS + 1);

    const events = splitPost(list(event(1), large));

    expect(events.map(({ body }) => [event(1), large].indexOf(body))).toEqual([0, 1]);
    expect(events.map((one) => 'reason' in one)).toEqual([false, true]);
  });
});

// With work that grows with the square of the size, each of these would take minutes, and the test would end first.
describe('a post of 4 MiB', () => {
  const SIZE = 4 * 1024 * 1024;

  it.each([
    ['of one long text', `[${event(1)},{"a":"${'x'.repeat(SIZE)}"}]`, 2],
    ['of escapes', `[${event(1)},{"a":"${'\\"'.repeat(SIZE / 2)}"}]`, 2],
    ['of spaces', `[${event(1)}${' '.repeat(SIZE)},${event(2)}]`, 2],
    ['of deep arrays', `[${event(1)},${'['.repeat(SIZE / 2)}${']'.repeat(SIZE / 2)}]`, 2],
    ['of many entries', `[${'1,'.repeat(SIZE / 2)}1]`, 1],
    ['of many fields', `{"v":"1.1","messages":[{},{}]${',"aaaaaaaa":1'.repeat(SIZE / 14)}}`, 2],
    ['of many lists', `{"v":"1.1"${',"messages":[1,2]'.repeat(SIZE / 17)}}`, 2],
    ['of many messages', batch(SIZE / 14), 1],
    ['of many events with a large list', list(...Array(SIZE / 8192).fill(batch(500, `,"p":"${'x'.repeat(500)}"`))), 1],
  ])('%s is split in time in proportion to its size', (_what, post, count) => {
    expect(splitPost(post)).toHaveLength(count);
  });
});
