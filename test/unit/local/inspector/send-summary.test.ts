import { describe, expect, it } from 'vitest';
import type { SendRecord } from '../../../../lambdas/domain/send.ts';
import { summarizeSend, viewSend } from '../../../../local/inspector/send-summary.ts';

const TRACE = '0123456789abcdef0123456789abcdef';

const sendWith = (changes: Partial<SendRecord> = {}): SendRecord => ({
  requestId: 'order-1',
  state: 'accepted',
  queuedAt: '2026-11-20T12:00:00.000Z',
  acceptedAt: '2026-11-20T12:00:05.000Z',
  body: JSON.stringify({ requestId: 'order-1', platformContactId: '+5491155550001', messageText: 'Hi' }),
  attempts: 1,
  unknownOutcomes: 0,
  ...changes,
});

describe('the summary of a send', () => {
  it('has the text and the rule of the request', () => {
    const body = JSON.stringify({ platformContactId: '+549', messageText: 'Hi', ruleNameOrId: 'order_shipped' });

    expect(summarizeSend(sendWith({ body }))).toMatchObject({
      requestId: 'order-1',
      state: 'accepted',
      platformContactId: '+549',
      text: 'Hi',
      ruleName: 'order_shipped',
    });
  });

  it('has the customer that the request names', () => {
    const body = JSON.stringify({ customerId: 'K3', messageText: 'Hi' });

    expect(summarizeSend(sendWith({ body }))).toMatchObject({ customerId: 'K3', platformContactId: undefined });
  });

  it.each([
    ['keeps 200 characters', 'a'.repeat(200), 'a'.repeat(200)],
    ['shortens more', 'a'.repeat(201), `${'a'.repeat(199)}…`],
    ['cuts no character in half', '👋'.repeat(150), '👋'.repeat(150)],
    ['counts characters, not code units', '👋'.repeat(300), `${'👋'.repeat(199)}…`],
  ])('%s of the text', (_, messageText, text) => {
    expect(summarizeSend(sendWith({ body: JSON.stringify({ messageText }) })).text).toBe(text);
  });

  it('has the time of the latest change, not its scheduled time', () => {
    const refused = sendWith({
      state: 'refused',
      refusedAt: '2026-11-20T12:00:09.000Z',
      sendAt: '2026-11-27T12:00:00.000Z',
    });

    expect(summarizeSend(refused).at).toBe('2026-11-20T12:00:09.000Z');
  });

  it('has no text once the contact is erased', () => {
    expect(summarizeSend(sendWith({ body: '' }))).toEqual({
      requestId: 'order-1',
      state: 'accepted',
      firstAt: '2026-11-20T12:00:00.000Z',
      at: '2026-11-20T12:00:05.000Z',
    });
  });
});

describe('the view of a send', () => {
  it('has the variables of the request that are strings', () => {
    const body = JSON.stringify({ params: { name: 'Ana', count: 1 } });

    expect(viewSend(sendWith({ body, traceparent: `00-${TRACE}-0123456789abcdef-01` }))).toMatchObject({
      params: { name: 'Ana' },
      traceId: TRACE,
      since: '2026-11-20T12:00:05.000Z',
    });
  });
});
