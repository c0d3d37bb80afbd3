import { beforeEach, describe, expect, it, vi } from 'vitest';
import { contactRef } from '../../../../lambdas/domain/contact.ts';
import type { SendRules } from '../../../../lambdas/domain/decision.ts';
import type { InboundMessage } from '../../../../lambdas/domain/webhook-event.ts';
import { DONE } from '../../../../lambdas/runtime/queue-handler.ts';
import { ACCOUNT, sendRequest, TRACEPARENT, USER } from '../../../support/builders.ts';
import { testTables } from '../../../support/test-tables.ts';
import { ANSWERS, createSendHarness, type RunningSend, type SendHarness } from './send-harness.ts';

const tables = testTables();
const WRITTEN_AT = '2026-11-20T11:00:00.000Z';
let harness: SendHarness;
let sender: RunningSend;

interface Named {
  readonly address?: string;
  readonly channel?: string;
}

/** A user's message, as `receive` stores it. */
const write = async (id: string, at: string, address = USER, channel?: string) => {
  const contact = contactRef(ACCOUNT.platform, address, channel);
  const message: InboundMessage = {
    kind: 'message',
    id,
    contact,
    time: { at, source: 'event' },
    opensWindow: true,
    body: '{}',
    address,
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
    const read = vi.spyOn(harness.messages, 'readOrigin');

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

  it('is refused if it names a message that is not stored, and says so', async () => {
    expect(await sender.send(answering('no-such-message'))).toEqual(DONE);
    expect(harness.calls).toEqual([]);
    expect(await harness.sendItem()).toMatchObject({
      state: 'refused',
      code: 'SINCE_UNKNOWN',
      decision:
        'The conversation with this contact has no message with the ID in since. Use the ID of one of its messages, or ' +
        'a time with Z or an offset.',
    });
  });

  it('is refused if it names a message of another contact, even an older one, after one read', async () => {
    await write('of-somebody-else', WRITTEN_AT, '+5491155559999');
    const read = vi.spyOn(harness.messages, 'readOrigin');

    expect(await sender.send(answering('of-somebody-else'))).toEqual(DONE);
    expect(harness.calls).toEqual([]);
    expect(await harness.sendItem()).toMatchObject({ state: 'refused', code: 'SINCE_UNKNOWN' });
    expect(read).toHaveBeenCalledOnce();
  });

  it.each([
    ['of the same user in another spelling', { address: '5491155550000' }],
    ['of the same user with another business number', { channel: '+5491100000000' }],
  ])('is sent if it names a message %s', async (_case, { address = USER, channel }: Named) => {
    await write('earlier', '2026-11-20T12:00:00.000Z', address, channel);

    expect(await sender.send(answering('earlier'))).toEqual(DONE);
    expect(harness.calls).toHaveLength(1);
  });

  it('is sent if it names a message that Parley sent to the user afterward, and refused if the user answered that', async () => {
    expect(await sender.send(sendRequest())).toEqual(DONE);
    const { messageId } = (await harness.sendItem()) ?? {};
    expect(await sender.send(answering(String(messageId), { requestId: 'request-2' }))).toEqual(DONE);
    expect(harness.calls).toHaveLength(2);

    await write('reply', '2027-01-01T00:00:00.000Z');
    expect(await sender.send(answering(String(messageId), { requestId: 'request-3' }))).toEqual(DONE);
    expect(harness.calls).toHaveLength(2);
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

describe('a request in a stage with operators', () => {
  const contact = contactRef(ACCOUNT.platform, USER);
  const LATER = '2026-11-20T11:30:00.000Z';

  const start = async (rules: Partial<SendRules>) => {
    harness = await createSendHarness(tables, { rules });
    sender = harness.startFunction();
    await write('question', WRITTEN_AT);
  };
  beforeEach(() => start({ operators: { echoes: true } }));

  it('is refused if it says unless operatorWroteSince and an operator has written since', async () => {
    await harness.contacts.recordOperatorMessage(contact, { at: LATER });

    expect(await sender.send(answering('question', { unless: ['operatorWroteSince'] }))).toEqual(DONE);
    expect(harness.calls).toEqual([]);
    expect(await harness.sendItem()).toMatchObject({
      state: 'refused',
      code: 'HUMAN_TOOK_OVER',
      decision: `An operator wrote at ${LATER}, after ${WRITTEN_AT}.`,
    });
  });

  it('is sent if the operator wrote before', async () => {
    await harness.contacts.recordOperatorMessage(contact, { at: WRITTEN_AT });

    expect(await sender.send(answering('question', { unless: ['operatorWroteSince'] }))).toEqual(DONE);
    expect(harness.calls).toHaveLength(1);
  });

  it('is refused if the stage does not know when operators write', async () => {
    await start({ operators: { echoes: false } });

    expect(await sender.send(answering('question', { unless: ['operatorWroteSince'] }))).toEqual(DONE);
    expect(harness.calls).toEqual([]);
    expect(await harness.sendItem()).toMatchObject({ state: 'refused', code: 'CONDITION_UNKNOWN' });
  });

  it('is refused if it is automated and the contact is handed over between the read and the claim', async () => {
    const { claim } = harness.sends;
    vi.spyOn(harness.sends, 'claim').mockImplementationOnce(async (...parameters) => {
      await harness.contacts.recordHandover(contact, 'people', LATER);
      return claim(...parameters);
    });

    expect(await sender.send(sendRequest({ automated: true }))).toEqual(DONE);
    expect(harness.calls).toEqual([]);
    expect(await harness.sendItem()).toMatchObject({
      state: 'refused',
      code: 'HANDED_OVER',
      decision: `The contact was handed over to people at ${LATER}, until it is handed back.`,
    });
  });

  it('is sent if it is not automated, or once the contact is handed back', async () => {
    await harness.contacts.recordHandover(contact, 'people', WRITTEN_AT);
    expect(await sender.send(sendRequest())).toEqual(DONE);
    await harness.contacts.recordHandover(contact, 'automated', LATER);
    expect(await sender.send(sendRequest({ requestId: 'request-2', automated: true }))).toEqual(DONE);
    expect(harness.calls).toHaveLength(2);
  });

  it('reads no handover in a stage without operators, where automated changes nothing', async () => {
    await start({});
    await harness.contacts.recordHandover(contact, 'people', WRITTEN_AT);
    const read = vi.spyOn(harness.contacts, 'read');

    expect(await sender.send(sendRequest({ automated: true }))).toEqual(DONE);
    expect(harness.calls).toHaveLength(1);
    expect(read).not.toHaveBeenCalled();
  });
});
