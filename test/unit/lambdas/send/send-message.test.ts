import { beforeEach, describe, expect, it } from 'vitest';
import { contactRef } from '../../../../lambdas/domain/contact.ts';
import { DONE } from '../../../../lambdas/runtime/queue-handler.ts';
import { NOW, queuedSend, sendRequest, templateRequest, USER } from '../../../support/builders.ts';
import { testTables } from '../../../support/test-tables.ts';
import { ANSWERS, createSendHarness, type RunningSend, type SendHarness } from './send-harness.ts';

const tables = testTables();
let harness: SendHarness;
let sender: RunningSend;

beforeEach(async () => {
  harness = await createSendHarness(tables);
  sender = harness.startFunction();
  await harness.openWindow(USER);
});

describe('a request within the window', () => {
  it('is claimed, sent, and recorded as a message of the conversation', async () => {
    expect(await sender.send(sendRequest())).toEqual(DONE);
    expect(harness.calls).toMatchObject([
      { endpoint: 'message/v3', body: { messageText: 'Your parcel is on its way.' } },
    ]);
    expect(await harness.items()).toMatchObject({
      'SEND#request-1 SEND': { state: 'accepted', messageId: 'message-out', attempts: 1, acceptedAt: NOW },
      'MESSAGE#message-out MESSAGE': {
        direction: 'outbound',
        contact: 'CONTACT#chat#*#541155550000',
        requestId: 'request-1',
        call: { endpoint: 'message/v3', body: { messageText: 'Your parcel is on its way.' } },
        createdAt: NOW,
      },
    });
    expect(harness.counted).toEqual(['SendAccepted']);
  });

  it('falls back to its template on error 201, and the next request starts with the template', async () => {
    harness.answers = [ANSWERS.windowClosed];
    const both = { ...sendRequest(), ...templateRequest() };
    await sender.send(both);
    await sender.send({ ...both, requestId: 'request-2' });
    expect(harness.calls.map(({ endpoint }) => endpoint)).toEqual(['message/v3', 'intent/v2', 'intent/v2']);
    expect(await harness.sendItem()).toMatchObject({ state: 'accepted', call: { endpoint: 'intent/v2' } });
    expect(harness.counted.filter((name) => name === 'WindowMisjudged')).toHaveLength(1);
  });

  it('is refused on error 201 when it has no template', async () => {
    harness.answers = [ANSWERS.windowClosed];
    expect(await sender.send(sendRequest())).toEqual(DONE);
    expect(await harness.sendItem()).toMatchObject({ state: 'refused', code: 'WINDOW_CLOSED', refusedAt: NOW });
  });
});

describe('a request that may not be sent', () => {
  it('is refused with its code and without a call', async () => {
    harness.advance(25 * 3600);
    expect(await sender.send(sendRequest())).toEqual(DONE);
    expect(harness.calls).toEqual([]);
    expect(await harness.sendItem()).toMatchObject({ state: 'refused', code: 'WINDOW_CLOSED' });
  });

  it('stays refused when it is delivered again after the reason is gone', async () => {
    harness.advance(25 * 3600);
    await sender.send(sendRequest());
    await harness.openWindow(USER, { lastInboundAt: harness.now() });
    await sender.send(sendRequest());
    expect(harness.calls).toEqual([]);
    expect(await harness.sendItem()).toMatchObject({ state: 'refused' });
  });

  it('expires after notAfter', async () => {
    await sender.send(sendRequest({ notAfter: '2026-11-20T11:00:00Z' }));
    expect(await harness.sendItem()).toMatchObject({ state: 'expired' });
    expect(harness.calls).toEqual([]);
  });
});

describe('a request whose invocation has no time left', () => {
  it('is retried without a claim and without a call', async () => {
    expect(await sender.sendMessage({ ...queuedSend(), endBy: NOW })).toEqual({ kind: 'retry', afterMs: 0 });
    expect([harness.calls, await harness.sendItem()]).toEqual([[], undefined]);
  });
});

describe('what sending records about a contact', () => {
  it('is replaced only by something later', async () => {
    const contact = contactRef('chat', USER);
    const later = '2026-11-20T12:00:01.000Z';
    const { contacts } = harness;
    await contacts.recordCheck(contact, { checkedAt: later, checkedAddress: '541155550000' });
    await contacts.recordCheck(contact, { checkedAt: NOW });
    await contacts.denyWindow(contact, later);
    await contacts.denyWindow(contact, NOW);
    expect(await contacts.read(contact, later)).toMatchObject({
      checkedAt: later,
      checkedAddress: '541155550000',
      windowDeniedAt: later,
    });
  });
});
