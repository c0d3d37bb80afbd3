import { beforeEach, describe, expect, it } from 'vitest';
import { MAX_ADDRESSES } from '../../../../../lambdas/domain/customer.ts';
import { auditResponse } from '../../../../../lambdas/manage/api/audit.ts';
import { conversationResponse } from '../../../../../lambdas/manage/api/conversations.ts';
import { customerResponse } from '../../../../../lambdas/manage/api/customers.ts';
import { sendListResponse } from '../../../../../lambdas/manage/api/send-lists.ts';
import { queuedSend, sendRequest, wireMessage, wireStatus } from '../../../../support/builders.ts';
import { testTables } from '../../../../support/test-tables.ts';
import { outbound, wireEcho } from '../../adapters/dynamodb/message-builders.ts';
import { createManagedStage } from '../managed-stage.ts';

const tables = testTables();
const [PHONE, ID, OTHER] = ['5491155550000', 'AR.13491208655302741918', '5491155559999'];
const CUSTOMER = { customerId: 'customer-1' };

let stage: Awaited<ReturnType<typeof createManagedStage>>;
beforeEach(async () => {
  stage = await createManagedStage(tables);
});

const timeOf = (minute: number) => `2026-11-20T11:${String(minute).padStart(2, '0')}:00.000Z`;
/** A user writes at a minute, which names the message. */
const write = (FROM: string, minute: number, changes: Record<string, unknown> = {}) =>
  stage.receive(wireMessage({ _id_: `m-${minute}`, FROM, CREATION_TIME: timeOf(minute), ...changes }));
const customer = async () => customerResponse.parse((await stage.call('listContacts', { query: CUSTOMER })).body);

const pagesOf = async (name: 'listConversation' | 'getConversation', limit: number, id?: string) => {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const query = { ...(id === undefined && CUSTOMER), limit: String(limit), ...(cursor && { cursor }) };
    const page = conversationResponse.parse((await stage.call(name, { id, query })).body);
    pages.push(page.messages.map((message) => message.id));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return pages;
};

describe('the addresses of a customer', () => {
  it('are listed with the reason why they belong together, the one that wrote last first', async () => {
    await write(PHONE, 1);
    await write(ID, 2);
    await stage.receive(wireStatus({ FROM: OTHER }));
    const { contacts, separated } = await customer();
    expect(contacts).toMatchObject([
      { platformContactId: ID, linkedBy: 'message', window: { lastInboundAt: timeOf(2) } },
      { platformContactId: PHONE, linkedBy: 'message', window: { lastInboundAt: timeOf(1) } },
      { platformContactId: '541155559999', linkedBy: 'status' },
    ]);
    expect(separated).toEqual([]);
  });

  it('do not include a number that belongs to another customer now', async () => {
    await write(PHONE, 1);
    await write(ID, 2);
    await write(PHONE, 3, { CUSTOMER_ID: 'customer-2', MESSAGE: 'of the new user' });
    expect((await customer()).contacts.map(({ platformContactId }) => platformContactId)).toEqual([ID]);
    expect(await pagesOf('listConversation', 10)).toEqual([['m-2']]);
  });

  it('are not found for an unknown customer', async () => {
    for (const name of ['listContacts', 'listConversation'] as const)
      expect(await stage.call(name, { query: CUSTOMER })).toMatchObject({
        status: 404,
        body: { code: 'CUSTOMER_NOT_FOUND' },
      });
  });

  it('are refused for an ID that the service gives to many users', async () => {
    for (let user = 0; user <= MAX_ADDRESSES; user += 1) await write(`54911555500${10 + user}`, user);
    for (const name of ['listContacts', 'listConversation'] as const)
      expect(await stage.call(name, { query: CUSTOMER })).toMatchObject({
        status: 409,
        body: { code: 'CUSTOMER_SHARED' },
      });
  });
});

describe('the conversation of a customer', () => {
  it.each([1, 2, 3, 10])('has the messages of all addresses in one order, on pages of %i', async (limit) => {
    for (let minute = 0; minute < 9; minute += 1) await write([PHONE, ID, OTHER][minute % 3] ?? ID, minute);
    await stage.receive({ ...wireEcho({ _id_: 'm-9', CREATION_TIME: timeOf(9) }), TO: undefined });
    const pages = await pagesOf('listConversation', limit);
    expect(pages.flat()).toEqual(['m-9', 'm-8', 'm-7', 'm-6', 'm-5', 'm-4', 'm-3', 'm-2', 'm-1', 'm-0']);
    expect(pages.every(({ length }) => length <= limit)).toBe(true);
  });

  it('says the address of each message, unless it names only the customer', async () => {
    await write(PHONE, 1);
    await stage.receive({ ...wireEcho({ _id_: 'm-2', TO: ID, CREATION_TIME: timeOf(2) }) });
    await stage.receive({ ...wireEcho({ _id_: 'm-3', CREATION_TIME: timeOf(3) }), TO: undefined });
    const { body } = await stage.call('listConversation', { query: CUSTOMER });
    expect(conversationResponse.parse(body).messages.map(({ platformContactId }) => platformContactId)).toEqual([
      undefined,
      ID,
      PHONE,
    ]);
    const { body: one } = await stage.call('getConversation', { id: PHONE });
    expect(conversationResponse.parse(one).messages[0]?.platformContactId).toBeUndefined();
  });

  it('has each message of one millisecond once', async () => {
    for (let index = 0; index < 6; index += 1) {
      await write([PHONE, ID][index % 2] ?? ID, 1, { _id_: `m-${index}` });
    }
    expect((await pagesOf('listConversation', 1)).flat().toSorted()).toEqual([
      'm-0',
      'm-1',
      'm-2',
      'm-3',
      'm-4',
      'm-5',
    ]);
  });

  it.each([
    ['a position of another conversation', { 'CONTACT#chat#*#1': '{"pk":"a","sk":"b","contactSort":"c"}' }],
    ['no position', {}],
    ['a position that is not JSON', { 'CUSTOMER#chat#customer-1': 'x' }],
  ])('refuses a cursor with %s', async (_what, position) => {
    await write(PHONE, 1);
    const cursor = Buffer.from(JSON.stringify(position)).toString('base64url');
    expect(await stage.call('listConversation', { query: { ...CUSTOMER, cursor } })).toMatchObject({
      body: { code: 'INVALID_CURSOR' },
    });
  });
});

