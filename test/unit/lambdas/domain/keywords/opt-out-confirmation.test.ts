import { describe, expect, it } from 'vitest';
import { optOutConfirmation } from '../../../../../lambdas/domain/keywords/opt-out-confirmation.ts';
import type { ParseEventContext } from '../../../../../lambdas/domain/parse-events.ts';
import { isRejectedBySqs } from '../../../../../lambdas/domain/queue-json.ts';
import { parseSendRequest } from '../../../../../lambdas/domain/send-request.ts';
import { NOW, TRACEPARENT, wireMessage } from '../../../../support/builders.ts';
import { parseEvent } from '../../../../support/single-event.ts';

const confirmationOf = (changes: Record<string, unknown> = {}, context: Partial<ParseEventContext> = {}) => {
  const parsed = parseEvent(JSON.stringify(wireMessage({ MESSAGE: 'STOP', ...changes })), {
    times: { receivedAt: NOW },
    chatPlatform: 'chat',
    windowPer: 'user',
    traceparent: TRACEPARENT,
    ...context,
  });
  if (parsed.kind !== 'event' || parsed.event.kind !== 'message') throw new Error('The event is no message.');
  return optOutConfirmation(parsed.event);
};
const requestOf = (confirmation: ReturnType<typeof confirmationOf>) => parseSendRequest(confirmation?.body ?? '');

describe('the confirmation of an opt-out', () => {
  it('is a request without a text, to the address as received, in the trace of the message', () => {
    const confirmation = confirmationOf();
    const requestId = expect.stringMatching(/^opt-out-[\da-f]{64}$/);
    expect(requestOf(confirmation)).toEqual({
      kind: 'request',
      request: { requestId, platformContactId: '5491155550000', chatPlatform: 'chat', confirmsOptOut: true },
    });
    expect(confirmation).toMatchObject({
      groupId: '5491155550000',
      deduplicationId: requestId,
      traceparent: TRACEPARENT,
    });
  });

  it.each(['FROM', 'CHAT_PLATFORM_ID'])('is accepted by SQS, whatever characters are in %s', (field) => {
    const name = 'u\ufffe\uffff';
    const confirmation = confirmationOf({ [field]: name });
    expect(isRejectedBySqs(JSON.stringify(confirmation))).toBe(false);
    const request = { [field === 'FROM' ? 'platformContactId' : 'chatPlatform']: name };
    expect(requestOf(confirmation)).toMatchObject({ kind: 'request', request });
  });

  it('is the same for every delivery of a message, and different for another message', () => {
    const later = { times: { receivedAt: '2026-11-22T12:00:00.000Z' } };
    expect(confirmationOf({}, later)).toEqual(confirmationOf());
    expect(confirmationOf({ _id_: 'message-2' })?.deduplicationId).not.toBe(confirmationOf()?.deduplicationId);
  });

  it('names the business number that the user wrote to, as it was received, if windows are per number', () => {
    const perNumber = { windowPer: 'channel' } as const;
    const sentFrom = (changes: object, context: object) =>
      requestOf(confirmationOf({ ...changes }, { ...perNumber, ...context }));
    const chatChannelNumber = '+5491100000099';
    for (const name of ['5491100000099', '+54 9 11 0000-0099', 'BIZ-chat-5491100000099']) {
      expect(sentFrom({ CHAT_CHANNEL_ID: name }, {})).toMatchObject({ request: { chatChannelNumber } });
    }
    expect(sentFrom({}, { chatChannelNumber: '5491100000099' })).toMatchObject({ request: { chatChannelNumber } });
    expect(requestOf(confirmationOf({ TO: '5491100000099' }))).not.toMatchObject({ request: { chatChannelNumber } });
  });

  it('hashes the message group of an address that SQS does not accept', () => {
    expect(confirmationOf({ FROM: '+54 9 11 5555-0000' })?.groupId).toMatch(/^[\da-f]{64}$/);
  });

  it.each(['FROM', 'CHAT_PLATFORM_ID'])('is none if %s is too long for a request', (field) => {
    expect(requestOf(confirmationOf({ [field]: 'u'.repeat(256) }))).toMatchObject({ kind: 'request' });
    expect(confirmationOf({ [field]: 'u'.repeat(257) })).toBeUndefined();
  });
});
