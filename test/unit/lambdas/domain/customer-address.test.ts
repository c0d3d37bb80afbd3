import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Contact, contactRef } from '../../../../lambdas/domain/contact.ts';
import { chooseAddress, isOnlyUser } from '../../../../lambdas/domain/customer-address.ts';

const CUSTOMER = { customerId: 'customer-1' };
const EARLIER = '2026-11-19T12:00:00.000Z';
const LATER = '2026-11-20T12:00:00.000Z';

const at = (address: string, contact: Contact) => ({ ref: contactRef('chat', address), contact });
const wrote = (address: string, customerAt: string, changes: Contact = {}) =>
  at(address, { address, customerId: 'customer-1', writerIds: ['customer-1'], customerAt, ...changes });
const named = (address: string, changes: Contact = {}) => at(address, { otherCustomerIds: ['customer-1'], ...changes });

/** A status names the customer with an address from which another customer wrote, whom an operator separated from it. */
const separatedFromUser = (address: string) =>
  wrote(address, LATER, {
    customerId: 'customer-2',
    writerIds: ['customer-2'],
    otherCustomerIds: ['customer-1'],
    separatedCustomerIds: ['customer-2'],
  });

const choose = (addresses: Parameters<typeof chooseAddress>[1], bound?: string) => {
  const chosen = chooseAddress(CUSTOMER, addresses, bound === undefined ? undefined : contactRef('chat', bound));
  return chosen.kind === 'refuse' ? chosen.code : chosen.address;
};

describe('chooseAddress', () => {
  it.each<[string, Parameters<typeof chooseAddress>[1], string]>([
    ['the only address', [wrote('CO.1', EARLIER)], 'CO.1'],
    ['the address from which the customer wrote last', [wrote('CO.1', LATER), wrote('CO.2', EARLIER)], 'CO.1'],
    [
      'the address by when the customer wrote, not by a later message without an ID',
      [wrote('CO.1', LATER), wrote('CO.2', EARLIER, { lastInboundAt: '2026-11-20T13:00:00.000Z' })],
      'CO.1',
    ],
    [
      'an address from which the customer wrote before one that was only named',
      [wrote('CO.1', EARLIER), named('CO.2')],
      'CO.1',
    ],
    ['the only one that was named', [named('CO.2')], 'CO.2'],
    ['the number as it was received', [wrote('+5491155550000', LATER)], '+5491155550000'],
    [
      'an address from which the customer wrote, not one whose later user was separated from it',
      [wrote('CO.2', EARLIER), separatedFromUser('CO.1')],
      'CO.2',
    ],
    ['the only one left of several', [named('CO.1', { separatedCustomerIds: ['customer-1'] }), named('CO.2')], 'CO.2'],
  ])('chooses %s', (_case, addresses, address) => {
    expect(choose(addresses)).toBe(address);
  });

  it.each<[string, Parameters<typeof chooseAddress>[1], string]>([
    ['without an address', [], 'CUSTOMER_UNKNOWN'],
    [
      'whose address another customer has now',
      [wrote('CO.1', LATER, { customerId: 'customer-2' })],
      'CUSTOMER_UNKNOWN',
    ],
    ['whose number was never received, and has several spellings', [named('+5491155550000')], 'CUSTOMER_UNKNOWN'],
    ['whose ID many addresses have', 'shared', 'CUSTOMER_AMBIGUOUS'],
    ['with two addresses from which nobody wrote', [named('CO.1'), named('CO.2')], 'CUSTOMER_AMBIGUOUS'],
    [
      'whose only address another customer wrote from, who was separated',
      [separatedFromUser('CO.1')],
      'CUSTOMER_UNKNOWN',
    ],
    ['who was separated', [wrote('CO.1', LATER, { separatedCustomerIds: ['customer-1'] })], 'CUSTOMER_AMBIGUOUS'],
    [
      'whose address a status named with another customer',
      [wrote('CO.1', LATER, { otherCustomerIds: ['customer-2'] })],
      'CUSTOMER_AMBIGUOUS',
    ],
    [
      'whose address many customers have had',
      [wrote('CO.1', LATER, { writerIds: Array.from({ length: 11 }, (_, index) => `customer-${index}`) })],
      'CUSTOMER_AMBIGUOUS',
    ],
  ])('refuses a customer %s', (_case, addresses, code) => {
    expect(choose(addresses)).toBe(code);
  });

  it('goes to the address of an earlier call or to none', () => {
    expect(choose([wrote('CO.1', EARLIER), wrote('CO.2', LATER)], 'CO.1')).toBe('CO.1');
    expect(choose([wrote('CO.2', LATER)], 'CO.1')).toBe('CUSTOMER_AMBIGUOUS');
  });
});

describe('isOnlyUser', () => {
  it('does not count earlier users of the address', () => {
    expect(isOnlyUser({ customerId: 'customer-1', writerIds: ['customer-1', 'customer-2'] }, CUSTOMER)).toBe(true);
    expect(isOnlyUser({ customerId: 'customer-2', writerIds: ['customer-1', 'customer-2'] }, CUSTOMER)).toBe(false);
  });

  it('is true only of the latest writer, or of the only customer that is named if nobody ever wrote', () => {
    const ids = fc.subarray(['customer-1', 'customer-2', 'customer-3']);
    const anyLinks = fc.record(
      {
        customerId: fc.constantFrom('customer-1', 'customer-2', 'customer-3'),
        writerIds: ids,
        otherCustomerIds: ids,
        separatedCustomerIds: ids,
      },
      { requiredKeys: ['writerIds', 'otherCustomerIds', 'separatedCustomerIds'] },
    );
    let chosen = 0;
    fc.assert(
      fc.property(anyLinks, (links) => {
        if (!isOnlyUser(links, CUSTOMER)) return;
        chosen += 1;
        const { customerId, writerIds, otherCustomerIds, separatedCustomerIds } = links;
        const others = otherCustomerIds.filter((id) => !separatedCustomerIds.includes(id) && !writerIds.includes(id));
        const named = customerId === undefined ? others : [customerId, ...others];
        expect(new Set(named)).toEqual(new Set(['customer-1']));
        expect(separatedCustomerIds).not.toContain('customer-1');
        if (customerId === undefined) expect(writerIds).toEqual([]);
        else expect(customerId).toBe('customer-1');
      }),
      { numRuns: 1_000 },
    );
    expect(chosen).toBeGreaterThan(10);
  });
});
