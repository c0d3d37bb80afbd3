import { contactKey } from '../../../../lambdas/domain/contact.ts';
import { parseInstant } from '../../../../lambdas/domain/instant.ts';
import type { Item } from '../../../../lambdas/table/item.ts';
import { contactName, parseContactName } from '../../../../lambdas/table/keys.ts';
import { ACCOUNT } from '../../../support/builders.ts';
import { buttonIn } from '../../world/translate-event.ts';
import {
  authenticEventsOf,
  bodiesIn,
  type EventFact,
  eventsIn,
  eventsOf,
  keptDeadLetters,
  lostEventsOf,
} from './stage-events.ts';
import type { StageFacts } from './stage-facts.ts';
import { idIn } from './stage-facts.ts';
import type { StageInvariant } from './stage-invariant.ts';

export const INBOUND = ['inbound', 'inbound-dead-letters'];

export const RECEIVING_STAGE_INVARIANTS = {
  everyEventKept: {
    sentence:
      'Every authentic event is in the table exactly as it came, or in quarantine, unless its user was erased, or it was ' +
      'posted only once and not acknowledged.',
    check(facts, { checked, violated }) {
      const { stored, quarantined, erased } = endOf(facts);
      const lost = lostEventsOf(facts);
      for (const { body, index, eventId, parts } of authenticEventsOf(facts)) {
        if (lost.has(eventId)) continue;
        checked();
        const isKept = parts.length > 0 ? stored.has(body) : quarantined.has(body);
        if (!isKept && !quarantined.has(body) && !erased.has(body)) violated(`${eventId} is lost: ${body}`, index);
      }
    },
  },

  keptBeforeAcknowledged: {
    sentence: 'An event is acknowledged only when it is in the table, in the inbound queue, or in quarantine.',
    check(facts, { checked, violated }) {
      const firstKept = firstKeptIn(facts, INBOUND);
      const events = new Map(eventsOf(facts).map((event) => [event.eventId, event]));
      for (const { eventId, status, index } of facts.entries('delivery-answer')) {
        const event = events.get(eventId);
        if (!event?.isAuthentic || status < 200 || status > 299) continue;
        checked();
        if ((firstKept.get(event.body) ?? Number.POSITIVE_INFINITY) > index) {
          violated(`${eventId} was acknowledged and is nowhere: ${event.body}`, index);
        }
      }
    },
  },

  drainedOnlyWhenKept: {
    sentence: 'An event leaves the inbound queue only when it is in the table or in quarantine.',
    check(facts, { checked, violated }) {
      const firstKept = firstKeptIn(facts, ['inbound-dead-letters']);
      const authentic = new Set(authenticEventsOf(facts).map(({ body }) => body));
      for (const { queue, body, index } of facts.entries('deleted')) {
        if (queue !== 'inbound') continue;
        for (const event of eventsIn(body)) {
          if (isBuffered(facts) && !authentic.has(event)) continue;
          checked();
          if ((firstKept.get(event) ?? Number.POSITIVE_INFINITY) > index) violated(`It is nowhere: ${event}`, index);
        }
      }
    },
  },

  authenticIsNotRefused: {
    sentence: 'An authentic event is answered with a 2xx, or with a 5xx, after which it is delivered again.',
    check(facts, { checked, violated }) {
      const authentic = new Set(authenticEventsOf(facts).map(({ eventId }) => eventId));
      for (const { eventId, status, index } of facts.entries('delivery-answer')) {
        if (!authentic.has(eventId)) continue;
        checked();
        if (status >= 300 && status < 500) violated(`${eventId} was answered ${status}.`, index);
      }
    },
  },

  unauthenticatedLeavesNothing: {
    sentence:
      'An event with an invalid signature is never acknowledged, and nothing of it is stored or queued. In a stage with ' +
      'buffered ingress, nothing of it is stored, and it leaves the inbound queue.',
    check(facts, { checked, violated }) {
      const authentic = new Set(authenticEventsOf(facts).map(({ body }) => body));
      const others = eventsOf(facts).filter(({ isAuthentic, body }) => !isAuthentic && !authentic.has(body));
      if (others.length === 0) return;
      const firstKept = firstKeptIn(facts, isBuffered(facts) ? ['inbound-dead-letters'] : INBOUND);
      const ids = new Set(others.map(({ eventId }) => eventId));
      const { quarantined } = endOf(facts);
      for (const { body, eventId } of others) {
        checked();
        const index = firstKept.get(body);
        if (index !== undefined) violated(`${eventId} was kept: ${body}`, index);
        if (quarantined.has(body)) violated(`${eventId} is still in a queue: ${body}`);
      }
      if (isBuffered(facts)) return;
      for (const { eventId, status, index } of facts.entries('delivery-answer')) {
        if (ids.has(eventId) && status < 300) violated(`${eventId} was answered ${status}.`, index);
      }
    },
  },

  quarantinedOnlyIfUnknown: {
    sentence: 'Only an event that cannot be stored is put in quarantine, with the reason.',
    check(facts, { checked, violated }) {
      const storable = new Set(
        authenticEventsOf(facts)
          .filter(({ parts }) => parts.length > 0)
          .map(({ body }) => body),
      );
      for (const { queue, body, reason, index } of facts.entries('queued')) {
        if (queue !== 'inbound-dead-letters') continue;
        checked();
        if (reason === undefined || reason === '') violated(`It is in quarantine without a reason: ${body}`, index);
        const event = eventsIn(body).find((one) => storable.has(one));
        if (event) violated(`It is in quarantine, although it can be stored: ${event}`, index);
      }
    },
  },

  messagesAreTrue: {
    sentence:
      'Every stored message of a user and every stored echo was reported by the chat service, with the stored time.',
    check(facts, { checked, violated }) {
      const byId = Map.groupBy(authenticEventsOf(facts), ({ parts }) => parts[0]?.id);
      for (const name of facts.namesOf('MESSAGE#')) {
        for (const { after, before, index } of facts.writesOf(name)) {
          if (after?.direction !== 'inbound' && after?.direction !== 'echo') continue;
          if (before?.body === after.body && before?.createdAt === after.createdAt) continue;
          checked();
          const kind = after.direction === 'echo' ? 'echo' : 'message';
          const isTrue = byId
            .get(idIn(name))
            ?.some(
              (event) =>
                event.body === after.body &&
                event.parts.some((part) => part.kind === kind) &&
                event.times.includes(String(after.createdAt)),
            );
          if (!isTrue) violated(`${name}, of ${String(after.createdAt)}, was never reported.`, index);
        }
      }
    },
  },

  windowsAreTrue: {
    sentence:
      'A window opens only as of the time of a message that the user wrote. Neither an echo nor a message with a ' +
      'STATUS opens a window.',
    check(facts, { checked, violated }) {
      const messages = new Map(
        authenticEventsOf(facts).flatMap((event) =>
          event.parts
            .filter(({ kind, isBesideStatus }) => kind === 'message' && !isBesideStatus)
            .map((part) => [part.id, { event, part }] as const),
        ),
      );
      for (const name of facts.namesOf('CONTACT#').filter((each) => each.endsWith(' CONTACT'))) {
        for (const { after, before, index } of facts.writesOf(name)) {
          if (after?.lastInboundAt === undefined || after.lastInboundAt === before?.lastInboundAt) continue;
          checked();
          const message = messages.get(String(after.lastInboundId));
          const isTrue =
            message !== undefined &&
            message.part.contact === parseContactName(after.pk)?.key &&
            message.event.times.includes(String(after.lastInboundAt));
          if (!isTrue) violated(`${name} opened as of ${String(after.lastInboundAt)}.`, index);
          if (before?.lastInboundAt !== undefined && String(before.lastInboundAt) > String(after.lastInboundAt)) {
            violated(`${name} moved back from ${String(before.lastInboundAt)}.`, index);
          }
        }
      }
    },
  },

  windowsStayOpen: {
    sentence:
      "When a user's message is acknowledged or leaves the inbound queue, and at the end, the contact's window is " +
      'open as ' +
      'of the time of that message or a later one, unless the message is in a queue or the contact was erased.',
    check(facts, { checked, violated }) {
      const deferred = queuedIn(facts, INBOUND);
      const quarantined = queuedIn(facts, ['inbound-dead-letters']);
      const drained = firstOf(facts.entries('deleted').filter(({ queue }) => queue === 'inbound'));
      const answers = Map.groupBy(facts.entries('delivery-answer'), ({ eventId }) => eventId);
      for (const { eventId, body, time, contact } of keptWindowsOf(facts)) {
        const isQueued = (queue: ReadonlyMap<string, number>, index: number) => (queue.get(body) ?? index) < index;
        const stored = answers.get(eventId)?.find(({ status, index }) => status < 300 && !isQueued(deferred, index));
        const places = [stored?.index, drained.get(body)].filter((index) => index !== undefined);
        const done = places.filter((index) => !isQueued(quarantined, index));
        const isOpen = (item: Item | undefined): boolean => String(item?.lastInboundAt ?? '') >= time;
        for (const index of done) {
          checked();
          const item = facts.itemBefore(`${contact} CONTACT`, index);
          if (!isOpen(item)) violated(`The window of ${contact} did not open as of ${time}.`, index);
        }
        if (done.length > 0 && !isOpen(facts.run.items.get(`${contact} CONTACT`))) {
          violated(`At the end, the window of ${contact} is not open as of ${time}.`);
        }
      }
    },
  },

  operatorsNoticed: {
    sentence:
      "In a stage with operators, when an operator's message that has a time of its own is acknowledged or leaves the " +
      'inbound queue, and at the end, it is stored that an operator wrote to the contact then or later, unless the ' +
      'contact was erased.',
    check(facts, { checked, violated }) {
      if (facts.run.history.features.rules.operators === undefined) return;
      const storedAt = createStoredAt(facts);
      for (const event of keptOf(facts, eventsAbout(facts, 'echo'))) {
        const { time, contact } = event;
        if (event.source?.OPERATOR_ID === undefined || ownTimeOf(event) === undefined) continue;
        for (const index of storedAt(event)) {
          checked();
          const name = `${contact} HANDOVER`;
          if (
            [facts.itemBefore(name, index), facts.run.items.get(name)].some(
              (item) => String(item?.operatorWroteAt ?? '') < time,
            )
          ) {
            violated(`An operator wrote to ${contact} at ${time}, which is not stored.`, index);
          }
        }
      }
    },
  },

  statusesAreTrue: {
    sentence:
      'Each status of a message has the earliest time at which the chat service reported it, and is never lost or ' +
      'moved later.',
    check(facts, { checked, violated }) {
      const reports = Map.groupBy(
        authenticEventsOf(facts).filter(({ parts }) => parts[0]?.kind === 'status'),
        ({ parts: [part] }) => `${part?.id} ${STATUS_TIME[part?.literal ?? '']}`,
      );
      const firstKept = firstKeptIn(facts, []);
      for (const name of facts.namesOf('MESSAGE#').filter((each) => each.endsWith(' MESSAGE'))) {
        const writes = facts.writesOf(name);
        for (const attribute of new Set(Object.values(STATUS_TIME))) {
          const events = reports.get(`${idIn(name)} ${attribute}`) ?? [];
          for (const { before, after, index } of writes) {
            const [old, time] = [before?.[attribute], after?.[attribute]];
            if (after === undefined || isMark(after) || old === time) continue;
            checked();
            if (old !== undefined && !(String(time) < String(old))) violated(`${attribute} of ${name} moved.`, index);
            const isTrue = events.some((event) => event.times.includes(String(time)));
            if (!isTrue) violated(`${attribute} of ${name} is ${String(time)}, which was never reported.`, index);
          }
          const kept = events.filter(({ body }) => firstKept.has(body));
          const left = afterErasure(facts, name, kept);
          checkEarliest(left, attribute, writes.at(-1)?.after, (what) => violated(`${name}: ${what}`));
        }
      }
    },
  },
} as const satisfies Record<string, StageInvariant>;

