import { beforeEach, describe, expect, it, vi } from 'vitest';
import { contactRef } from '../../../../lambdas/domain/contact.ts';
import type { InboundMessage } from '../../../../lambdas/domain/webhook-event.ts';
import { DONE } from '../../../../lambdas/runtime/queue-handler.ts';
import { ACCOUNT, sendRequest, TRACEPARENT, USER } from '../../../support/builders.ts';
import { testTables } from '../../../support/test-tables.ts';
import { ANSWERS, createSendHarness, type RunningSend, type SendHarness } from './send-harness.ts';

const tables = testTables();
const WRITTEN_AT = '2026-11-20T11:00:00.000Z';
let harness: SendHarness;
let sender: RunningSend;

/** The user's message, as `receive` stores it. */
const write = async (id: string, at: string) => {
  const contact = contactRef(ACCOUNT.platform, USER);
  const message: InboundMessage = {
    kind: 'message',
    id,
    contact,
    time: { at, source: 'event' },
    opensWindow: true,
    body: '{}',
    address: USER,
    traceparent: TRACEPARENT,
  };
  await harness.messages.recordInbound(message);
  await harness.contacts.openWindow(message);
};

beforeEach(async () => {
  harness = await createSendHarness(tables);
  sender = harness.startFunction();
  await write('question', WRITTEN_AT);
});

const answering = (since: string, changes: object = {}) =>
  sendRequest({ unless: ['userWroteSince'], since, ...changes });

const isSuperseded = async () => {
  expect(await harness.sendItem()).toMatchObject({ state: 'refused', code: 'SUPERSEDED' });
  return true;
};

describe('a request that says unless userWroteSince', () => {
  it('is sent if the message that it answers is the latest, which needs no read', async () => {
    const read = vi.spyOn(harness.messages, 'read');

    expect(await sender.send(answering('question'))).toEqual(DONE);
    expect(harness.calls).toHaveLength(1);
    expect(read).not.toHaveBeenCalled();
  });

  it('is refused after another message', async () => {
    await write('another', '2026-11-20T11:00:01.000Z');

    expect(await sender.send(answering('question'))).toEqual(DONE);
    expect(harness.calls).toEqual([]);
    expect(await isSuperseded()).toBe(true);
  });

  it('is sent after a message that arrives late', async () => {
    await write('earlier', '2026-11-20T10:59:00.000Z');

    expect(await sender.send(answering('question'))).toEqual(DONE);
    expect(harness.calls).toHaveLength(1);
  });

  it('is refused if it names a message that is not stored, and says so', async () => {
    expect(await sender.send(answering('no-such-message'))).toEqual(DONE);
    expect(harness.calls).toEqual([]);
    expect(await harness.sendItem()).toMatchObject({
      state: 'refused',
      code: 'SINCE_UNKNOWN',
      decision: 'There is no message with the ID that the request names as since.',
    });
  });

  it('is refused if the user writes between the read of the contact and the claim', async () => {
    const { claim } = harness.sends;
    vi.spyOn(harness.sends, 'claim').mockImplementationOnce(async (...parameters) => {
      await write('another', '2026-11-20T11:00:01.000Z');
      return claim(...parameters);
    });

    expect(await sender.send(answering(WRITTEN_AT))).toEqual(DONE);
    expect(harness.calls).toEqual([]);
    expect(await isSuperseded()).toBe(true);
  });

  it('sends no template after error 201 if the user wrote meanwhile', async () => {
    harness.answers = [
      async () => {
        await write('another', '2026-11-20T11:00:01.000Z');
        return ANSWERS.windowClosed;
      },
    ];

    expect(await sender.send(answering('question', { ruleNameOrId: 'hello', reason: 'payment' }))).toEqual(DONE);
    expect(harness.calls).toHaveLength(1);
    expect(await isSuperseded()).toBe(true);
  });
});
