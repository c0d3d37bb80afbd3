import type { TableItem } from '../../../local/local-client.ts';
import { type Check, compareEach, joinComparisons } from './check.ts';
import { erasedContacts, type Ledgers, type ProducedEvent } from './ledgers.ts';

const itemOf = ({ table }: Ledgers, id: string, sk: string): TableItem | undefined => table[`MESSAGE#${id} ${sk}`];

/** Returns why an event is not stored correctly. */
const missing = (ledgers: Ledgers, { id, expected, mark, status }: ProducedEvent): string | undefined => {
  switch (expected) {
    case 'message':
    case 'echo': {
      const item = itemOf(ledgers, id, expected === 'echo' ? 'ECHO' : 'MESSAGE');
      if (item === undefined) return 'is not in the table';
      return String(item.body).includes(mark) ? undefined : 'is stored with the body of another event';
    }
    case 'status':
      return isStatusStored(itemOf(ledgers, id, 'MESSAGE'), status ?? '') ? undefined : 'is not in the table';
    case 'unreadable':
      return 'is not in quarantine';
  }
};

const ATTRIBUTES: Readonly<Record<string, string>> = {
  sent: 'sentAt',
  delivered: 'deliveredAt',
  read: 'readAt',
  failed: 'failedAt',
  error: 'failedAt',
};

const isStatusStored = (item: TableItem | undefined, status: string): boolean =>
  item?.[ATTRIBUTES[status.toLowerCase()] ?? 'otherStatuses'] !== undefined;

const everyEventStored: Check = {
  name: 'every event is stored once or quarantined',
  compare(ledgers) {
    const erased = erasedContacts(ledgers);
    const quarantined = ledgers.deadLetters.inbound.map(({ body }) => body);
    const isQuarantined = (mark: string) => quarantined.some((body) => body.includes(JSON.stringify(mark)));
    return compareEach(
      ledgers.events.filter(({ contact }) => !erased.has(contact)),
      ({ id }) => id,
      (event) => {
        const why = missing(ledgers, event);
        return why === undefined || isQuarantined(event.mark) ? undefined : why;
      },
    );
  },
};

const nothingInvented: Check = {
  name: 'every stored message was produced',
  compare(ledgers) {
    const produced = new Set(ledgers.events.map(({ id }) => id));
    const sent = new Set(ledgers.outbox.map(({ id }) => id));
    const messages = Object.values(ledgers.table).filter(({ pk }) => String(pk).startsWith('MESSAGE#'));
    return compareEach(
      messages.map(({ pk }) => String(pk).slice('MESSAGE#'.length)),
      (id) => id,
      (id) => (produced.has(id) || sent.has(id) ? undefined : 'is in the table, but nobody produced it'),
    );
  },
};

const quarantineExplained: Check = {
  name: 'only unreadable events are quarantined, with a reason',
  compare(ledgers) {
    const unreadable = ledgers.events.filter(({ expected }) => expected === 'unreadable');
    return compareEach(
      ledgers.deadLetters.inbound,
      ({ body }) => body.slice(0, 80),
      ({ body, reason }) => {
        if (!reason) return 'has no reason';
        const isKnown = unreadable.some(({ mark }) => body.includes(JSON.stringify(mark)));
        return isKnown ? undefined : `is readable or unknown, but was quarantined: ${reason}`;
      },
    );
  },
};

const everyStatusStored: Check = {
  name: 'every status of a sent message is stored',
  compare(ledgers) {
    const erased = erasedContacts(ledgers);
    const contactOf = new Map(ledgers.requests.map(({ requestId, contact }) => [requestId, contact]));
    const messages = ledgers.outbox.filter(({ requestId }) => !erased.has(contactOf.get(requestId) ?? ''));
    const withStatus = (statuses: readonly string[], attribute: string) =>
      compareEach(
        messages.filter(({ status }) => statuses.includes(status)),
        ({ id }) => id,
        ({ id }) => (itemOf(ledgers, id, 'MESSAGE')?.[attribute] === undefined ? `has no ${attribute}` : undefined),
      );
    return joinComparisons(withStatus(['delivered', 'read'], 'deliveredAt'), withStatus(['read'], 'readAt'));
  },
};

export const RECEIVING_CHECKS: readonly Check[] = [
  everyEventStored,
  nothingInvented,
  quarantineExplained,
  everyStatusStored,
];
