import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { MAX_EVENT_BYTES } from '../../../lambdas/domain/serialized-request.ts';
import { wireMessage, wireStatus } from '../../support/builders.ts';
import { incompressibleText, PLAIN_CHARACTERS } from '../../support/incompressible.ts';
import { anyText, batch, longPost, mutatedEvent, odd } from './fuzz-events.ts';

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

/** An event in the contract's own format. */
const event = fc
  .tuple(fc.boolean(), fc.uuid())
  .map(([isMessage, id]) => (isMessage ? wireMessage({ _id_: id }) : wireStatus({ _id_: id })));
const mutatedBytes = fc
  .tuple(
    fc.oneof(mutatedEvent, batch),
    fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 5 }),
    fc.nat(400),
  )
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
  { weight: 60, arbitrary: plain(batch) },
  { weight: 60, arbitrary: plain(mutatedBytes) },
  { weight: 40, arbitrary: plain(fc.json()) },
  { weight: 20, arbitrary: plain(odd) },
  { weight: 10, arbitrary: plain(anyText) },
  { weight: 30, arbitrary: binary },
  { weight: 10, arbitrary: gzip },
  { weight: 2, arbitrary: plain(deep) },
  { weight: 1, arbitrary: plain(longPost) },
  { weight: 1, arbitrary: plain(sized) },
);

/** Generates bodies; the same ones for the same seed. */
export const fuzzBodies = (count: number, seed: number): readonly FuzzBody[] =>
  fc.sample(fuzzBody, { numRuns: count, seed });
