import { beforeEach, describe, expect, it } from 'vitest';
import { MAX_ADDRESSES } from '../../../../../lambdas/domain/customer.ts';
import { auditResponse } from '../../../../../lambdas/manage/api/audit.ts';
import { contactResponse } from '../../../../../lambdas/manage/api/contacts.ts';
import { conversationResponse } from '../../../../../lambdas/manage/api/conversations.ts';
import { customerResponse } from '../../../../../lambdas/manage/api/customers.ts';
import { erasureResponse } from '../../../../../lambdas/manage/api/erasures.ts';
import { wireMessage, wireStatus } from '../../../../support/builders.ts';
import { testTables } from '../../../../support/test-tables.ts';
import { wireEcho } from '../../adapters/dynamodb/message-builders.ts';
import { createManagedStage } from '../managed-stage.ts';

// One customer with two addresses: a phone number, and an ID that a platform shows in its place.

const tables = testTables();
const [PHONE, ID, OTHER] = ['5491155550000', 'AR.13491208655302741918', '5491155559999'];

let stage: Awaited<ReturnType<typeof createManagedStage>>;
beforeEach(async () => {
  stage = await createManagedStage(tables, {
    eventMeanings: { keywords: { optOut: ['STOP'], optIn: ['START'] }, operatorEchoes: undefined },
  });
});

let count = 0;
const write = async (FROM: string, minute: number, changes: Record<string, unknown> = {}) => {
  count += 1;
  const CREATION_TIME = `2026-11-20T11:${String(minute).padStart(2, '0')}:00.000Z`;
  await stage.receive(wireMessage({ _id_: `m-${count}`, FROM, CREATION_TIME, ...changes }));
};
const contactOf = async (id: string) => contactResponse.parse((await stage.call('getContact', { id })).body);
const consentOf = async (id: string) => (await contactOf(id)).consent;
const post = (route: 'optIn' | 'optOut', platformContactId: string, changes: object = {}) =>
  stage.call(route, { body: { platformContactId, source: 'call', origin: 'user', ...changes } });

describe('an opt-out', () => {
  it.each([
    ['by keyword', () => write(ID, 5, { MESSAGE: 'STOP' })],
    ['through the API', () => post('optOut', ID)],
  ])('%s holds for every address of the customer, and says why', async (_how, optOut) => {
    await write(PHONE, 1);
    await write(ID, 2);
    await optOut();
    expect(await consentOf(PHONE)).toMatchObject({ state: 'opted-out', customerId: 'customer-1' });
    expect(await consentOf(ID)).toMatchObject({ state: 'opted-out' });
    expect(await consentOf(ID)).not.toHaveProperty('customerId');
  });

  it('that was recorded before the customer was known holds for an address that appears later', async () => {
    await post('optOut', PHONE);
    await write(PHONE, 1);
    await write(ID, 2);
    expect(await consentOf(ID)).toMatchObject({ state: 'opted-out' });
  });

  it('in an event that names no customer holds for the customer that earlier events named', async () => {
    await write(PHONE, 1);
    await write(ID, 2);
    await write(ID, 3, { CUSTOMER_ID: undefined, MESSAGE: 'stop' });
    expect(await consentOf(PHONE)).toMatchObject({ state: 'opted-out' });
  });

  it('holds for an address that only a status of a message named', async () => {
    await stage.receive(wireStatus({ FROM: PHONE }));
    await write(ID, 2, { MESSAGE: 'STOP' });
    expect(await consentOf(PHONE)).toMatchObject({ state: 'opted-out', customerId: 'customer-1' });
  });

  it('is overridden only by an opt-in of the same address', async () => {
    await write(PHONE, 1, { MESSAGE: 'STOP' });
    await write(ID, 2);
    await write(PHONE, 3, { MESSAGE: 'START' });
    expect(await consentOf(PHONE)).toMatchObject({ state: 'opted-in' });
    expect(await consentOf(ID)).toMatchObject({ state: 'opted-out' });
    await write(ID, 4, { MESSAGE: 'START' });
    expect(await consentOf(ID)).toMatchObject({ state: 'opted-in' });
  });

  it('never holds for another customer, and neither do opt-ins', async () => {
    await write(PHONE, 1, { MESSAGE: 'STOP' });
    await write(OTHER, 2, { CUSTOMER_ID: 'customer-2' });
    await write(ID, 3, { CUSTOMER_ID: 'customer-3', MESSAGE: 'START' });
    expect(await consentOf(OTHER)).toEqual({ state: 'none' });
  });

  it('follows no ID that the service gives to many users', async () => {
    for (let user = 0; user <= MAX_ADDRESSES; user += 1) await write(`54911555500${10 + user}`, user);
    await write(PHONE, 30, { MESSAGE: 'STOP' });
    expect(await consentOf('5491155550010')).toEqual({ state: 'none' });
    expect(await consentOf(PHONE)).toMatchObject({ state: 'opted-out' });
  });
});

