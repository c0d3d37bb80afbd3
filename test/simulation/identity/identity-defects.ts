import type { ItemUpdate } from '../../../lambdas/adapters/dynamodb/item-update.ts';
import type { ConversationTable } from '../../../lambdas/adapters/dynamodb/table.ts';
import { compare } from '../../../lambdas/domain/compare.ts';
import type { Consent } from '../../../lambdas/domain/consent.ts';
import type { Contact, ContactRef } from '../../../lambdas/domain/contact.ts';
import type { ContactRepository } from '../../../lambdas/ports.ts';
import { readConsents } from '../../../lambdas/table/consent-item.ts';
import { contactName, parseContactName } from '../../../lambdas/table/keys.ts';
import { rewriting } from '../search/scene-mutant.ts';
import type { TableState } from '../world/table.ts';
import type { IdentityInvariantName } from './identity-invariants.ts';
import type { CreateIdentityMutation, IdentityMutation } from './identity-mutation.ts';

/** A defect that is seeded in the functions, and the invariant that finds it. */
export interface IdentityDefect {
  readonly breaks: string;
  readonly invariant: IdentityInvariantName;
  readonly create: CreateIdentityMutation;
}

/** What is stored about another address of a customer. */
interface OtherAddress {
  readonly address: string;
  readonly lastInboundAt: string;
  readonly consents: readonly Consent[];
}

/** Changes what `send` knows about a contact, given the other addresses of its customer. */
const reading =
  (change: (contact: Contact, others: readonly OtherAddress[]) => Contact): CreateIdentityMutation =>
  (table) => {
    const changed = (ref: ContactRef, contact: Contact): Contact => change(contact, othersOf(table, ref));
    const broken = (contacts: ContactRepository): ContactRepository => ({
      ...contacts,
      async readOwn(ref, now) {
        return changed(ref, (await contacts.readOwn(ref, now)) ?? {});
      },
      async readWithAccount(ref, account, now) {
        const { contact, ...rest } = await contacts.readWithAccount(ref, account, now);
        return { ...rest, contact: changed(ref, contact) };
      },
      readConsents: async (ref) => changed(ref, { consents: await contacts.readConsents(ref) }).consents ?? [],
    });
    return { send: { ports: ({ contacts }) => ({ contacts: broken(contacts) }) } };
  };

const othersOf = ({ items }: TableState, ref: ContactRef): readonly OtherAddress[] => {
  const name = contactName(ref);
  const links = [...items.values()].filter(({ contacts }) => contacts instanceof Set && contacts.has(name));
  const names = links.flatMap(({ contacts }) => (contacts instanceof Set ? [...contacts].map(String) : []));
  return names
    .filter((other) => other !== name)
    .map((other) => {
      const { address = parseContactName(other)?.key, lastInboundAt = '' } = items.get(`${other} CONTACT`) ?? {};
      const consents = readConsents(items.get(`${other} CONSENT`) ?? {});
      return { address: String(address), lastInboundAt: String(lastInboundAt), consents };
    });
};

/** Suppresses updates of the table by all functions. */
const without = (
  isLost: (update: ItemUpdate) => boolean,
  kind: 'written' | 'conflict' = 'written',
): IdentityMutation => {
  const table = (plain: ConversationTable): Partial<ConversationTable> => ({
    update: async (update, options) =>
      isLost(update)
        ? { kind, item: kind === 'written' ? await plain.get(update.key) : undefined }
        : plain.update(update, options),
  });
  return { receive: { table }, manage: { table } };
};

const isOfCustomer = ({ key }: ItemUpdate): boolean => key.pk.startsWith('CUSTOMER#');

const isOptOut = ({ set = {} }: ItemUpdate): boolean =>
  set.userOptOutAt !== undefined || set.importOptOutAt !== undefined;

