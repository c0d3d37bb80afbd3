import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  fitsQueue,
  MAX_EVENT_BYTES,
  parseSerializedRequest,
  serializeRequest,
} from '../../../../lambdas/domain/serialized-request.ts';
import { openEnvelope, type VerifiedRequest } from '../../../../lambdas/domain/webhook-request.ts';
import { NOW, TRACEPARENT } from '../../../support/builders.ts';
import { incompressibleBytes, incompressibleText, PLAIN_CHARACTERS } from '../../../support/incompressible.ts';

/** Characters that SQS accepts. Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html */
const ACCEPTED = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u;

const bytes = fc.oneof(
  fc.uint8Array(),
  fc
    .oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'grapheme' }),
      fc.json(),
      // JSON as no serializer writes it: spaces, repeated names, and numbers that JavaScript rounds.
      fc
        .tuple(fc.constantFrom('', ' ', '\r\n\t'), fc.constantFrom('1e400', '12345678901234567890', '-0', '"\uffff"'))
        .map(([space, value]) => `${space}{"rawBody":${value},${space}"rawBody"${space}:${value}}${space}`),
    )
    .map((text) => new TextEncoder().encode(text)),
);
const metadata = fc.record(
  {
    deliveryId: fc.oneof(fc.string({ maxLength: 128 }), fc.constant('"rawBody":{}')),
    publishedAt: fc.constant(NOW),
    chatChannelNumber: fc.constant('+5491100000000'),
    traceparent: fc.constant(TRACEPARENT),
  },
  { requiredKeys: [] },
);
const packing = fc.constantFrom(
  {},
  { isEvent: true as const },
  { envelope: 'pubsub' as const },
  { envelope: 'sns' as const },
);

describe('a serialized webhook request', () => {
  it('preserves the body byte for byte, with its metadata, in characters that SQS accepts', () => {
    fc.assert(
      fc.property(bytes, metadata, packing, (body, given, packed) => {
        const request = { rawBody: Buffer.from(body), receivedAt: NOW, ...given, ...packed };
        const serialized = serializeRequest(request, 'a "reason"') ?? '';
        expect(parseSerializedRequest(serialized)).toEqual(request);
        expect(serialized).toMatch(ACCEPTED);
        expect(JSON.parse(serialized)).toMatchObject({ reason: 'a "reason"', receivedAt: NOW });
      }),
      { numRuns: 1_000 },
    );
  });

  it('is readable: JSON stays JSON, and other text stays text', () => {
    const serialize = (body: string) => serializeRequest({ rawBody: Buffer.from(body), receivedAt: NOW }, 'Why.');
    const head = `{"reason":"Why.","receivedAt":"${NOW}"`;
    expect(serialize('{"a": 1}')).toBe(`${head},"encoding":"json","rawBody":{"a": 1}}`);
    expect(serialize('hello "Ana"')).toBe(`${head},"encoding":"utf8","rawBody":"hello \\"Ana\\""}`);
  });

  it('is still read after a tool has reordered its fields', () => {
    const reordered = JSON.stringify({ rawBody: { a: 1 }, encoding: 'json', receivedAt: NOW });
    expect(parseSerializedRequest(reordered)?.rawBody.toString()).toBe('{"a":1}');
  });

  it.each(['', 'hello', '{}', '{"rawBody":1}', 'null', '{"encoding":"json"}'])('cannot be parsed from %j', (text) => {
    expect(parseSerializedRequest(text)).toBeUndefined();
  });

  it.each(['not deflated', Buffer.from([7, 7, 7]).toString('base64')])('cannot be inflated from %j', (rawBody) => {
    const serialized = JSON.stringify({ receivedAt: NOW, encoding: 'deflate', rawBody });
    expect(parseSerializedRequest(serialized)).toBeUndefined();
  });
});

describe('the largest webhook request', () => {
  const MESSAGE_BYTES = 1024 * 1024;
  const REASON = '\uffe0'.repeat(500);
  const longest = {
    deliveryId: '"'.repeat(128),
    publishedAt: NOW,
    receivedAt: NOW,
    chatChannelNumber: '\u00a0'.repeat(64),
  };

  /** Expects that the request fits with its reason, beside the reason's attribute, and is the same event again. */
  const expectFits = (request: VerifiedRequest) => {
    expect(fitsQueue(request)).toBe(true);
    const serialized = serializeRequest(request, REASON) ?? '';
    expect(serialized.length).toBeGreaterThan(0);
    const attribute = Buffer.byteLength(`reasonString${REASON}`);
    expect(Buffer.byteLength(serialized) + attribute).toBeLessThanOrEqual(MESSAGE_BYTES);
    const parsed = parseSerializedRequest(serialized);
    expect(parsed && openEnvelope(parsed)).toEqual(openEnvelope(request));
  };
  const textOf = (length: number) => incompressibleText(length, PLAIN_CHARACTERS);
  const eventOf = (length: number) => JSON.stringify({ _id_: textOf(length - '{"_id_":""}'.length) });
  const wrap = (event: Buffer) =>
    JSON.stringify({ message: { data: event.toString('base64'), messageId: 'm'.repeat(128), publishTime: NOW } });

  it('has an event of MAX_EVENT_BYTES that no compression shortens, in any envelope', () => {
    const event = eventOf(MAX_EVENT_BYTES);
    expect(Buffer.byteLength(event)).toBe(MAX_EVENT_BYTES);
    const notification = { Type: 'Notification', TopicArn: 't', Message: event, MessageId: 'm', Timestamp: NOW };
    expectFits({ rawBody: Buffer.from(event), ...longest });
    expectFits({ rawBody: Buffer.from(wrap(Buffer.from(event))), envelope: 'pubsub', ...longest });
    expectFits({ rawBody: Buffer.from(JSON.stringify(notification)), envelope: 'sns', ...longest });
  });

  it('may have more if it can be compressed', () => {
    expectFits({ rawBody: Buffer.from(JSON.stringify({ _id_: '"'.repeat(2 * MESSAGE_BYTES) })), ...longest });
  });

  it('has 780,000 bytes if they are not JSON and no compression shortens them', () => {
    const body = incompressibleBytes(780_000);
    expectFits({ rawBody: body, ...longest });
    expectFits({ rawBody: Buffer.from(wrap(body)), envelope: 'pubsub', ...longest });
    expectFits({ rawBody: Buffer.from(`"\uffff${textOf(780_000)}`), ...longest });
  });

  it('is refused above that', () => {
    const request = { rawBody: Buffer.from(eventOf(MESSAGE_BYTES)), receivedAt: NOW };
    expect(fitsQueue(request)).toBe(false);
    expect(serializeRequest(request, 'Why.')).toBeUndefined();
  });
});
