import { expect, it } from 'vitest';
import type { ManagementClient } from '../../../../cli/operations/management-client.ts';
import { ManagementError } from '../../../../cli/operations/management-client.ts';
import { createManagementOperations } from '../../../../local/inspector/management-operations.ts';

const PHONE = '+5491155550001';
const ID = 'AR.13491208655302741918';
const AT = '2026-11-21T10:00:00.000Z';
const OPT_OUT = { at: AT, origin: 'user', source: 'keyword STOP' };

const contactOf = (platformContactId: string, changes: object = {}) => ({
  platformContactId,
  chatPlatform: 'chat',
  customerId: 'K3',
  window: { open: true, lastInboundAt: AT },
  consent: { state: 'none' },
  consents: [],
  ...changes,
});
/** A user who opted out at the ID, which holds at the phone number. */
const AT_ID = contactOf(ID, {
  consent: { state: 'opted-out', ...OPT_OUT },
  consents: [{ kind: 'opt-out', ...OPT_OUT }],
});
const AT_PHONE = contactOf(PHONE, {
  consent: { state: 'opted-out', ...OPT_OUT, customerId: 'K3' },
  consents: [{ kind: 'opt-out', ...OPT_OUT, customerId: 'K3' }],
});

/** A management API that knows a contact and the addresses of one customer. */
const anApi = (contact: object, customer: object | ManagementError) => {
  const calls: string[] = [];
  const api: ManagementClient = async (_method, path) => {
    calls.push(path);
    if (!path.startsWith('/v1/contacts?')) return contact;
    if (customer instanceof ManagementError) throw customer;
    return { customerId: 'K3', chatPlatform: 'chat', separated: [], ...customer };
  };
  return { calls, contact: createManagementOperations(api).contact };
};
const linked = (contact: object, linkedBy: 'message' | 'status' = 'message') => ({ ...contact, linkedBy });

it('lists the addresses of a user, why they belong together, and at which one the user opted out', async () => {
  const { contact, calls } = anApi(AT_PHONE, {
    contacts: [
      linked(AT_ID),
      linked(AT_PHONE),
      linked(contactOf('541155550003', { window: { open: false } }), 'status'),
    ],
    separated: [{ platformContactId: '+5491155550009' }],
  });

  const status = await contact(PHONE);

  expect(calls).toEqual([`/v1/contacts/${encodeURIComponent(PHONE)}`, '/v1/contacts?customerId=K3']);
  expect(status?.consent).toEqual({ state: 'opted-out', ...OPT_OUT, from: ID });
  expect(status?.customer).toEqual({
    customerId: 'K3',
    isShared: false,
    addresses: [
      {
        platformContactId: ID,
        linkedBy: 'message',
        lastInboundAt: AT,
        consent: { state: 'opted-out', ...OPT_OUT },
      },
      { platformContactId: PHONE, linkedBy: 'message', lastInboundAt: AT, consent: status?.consent },
      { platformContactId: '541155550003', linkedBy: 'status', consent: { state: 'none' } },
    ],
    separated: ['+5491155550009'],
  });
});

it('names no address for an opt-out at one that belongs to somebody else now', async () => {
  const { contact } = anApi(AT_PHONE, { contacts: [linked(AT_PHONE)] });

  expect((await contact(PHONE))?.consent).toEqual({ state: 'opted-out', ...OPT_OUT });
});

it("uses the chat service's own ID for a user who has not written from the address", async () => {
  const unknown = contactOf(PHONE, { customerId: undefined });
  const key = contactOf('541155550001', { customerId: undefined });
  const { contact, calls } = anApi(unknown, { contacts: [linked(AT_ID), linked(key, 'status')] });

  expect((await contact(PHONE, 'K3'))?.customer?.addresses).toHaveLength(2);
  expect(calls.at(-1)).toBe('/v1/contacts?customerId=K3');
});

it('never shows the addresses of a customer to whom the address does not belong', async () => {
  const { contact } = anApi(contactOf(PHONE, { customerId: undefined }), { contacts: [linked(AT_ID)] });

  expect(await contact(PHONE, 'K3')).not.toHaveProperty('customer');
});

it("shows the customer from whom the user's address was separated", async () => {
  const separated = [{ platformContactId: PHONE }];
  const { contact } = anApi(AT_PHONE, { contacts: [linked(AT_ID)], separated });

  expect((await contact(PHONE))?.customer?.separated).toEqual([PHONE]);
});

it('says that an ID is shared, but only to a user who wrote with it', async () => {
  const shared = new ManagementError(409, 'CUSTOMER_SHARED', 'The ID has too many addresses.');

  expect((await anApi(AT_PHONE, shared).contact(PHONE))?.customer).toEqual({
    customerId: 'K3',
    isShared: true,
    addresses: [],
    separated: [],
  });
  const other = anApi(contactOf(PHONE, { customerId: undefined }), shared);
  expect(await other.contact(PHONE, 'K3')).not.toHaveProperty('customer');
});

it('is absent while no event has named the ID, and without an ID', async () => {
  const notFound = new ManagementError(404, 'CUSTOMER_NOT_FOUND', 'There is no customer.');

  expect(await anApi(AT_PHONE, notFound).contact(PHONE)).not.toHaveProperty('customer');
  const { contact, calls } = anApi(contactOf(PHONE, { customerId: undefined }), {});
  expect(await contact(PHONE)).not.toHaveProperty('customer');
  expect(calls).toHaveLength(1);
});

it('passes on any other failure', async () => {
  await expect(anApi(AT_PHONE, new ManagementError(500, 'INTERNAL', 'Failed.')).contact(PHONE)).rejects.toThrow();
});