const isBuffered = (facts: StageFacts): boolean => facts.run.history.features.ingress === 'buffered';

/** Whether only the mark of an erased message is left. */
export const isMark = (item: Item): boolean =>
  item.erasedAt !== undefined && Object.keys(item).every((name) => MARK.includes(name));

const MARK = ['pk', 'sk', 'erasedAt', 'expiresAt'];

const STATUS_TIME: Readonly<Record<string, string>> = {
  sent: 'sentAt',
  delivered: 'deliveredAt',
  read: 'readAt',
  failed: 'failedAt',
  error: 'failedAt',
};

/**
 * Returns the reports about a message that can be left after an erasure of the message. If reports have the same body,
 * only their deliveries show which ones the erasure removed.
 */
const afterErasure = (facts: StageFacts, name: string, events: readonly EventFact[]): readonly EventFact[] => {
  const erased = facts.writesOf(name).findLast((write) => facts.invocationAt(write)?.function === 'erase')?.index;
  if (erased === undefined) return events;
  const delivered = new Set(
    facts.entries('delivery').flatMap(({ eventId, index }) => (index > erased ? [eventId] : [])),
  );
  const bodies = Map.groupBy(events, ({ body }) => body);
  return events.filter(({ eventId, body }) => bodies.get(body)?.length === 1 || delivered.has(eventId));
};