describe('the sends and the audit trail of a customer', () => {
  const put = (requestId: string, platformContactId: string, minute: number) =>
    stage.sends.register(queuedSend(sendRequest({ requestId, platformContactId })), timeOf(minute));

  it('are those of all addresses since they have this user, newest first', async () => {
    await write(PHONE, 1, { CUSTOMER_ID: 'customer-2' });
    await write(PHONE, 3);
    await write(ID, 3);
    await put('to-the-earlier-user', PHONE, 1);
    await put('to-phone', PHONE, 4);
    await put('to-id', ID, 5);
    await put('to-another', OTHER, 6);
    const { body } = await stage.call('listSends', { query: CUSTOMER });
    expect(sendListResponse.parse(body).sends.map(({ requestId }) => requestId)).toEqual(['to-id', 'to-phone']);

    for (const platformContactId of [PHONE, ID, OTHER]) {
      await stage.call('optIn', { body: { platformContactId, source: 'form' } });
    }
    const { body: trail } = await stage.call('listAudit', { query: CUSTOMER });
    expect(
      auditResponse
        .parse(trail)
        .entries.map(({ contact }) => contact?.key)
        .toSorted(),
    ).toEqual(['541155550000', ID].toSorted());
  });

  it.each([
    ['listSends', 'contact'],
    ['listAudit', 'platformContactId'],
  ] as const)(
    '%s refuses a query with both, or with a business number and no user, and names the fields',
    async (name, field) => {
      expect(await stage.call(name, { query: { ...CUSTOMER, [field]: PHONE } })).toMatchObject({
        status: 400,
        body: { message: `Invalid request: the query: names the user twice; remove \`${field}\` or \`customerId\`.` },
      });
      expect(await stage.call(name, { query: { chatChannelNumber: '+5491100000000' } })).toMatchObject({
        status: 400,
        body: { message: expect.stringContaining(`add \`${field}\` or \`customerId\``) },
      });
    },
  );

  it.each(['listSends', 'listAudit'] as const)('%s refuses an ID that many users share', async (name) => {
    for (let user = 0; user <= MAX_ADDRESSES; user += 1) await write(`54911555500${10 + user}`, user);
    expect(await stage.call(name, { query: CUSTOMER })).toMatchObject({
      status: 409,
      body: { code: 'CUSTOMER_SHARED' },
    });
  });
});

describe('a number that another customer had before', () => {
  beforeEach(async () => {
    await write(PHONE, 1, { CUSTOMER_ID: 'customer-2' });
    await stage.sends.register(queuedSend(sendRequest({ requestId: 'earlier', platformContactId: PHONE })), timeOf(1));
    // They were sent before anything showed that the number has another user.
    await stage.receive(wireEcho({ _id_: 'between', TO: PHONE, CUSTOMER_ID: undefined, CREATION_TIME: timeOf(2) }));
    await stage.messages.recordOutbound(outbound({ id: 'sent-between', claimedAt: timeOf(2) }));
    await stage.sends.register(queuedSend(sendRequest({ requestId: 'between', platformContactId: PHONE })), timeOf(2));
    await write(PHONE, 3);
    await stage.receive(wireEcho({ _id_: 'answer', TO: PHONE, CREATION_TIME: timeOf(4) }));
    await stage.sends.register(queuedSend(sendRequest({ requestId: 'later', platformContactId: PHONE })), timeOf(4));
  });

  it('shows no message to or from the earlier user', async () => {
    expect(await pagesOf('getConversation', 10, PHONE)).toEqual([['answer', 'm-3']]);
    expect(await pagesOf('listConversation', 10)).toEqual([['answer', 'm-3']]);
  });

  it.each([undefined, timeOf(0)])('shows no send to the earlier user, with since %s', async (since) => {
    const { body } = await stage.call('listSends', { query: { contact: PHONE, ...(since && { since }) } });
    expect(sendListResponse.parse(body).sends.map(({ requestId }) => requestId)).toEqual(['later']);
  });
});