describe('an address that another customer writes from', () => {
  it('keeps the opt-out and loses the opt-in of its earlier user, in any order of the events', async () => {
    await post('optIn', PHONE, { at: '2026-11-20T11:00:30.000Z' });
    await write(PHONE, 20, { CUSTOMER_ID: 'customer-2' });
    expect(await consentOf(PHONE)).toMatchObject({ state: 'opted-in' });
    await write(PHONE, 1);
    expect(await consentOf(PHONE)).toEqual({ state: 'none' });
    // The customer who had the number before, also if statuses named that customer with it.
    await stage.receive(wireStatus({ FROM: PHONE, _id_: 'sent-before' }));
    await write(ID, 21, { MESSAGE: 'STOP' });
    expect(await consentOf(PHONE)).toEqual({ state: 'none' });
    expect(await contactOf(PHONE)).toMatchObject({ customerId: 'customer-2' });
  });
});

describe('an opt-out of an earlier user that arrives late', () => {
  it('holds for the number, and for the other addresses of that user only', async () => {
    await write(ID, 1);
    await write(PHONE, 20, { CUSTOMER_ID: 'customer-2' });
    await write(OTHER, 21, { CUSTOMER_ID: 'customer-2' });
    await write(PHONE, 2, { MESSAGE: 'STOP' });
    expect(await consentOf(PHONE)).toMatchObject({ state: 'opted-out' });
    expect(await consentOf(ID)).toMatchObject({ state: 'opted-out' });
    expect(await consentOf(OTHER)).toEqual({ state: 'none' });
  });
});

