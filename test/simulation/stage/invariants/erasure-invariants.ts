import { addressVariants, messageGroup } from '../../../../lambdas/domain/contact.ts';
import type { Item } from '../../../../lambdas/table/item.ts';
import { parseContactName } from '../../../../lambdas/table/keys.ts';
import { erasedKeys, isMark } from './receiving-invariants.ts';
import { eventsIn, keptDeadLetters } from './stage-events.ts';
import { idIn, type Recorded, type StageFacts } from './stage-facts.ts';
import type { StageInvariant } from './stage-invariant.ts';

export const ERASURE_INVARIANTS = {
  erasureComplete: {
    sentence:
      'After an erasure, the table, the queues, and the audit trail contain nothing about the contact that was ' +
      'there when the last pass started, except what is newer than the request.',
    check(facts, { checked, violated }) {
      for (const { key, requestedAt, queued, start } of erasuresOf(facts)) {
        checked();
        const names = namesOf(key);
        for (const [name, item] of facts.run.items) {
          // A dead letter moves to the table when it is a week old.
          if (name.startsWith('DEADLETTER#') || !isAbout(names, [name, textOf(item)].join(' '))) continue;
          // Data that was stored in an item after it was marked as erased is also new.
          const isCreation = ({ before }: Recorded<'write'>) => before === undefined || isMark(before);
          const created = facts.writesOf(name).findLast(isCreation)?.index ?? -1;
          // An old STOP that is delivered again after the erasure is an opt-out again, beside newer consents.
          const isOfNew = isOfNewContact(facts, name, item);
          const isConsent = name.endsWith(' CONSENT') || isOfNew;
          const wasWithoutAddresses = isWithoutAddresses(name, facts.itemBefore(name, queued));
          if (wasWithoutAddresses && (isOfNew || isWithoutAddresses(name, item))) continue;
          const time = oldestTimeOf(name, isConsent ? changedBefore(facts, name, item, start) : item);
          if (created < start && (time === undefined ? !isConsent : time <= requestedAt)) {
            violated(`${name} is left of ${key}, which was erased as of ${requestedAt}.`);
          }
        }
        const queues = Object.values(facts.run.queued).flat();
        for (const body of [...queues.map((message) => message.body), ...keptDeadLetters(facts.run.items)]) {
          const place = facts.entries('queued').findLast((entry) => entry.body === body)?.index ?? start;
          const receivedAt = /"receivedAt":"([^"]+)"/.exec(body)?.[1];
          const isNewer = receivedAt !== undefined && receivedAt > requestedAt;
          if (place < start && !isNewer && isAbout(names, [body, ...eventsIn(body)].join(' '))) {
            violated(`A dead letter is left of ${key}: ${body}`);
          }
        }
      }
    },
  },

  othersKept: {
    sentence:
      'An erasure removes nothing about other contacts. Of what is newer than its request, it removes only what ' +
      'a function recorded about a contact that no longer exists.',
    check(facts, { checked, violated }) {
      const until = new Map<string, string>();
      for (const { key, requestedAt } of requestsOf(facts).values()) {
        if (requestedAt > (until.get(key) ?? '')) until.set(key, requestedAt);
      }
      // A dead letter that names no contact is stored under its message group.
      const erased = new Set([...erasedKeys(facts)].flatMap((key) => [key, messageGroup(key)]));
      for (const write of facts.entries('write')) {
        const { key: name, before, after, index } = write;
        const isRemoved = after === undefined || (after.erasedAt !== undefined && before?.erasedAt === undefined);
        if (before === undefined || !isRemoved || facts.invocationAt(write)?.function !== 'erase') continue;
        const contact = parseContactName(before.contact ?? before.pk);
        if (contact === undefined) continue;
        checked();
        const dated = sendOfMessage(facts, write) ?? { name, item: before };
        const time = newestTimeOf(dated.name, dated.item);
        const keys = [contact.key, ...otherContactsOf(facts, name)];
        if (!keys.some((key) => erased.has(key))) violated(`${name} of ${contact.key} was erased.`, index);
        else if (time !== undefined && time > (until.get(contact.key) ?? '') && !isWithoutContact(facts, write)) {
          violated(`${name} was erased, although it is newer than the request.`, index);
        }
      }
    },
  },
} as const satisfies Record<string, StageInvariant>;

/** A message that Parley sent is erased with its send, however late it was sent. */
const sendOfMessage = (facts: StageFacts, { key, before, index }: Recorded<'write'>) => {
  const name = `SEND#${before?.requestId} SEND`;
  const item = key.endsWith(' MESSAGE') && before?.requestId !== undefined ? facts.itemBefore(name, index) : undefined;
  return item && { name, item };
};

/**
 * Whether a write removes a contact check or a denied window while the contact has neither a window nor a consent. A
 * function records these about earlier sends, and they do not create a new contact.
 */
