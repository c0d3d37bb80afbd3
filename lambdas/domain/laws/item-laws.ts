import { CONSENT_REGISTERS } from '../consent.ts';
import type { ItemLaw } from './law.ts';
import { describeTime, has, ITEM_KINDS, kindOf, listNames, type StoredItem, textOf, timeOf } from './stored-item.ts';

/** Clocks of different functions can differ, and so can the clock of the machine that runs the audit. */
export const CLOCK_SKEW_MS = 60_000;
const AUDITOR_SKEW_MS = 15 * 60_000;

/** Whether an attribute is a time. `expiresAt` is a number, and `consentAt` is what a caller wrote. */
const isTimeName = (name: string): boolean =>
  /^(leaseUntil|failingSince|since|at)$|[a-z]At$/.test(name) && name !== 'expiresAt' && name !== 'consentAt';

/** Times that lie ahead of the write. */
const AHEAD = ['sendAt', 'nextProbeAt', 'leaseUntil'];

const timeNames = (item: StoredItem): readonly string[] => Object.keys(item).filter(isTimeName);

/** The partition and the sort key in the index `byState`; undefined if the item must not be in it. */
const stateIndexOf = (item: StoredItem): readonly [shard: RegExp, at: unknown] | undefined => {
  const kind = kindOf(item);
  if (kind === 'audit') return [/^audit#\d+$/, item.at];
  if (kind === 'dead-letter') return [/^dead-letter#\w+$/, item.since];
  return kind === 'send' && item.state === 'uncertain' ? [/^uncertain#\d+$/, item.uncertainAt] : undefined;
};

/** The sort key of the item in the index `byContact`, if it is stored under a contact. */
const contactSortOf = (item: StoredItem): RegExp | string | undefined => {
  switch (kindOf(item)) {
    case 'send':
      return `SEND#${item.createdAt}`;
    case 'message':
    case 'echo':
      return has(item, 'createdAt') ? `MESSAGE#${item.createdAt}` : 'STATUS#';
    case 'audit':
      return `AUDIT#${item.at}`;
    case 'dead-letter-contact':
      return /^DEADLETTER#/;
    default:
      return undefined;
  }
};

const matches = (value: unknown, expected: RegExp | string): boolean =>
  typeof expected === 'string' ? value === expected : expected.test(String(value));

export const ITEM_LAWS: readonly ItemLaw[] = [
  {
    name: 'item-is-known',
    statement: 'Every item of the table is of a kind that Parley writes.',
    source: 'architecture.md',
    next: 'Find out who writes to the table besides Parley, because no erasure finds this item.',
    // It is about what is of no kind.
    kinds: ITEM_KINDS,
    faultIn: (item) => (kindOf(item) === undefined ? 'Parley writes no item with this key.' : undefined),
  },
  {
    name: 'times-are-readable',
    statement: 'Every time is stored in UTC with milliseconds, so that the order of the strings is the order of time.',
    source: 'architecture.md',
    next: 'Report the item as a defect.',
    kinds: ITEM_KINDS,
    faultIn(item) {
      const unreadable = timeNames(item).filter((name) => timeOf(item, name) === undefined);
      return unreadable.length === 0 ? undefined : `${listNames(unreadable)} cannot be read as a time.`;
    },
  },
  {
    name: 'no-time-in-the-future',
    statement: 'No event, decision, or outcome has a time in the future, which would keep a window open for too long.',
    source: 'decisions/use-the-time-in-the-event.md',
    next: 'Compare the clock of this machine with the time, then report the item as a defect.',
    kinds: ITEM_KINDS,
    faultIn(item, { now }) {
      const latest = Date.parse(now) + AUDITOR_SKEW_MS;
      const ahead = timeNames(item).filter((name) => !AHEAD.includes(name) && (timeOf(item, name) ?? 0) > latest);
      return ahead.length === 0 ? undefined : `${listNames(ahead)} is later than ${now}.`;
    },
  },
  {
    name: 'index-keys-agree',
    statement: 'The index keys of an item follow from its other attributes, so that erasures and lists find the item.',
    source: 'decisions/create-all-indexes-at-once.md',
    next: 'Report the item as a defect; until it is fixed, an erasure may miss it.',
    kinds: ITEM_KINDS,
    faultIn(item) {
      if (has(item, 'contact') !== has(item, 'contactSort')) return 'Only one of contact and contactSort is there.';
      const sort = has(item, 'contactSort') ? contactSortOf(item) : undefined;
      if (sort !== undefined && !matches(item.contactSort, sort)) return 'contactSort does not match the item.';
      if (has(item, 'stateShard') !== has(item, 'stateAt')) return 'Only one of stateShard and stateAt is there.';
      const index = stateIndexOf(item);
      const isListed = has(item, 'stateShard');
      if (index === undefined) return isListed ? 'It is listed in a state that it is not in.' : undefined;
      // An erasure removes an uncertain send from the list.
      if (!isListed) return has(item, 'erasedAt') ? undefined : 'It is missing in the list of its state.';
      const [shard, at] = index;
      return matches(item.stateShard, shard) && item.stateAt === at ? undefined : 'stateShard or stateAt is wrong.';
    },
  },
  {
    name: 'consent-is-whole',
    statement: 'Each consent is stored with its time and its source.',
    source: 'decisions/weigh-consents-by-origin.md',
    next: 'Record the consent again; while a time has no source, sends to this contact fail.',
    kinds: ['consent'],
    faultIn(item) {
      const broken = CONSENT_REGISTERS.filter(({ at, source, recordedAt }) => {
        const names = [at, source, recordedAt].filter((name) => has(item, name));
        // Without the time of the record, which older items do not have, the time of the consent counts.
        return names.length > 0 && [at, source].some((name) => textOf(item, name) === undefined);
      });
      return broken.length === 0 ? undefined : `${listNames(broken.map(({ at }) => at))} is stored only in part.`;
    },
  },
  {
    name: 'message-has-its-parts',
    statement: 'A message has its event or its call, its contact, and its time; otherwise, it has only statuses.',
    source: 'decisions/record-a-status-before-its-message.md',
    next: 'Report the item as a defect.',
    kinds: ['message', 'echo'],
    faultIn(item) {
      const missing = partsOf(item).filter((name) => !has(item, name));
      if (missing.length > 0) return `${listNames(missing)} is missing.`;
      const isSent = item.direction === 'outbound';
      return isSent === has(item, 'requestId')
        ? undefined
        : isSent
          ? 'It was sent for no request.'
          : 'It has a request, but was not sent.';
    },
  },
  {
    name: 'erased-item-keeps-nothing',
    statement: 'Of an erased send or entry of the audit trail, nothing is kept that identifies the contact.',
    source: 'decisions/erase-under-every-name-of-a-user.md',
    next: 'Erase the contact again.',
    kinds: ['send', 'audit'],
    faultIn(item) {
      if (!has(item, 'erasedAt')) return undefined;
      const erased = kindOf(item) === 'audit' ? AUDIT_ERASED : SEND_ERASED;
      const left = [...erased.filter((name) => has(item, name)), ...(textOf(item, 'body') ? ['body'] : [])];
      return left.length === 0 ? undefined : `${listNames(left)} is still there.`;
    },
  },
  {
    name: 'erasure-ends',
    statement: 'An erasure is done within a day, and then has its end and its counts.',
    source: 'decisions/erase-in-turns-through-a-queue.md',
    next: 'Look for the erasure with parley dead-letters list erasures, redrive it, or erase the contact again.',
    kinds: ['erasure'],
    faultIn(item, { now }) {
      const [requested, finished] = [timeOf(item, 'requestedAt'), timeOf(item, 'finishedAt')];
      if (requested === undefined) return 'It has no time.';
      if (item.state === 'running') {
        const isLate = Date.parse(now) - requested > ERASURE_MS;
        return isLate ? `It has been running since ${describeTime(item, 'requestedAt')}.` : undefined;
      }
      if (item.state !== 'done' || finished === undefined) return 'It is neither running nor done.';
      return finished + CLOCK_SKEW_MS < requested ? 'It was done before it was requested.' : undefined;
    },
  },
  {
    name: 'circuit-breaker-is-whole',
    statement: 'An open circuit breaker has its reason and its next probe, which is no earlier than its opening.',
    source: 'decisions/stop-calling-while-the-account-is-on-hold.md',
    next: 'Run parley doctor to see the circuit breaker, and report the item as a defect.',
    kinds: ['account'],
    faultIn(item) {
      if (item.circuit === 'closed') return has(item, 'closedAt') ? undefined : 'closedAt is missing.';
      const missing = ['reason', 'openedAt', 'nextProbeAt'].filter((name) => !has(item, name));
      if (item.circuit !== 'open') return 'It is neither open nor closed.';
      if (missing.length > 0) return `It is open without ${listNames(missing)}.`;
      return String(item.nextProbeAt) < String(item.openedAt) ? 'Its next probe is before its opening.' : undefined;
    },
  },
];

const DAY_MS = 24 * 60 * 60 * 1000;
const ERASURE_MS = DAY_MS;

const AUDIT_ERASED = ['contact', 'contactSort', 'source', 'note'];
/** A status, or an operator who finds the message, can still add the outcome of the last call. */
const SEND_ERASED = ['contact', 'contactSort', 'createdAt', 'call', 'decision'];

const STATUS_PARTS = ['statusBodies', 'sentAt', 'deliveredAt', 'readAt', 'failedAt'];

/** Returns the attributes that a message must have. */
const partsOf = (item: StoredItem): readonly string[] => {
  if (kindOf(item) === 'echo') return ['direction', 'createdAt', 'body'];
  if (item.direction === 'outbound') return ['requestId', 'call', 'createdAt', 'contact'];
  if (item.direction !== undefined || has(item, 'createdAt') || has(item, 'body')) {
    return ['direction', 'body', 'createdAt', 'contact'];
  }
  return STATUS_PARTS.some((name) => has(item, name)) ? [] : ['statusBodies'];
};