describe('an erasure', () => {
  it.each([PHONE, ID])('of %s erases every address of the customer, and no other', async (id) => {
    await write(PHONE, 1);
    await write(ID, 2, { MESSAGE: 'STOP' });
    await write(OTHER, 3, { CUSTOMER_ID: 'customer-2' });
    const { body } = await stage.call('eraseContact', { id });
    expect(erasureResponse.parse(body).otherAddresses).toHaveLength(1);
    await stage.erase();
    const left = Object.keys(await stage.items()).filter((name) => !/^(AUDIT|ERASURE)#/.test(name));
    expect(left.toSorted()).toEqual([
      expect.stringMatching(/^CONTACT#chat#\*#541155559999 CONTACT$/),
      'CUSTOMER#chat#customer-2 CUSTOMER#*',
      expect.stringMatching(/^MESSAGE#m-\d+ MESSAGE$/),
    ]);
  });

  it('of a number that belongs to another customer now leaves the addresses of its earlier user', async () => {
    await write(PHONE, 1);
    await write(ID, 2);
    await write(PHONE, 3, { CUSTOMER_ID: 'customer-2' });
    await stage.call('eraseContact', { id: PHONE });
    await stage.erase();
    expect((await stage.call('getContact', { id: PHONE })).status).toBe(404);
    expect(await contactOf(ID)).toMatchObject({ customerId: 'customer-1' });
  });
});

describe('an erasure of a customer', () => {
  const eraseCustomer = () => stage.call('eraseCustomer', { id: 'customer-1' });
  const names = async () => Object.keys(await stage.items()).filter((name) => !/^(AUDIT|ERASURE)#/.test(name));

  it('erases every address, what names only the customer, and the dead letters about it', async () => {
    await write(PHONE, 1);
    await write(ID, 2, { MESSAGE: 'STOP' });
    await stage.receive({ ...wireEcho({ _id_: 'echo-1' }), TO: undefined });
    await stage.receive(wireStatus({ _id_: 'status-1', FROM: undefined }));
    const deadLetter = { body: JSON.stringify({ CUSTOMER_ID: 'customer-1', note: 'unreadable' }) };
    stage.queuedDeadLetters = [deadLetter, { body: '{"CUSTOMER_ID":"customer-2"}' }];
    const answer = erasureResponse.parse((await eraseCustomer()).body);
    expect(answer.otherAddresses).toHaveLength(2);
    await stage.erase();
    expect(await names()).toEqual([]);
    expect(JSON.stringify(await stage.items())).not.toMatch(/customer-1|41155550000|13491208655302741918/);
    expect(stage.queuedDeadLetters).toHaveLength(1);
    expect((await stage.call('getErasure', { id: answer.erasureId })).body).toMatchObject({ state: 'done' });
  });

  it('who is stored only in events without an address erases these events', async () => {
    await stage.receive({ ...wireEcho({ _id_: 'echo-1' }), TO: undefined });
    expect((await eraseCustomer()).body).not.toHaveProperty('otherAddresses');
    await stage.erase();
    expect(await names()).toEqual([]);
  });

  it('erases what the customer wrote from a number that belongs to another one now, and nothing else of it', async () => {
    await write(PHONE, 1, { CUSTOMER_ID: 'customer-2', MESSAGE: 'of the present user, long ago' });
    await write(PHONE, 2, { MESSAGE: 'of the earlier user' });
    await write(ID, 2);
    await write(PHONE, 3, { CUSTOMER_ID: 'customer-2', MESSAGE: 'of the present user' });
    await stage.receive(wireStatus({ FROM: PHONE, _id_: 'late', CREATION_TIME: '2026-11-20T11:01:30.000Z' }));
    await eraseCustomer();
    await stage.erase();
    const left = JSON.stringify(Object.values(await stage.items()), (_name, value) =>
      value instanceof Set ? [...value] : value,
    );
    expect(left).not.toMatch(/of the earlier user|customer-1/);
    expect(left).toContain('of the present user, long ago');
    expect(left).toContain('of the present user\\"');
    expect(await contactOf(PHONE)).toMatchObject({ customerId: 'customer-2' });
  });

  it('leaves a number that belongs to another customer now, and an address that an operator separated', async () => {
    await write(PHONE, 1);
    await write(ID, 2);
    await write(OTHER, 3);
    await write(PHONE, 4, { CUSTOMER_ID: 'customer-2' });
    await stage.call('separateCustomer', { body: { platformContactId: OTHER, customerId: 'customer-1' } });
    await eraseCustomer();
    await stage.erase();
    expect((await stage.call('getContact', { id: ID })).status).toBe(404);
    expect(await contactOf(PHONE)).toMatchObject({ customerId: 'customer-2' });
    expect(await contactOf(OTHER)).toMatchObject({ window: { open: true } });
  });

  it('is refused for an ID that the service gives to many users, which stays so after an erasure', async () => {
    for (let user = 0; user <= MAX_ADDRESSES; user += 1) await write(`54911555500${10 + user}`, user);
    expect(await eraseCustomer()).toMatchObject({ status: 409, body: { code: 'CUSTOMER_SHARED' } });
    await stage.call('eraseContact', { id: '5491155550010' });
    await stage.erase();
    expect(await eraseCustomer()).toMatchObject({ status: 409 });
  });
});

describe('the traces of an erased address', () => {
  it.each([
    ['another customer wrote from it before', () => write(PHONE, 0, { CUSTOMER_ID: 'customer-2' })],
    ['another customer wrote from it since', () => write(PHONE, 9, { CUSTOMER_ID: 'customer-2' })],
    ['a status named another customer', () => stage.receive(wireStatus({ FROM: PHONE, CUSTOMER_ID: 'customer-2' }))],
  ])('are gone also if %s', async (_what, other) => {
    await write(PHONE, 1);
    await other();
    await write(OTHER, 2, { CUSTOMER_ID: 'customer-2' });
    await write(ID, 3);
    await post('optOut', ID);
    await stage.call('eraseContact', { id: PHONE });
    await stage.erase();
    expect(JSON.stringify(await stage.items())).not.toContain('41155550000');
  });

  it('do not depend on the order of its users', async () => {
    const customers = ['customer-1', 'customer-2', 'customer-1'];
    const itemAfter = async (order: readonly number[]) => {
      stage = await createManagedStage(tables);
      for (const index of order) {
        await write(PHONE, index, { _id_: `m-${index}`, CUSTOMER_ID: customers[index] });
      }
      return stage.item('CONTACT#chat#*#541155550000 CONTACT');
    };
    const first = await itemAfter([0, 1, 2]);
    expect(first).toMatchObject({ writerIds: new Set(['customer-1', 'customer-2']) });
    for (const order of [
      [0, 2, 1],
      [1, 0, 2],
      [2, 1, 0],
    ])
      expect(await itemAfter(order)).toEqual(first);
  });
});

describe('an operator who separates an address from a customer', () => {
  const separate = (platformContactId: string, route: 'separateCustomer' | 'reverseSeparation' = 'separateCustomer') =>
    stage.call(route, { body: { platformContactId, customerId: 'customer-1', note: 'call of +5491155550000' } });
  const addresses = async () => {
    const answer = await stage.call('listContacts', { query: { customerId: 'customer-1' } });
    const { contacts, separated } = customerResponse.parse(answer.body);
    return { contacts: contacts.map(({ platformContactId }) => platformContactId).toSorted(), separated };
  };
  const conversation = async () => {
    const { body } = await stage.call('listConversation', { query: { customerId: 'customer-1' } });
    return conversationResponse.parse(body).messages.length;
  };

  beforeEach(async () => {
    await write(PHONE, 1);
    await write(ID, 2);
  });

  it('stops sharing opt-outs, lists, and conversations until the separation is reversed', async () => {
    await post('optOut', ID);
    expect(await consentOf(PHONE)).toMatchObject({ state: 'opted-out' });
    expect((await separate(PHONE)).body).toMatchObject({
      separatedCustomerIds: ['customer-1'],
      consent: { state: 'none' },
    });
    expect(await addresses()).toEqual({ contacts: [ID], separated: [{ platformContactId: PHONE }] });
    expect(await conversation()).toBe(1);
    expect((await separate(PHONE, 'reverseSeparation')).body).toMatchObject({ consent: { state: 'opted-out' } });
    expect(await addresses()).toEqual({ contacts: [PHONE, ID].toSorted(), separated: [] });
    expect(await conversation()).toBe(2);
  });

  it.each([
    ['by keyword', () => write(PHONE, 5, { MESSAGE: 'STOP' })],
    ['through the API', () => post('optOut', PHONE)],
  ])('keeps an opt-out of the address %s from the other addresses', async (_how, optOut) => {
    await separate(PHONE);
    await optOut();
    expect(await consentOf(PHONE)).toMatchObject({ state: 'opted-out' });
    expect(await consentOf(ID)).toEqual({ state: 'none' });
  });

  it('keeps an erasure of one from erasing the other', async () => {
    await separate(PHONE);
    await stage.call('eraseContact', { id: PHONE });
    await stage.erase();
    expect(await addresses()).toEqual({ contacts: [ID], separated: [] });
    expect(JSON.stringify(await stage.items())).not.toContain('541155550000');
    expect(await conversation()).toBe(1);
  });

  it('is audited before the act, with numbers masked, and can repeat it; the latest act counts', async () => {
    const order = ['separateCustomer', 'separateCustomer', 'reverseSeparation', 'separateCustomer'] as const;
    for (const route of order) expect(await separate(PHONE, route)).toMatchObject({ status: 200 });
    expect((await addresses()).separated).toHaveLength(1);
    const { body } = await stage.call('listAudit', { query: { platformContactId: PHONE } });
    const { entries } = auditResponse.parse(body);
    expect(entries.map(({ action }) => action).toSorted()).toEqual([
      'separation',
      'separation',
      'separation',
      'separation-reversal',
    ]);
    expect(entries[0]).toMatchObject({ customerId: 'customer-1', note: expect.not.stringContaining('5555') });
  });

  it('applies every call, even several for different customers in the same millisecond', async () => {
    await stage.receive(wireStatus({ FROM: PHONE, CUSTOMER_ID: 'customer-9' }));
    const separateFrom = (customerId: string) =>
      stage.call('separateCustomer', { body: { platformContactId: PHONE, customerId } });
    const answers = await Promise.all(['customer-1', 'customer-9'].map(separateFrom));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await contactOf(PHONE)).toMatchObject({ separatedCustomerIds: ['customer-1', 'customer-9'] });
  });

  it('applies a call that starts after another one, even if its clock is behind', async () => {
    await separate(PHONE);
    stage.setNow('2026-11-20T11:59:59.000Z');
    await separate(PHONE, 'reverseSeparation');
    expect((await addresses()).separated).toEqual([]);
  });

  it('must name an address and a customer that events named together', async () => {
    expect(await separate(OTHER)).toMatchObject({ status: 404, body: { code: 'CONTACT_NOT_FOUND' } });
    const other = { platformContactId: PHONE, customerId: 'customer-2' };
    const unknown = await stage.call('separateCustomer', { body: other });
    expect(unknown).toMatchObject({ status: 404, body: { code: 'CUSTOMER_NOT_FOUND' } });
  });
});