const isWithoutContact = (facts: StageFacts, write: Recorded<'write'>): boolean => {
  const [, contact] = /^(.*) (?:CHECK|DENIAL)$/s.exec(write.key) ?? [];
  if (contact === undefined) return false;
  const items = [`${contact} CONTACT`, `${contact} CONSENT`];
  const start = facts.invocationAt(write)?.start ?? write.index;
  const changes = items.flatMap((name) => facts.writesOf(name)).filter(({ index }) => index > start);
  // The erasure looks for them before it removes the rest.
  return [write.index, ...changes.map(({ index }) => index + 1)]
    .filter((place) => place <= write.index)
    .some((place) => items.every((name) => facts.itemBefore(name, place) === undefined));
};

/** A dead letter that names several contacts is erased with any of them. */
const otherContactsOf = (facts: StageFacts, name: string): readonly string[] => {
  const [, deadLetter] = /^(DEADLETTER#\S+) CONTACT#\d+$/.exec(name) ?? [];
  if (deadLetter === undefined) return [];
  return facts
    .namesOf(`${deadLetter} CONTACT#`)
    .flatMap((other) => facts.writesOf(other).flatMap(({ after }) => parseContactName(after?.contact)?.key ?? []));
};

/**
 * Whether a customer has no addresses left, because an earlier erasure removed them. Its opt-outs are newer than that
 * erasure.
 */
const isWithoutAddresses = (name: string, item: Item | undefined): boolean =>
  name.startsWith('CUSTOMER#') && item !== undefined && !(item.contacts instanceof Set);

interface ErasureRequest {
  readonly erasureId: string;
  /** The place where the erasure was queued. */
  readonly queued: number;
  readonly key: string;
  readonly requestedAt: string;
}

/** The erasures by their ids, from the messages of their queue, which name the contact. */
const requestsOf = (facts: StageFacts): ReadonlyMap<string, ErasureRequest> =>
  new Map(
    facts.entries('queued').flatMap(({ queue, body, index: queued }) => {
      if (queue !== 'erasures') return [];
      const { erasureId, requestedAt, contact } = JSON.parse(body);
      return [[String(erasureId), { erasureId, queued, requestedAt, key: contact.key }] as const];
    }),
  );

/** The finished erasures, with the place where the last pass started. */
const erasuresOf = (facts: StageFacts): readonly (ErasureRequest & { readonly start: number })[] => {
  const requests = requestsOf(facts);
  return facts.namesOf('ERASURE#').flatMap((name) => {
    const request = requests.get(idIn(name));
    const done = facts.writesOf(name).find(({ after }) => after?.state === 'done');
    const start = done && facts.invocationAt(done)?.start;
    return request && start !== undefined ? [{ ...request, start }] : [];
  });
};

/** Everything that can identify a contact: its key, and the digits of every number with this key. */
const namesOf = (key: string): RegExp => {
  const names = [key, ...addressVariants(key)].map((name) => name.replace(/[^\w]/g, '\\$&'));
  return new RegExp(`(?<![0-9A-Za-z])(${names.join('|')})(?![0-9A-Za-z])`);
};

const isAbout = (names: RegExp, text: string): boolean => names.test(text);

const textOf = (item: Item): string => JSON.stringify(item, (_, value) => (value instanceof Set ? [...value] : value));

const TIMES: Readonly<Record<string, readonly string[]>> = {
  CONTACT: ['lastInboundAt'],
  CONSENT: ['userOptInRecordedAt', 'importOptInRecordedAt', 'userOptOutRecordedAt', 'importOptOutRecordedAt'],
  CUSTOMER: ['userOptOutRecordedAt', 'importOptOutRecordedAt'],
  CHECK: ['checkedAt'],
  DENIAL: ['windowDeniedAt'],
  HANDOVER: ['handoverAt', 'handbackAt', 'operatorWroteAt'],
  TURN: ['startedAt'],
  MESSAGE: ['createdAt'],
  ECHO: ['createdAt'],
  SEND: ['createdAt'],
  AUDIT: ['at'],
};

/** The kind of an item, by the start of its sort key. */
const kindOf = (name: string): string => name.slice(name.lastIndexOf(' ') + 1).replace(/#.*/, '');

/** Whether a customer still has an address, because the user wrote again. Its opt-outs have times. */
const isOfNewContact = ({ run }: StageFacts, name: string, { contacts }: Item): boolean =>
  name.startsWith('CUSTOMER#') &&
  contacts instanceof Set &&
  [...contacts].some((contact) => run.items.has(`${contact} CONTACT`));

const timesOf = (name: string, item: Item): readonly string[] =>
  (TIMES[kindOf(name)] ?? []).flatMap((attribute) => {
    const time = item[attribute];
    return typeof time === 'string' ? [time] : [];
  });

/** The attributes of an item that no write after an entry has changed. */
const changedBefore = (facts: StageFacts, name: string, item: Item, index: number): Item => {
  const later = facts.writesOf(name).filter((write) => write.index > index);
  return Object.fromEntries(
    Object.entries(item).filter(
      ([attribute]) => !later.some(({ before, after }) => before?.[attribute] !== after?.[attribute]),
    ),
  );
};

const oldestTimeOf = (name: string, item: Item): string | undefined => timesOf(name, item).toSorted()[0];
const newestTimeOf = (name: string, item: Item): string | undefined => timesOf(name, item).toSorted().at(-1);
