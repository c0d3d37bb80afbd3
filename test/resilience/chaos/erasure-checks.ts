import { contactRef } from '../../../lambdas/domain/contact.ts';
import type { TableItem } from '../../../local/cloud/local-client.ts';
import { type Check, compareEach } from './check.ts';
import type { ProducedErasure } from './ledgers.ts';

/** Formats an item as text, with the members of its sets. */
const textOf = (item: TableItem): string =>
  JSON.stringify(item, (_name, value: unknown) => (value instanceof Set ? [...value] : value));

/** Returns an erased contact's names: the key under which it is stored, and the digits of its number. */
const namesOf = ({ contact }: ProducedErasure): readonly string[] => [
  contactRef('chat', contact).key,
  contact.replaceAll(/\D/g, ''),
];

/** The attributes of an erased message whose statuses arrive after its erasure. They are stored under a new contact. */
const MARK_AND_STATUSES = new Set([
  ...['pk', 'sk', 'erasedAt', 'expiresAt', 'contact', 'contactSort', 'traceparent'],
  ...['statusBodies', 'sentAt', 'deliveredAt', 'readAt', 'failedAt', 'failedBody', 'otherStatuses'],
]);

const hasOnlyStatuses = (item: TableItem): boolean => Object.keys(item).every((name) => MARK_AND_STATUSES.has(name));

/**
 * An event that was underway when the erasure was requested may be stored after it, as data of a new contact.
 * Everything that was last written before must be gone. Apart from such statuses, an emptied item must not name the
 * contact, whenever it was written.
 */
const erasedLeaveNothing: Check = {
  name: 'an erased contact leaves no data in the table',
  compare({ erasures, table, lastWrites }) {
    const items = Object.entries(table).map(([key, item]) => ({ key, item, text: textOf(item) }));
    return compareEach(
      erasures,
      ({ contact }) => contact,
      (erasure) => {
        const names = namesOf(erasure);
        const left = items.filter(
          ({ key, item, text }) =>
            names.some((name) => text.includes(name)) &&
            ((item.erasedAt !== undefined && !hasOnlyStatuses(item)) || (lastWrites[key] ?? '') <= erasure.requestedAt),
        );
        return left.length === 0
          ? undefined
          : `was erased at ${erasure.requestedAt}, but is in ${left.map(({ key }) => key)}`;
      },
    );
  },
};

export const ERASURE_CHECKS: readonly Check[] = [erasedLeaveNothing];
