import { contactRef } from '../../../lambdas/domain/contact.ts';
import type { TableItem } from '../../../local/cloud/local-client.ts';
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

const TIMES = ['sentAt', 'deliveredAt', 'readAt', 'failedAt'] as const;

const timesAsReported: Check = {
  name: 'the time of every status is the earliest that the chat service reported',
  compare({ table, reports }) {
    const reported = Map.groupBy(reports, ({ id, status }) => `${id} ${ATTRIBUTES[status]}`);
    const messages = Object.values(table).filter(({ pk, sk }) => String(pk).startsWith('MESSAGE#') && sk === 'MESSAGE');
    const stored = messages.flatMap((item) => {
      const id = String(item.pk).slice('MESSAGE#'.length);
      return TIMES.filter((name) => item[name] !== undefined).map((name) => ({ id, name, at: item[name] }));
    });
    return compareEach(
      stored,
      ({ id }) => id,
      ({ id, name, at }) => {
        const earliest = reported
          .get(`${id} ${name}`)
          ?.map((report) => report.at)
          .toSorted()[0];
        return at === earliest ? undefined : `has the ${name} ${at}, but the earliest reported time is ${earliest}`;
      },
    );
  },
};

const messagesComplete: Check = {
  name: 'every stored message has its direction and its request',
  compare(ledgers) {
    const { events, requests, table } = ledgers;
    const erased = erasedContacts(ledgers);
    const received = events.flatMap(({ id, contact, expected }) => {
      if (erased.has(contact) || (expected !== 'message' && expected !== 'echo')) return [];
      const [sk, direction] = expected === 'echo' ? ['ECHO', 'echo'] : ['MESSAGE', 'inbound'];
      return [{ id, direction, requestId: undefined, item: itemOf(ledgers, id, sk) }];
    });
    const sent = requests.flatMap(({ requestId, contact, expected }) => {
      const send = table[`SEND#${requestId} SEND`];
      if (erased.has(contact) || expected !== 'end' || send?.state !== 'accepted') return [];
      const id = String(send.messageId);
      return [{ id, direction: 'outbound', requestId, item: itemOf(ledgers, id, 'MESSAGE') ?? {} }];
    });
    return compareEach(
      [...received, ...sent],
      ({ id }) => id,
      ({ direction, requestId, item }) => {
        // Another check finds missing events. A user's message can have the id of a sent one.
        if (item === undefined || (item.direction === direction && item.requestId === requestId)) return undefined;
        return `is stored with the direction ${item.direction} and the request ${item.requestId}, not ${direction} and ${requestId}`;
      },
    );
  },
};

const windowsAsWritten: Check = {
  name: "every contact's window starts at the user's latest message",
  compare(ledgers) {
    const { events, windows, table } = ledgers;
    const erased = erasedContacts(ledgers);
    const written = Map.groupBy(
      events.filter(({ expected, contact }) => expected === 'message' && !erased.has(contact)),
      ({ contact }) => contactRef('chat', contact).key,
    );
    return compareEach(
      written,
      ([key]) => key,
      ([key, own]) => {
        const latest = own
          .map(({ at }) => at)
          .toSorted()
          .at(-1);
        const stored = table[`CONTACT#chat#*#${key} CONTACT`]?.lastInboundAt;
        if (stored !== latest) return `last wrote at ${latest}, but is stored with ${stored}`;
        const isRecorded = windows.some((window) => window.key === key && window.lastInboundAt === latest);
        return isRecorded ? undefined : `last wrote at ${latest}, but no function recorded that`;
      },
    );
  },
};

export const RECEIVING_CHECKS: readonly Check[] = [
  everyEventStored,
  nothingInvented,
  quarantineExplained,
  everyStatusStored,
  timesAsReported,
  messagesComplete,
  windowsAsWritten,
];
