import { CUSTOMER } from './prepared.ts';
import { managing, type SceneMutant, updating } from './scene-mutant.ts';

export const CUSTOMER_MISTAKES = {
  optOutNotShared: {
    breaks: 'The management API records an opt-out only for the address.',
    scenario: 'optOutAtOtherAddress',
    maxFaults: 0,
    invariant: 'customerOptOutObeyed',
    create: () => updating('manage', (update) => (update.key.pk.startsWith('CUSTOMER#') ? undefined : update)),
  },
  othersReadOnlyOnce: {
    breaks: 'The opt-outs of other addresses are not read again after the claim.',
    scenario: 'optOutAtOtherAddress',
    maxFaults: 0,
    invariant: 'customerOptOutObeyed',
    create: () => ({
      send: {
        ports: ({ contacts }) => ({
          contacts: {
            ...contacts,
            readConsents: async (...parameters) =>
              (await contacts.readConsents(...parameters)).filter(({ customerId }) => customerId === undefined),
          },
        }),
      },
    }),
  },
  reversalNotRecorded: {
    breaks: 'A reversed separation is not recorded.',
    scenario: 'rejoinWhileSending',
    maxFaults: 0,
    invariant: 'customerOptOutObeyed',
    create: () => managing(({ contacts }) => ({ contacts: { ...contacts, recordSeparation: async () => undefined } })),
  },
  addressReadOnlyOnce: {
    breaks: 'The address that was chosen for a customer is not read again after the claim.',
    scenario: 'numberTakenOverWhileSending',
    maxFaults: 0,
    invariant: 'customerIsAddressed',
    create: () => ({
      send: {
        ports: ({ contacts }) => ({
          contacts: {
            ...contacts,
            async read(...parameters) {
              const contact = await contacts.read(...parameters);
              return contact && { ...contact, customerId: CUSTOMER };
            },
          },
        }),
      },
    }),
  },
  earlierOptOutLeft: {
    breaks: 'An opt-out that was recorded before an address was linked to its customer holds only for the address.',
    scenario: 'linkBothWhileOptingOut',
    maxFaults: 0,
    invariant: 'customerIsOptedOut',
    create: () =>
      updating('receive', (update) =>
        update.key.pk.startsWith('CUSTOMER#') && update.set?.userOptOutAt !== undefined ? undefined : update,
      ),
  },
  addressNotListed: {
    breaks: "An address is not added to its customer's item.",
    scenario: 'optOutWhileLinking',
    maxFaults: 0,
    invariant: 'addressesListed',
    create: () => updating('receive', (update) => (update.add?.contacts === undefined ? update : undefined)),
  },
  otherAddressKept: {
    breaks: 'An erasure erases only the address that it names.',
    scenario: 'eraseBothAddresses',
    maxFaults: 0,
    invariant: 'nothingOfBeforeRemains',
    create: () =>
      managing(({ erasures }) => ({
        erasures: {
          ...erasures,
          addressesOf: async (customer) => ({ ...(await erasures.addressesOf(customer)), own: [] }),
        },
      })),
  },
  customerKept: {
    breaks: 'An erasure leaves the item of the customer.',
    scenario: 'eraseBothAddresses',
    maxFaults: 0,
    invariant: 'customerForgotten',
    create: () => managing(({ erasures }) => ({ erasures: { ...erasures, leaveCustomer: async () => undefined } })),
  },
} as const satisfies Record<string, SceneMutant>;