/** Compares a status at the end with all reports of it that were kept. */
const checkEarliest = (
  events: readonly EventFact[],
  attribute: string,
  item: Item | undefined,
  violated: (what: string) => void,
): void => {
  if (item === undefined) return;
  const bodies = new Set(bodiesIn(item));
  const latest = events
    .filter(({ body, times }) => times.length === 1 && bodies.has(body))
    .map(({ time }) => time)
    .toSorted()[0];
  if (latest === undefined) return;
  const time = item[attribute];
  if (typeof time !== 'string' || time > latest) violated(`${attribute} is ${String(time)}, not ${latest}.`);
};

/** A user's message, as the chat service reported it, and the name of the contact whose window it opens. */
export interface WindowEvent extends EventFact {
  readonly contact: string;
  readonly key: string;
}

export const windowEventsOf = (facts: StageFacts): readonly WindowEvent[] => eventsAbout(facts, 'message');

/** The messages of users, or the echoes, with the contact under which they are stored. */
const eventsAbout = (facts: StageFacts, kind: 'message' | 'echo'): readonly WindowEvent[] => {
  const channel = facts.run.history.features.windowPer === 'channel' ? contactKey(ACCOUNT.channel) : '*';
  return authenticEventsOf(facts).flatMap((event) =>
    event.parts.flatMap(({ kind: part, contact: key, isBesideStatus }): WindowEvent[] => {
      if (part !== kind || key === undefined || isBesideStatus) return [];
      return [{ ...event, key, contact: contactName({ platform: ACCOUNT.platform, channel, key }) }];
    }),
  );
};

