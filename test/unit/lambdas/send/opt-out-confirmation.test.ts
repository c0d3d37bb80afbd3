import { beforeEach, describe, expect, it, vi } from 'vitest';
import { contactRef } from '../../../../lambdas/domain/contact.ts';
import { optOutConfirmationId } from '../../../../lambdas/domain/keywords/opt-out-confirmation.ts';
import type { SendRequest } from '../../../../lambdas/domain/send-request.ts';
import { DONE } from '../../../../lambdas/runtime/queue-handler.ts';
import { ACCOUNT, optIn, optOut, sendRequest, USER } from '../../../support/builders.ts';
import { testTables } from '../../../support/test-tables.ts';
import { ANSWERS, createSendHarness, type RunningSend, type SendHarness } from './send-harness.ts';

const tables = testTables();
const contact = contactRef(ACCOUNT.platform, USER);
const WRITTEN_AT = '2026-11-20T11:00:00.000Z';
const TEXT = 'You will get no more messages.';
const REQUEST: SendRequest = {
  requestId: optOutConfirmationId('message-1'),
  platformContactId: USER,
  confirmsOptOut: true,
};
let harness: SendHarness;
let sender: RunningSend;

beforeEach(async () => {
  const rules = { optOutConfirmation: TEXT, defaultTemplate: { ruleNameOrId: 'please_write' } };
  harness = await createSendHarness(tables, { rules });
  sender = harness.startFunction();
  await harness.openWindow(USER);
  await harness.contacts.recordConsent(contact, optOut(WRITTEN_AT, { messageId: 'message-1' }));
});

describe('the confirmation of an opt-out', () => {
  it('is sent once, and nothing else is', async () => {
    expect(await sender.send(REQUEST)).toEqual(DONE);
    expect(await sender.send(REQUEST)).toEqual(DONE);
    expect(await sender.send(sendRequest({ requestId: 'other', messageText: TEXT }))).toEqual(DONE);

    expect(harness.calls).toMatchObject([{ endpoint: 'message/v3', body: { messageText: TEXT } }]);
    expect(await harness.sendItem(REQUEST.requestId)).toMatchObject({
      state: 'accepted',
      decision: expect.stringContaining(`The user opted out at ${WRITTEN_AT}, and this message confirms it.`),
    });
    expect(await harness.sendItem('other')).toMatchObject({ state: 'refused', code: 'OPTED_OUT' });
  });

  it('is only the request that Parley queued for the opt-out that counts', async () => {
    for (const requestId of ['another', optOutConfirmationId('message-2')]) {
      expect(await sender.send({ ...REQUEST, requestId })).toEqual(DONE);
      expect(await harness.sendItem(requestId)).toMatchObject({ state: 'refused', code: 'OPTED_OUT' });
    }
    expect(harness.calls).toEqual([]);
  });

  it('is a dead letter if another request took its ID', async () => {
    await sender.send(sendRequest({ requestId: REQUEST.requestId, messageText: TEXT }));
    expect(await sender.send(REQUEST)).toEqual(DONE);
    expect(harness.deadLetters).toHaveLength(1);
  });

  it('is not sent again for another business number, and raises no alarm', async () => {
    await sender.send(REQUEST);
    expect(await sender.send({ ...REQUEST, chatChannelNumber: '+5491100000099' })).toEqual(DONE);

    expect(harness.calls).toHaveLength(1);
    expect(harness.deadLetters).toEqual([]);
  });

  it('is not sent if the user opts in between the read of the contact and the claim', async () => {
    const { claim } = harness.sends;
    vi.spyOn(harness.sends, 'claim').mockImplementationOnce(async (...parameters) => {
      await harness.contacts.recordConsent(contact, optIn('2026-11-20T11:00:01.000Z'));
      return claim(...parameters);
    });

    expect(await sender.send(REQUEST)).toEqual(DONE);
    expect(harness.calls).toEqual([]);
    expect(await harness.sendItem(REQUEST.requestId)).toMatchObject({ state: 'refused', code: 'SUPERSEDED' });
  });

  it('is not replaced by a template after error 201', async () => {
    harness.answers = [ANSWERS.windowClosed];

    expect(await sender.send({ ...REQUEST, reason: 'payment' })).toEqual(DONE);
    expect(harness.calls).toHaveLength(1);
    expect(await harness.sendItem(REQUEST.requestId)).toMatchObject({
      state: 'refused',
      code: 'WINDOW_CLOSED',
      decision: 'The chat service reported the window closed (error 201). An opt-out is not confirmed by a template.',
    });
  });
});
