import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { MAX_EVENT_BYTES } from '../../../lambdas/domain/serialized-request.ts';
import { wireMessage, wireStatus } from '../../support/builders.ts';
import { incompressibleText, PLAIN_CHARACTERS } from '../../support/incompressible.ts';

/** The body of a webhook request, and the headers that describe it. */
export interface FuzzBody {
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

const MIB = 1024 * 1024;
const RANDOM_TEXT = incompressibleText(MIB, PLAIN_CHARACTERS);
/** Ten megabytes of zeros in ten kilobytes. */
const GZIP_BOMB = gzipSync(Buffer.alloc(10 * MIB));

const plain = (arbitrary: fc.Arbitrary<string | Buffer>): fc.Arbitrary<FuzzBody> =>
  arbitrary.map((body) => ({ bytes: Buffer.from(body), headers: { 'content-type': 'application/json' } }));

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary-ascii' }),
);
/** JSON as text and not as values, so that JSON is possible which no serializer writes. */
const odd = fc.oneof(
  fc.constantFrom('1e400', '-1e400', '1e-400', '-0', '9007199254740993', `${'9'.repeat(2000)}`, 'null', 'true', '""'),
  fc.constantFrom(
    '"\\ud800"',
    '"\\udfff\\ud800"',
    '"a\\u0000b"',
    '"\\uffff"',
    '"\uffff"',
    '"\ufeff"',
    '[]',
    '{}',
    '[null]',
  ),
  fc.constantFrom(
    '"me"',
    '"+5491155550000"',
    '5491155550000',
    '"CO.1000"',
    '"9999-12-31T23:59:59-01:00"',
    '"0000-01-01T00:00Z"',
  ),
  fc.constantFrom('{"__proto__":{"polluted":1}}', '{"constructor":{"prototype":{"polluted":1}}}', '["\\ud800"]'),
  anyText.map((text) => JSON.stringify(text)),
  fc.json({ maxDepth: 4 }),
  fc.integer({ min: 1, max: 5_000 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  fc.integer({ min: 1, max: 1200 }).map((length) => JSON.stringify('x'.repeat(length))),
);
const FIELDS = ['_id_', 'FROM', 'TO', 'STATUS', 'MESSAGE', 'CREATION_TIME', 'CHAT_PLATFORM_ID', 'CHAT_CHANNEL_ID'];
const MORE_FIELDS = [
  'FROM_NAME',
  'CUSTOMER_ID',
  'IMAGES_URLS',
  'FILES_URLS',
  'TAGS',
  '__proto__',
  'constructor',
  'toString',
];
const change = fc.tuple(
  fc.oneof(fc.constantFrom(...FIELDS, ...MORE_FIELDS), anyText),
  fc.option(odd, { nil: undefined }),
);

/** An event with a unique id, so that stored events can be counted. */
const event = fc
  .tuple(fc.boolean(), fc.uuid())
  .map(([isMessage, id]) => (isMessage ? wireMessage({ _id_: id }) : wireStatus({ _id_: id })));
const mutatedEvent = fc.tuple(event, fc.array(change, { maxLength: 4 })).map(([wire, changes]) => {
  const fields = new Map(Object.entries(wire).map(([name, value]) => [name, JSON.stringify(value)]));
  for (const [name, value] of changes) {
    if (value === undefined) fields.delete(name);
    else fields.set(name, value);
  }
  return `{${[...fields].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
});
const mutatedBytes = fc
  .tuple(mutatedEvent, fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 5 }), fc.nat(400))
  .map(([text, flips, cut]) => {
    const bytes = Buffer.from(text);
    for (const [at, value] of flips) bytes[at % bytes.length] = value;
    return cut % 4 === 0 ? bytes.subarray(0, bytes.length - (cut % bytes.length)) : bytes;
  });
const deep = fc.tuple(fc.integer({ min: 10_000, max: 200_000 }), fc.boolean(), event).map(([depth, isField, wire]) => {
  const nested = '['.repeat(depth) + ']'.repeat(depth);
  return isField ? JSON.stringify({ ...wire, TAGS: 0 }).replace('"TAGS":0', `"TAGS":${nested}`) : nested;
});
/** Sizes around the limits of an event, of a table item, and of SQS itself, with and without text that compresses. */
const sized = fc
  .tuple(
    fc.constantFrom(MIB, MAX_EVENT_BYTES, MAX_EVENT_BYTES - 4096, 400 * 1024, 399 * 1024),
    fc.integer({ min: -1, max: 1 }),
    fc.boolean(),
    event,
  )
  .map(([size, more, isRandom, wire]) => {
    const empty = JSON.stringify({ ...wire, MESSAGE: '' });
    const length = size + more - empty.length;
    return JSON.stringify({ ...wire, MESSAGE: isRandom ? RANDOM_TEXT.slice(0, length) : 'x'.repeat(length) });
  });
const gzip: fc.Arbitrary<FuzzBody> = fc
  .tuple(fc.constantFrom('json', 'bomb', 'gzip'), mutatedEvent)
  .map(([kind, text]) => ({
    bytes: kind === 'json' ? Buffer.from(text) : kind === 'bomb' ? GZIP_BOMB : gzipSync(text),
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
  }));
const binary: fc.Arbitrary<FuzzBody> = fc
  .oneof(fc.uint8Array({ maxLength: 300 }), mutatedBytes)
  .map((bytes) => ({ bytes: Buffer.from(bytes), headers: { 'content-type': 'application/octet-stream' } }));

const fuzzBody: fc.Arbitrary<FuzzBody> = fc.oneof(
  { weight: 200, arbitrary: plain(mutatedEvent) },
  { weight: 60, arbitrary: plain(mutatedBytes) },
  { weight: 40, arbitrary: plain(fc.json()) },
  { weight: 20, arbitrary: plain(odd) },
  { weight: 10, arbitrary: plain(anyText) },
  { weight: 30, arbitrary: binary },
  { weight: 10, arbitrary: gzip },
  { weight: 2, arbitrary: plain(deep) },
  { weight: 1, arbitrary: plain(sized) },
);

/** Generates bodies; the same ones for the same seed. */
export const fuzzBodies = (count: number, seed: number): readonly FuzzBody[] =>
  fc.sample(fuzzBody, { numRuns: count, seed });
