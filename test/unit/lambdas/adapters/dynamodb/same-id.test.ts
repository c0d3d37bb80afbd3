import { describe, expect, it } from 'vitest';
import { contactRef } from '../../../../../lambdas/domain/contact.ts';
import { MAX_ADDRESSES } from '../../../../../lambdas/domain/customer.ts';
import { addMs } from '../../../../../lambdas/domain/instant.ts';
import { NOW, wireMessage, wireStatus } from '../../../../support/builders.ts';
import { outbound, wireEcho } from './message-builders.ts';
import { createRepositoriesForEach, repositoriesOf } from './repositories.ts';

const stored = createRepositoriesForEach({ optOut: ['STOP'], optIn: [] });

const [ANA, JUAN] = ['5491155550001', '5491155550002'];
/** Ana's ID on a platform that hides her number. */
const ANA_HIDDEN = 'CO.1000';
const SECRET = 'My diagnosis is flu.';
const [EARLY, LATE] = ['2026-11-20T11:00:00.000Z', '2026-11-20T11:00:09.000Z'];

const OF_ANA = { FROM: ANA, CUSTOMER_ID: 'ana', MESSAGE: SECRET };
const OF_JUAN = { FROM: JUAN, CUSTOMER_ID: 'juan', MESSAGE: 'STOP' };

const { receive: deliver } = stored;
const receive = (wire: Record<string, unknown>) => deliver(wireMessage(wire));
const statusOf = (wire: Record<string, unknown>) =>
  deliver(wireStatus({ _id_: 'message-1', CUSTOMER_ID: undefined, ...wire }));

const conversationOf = async (user: string) => {
  const { messages } = await stored.messages.readConversation([{ subject: contactRef('chat', user) }], {
    limit: 10,
  });
  return messages.map(({ text, deliveredAt }) => (deliveredAt === undefined ? text : `${text} ${deliveredAt}`));
};

const haveManyUsers = async (customerId: string) => {
  for (let index = 0; index <= MAX_ADDRESSES; index += 1) {
    await receive({ _id_: `user-${index}`, FROM: `CO.${index}`, CUSTOMER_ID: customerId });
  }
};

const separate = (address: string, customerId: string) =>
  stored.contacts.recordSeparation({ contact: contactRef('chat', address), customerId }, 'separated', LATE);

const QUARANTINED = {
  kind: 'unstorable',
  reason: 'ID_OF_ANOTHER_CONTACT: The message message-1 is stored for another contact.',
};

describe('messages of two users with one ID', () => {
  it.each([
    ['the later one last', [EARLY, LATE]],
    ['the earlier one last', [LATE, EARLY]],
    ['of one time', [EARLY, EARLY]],
    ['without times', [undefined, undefined]],
  ])('are stored or quarantined, and shown only to their own user: %s', async (_case, [first, second]) => {
    expect(await receive({ ...OF_ANA, CREATION_TIME: first })).toMatchObject({ kind: 'stored' });
    const before = await stored.messages.read('message-1');
    for (const _delivery of [1, 2]) {
      expect(await receive({ ...OF_JUAN, CREATION_TIME: second })).toMatchObject(QUARANTINED);
    }
    expect(await receive({ ...OF_ANA, CREATION_TIME: first })).toMatchObject({ kind: 'stored' });
    expect(await stored.messages.read('message-1')).toEqual(before);
    expect([await conversationOf(ANA), await conversationOf(JUAN)]).toEqual([[SECRET], []]);
  });

  it('count for the window and the opt-out of their own contact, as of their own times', async () => {
    await receive({ ...OF_ANA, CREATION_TIME: EARLY });
    await receive({ ...OF_JUAN, CREATION_TIME: LATE });
    expect(await stored.contacts.read(contactRef('chat', JUAN), NOW)).toMatchObject({
      lastInboundAt: LATE,
      consents: [{ kind: 'opt-out', at: LATE }],
    });
    expect(await stored.contacts.readConsents(contactRef('chat', ANA))).toEqual([]);
  });

  it("are not taken for one because the address of one of them was the other user's before", async () => {
    await receive({ ...OF_ANA, _id_: 'earlier', FROM: JUAN });
    await receive(OF_ANA);
    expect(await receive(OF_JUAN)).toMatchObject(QUARANTINED);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['a customer ID that many users have', () => haveManyUsers('acme')],
    ["a customer ID from which an operator separated one user's address", () => separate(JUAN, 'acme')],
  ])('are not merged because of %s', async (_case, prepare) => {
    await receive({ _id_: 'earlier-1', FROM: ANA, CUSTOMER_ID: 'acme' });
    await receive({ _id_: 'earlier-2', FROM: JUAN, CUSTOMER_ID: 'acme' });
    await prepare();
    await receive({ ...OF_ANA, CUSTOMER_ID: 'acme' });
    expect(await receive({ ...OF_JUAN, CUSTOMER_ID: 'acme' })).toMatchObject(QUARANTINED);
    expect(await receive({ ...OF_JUAN, CUSTOMER_ID: undefined })).toMatchObject(QUARANTINED);
    expect(await statusOf({ FROM: JUAN, CUSTOMER_ID: 'acme' })).toMatchObject(QUARANTINED);
    await deliver(wireEcho({ TO: JUAN, CUSTOMER_ID: 'acme', MESSAGE: 'Hello Juan' }));
    const message = await stored.messages.read('message-1');
    expect(message).not.toHaveProperty('echo');
    expect(message?.versions).toBeUndefined();
    expect(await conversationOf(JUAN)).toEqual(['Hello Juan', expect.anything()]);
  });

  it('are not merged if neither event names a customer', async () => {
    await receive({ ...OF_ANA, CUSTOMER_ID: undefined });
    expect(await receive({ ...OF_JUAN, CUSTOMER_ID: undefined })).toMatchObject(QUARANTINED);
  });

  it('are quarantined with turns, too', async () => {
    const { kind, ...wire } = await receive({ ...OF_ANA });
    expect([kind, wire]).toEqual(['stored', expect.anything()]);
    const juan = { ...wireMessage(OF_JUAN) };
    const turned = repositoriesOf(stored.table, undefined, { turns: true });
    const request = { rawBody: Buffer.from(JSON.stringify(juan)), receivedAt: NOW };
    expect(await turned.storeEvent(request)).toMatchObject(QUARANTINED);
  });
});

