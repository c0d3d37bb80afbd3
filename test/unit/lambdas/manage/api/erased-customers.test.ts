import { beforeEach, describe, expect, it } from 'vitest';
import type { WindowPer } from '../../../../../lambdas/domain/contact.ts';
import { MAX_ADDRESSES, MAX_CUSTOMERS } from '../../../../../lambdas/domain/customer.ts';
import { EXPIRY_LAW } from '../../../../../lambdas/laws/expiry-law.ts';
import { contactResponse } from '../../../../../lambdas/manage/api/contacts.ts';
import { erasureResponse } from '../../../../../lambdas/manage/api/erasures.ts';
import { wireMessage, wireStatus } from '../../../../support/builders.ts';
import { testTables } from '../../../../support/test-tables.ts';
import { createSendHarness } from '../../send/send-harness.ts';
import { createManagedStage } from '../managed-stage.ts';

// What an erasure leaves of the customers that events named with an address, whatever else they named with it.

const tables = testTables();
const [PHONE, ID, OTHER] = ['5491155550000', 'AR.13491208655302741918', '5491155559999'];
const PHONE_KEY = '541155550000';

let stage: Awaited<ReturnType<typeof createManagedStage>>;
const startStage = async (windowPer: WindowPer = 'user') => {
  const keywords = { optOut: ['STOP'], optIn: ['START'] };
  stage = await createManagedStage(tables, { windowPer, eventMeanings: { keywords, operatorEchoes: undefined } });
};
beforeEach(() => startStage());

const timeOf = (minute: number) => `2026-11-20T11:${String(minute).padStart(2, '0')}:00.000Z`;
/** A user writes at a minute, which names the message. */
const write = (FROM: string, minute: number, changes: Record<string, unknown> = {}) =>
  stage.receive(wireMessage({ _id_: `m-${minute}`, FROM, CREATION_TIME: timeOf(minute), ...changes }));
/** What should expire and does not, or the other way around. */
const breaches = async () => Object.values(await stage.items()).flatMap((item) => EXPIRY_LAW.faultIn(item) ?? []);
const erase = async (id: string) => {
  await stage.call('eraseContact', { id });
  await stage.erase();
};
const consentOf = async (id: string) =>
  contactResponse.parse((await stage.call('getContact', { id })).body).consent.state;
/** Everything that is stored, as one text. */
const everything = async () =>
  JSON.stringify(await stage.items(), (_name, value: unknown) => (value instanceof Set ? [...value] : value));

describe('an erasure leaves the address in no item of a customer', () => {
  it('that only statuses named with it', async () => {
    await stage.receive(wireStatus({ FROM: PHONE, CUSTOMER_ID: 'customer-9' }));
    await write(PHONE, 1);
    await erase(PHONE);
    expect(await everything()).not.toContain(PHONE_KEY);
  });

  it('who had the number before, and keeps the opt-out of that customer', async () => {
    await write(PHONE, 1, { MESSAGE: 'STOP' });
    await write(ID, 2);
    await write(PHONE, 3, { CUSTOMER_ID: 'customer-2' });
    await erase(PHONE);
    expect(await everything()).not.toContain(PHONE_KEY);
    expect(await consentOf(ID)).toBe('opted-out');
  });

  it('who had it before a user who has written since the request, and the ID in no item of the contact', async () => {
    await write(PHONE, 1);
    await stage.receive(wireStatus({ FROM: PHONE, CUSTOMER_ID: 'customer-9' }));
    await stage.call('eraseContact', { id: PHONE });
    stage.setNow('2026-11-20T12:30:00.000Z');
    await write(PHONE, 59, { CREATION_TIME: '2026-11-20T12:29:00.000Z', CUSTOMER_ID: 'customer-2' });
    await stage.erase();
    expect(await everything()).not.toMatch(/customer-[19]/);
    expect(await everything()).toContain('customer-2');
  });
});