export const IDENTITY_DEFECTS: Readonly<Record<string, IdentityDefect>> = {
  answeredElsewhere: {
    breaks: 'A message goes to another address of the customer, from which the user wrote later.',
    invariant: 'destinationIsNamed',
    create: reading((contact, others) => ({
      ...contact,
      address:
        others.find(({ lastInboundAt }) => lastInboundAt > (contact.lastInboundAt ?? ''))?.address ?? contact.address,
    })),
  },
  windowOfCustomer: {
    breaks: 'A window counts for all addresses of its customer.',
    invariant: 'windowStays',
    create: reading((contact, others) => ({
      ...contact,
      lastInboundAt:
        [contact, ...others]
          .map(({ lastInboundAt = '' }) => lastInboundAt)
          .toSorted()
          .at(-1) || undefined,
    })),
  },
  windowOfArrival: {
    breaks: 'A message that arrives late counts as written when it arrives.',
    invariant: 'windowStays',
    create: () => rewriting(({ CREATION_TIME: _time, ...event }) => event),
  },
  optInOfCustomer: {
    breaks: 'An opt-in counts for all addresses of its customer.',
    invariant: 'optInStays',
    create: reading((contact, others) => {
      const optIns = others.flatMap(({ consents }) => consents.filter(({ kind }) => kind === 'opt-in'));
      return { ...contact, consents: [...(contact.consents ?? []), ...optIns] };
    }),
  },
  takeoverIgnored: {
    breaks: 'A message to a customer goes to an address from which another customer has written since.',
    invariant: 'customerIsAddressed',
    create: () => without(({ set = {}, key }) => key.sk === 'CONTACT' && set.otherCustomerAt !== undefined),
  },
  earlierAddressChosen: {
    breaks: 'A message to a customer goes to the address from which the customer wrote first.',
    invariant: 'customerIsAddressed',
    create: () => ({
      send: {
        ports: ({ contacts }) => ({
          contacts: {
            ...contacts,
            async readAddresses(customer, now) {
              const addresses = await contacts.readAddresses(customer, now);
              if (addresses === 'shared') return addresses;
              const wrote = addresses.filter(({ contact }) => contact.customerId === customer.customerId);
              return wrote
                .toSorted((one, other) => compare(one.contact.customerAt ?? '', other.contact.customerAt ?? ''))
                .slice(0, 1);
            },
          },
        }),
      },
    }),
  },
  optOutStays: {
    breaks: 'An opt-out holds only at the address at which it was given.',
    invariant: 'optOutFollowsCustomer',
    create: () => without((update) => isOfCustomer(update) && isOptOut(update)),
  },
  earlierOptOutForgotten: {
    breaks: 'An opt-out that was recorded before its address was linked to a customer holds only for the address.',
    invariant: 'optOutFollowsCustomer',
    create: () =>
      without(({ key, condition }) => key.sk === 'CONSENT' && condition === 'attribute_exists(#pk)', 'conflict'),
  },
  strangersMerged: {
    breaks: 'All users count as one customer.',
    invariant: 'refusedForOwnOptOut',
    create: () =>
      rewriting((event) => ({ ...event, ...(event.CUSTOMER_ID !== undefined && { CUSTOMER_ID: 'everybody' }) })),
  },
  strangersErased: {
    breaks: 'All users count as one customer, and an erasure erases all of them.',
    invariant: 'othersStay',
    create: () =>
      rewriting((event) => ({ ...event, ...(event.CUSTOMER_ID !== undefined && { CUSTOMER_ID: 'everybody' }) })),
  },
  oneAddressErased: {
    breaks: 'An erasure erases only the address that it names.',
    invariant: 'erasedEverywhere',
    create: () => ({
      manage: {
        ports: ({ erasures }) => ({
          erasures: {
            ...erasures,
            addressesOf: async (customer) => ({ ...(await erasures.addressesOf(customer)), own: [] }),
          },
        }),
      },
    }),
  },
  customerNotForgotten: {
    breaks: 'An erasure leaves the item of the customer.',
    invariant: 'erasedEverywhere',
    create: () => ({
      manage: { ports: ({ erasures }) => ({ erasures: { ...erasures, leaveCustomer: async () => undefined } }) },
    }),
  },
  earlierUserShown: {
    breaks: 'The contact of a number that was taken over shows its earlier user.',
    invariant: 'recycledShowsNothing',
    create: () => without(({ set = {}, key }) => key.sk === 'CONTACT' && set.otherCustomerAt !== undefined),
  },
  sameIdMerged: {
    breaks: 'A message is a version of the stored one with its ID, whoever wrote it.',
    invariant: 'sameIdStaysApart',
    create: () => ({
      receive: {
        table: (plain) => ({
          async update(update, options) {
            const result = await plain.update(update, options);
            const owner = update.values?.owner;
            const isOther = result.kind === 'conflict' && owner !== undefined && result.item !== undefined;
            return isOther ? { ...result, item: { ...result.item, contact: owner } } : result;
          },
        }),
      },
    }),
  },
  lookedUpAsWritten: {
    breaks: 'A conversation is looked up by an Argentine number with its 9, not by the key of the contact.',
    invariant: 'oneConversation',
    create: () => ({
      manage: {
        ports: ({ messages }) => ({
          messages: {
            ...messages,
            readConversation: (parts, page) =>
              messages.readConversation(
                parts.map(({ subject, earlier }) => ({
                  subject: 'key' in subject ? { ...subject, key: subject.key.replace(/^54/, '549') } : subject,
                  earlier,
                })),
                page,
              ),
          },
        }),
      },
    }),
  },
};