describe('a message of one user at two addresses', () => {
  it.each([
    ['events name the customer', { CUSTOMER_ID: 'ana' }, { CUSTOMER_ID: 'ana' }],
    ['only the first event names the customer, whose other address is known', { CUSTOMER_ID: 'ana' }, {}],
    ['only the second event names the customer, whose other address is known', {}, { CUSTOMER_ID: 'ana' }],
    ['no event names the customer, whose addresses are known', {}, {}],
  ])('is one message: %s', async (_case, first, second) => {
    for (const [index, FROM] of [ANA_HIDDEN, ANA].entries()) {
      await receive({ _id_: `earlier-${index}`, FROM, CUSTOMER_ID: 'ana', CREATION_TIME: EARLY });
    }
    const wire = { CUSTOMER_ID: undefined, CREATION_TIME: EARLY, MESSAGE: SECRET };
    await receive({ ...wire, FROM: ANA_HIDDEN, ...first });
    expect(await receive({ ...wire, FROM: ANA, ...second })).toMatchObject({ kind: 'stored' });
    const { versions } = (await stored.messages.read('message-1')) ?? {};
    expect(versions).toHaveLength(2);
  });

  it('is one if its status arrived first, by the other address, also with turns', async () => {
    await statusOf({ FROM: ANA_HIDDEN, CUSTOMER_ID: 'ana' });
    const turned = repositoriesOf(stored.table, undefined, { turns: true });
    const request = { rawBody: Buffer.from(JSON.stringify(wireMessage(OF_ANA))), receivedAt: NOW };
    const results = [await turned.storeEvent(request), await turned.storeEvent(request)];
    expect(results.map(({ kind }) => kind)).toEqual(['unavailable', 'stored']);
    expect(await conversationOf(ANA)).toEqual([expect.stringContaining(SECRET)]);
  });
});

describe('a user whom each of our numbers knows by another ID', () => {
  const ELSEWHERE = { CUSTOMER_ID: 'ana-2', TO: '+5491100000099' };

  const writeToBoth = async (address: string) => {
    await receive({ _id_: 'earlier-1', FROM: address, CUSTOMER_ID: 'ana-1' });
    await receive({ _id_: 'earlier-2', FROM: address, ...ELSEWHERE });
  };
  const toAna = outbound({ contact: contactRef('chat', ANA) });

  it('has one message, with its statuses and edits', async () => {
    await writeToBoth(ANA);
    await stored.messages.recordOutbound(toAna);
    expect(await statusOf({ FROM: undefined, CUSTOMER_ID: 'ana-2' })).toMatchObject({ kind: 'stored' });

    await writeToBoth(ANA_HIDDEN);
    await receive({ ...ELSEWHERE, _id_: 'message-2', FROM: ANA_HIDDEN, CUSTOMER_ID: undefined });
    const edit = { ...ELSEWHERE, _id_: 'message-2', FROM: ANA, MESSAGE: 'STOP' };
    expect(await receive(edit)).toMatchObject({ kind: 'stored' });
  });

  it('has the message of a send whose status arrives first', async () => {
    await writeToBoth(ANA);
    await statusOf({ FROM: undefined, CUSTOMER_ID: 'ana-2' });
    expect(await stored.messages.recordOutbound(toAna)).toBeUndefined();
  });
});

