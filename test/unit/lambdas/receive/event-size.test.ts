import { readFileSync } from 'node:fs';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { MAX_EVENT_BYTES } from '../../../../lambdas/domain/serialized-request.ts';
import type { Envelope } from '../../../../lambdas/domain/webhook-request.ts';
import { createReceiveEvents } from '../../../../lambdas/receive/receive-events.ts';
import { createWebhookHandler } from '../../../../lambdas/receive/webhook-handler.ts';
import { NOW, wireMessage } from '../../../support/builders.ts';
import { incompressibleText, PLAIN_CHARACTERS } from '../../../support/incompressible.ts';
import { recordingMetrics, silentLog } from '../../../support/telemetry.ts';

const MEGABYTE = 1_000_000;

/** Builds an event of exactly as many bytes. `textOf` makes its MESSAGE, which JSON may make longer. */
const eventOf = (bytes: number, textOf: (bytes: number) => string): string => {
  const build = (MESSAGE: string, padding: number) =>
    JSON.stringify(wireMessage({ MESSAGE, PADDING: 'x'.repeat(padding) }));
  let low = 0;
  let high = bytes;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (Buffer.byteLength(build(textOf(middle), 0)) <= bytes) low = middle;
    else high = middle - 1;
  }
  return build(textOf(low), bytes - Buffer.byteLength(build(textOf(low), 0)));
};

const manyFields = (bytes: number): string => {
  const tags = Array.from({ length: Math.floor(bytes / 8) }, (_, index) => [`t${index}`, 1] as const);
  let event = '';
  for (let count = tags.length; event === '' || Buffer.byteLength(event) > bytes; count = Math.floor(count * 0.95)) {
    event = JSON.stringify(wireMessage({ TAGS: Object.fromEntries(tags.slice(0, count)) }));
  }
  return event + ' '.repeat(bytes - Buffer.byteLength(event));
};

const EVENTS: readonly [string, (bytes: number) => string][] = [
  ['one repeated character', (bytes) => eventOf(bytes, (length) => 'x'.repeat(length))],
  ['random text', (bytes) => eventOf(bytes, (length) => incompressibleText(length, PLAIN_CHARACTERS))],
  [
    'random text, a tenth of it quotes',
    (bytes) => eventOf(bytes, (length) => incompressibleText(length, `${PLAIN_CHARACTERS}${'"'.repeat(10)}`)),
  ],
  ['quotes', (bytes) => eventOf(bytes, (length) => '"'.repeat(length))],
  [
    'random text of three bytes a character',
    (bytes) =>
      eventOf(bytes, (length) =>
        incompressibleText(Math.floor(length / 3), PLAIN_CHARACTERS).replace(/./g, (character, at) =>
          String.fromCharCode(0x800 + ((character.charCodeAt(0) * 601 + at * 7919) % 0xc000)),
        ),
      ),
  ],
  ['many small fields', manyFields],
];

const PACKED: readonly [string, Envelope | undefined, (event: string) => unknown][] = [
  ['bare', undefined, (event) => JSON.parse(event)],
  [
    'in a Pub/Sub push',
    'pubsub',
    (event) => ({
      message: { data: Buffer.from(event).toString('base64'), messageId: '77', publishTime: NOW },
      subscription: 'projects/p/subscriptions/s',
    }),
  ],
  [
    'in an Amazon SNS notification',
    'sns',
    (Message) => ({ Type: 'Notification', MessageId: '77', TopicArn: 'topic', Message, Timestamp: NOW }),
  ],
];

describe('an authentic event of up to 1 MB', () => {
  it('is what the documentation promises', () => {
    expect(MAX_EVENT_BYTES).toBeGreaterThanOrEqual(MEGABYTE);
    expect(readFileSync('README.md', 'utf8').replaceAll(/\s+/g, ' ')).toContain(
      'An authentic event of up to 1 MB is never refused',
    );
    expect(readFileSync('docs/receiving.md', 'utf8')).toContain(`${MAX_EVENT_BYTES.toLocaleString('en-US')} bytes`);
  });

  for (const [content, build] of EVENTS) {
    const event = build(MEGABYTE);
    it.each(PACKED)(
      `of ${content} is quarantined and acknowledged, never refused: %s`,
      async (_case, envelope, wrap) => {
        expect(Buffer.byteLength(event)).toBe(MEGABYTE);
        const metrics = recordingMetrics();
        const handler = createWebhookHandler({
          verifier: { verify: async () => ({ kind: 'authentic' }) },
          format: { envelope, readsPubsubHeaders: false },
          receiveEvents: createReceiveEvents({
            storeEvents: async () => [{ kind: 'unstorable', reason: 'The item is too large.' }],
            inboundQueue: {
              defer: async () => ({ kind: 'written' }),
              quarantine: async () => ({ kind: 'written' }),
            },
            log: silentLog,
            metrics,
          }),
          clock: { now: () => NOW },
          log: silentLog,
          metrics,
        });
        const posted = { headers: {}, body: JSON.stringify(wrap(event)), isBase64Encoded: false };
        // The handler reads nothing else of the event.
        const { statusCode } = await handler(posted as unknown as APIGatewayProxyEventV2);
        expect([statusCode, metrics.counted]).toEqual([200, ['EventQuarantined']]);
      },
    );
  }
});