/** The time that an event itself states. */
export const ownTimeOf = ({ source }: EventFact): string | undefined => parseInstant(source?.CREATION_TIME);

/** The messages among these that opt out, or in, in a stage with that keyword. */
export const keywordsIn = (
  facts: StageFacts,
  events: readonly WindowEvent[],
  keyword: 'STOP' | 'START' = 'STOP',
): readonly WindowEvent[] => {
  const { keywords, optInKeyword } = facts.run.history.features;
  if (keywords !== true || (keyword === 'START' && optInKeyword !== true)) return [];
  // The stages with keywords count buttons as well.
  return events.filter(({ source }) => {
    const text = String(source?.MESSAGE);
    return (buttonIn(text) ?? text) === keyword;
  });
};

/** Creates a function that returns where an event was acknowledged as stored, or left the inbound queue. */
export const createStoredAt = (facts: StageFacts): ((event: EventFact) => readonly number[]) => {
  const deferred = queuedIn(facts, INBOUND);
  const drained = firstOf(facts.entries('deleted').filter(({ queue }) => queue === 'inbound'));
  const answers = Map.groupBy(facts.entries('delivery-answer'), ({ eventId }) => eventId);
  return ({ eventId, body }) => {
    const isDeferred = (index: number) => (deferred.get(body) ?? index) < index;
    const stored = answers.get(eventId)?.find(({ status, index }) => status < 300 && !isDeferred(index));
    return [stored?.index, drained.get(body)].filter((index) => index !== undefined);
  };
};