describe('the status of a message', () => {
  it('is quarantined if it names another contact than the message, which stays as it is', async () => {
    await receive(OF_ANA);
    const before = await stored.messages.read('message-1');
    expect(await statusOf({ FROM: JUAN })).toMatchObject(QUARANTINED);
    expect(await statusOf({ FROM: JUAN, CUSTOMER_ID: 'juan', STATUS: 'played' })).toMatchObject(QUARANTINED);
    expect(await stored.messages.read('message-1')).toEqual(before);
  });

  it.each([
    ['names the same contact', { FROM: ANA }],
    ['names nobody', { FROM: undefined }],
    ['names only the customer', { FROM: undefined, CUSTOMER_ID: 'ana' }],
    ['names the customer at another address', { FROM: ANA_HIDDEN, CUSTOMER_ID: 'ana' }],
  ])('is stored with it if it %s', async (_case, names) => {
    await receive(OF_ANA);
    expect(await statusOf({ CREATION_TIME: LATE, ...names })).toMatchObject({ kind: 'stored' });
    expect(await conversationOf(ANA)).toEqual([`${SECRET} ${LATE}`]);
  });

  it('is stored with the message of a send whose request it names, whatever the address', async () => {
    await stored.messages.recordOutbound(outbound());
    expect(await statusOf({ FROM: JUAN, CLIENT_PAYLOAD: 'request-1' })).toMatchObject({ kind: 'stored' });
  });
});

describe("a message that Parley sent, with the ID of another user's message", () => {
  it.each([
    ['a message', () => receive(OF_ANA)],
    ['a status', () => statusOf({ FROM: ANA })],
    [
      'a message that Parley sent',
      () => stored.messages.recordOutbound(outbound({ contact: contactRef('chat', ANA) })),
    ],
  ])('leaves it as it is, in its conversation alone: %s', async (_case, store) => {
    await store();
    const before = await stored.items();
    const message = outbound({ requestId: 'request-2', contact: contactRef('chat', JUAN) });
    expect(await stored.messages.recordOutbound(message)).toBe('other-user');
    expect(await stored.items()).toEqual(before);
    expect(await conversationOf(JUAN)).toEqual([]);
  });

  it('is recorded over the statuses that name its request, or its own user', async () => {
    await statusOf({ FROM: JUAN, CLIENT_PAYLOAD: 'request-1' });
    expect(await stored.messages.recordOutbound(outbound())).toBeUndefined();
    await statusOf({ _id_: 'message-2', CUSTOMER_ID: 'ana' });
    expect(await stored.messages.recordOutbound(outbound({ id: 'message-2' }))).toBeUndefined();
  });
});

describe("an echo with the ID of another user's message", () => {
  it('is in the conversation of its own contact, without the statuses of the other', async () => {
    await receive(OF_ANA);
    await statusOf({ FROM: ANA, CREATION_TIME: LATE });
    await deliver(wireEcho({ TO: JUAN, CUSTOMER_ID: 'juan', MESSAGE: 'Hello Juan' }));
    expect([await conversationOf(ANA), await conversationOf(JUAN)]).toEqual([[`${SECRET} ${LATE}`], ['Hello Juan']]);
    const message = await stored.messages.read('message-1');
    expect(message).toMatchObject({ text: SECRET });
    expect(message).not.toHaveProperty('echo');
  });

  it('is quarantined if it has the ID of an echo to another user', async () => {
    await deliver(wireEcho({ TO: ANA, CUSTOMER_ID: 'ana', MESSAGE: 'Hello Ana' }));
    const later = wireEcho({ TO: JUAN, CUSTOMER_ID: 'juan', MESSAGE: 'Hello Juan', CREATION_TIME: addMs(LATE, 1) });
    expect(await deliver(later)).toMatchObject(QUARANTINED);
    expect([await conversationOf(ANA), await conversationOf(JUAN)]).toEqual([['Hello Ana'], []]);
  });
});
