import type { TableItem } from '../../../local/local-client.ts';
import { type Check, compareEach } from './check.ts';
import { erasedContacts, type Ledgers } from './ledgers.ts';

/** A change that must be on the bus: the name and the subject of its event. */
interface ExpectedEvent {
  readonly name: string;
  readonly subject: string;
}

const STATUS_EVENTS: readonly (readonly [attribute: string, name: string])[] = [
  ['deliveredAt', 'MessageDelivered'],
  ['readAt', 'MessageRead'],
  ['failedAt', 'MessageFailed'],
  ['sentAt', 'MessageStatusChanged'],
  ['otherStatuses', 'MessageStatusChanged'],
];

const SEND_EVENTS: Readonly<Record<string, string>> = {
  accepted: 'SendAccepted',
  refused: 'SendRefused',
  rejected: 'SendRejected',
  expired: 'SendExpired',
  uncertain: 'SendUncertain',
  cancelled: 'SendCancelled',
};

const expectedEvents = (item: TableItem): readonly ExpectedEvent[] => {
  const [kind, ...rest] = String(item.pk).split('#');
  const subject = rest.join('#');
  if (kind === 'MESSAGE' && item.sk === 'ECHO') return [{ name: 'MessageEchoed', subject }];
  if (kind === 'MESSAGE') {
    const statuses = STATUS_EVENTS.filter(([attribute]) => item[attribute] !== undefined);
    const received = item.direction === 'inbound' ? [{ name: 'MessageReceived', subject }] : [];
    return [...received, ...statuses.map(([, name]) => ({ name, subject }))];
  }
  const name = SEND_EVENTS[String(item.state)];
  return kind === 'SEND' && name !== undefined ? [{ name, subject }] : [];
};

const isErased = (item: TableItem): boolean => item.erasedAt !== undefined;

const everyChangePublished: Check = {
  name: 'every change is published',
  compare(ledgers) {
    const published = new Set(ledgers.published.map(({ name, subject }) => `${name} ${subject}`));
    const consents = [...Map.groupBy(ledgers.consents, ({ contact }) => contact)]
      .filter(([contact]) => !erasedContacts(ledgers).has(contact))
      .flatMap(([, own]) => own.slice(-1));
    const names = new Set(ledgers.published.filter(({ name }) => name.startsWith('Contact')).map(({ at }) => at));
    const expected = Object.values(ledgers.table)
      .filter((item) => !isErased(item))
      .flatMap(expectedEvents)
      .map((event) => ({ ...event, isPublished: published.has(`${event.name} ${event.subject}`) }));
    const changes = [
      ...expected,
      ...consents.map(({ consent, contact, at }) => ({ name: consent, subject: contact, isPublished: names.has(at) })),
    ];
    return compareEach(
      changes,
      ({ subject }) => subject,
      ({ name, isPublished }) => (isPublished ? undefined : `${name} was never published`),
    );
  },
};

/** Changes that happen once to a message have one id. Changes that can happen again have one id per time. */
const HAPPENS_ONCE = new Set(['MessageReceived', 'MessageEchoed', 'MessageDelivered', 'MessageRead', 'MessageFailed']);

const oneIdPerChange: Check = {
  name: 'a change has one id, however often it is published',
  compare({ published }) {
    const keyOf = ({ name, subject, at }: Ledgers['published'][number]) =>
      HAPPENS_ONCE.has(name) ? `${name} ${subject}` : `${name} ${subject} ${at}`;
    const subjects = new Map<string, string>();
    return compareEach(
      Map.groupBy(published, keyOf),
      ([change]) => change,
      ([change, events]) => {
        const ids = new Set(events.map(({ id }) => id));
        if (ids.size > 1) return `was published with ${ids.size} ids`;
        const id = [...ids].join();
        const other = subjects.get(id);
        subjects.set(id, change);
        return other === undefined ? undefined : `has the same id as ${other}`;
      },
    );
  },
};

export const PUBLISHING_CHECKS: readonly Check[] = [everyChangePublished, oneIdPerChange];