it('the erasure of an earlier user leaves the IDs that the present user has at other business numbers', async () => {
  await write(PHONE, 1);
  await write(ID, 2);
  await write(PHONE, 3, { CUSTOMER_ID: 'customer-2' });
  await stage.receive(wireStatus({ FROM: PHONE, CUSTOMER_ID: 'customer-2-elsewhere' }));
  await erase(ID);
  expect(await everything()).not.toContain('customer-1');
  await write(OTHER, 4, { CUSTOMER_ID: 'customer-2-elsewhere', MESSAGE: 'STOP' });
  expect(await consentOf(PHONE)).toBe('opted-out');
});

it('the erasure of a customer erases what was written to the customer at the address of another user', async () => {
  await write(ID, 1);
  await write(PHONE, 2, { CUSTOMER_ID: 'customer-2', MESSAGE: 'of the other user' });
  const echo = { _id_: 'e-3', FROM: 'me', TO: PHONE, CREATION_TIME: timeOf(3), MESSAGE: 'to the erased user' };
  await stage.receive(wireMessage(echo));
  await erase(ID);
  expect(await everything()).not.toMatch(/to the erased user|customer-1/);
  expect(await everything()).toContain('of the other user');
});

it('the erasure of a customer leaves a separated address, even if it has a new user since then', async () => {
  await write(PHONE, 1);
  await write(ID, 2, { MESSAGE: 'of the separated address' });
  await stage.call('separateCustomer', { body: { platformContactId: ID, customerId: 'customer-1' } });
  await write(ID, 3, { CUSTOMER_ID: 'customer-2' });
  await stage.call('eraseCustomer', { id: 'customer-1' });
  await stage.erase();
  expect(await everything()).toContain('of the separated address');
});

it('an erasure leaves a customer who has another address since the request, until that contact would expire', async () => {
  await write(PHONE, 1, { MESSAGE: 'STOP' });
  await stage.call('eraseContact', { id: PHONE });
  stage.setNow('2026-11-20T12:30:00.000Z');
  await write(ID, 59, { CREATION_TIME: '2026-11-20T12:29:00.000Z' });
  await stage.erase();
  const customer = await stage.item('CUSTOMER#chat#customer-1 CUSTOMER#*');
  expect(customer).toMatchObject({ contacts: new Set([`CONTACT#chat#*#${ID}`]), expiresAt: expect.any(Number) });
  expect(customer).not.toHaveProperty('userOptOutAt');
  expect(await breaches()).toEqual([]);
});

it('an erasure finds the addresses from which the customer wrote to other business numbers', async () => {
  await startStage('channel');
  await write(PHONE, 1, { CHAT_CHANNEL_ID: 'BIZ-chat-5491100000000' });
  await write(ID, 2, { CHAT_CHANNEL_ID: 'BIZ-chat-5491100000077' });
  await erase(PHONE);
  expect(await everything()).not.toContain(ID);
});

describe('an erasure erases the sends to the customer', () => {
  const request = { requestId: 'request-1', customerId: 'customer-1', messageText: 'Hi' };

  it.each(['the customer', 'an address'])('that wait for their time, if it names %s', async (name) => {
    await write(ID, 1);
    await stage.call('enqueueSend', { body: request });
    if (name === 'the customer') await stage.call('eraseCustomer', { id: 'customer-1' });
    else await stage.call('eraseContact', { id: ID });
    await stage.erase();

    expect(await stage.sendItem()).toMatchObject({ state: 'cancelled', body: '' });
    expect(await everything()).not.toContain('customer-1');
  });

  it('that went to an address', async () => {
    await write(ID, 1);
    const harness = await createSendHarness(tables, { tableName: stage.tableName });
    await harness.startFunction().send(request);
    await stage.call('eraseCustomer', { id: 'customer-1' });
    await stage.erase();

    expect(harness.calls).toHaveLength(1);
    expect(await everything()).not.toContain('customer-1');
  });

  it('that went to an address which another customer has now, even after its last message', async () => {
    await write(ID, 1);
    const harness = await createSendHarness(tables, { tableName: stage.tableName });
    await harness.startFunction().send(request);
    stage.setNow('2026-11-20T12:30:00.000Z');
    await write(ID, 59, { CREATION_TIME: '2026-11-20T12:29:00.000Z', CUSTOMER_ID: 'customer-2' });
    await stage.call('eraseCustomer', { id: 'customer-1' });
    await stage.erase();

    expect(harness.calls).toHaveLength(1);
    expect(await everything()).not.toContain('customer-1');
  });

  it('but not those to a customer who has an address of the erased one now', async () => {
    await write(ID, 1);
    stage.setNow(timeOf(0));
    await stage.call('enqueueSend', { body: { ...request, customerId: 'customer-2' } });
    stage.setNow('2026-11-20T12:00:00.000Z');
    await write(ID, 3, { CUSTOMER_ID: 'customer-2' });
    const harness = await createSendHarness(tables, { tableName: stage.tableName });
    await harness.startFunction().send({ ...request, customerId: 'customer-2' });
    await stage.call('eraseCustomer', { id: 'customer-1' });
    await stage.erase();

    expect(harness.calls).toHaveLength(1);
    expect(await stage.sendItem()).toMatchObject({ state: 'accepted', body: expect.stringContaining('customer-2') });
  });

  it('also those that are dead letters, but not those of others that mention it', async () => {
    const [own, other] = [request, { ...request, customerId: 'customer-2', messageText: 'not customer-1' }];
    stage.queuedDeadLetters = [{ body: JSON.stringify(own) }, { body: JSON.stringify(other) }];
    await stage.call('eraseCustomer', { id: 'customer-1' });
    await stage.erase();

    expect(stage.queuedDeadLetters).toEqual([{ body: JSON.stringify(other) }]);
  });
});