/** The messages that open a window, unless an erasure closes it. */
export const keptWindowsOf = (facts: StageFacts): readonly WindowEvent[] => keptOf(facts, windowEventsOf(facts));

/** Those of the events that no erasure concerns. */
const keptOf = (facts: StageFacts, events: readonly WindowEvent[]): readonly WindowEvent[] => {
  const erasures = facts
    .entries('queued')
    .flatMap(({ queue, body }) => (queue === 'erasures' ? [JSON.parse(body)] : []));
  return events.filter(
    ({ key, time }) => !erasures.some(({ contact, requestedAt }) => contact.key === key && requestedAt >= time),
  );
};

/** The index of the entry that first put each event on one of the queues. */
export const queuedIn = (facts: StageFacts, queues: readonly string[]): ReadonlyMap<string, number> =>
  firstOf(facts.entries('queued').filter(({ queue }) => queues.includes(queue)));

/** The index of the first entry with each event. */
export const firstOf = (messages: readonly { readonly body: string; readonly index: number }[]) => {
  const first = new Map<string, number>();
  for (const { body, index } of messages) {
    for (const event of eventsIn(body)) if (!first.has(event)) first.set(event, index);
  }
  return first;
};

/** The place at which each event was first in the table, or in one of the queues. */
const firstKeptIn = (facts: StageFacts, queues: readonly string[]): ReadonlyMap<string, number> => {
  const first = new Map<string, number>();
  const keep = (body: string, index: number) => {
    if (index < (first.get(body) ?? Number.POSITIVE_INFINITY)) first.set(body, index);
  };
  for (const { key, after, index } of facts.entries('write')) {
    if (key.startsWith('MESSAGE#')) for (const body of bodiesIn(after)) keep(body, index);
  }
  for (const { queue, body, index } of facts.entries('queued')) {
    if (queues.includes(queue)) for (const event of eventsIn(body)) keep(event, index);
  }
  return first;
};

/** The events that are stored at the end, and those that erasures removed. */
const endOf = (facts: StageFacts) => {
  const { items, queued } = facts.run;
  const kept = [...INBOUND_QUEUES.flatMap((name) => queued[name].map(({ body }) => body)), ...keptDeadLetters(items)];
  const erased = new Set<string>();
  for (const entry of facts.entries('write')) {
    if (!entry.key.startsWith('MESSAGE#') || facts.invocationAt(entry)?.function !== 'erase') continue;
    for (const body of bodiesIn(entry.before)) erased.add(body);
  }
  const removed = facts.entries('deleted').filter((entry) => facts.invocationAt(entry)?.function === 'erase');
  for (const { body } of removed) for (const event of eventsIn(body)) erased.add(event);
  for (const body of erasedDeadLetters(facts)) for (const event of eventsIn(body)) erased.add(event);
  return {
    stored: new Set([...items].flatMap(([name, item]) => (name.startsWith('MESSAGE#') ? bodiesIn(item) : []))),
    quarantined: new Set(kept.flatMap(eventsIn)),
    erased,
  };
};

const INBOUND_QUEUES = ['inbound', 'inbound-dead-letters'] as const;

/** The dead letters that erasures deleted from the table. */
const erasedDeadLetters = (facts: StageFacts): readonly string[] => {
  const items = facts
    .entries('write')
    .filter((entry) => entry.key.includes(' PART#') && facts.invocationAt(entry)?.function === 'erase');
  return keptDeadLetters(new Map(items.flatMap(({ key, before }) => (before ? [[key, before] as const] : []))));
};

/** The keys of the contacts that an operator asked to erase. */
export const erasedKeys = (facts: StageFacts): ReadonlySet<string> =>
  new Set(facts.acts('erase').map(({ contact }) => contactKey(contact)));
