import { contactRef } from '../../../lambdas/domain/contact.ts';
import type { TableItem } from '../../../local/cloud/local-client.ts';
import { EVENT_OF_STATE, EVENT_OF_STATUS_TIME } from '../../support/event-names.ts';
import { OPTED_IN_AT } from './chaos-stage.ts';
import { type Check, compareEach } from './check.ts';
import { erasedContacts, type Ledgers } from './ledgers.ts';

/** A change that must be on the bus: the name and the subject of its event. */
interface ExpectedEvent {
  readonly name: string;
  readonly subject: string;
}

const STATUS_EVENTS = [...Object.entries(EVENT_OF_STATUS_TIME), ['otherStatuses', 'MessageStatusChanged'] as const];

const expectedEvents = (item: TableItem): readonly ExpectedEvent[] => {
  const [kind, ...rest] = String(item.pk).split('#');
  const subject = rest.join('#');
  if (kind === 'MESSAGE' && item.sk === 'ECHO') return [{ name: 'MessageEchoed', subject }];
  if (kind === 'MESSAGE') {
    const statuses = STATUS_EVENTS.filter(([attribute]) => item[attribute] !== undefined);
    const received = item.direction === 'inbound' ? [{ name: 'MessageReceived', subject }] : [];
    return [...received, ...statuses.map(([, name]) => ({ name, subject }))];
  }
  const name = EVENT_OF_STATE[String(item.state)];
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

/** Returns the name of the event about a status. */
const eventOfStatus = (status: string): string =>
  ({ delivered: 'MessageDelivered', read: 'MessageRead', failed: 'MessageFailed', error: 'MessageFailed' })[status] ??
  'MessageStatusChanged';

const contactKey = (address: string): string => contactRef('chat', address).key;

/** Returns the events, as name and subject, for which the load, the chat service, or the table has a cause. */
const causesOf = (ledgers: Ledgers): ReadonlySet<string> => {
  const { events, reports, table, consents, optedIn } = ledgers;
  const messages = events.flatMap(({ id, expected }) =>
    expected === 'message' ? [`MessageReceived ${id}`] : expected === 'echo' ? [`MessageEchoed ${id}`] : [],
  );
  const sends = Object.values(table).flatMap(({ pk, sk, state, erasedAt }) => {
    if (sk !== 'SEND') return [];
    const requestId = String(pk).slice('SEND#'.length);
    // An erasure can cancel a send, and an uncertain send can end in another state.
    const names = erasedAt === undefined ? [EVENT_OF_STATE[String(state)]] : Object.values(EVENT_OF_STATE);
    return [...names, 'SendUncertain'].map((name) => `${name} ${requestId}`);
  });
  return new Set([
    ...messages,
    ...reports.map(({ id, status }) => `${eventOfStatus(status)} ${id}`),
    ...sends,
    ...consents.map(
      ({ contact, consent, at }) =>
        `${consent === 'opt-in' ? 'ContactOptedIn' : 'ContactOptedOut'} ${contactKey(contact)} ${at}`,
    ),
    ...optedIn.map((contact) => `ContactOptedIn ${contactKey(contact)} ${OPTED_IN_AT}`),
  ]);
};

/** Whether a call to the chat service had failed by then, so that the circuit breaker could open. */
const isHeldForCause = ({ failedCalls }: Ledgers, at: string): boolean => failedCalls.some((since) => since <= at);

const everyEventCaused: Check = {
  name: 'every published event has a cause',
  compare(ledgers) {
    const causes = causesOf(ledgers);
    return compareEach(
      ledgers.published,
      ({ name, subject }) => `${name} ${subject}`,
      ({ name, subject, at }) => {
        if (name.startsWith('Account'))
          return isHeldForCause(ledgers, at) ? undefined : 'was published, but every call succeeded';
        const event = name.startsWith('Contact') ? `${name} ${subject} ${at}` : `${name} ${subject}`;
        return causes.has(event) ? undefined : `was published at ${at}, but never happened`;
      },
    );
  },
};

export const PUBLISHING_CHECKS: readonly Check[] = [everyChangePublished, oneIdPerChange, everyEventCaused];
