import { beforeEach, describe, expect, it } from 'vitest';
import { MAX_ADDRESSES } from '../../../../../lambdas/domain/customer.ts';
import { contactResponse } from '../../../../../lambdas/manage/api/contacts.ts';
import { erasureResponse } from '../../../../../lambdas/manage/api/erasures.ts';
import { wireMessage, wireStatus } from '../../../../support/builders.ts';
import { testTables } from '../../../../support/test-tables.ts';
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

  it('of a number that another customer has now leaves the addresses of its earlier user', async () => {
    await write(PHONE, 1);
    await write(ID, 2);
    await write(PHONE, 3, { CUSTOMER_ID: 'customer-2' });
    await stage.call('eraseContact', { id: PHONE });
    await stage.erase();
    expect((await stage.call('getContact', { id: PHONE })).status).toBe(404);
    expect(await contactOf(ID)).toMatchObject({ customerId: 'customer-1' });
  });
});