describe('an ID that the service gives to many users', () => {
  beforeEach(async () => {
    for (let user = 0; user <= MAX_ADDRESSES; user += 1) await write(`54911555500${10 + user}`, user);
  });

  it('is never followed again: after the erasure of one of them', async () => {
    await erase('5491155550010');
    await write(PHONE, 30);
    await write(OTHER, 31, { MESSAGE: 'STOP' });
    expect(await consentOf(PHONE)).toBe('none');
  });

  it('keeps what names only the ID, which can be about any of them, and the answer says so', async () => {
    await stage.receive(wireStatus({ _id_: 'of-anyone', FROM: undefined }));
    const deadLetter = { body: '{"CUSTOMER_ID":"customer-1"}' };
    stage.queuedDeadLetters = [deadLetter];
    const { body } = await stage.call('eraseContact', { id: '5491155550010' });
    expect(erasureResponse.parse(body).sharedCustomerIds).toEqual(['customer-1']);
    await stage.erase();
    const left = Object.keys(await stage.items());
    expect(left).toContain('MESSAGE#of-anyone MESSAGE');
    expect(left).not.toContain('MESSAGE#m-0 MESSAGE');
    expect(stage.queuedDeadLetters).toEqual([deadLetter]);
  });

  it('is never followed again: its item does not expire', async () => {
    expect(await stage.item('CUSTOMER#chat#customer-1 CUSTOMER#*')).toMatchObject({ isShared: true });
    expect(await stage.item('CUSTOMER#chat#customer-1 CUSTOMER#*')).not.toHaveProperty('expiresAt');
    expect(await breaches()).toEqual([]);
  });
});

it('of an address with many IDs, only the latest user is followed, and no more IDs are stored', async () => {
  for (let n = 0; n < 2 * MAX_CUSTOMERS; n += 1) {
    await stage.receive(wireStatus({ _id_: `s-${n}`, FROM: PHONE, CUSTOMER_ID: `session-${n}` }));
    await write(PHONE, n, { CUSTOMER_ID: `conversation-${n}` });
  }
  const { otherCustomerIds, writerIds, customerId, linking } =
    (await stage.item(`CONTACT#chat#*#${PHONE_KEY} CONTACT`)) ?? {};
  expect([otherCustomerIds, writerIds]).toEqual([otherCustomerIds, writerIds].map(() => expect.any(Set)));
  expect(otherCustomerIds).toHaveProperty('size', MAX_CUSTOMERS + 1);
  expect(writerIds).toHaveProperty('size', MAX_CUSTOMERS + 1);
  expect({ customerId, linking }).toEqual({ customerId: `conversation-${2 * MAX_CUSTOMERS - 1}`, linking: undefined });
  await write(ID, 50, { CUSTOMER_ID: 'session-0', MESSAGE: 'STOP' });
  expect(await consentOf(PHONE)).toBe('none');
});
