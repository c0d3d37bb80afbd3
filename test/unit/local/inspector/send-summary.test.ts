import { describe, expect, it } from 'vitest';
import { summarizeSend } from '../../../../local/inspector/send-summary.ts';

const sendItem = (attributes: Readonly<Record<string, unknown>> = {}) => ({
  pk: 'SEND#order-1',
  sk: 'SEND',
  state: 'accepted',
  createdAt: '2026-11-20T12:00:00.000Z',
  acceptedAt: '2026-11-20T12:00:05.000Z',
  body: JSON.stringify({ requestId: 'order-1', platformContactId: '+5491155550001', messageText: 'Hi' }),
  ...attributes,
});

describe('the summary of a send', () => {
  it('has the text and the rule of the request', () => {
    const body = JSON.stringify({ platformContactId: '+549', messageText: 'Hi', ruleNameOrId: 'order_shipped' });

    expect(summarizeSend(sendItem({ body }))).toMatchObject({
      requestId: 'order-1',
      state: 'accepted',
      platformContactId: '+549',
      text: 'Hi',
      ruleName: 'order_shipped',
    });
  });

  it.each([
    ['keeps 200 characters', 'a'.repeat(200), 'a'.repeat(200)],
    ['shortens more', 'a'.repeat(201), `${'a'.repeat(199)}…`],
    ['cuts no character in half', '👋'.repeat(150), '👋'.repeat(150)],
    ['counts characters, not code units', '👋'.repeat(300), `${'👋'.repeat(199)}…`],
  ])('%s of the text', (_, messageText, text) => {
    expect(summarizeSend(sendItem({ body: JSON.stringify({ messageText }) }))?.text).toBe(text);
  });

  it('has the time of the latest change, not its scheduled time or the sort key of an index', () => {
    const refused = sendItem({
      state: 'refused',
      refusedAt: '2026-11-20T12:00:09.000Z',
      stateAt: '2026-11-20T12:00:09.000Z#WINDOW_CLOSED',
      sendAt: '2026-11-27T12:00:00.000Z',
      expiresAt: 1_800_000_000,
    });

    expect(summarizeSend(refused)?.at).toBe('2026-11-20T12:00:09.000Z');
  });

  it('says why the message of an accepted send failed', () => {
    const failed = { state: 'failed', code: '131026', failure: '131026 Not reachable', outcome: 'It was accepted.' };

    expect(summarizeSend(sendItem(failed))).toMatchObject({
      code: '131026',
      outcome: 'The chat service accepted it, and the message failed, code 131026.',
      outcomeDetails: 'Not reachable',
    });
  });

  it('has no text once the contact is erased', () => {
    expect(summarizeSend(sendItem({ body: undefined }))).toEqual({
      requestId: 'order-1',
      state: 'accepted',
      at: '2026-11-20T12:00:05.000Z',
    });
  });

  it.each([{ pk: 'MESSAGE#m-1' }, { state: undefined }])('is undefined for an item with %j', (attributes) => {
    expect(summarizeSend(sendItem(attributes))).toBeUndefined();
  });
});
