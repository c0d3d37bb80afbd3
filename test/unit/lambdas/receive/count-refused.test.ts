import { describe, expect, it } from 'vitest';
import { parseEvents } from '../../../../lambdas/domain/parse-events.ts';
import type { Envelope } from '../../../../lambdas/domain/webhook-request.ts';
import { countRefused, likelyCauseOf } from '../../../../lambdas/receive/count-refused.ts';
import { isLikelyEvent, MAX_LIKELY_BYTES } from '../../../../lambdas/receive/likely-event.ts';
import { NOW, wireMessage, wireStatus } from '../../../support/builders.ts';
import { recordingMetrics } from '../../../support/telemetry.ts';
import { WEBHOOK_SAMPLES } from '../../../support/webhook-samples.ts';

const looksLikeEvent = (body: unknown, envelope?: Envelope): boolean =>
  isLikelyEvent(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), envelope);

describe('a refused request looks like an event', () => {
  it.each(WEBHOOK_SAMPLES)('if its first event can be read and is of a known kind: $page, $title', ({ body }) => {
    const context = { times: { receivedAt: NOW }, chatPlatform: 'chat', windowPer: 'user' } as const;
    const [first] = parseEvents(body, context);
    const isKnown = first?.kind === 'event' && first.event.kind !== 'unknown';
    expect(looksLikeEvent(body)).toBe(isKnown);
  });

  it('in any envelope that the stage expects, and as a list', () => {
    const data = Buffer.from(JSON.stringify(wireMessage())).toString('base64');
    const sns = { Type: 'Notification', TopicArn: 'arn', MessageId: '1', Message: JSON.stringify(wireStatus()) };

    expect(looksLikeEvent({ message: { data } }, 'pubsub')).toBe(true);
    expect(looksLikeEvent(sns, 'sns')).toBe(true);
    expect(looksLikeEvent([wireMessage(), 'another'])).toBe(true);
  });

  it.each<[string, unknown]>([
    ['an empty body', ''],
    ['a form', 'username=admin&password=admin'],
    ['another JSON document', { hello: 'world' }],
    ['the request of a language model', { model: 'm', messages: [{ role: 'user', content: 'Hi' }] }],
    ['a JSON-RPC call', { jsonrpc: '2.0', id: 1, method: 'eth_accounts', params: [] }],
    ['a list of nothing', []],
    ['an event without an id', wireMessage({ _id_: undefined })],
    ['bytes that are not UTF-8', '\ud800'],
  ])('but not if it is %s', (_case, body) => {
    expect(looksLikeEvent(body)).toBe(false);
  });

  it('but not if it is large, so that refusing it stays cheap', () => {
    const padded = (bytes: number) => {
      const { length } = JSON.stringify(wireMessage({ pad: '' }));
      return wireMessage({ pad: 'x'.repeat(bytes - length) });
    };

    expect(looksLikeEvent(padded(MAX_LIKELY_BYTES))).toBe(true);
    expect(looksLikeEvent(padded(MAX_LIKELY_BYTES + 1))).toBe(false);
  });
});

const FORMAT = { envelope: undefined, readsPubsubHeaders: false };
const count = (body: unknown, reason: string) => {
  const metrics = recordingMetrics();
  const fields = countRefused({ format: FORMAT, metrics }, Buffer.from(JSON.stringify(body)), reason);
  return { fields, counted: metrics.counted };
};

describe('a refused request', () => {
  it('is only counted as unauthenticated if a stranger sent it', () => {
    expect(count({ hello: 'world' }, 'no token')).toEqual({
      fields: { reason: 'no token' },
      counted: ['WebhookUnauthenticated'],
    });
  });

  it('is also counted as a likely event, with its likely cause and nothing of its body', () => {
    const { fields, counted } = count(wireMessage({ MESSAGE: 'a secret wish' }), 'wrong token');

    expect(counted).toEqual(['WebhookUnauthenticated', 'LikelyEventRefused']);
    expect(fields).toEqual({
      reason: 'wrong token',
      likelyEvent: true,
      likelyCause: expect.stringContaining('removed too early'),
    });
    expect(JSON.stringify(fields)).not.toContain('wish');
  });

  it.each([
    ['no token', 'the request has no credentials'],
    ['wrong token', 'differ'],
    ['webhook-timestamp out of tolerance', 'clock'],
    ['ERR_JWT_EXPIRED', 'clock'],
    ['claim aud', 'wrong audience'],
    ['wrong service account', 'service account'],
    ['wrong topic', 'another topic'],
    ['invalid signature', 'changes the body'],
    ['email not verified', 'as webhook.auth says'],
  ])('names the likely cause of "%s"', (reason, words) => {
    expect(likelyCauseOf(reason)).toContain(words);
  });
});
