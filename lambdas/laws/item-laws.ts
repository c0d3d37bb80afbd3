import { indexFaultIn } from './index-fault.ts';
import type { ItemLaw } from './law.ts';
import {
  CONSENTS,
  describeTime,
  has,
  ITEM_KINDS,
  kindOf,
  listNames,
  membersOf,
  type StoredItem,
  textOf,
  timeOf,
} from './stored-item.ts';

/** The clocks of functions can differ, and so can the clock of the machine that runs the audit. */
export const CLOCK_SKEW_MS = 60_000;
const AUDITOR_SKEW_MS = 15 * 60_000;

/** Whether an attribute is a time. `expiresAt` is a number, and `consentAt` is stored as the caller sent it. */
const isTimeName = (name: string): boolean =>
  /^(leaseUntil|operatorUntil|failingSince|since|at)$|[a-z]At$/.test(name) &&
  !['expiresAt', 'consentAt', 'stateAt'].includes(name);

/** Times that can be in the future. */
const AHEAD = ['sendAt', 'nextProbeAt', 'leaseUntil', 'operatorUntil'];

const timeNames = (item: StoredItem): readonly string[] => Object.keys(item).filter(isTimeName);

export const ITEM_LAWS = [
  {
    name: 'item-is-known',
    statement: 'Every item in the table is of a kind that Parley writes.',
    source: 'architecture.md',
    next: 'Find out what else writes to the table. Erasures do not find this item.',
    // Applies to items of unknown kind; see applies in check-laws.ts.
    kinds: ITEM_KINDS,
    faultIn: (item) => (kindOf(item) === undefined ? 'Parley writes no item with this key.' : undefined),
  },
  {
    name: 'times-are-valid',
    statement: 'Every time is stored in UTC with milliseconds, so that times sort as strings.',
    source: 'architecture.md',
    next: 'Report the item as a defect.',
    kinds: ITEM_KINDS,
    faultIn(item) {
      const unreadable = timeNames(item).filter((name) => timeOf(item, name) === undefined);
      return unreadable.length === 0 ? undefined : `Not a valid time: ${listNames(unreadable)}.`;
    },
  },
  {
    name: 'no-time-in-the-future',
    statement: 'No event, decision, or outcome has a time in the future, which could keep a window open for too long.',
    source: 'decisions/use-the-time-in-the-event.md',
    next: 'Check the clock of this machine. If it is correct, report the item as a defect.',
    kinds: ITEM_KINDS,
    faultIn(item, { now }) {
      const latest = Date.parse(now) + AUDITOR_SKEW_MS;
      const ahead = timeNames(item).filter((name) => !AHEAD.includes(name) && (timeOf(item, name) ?? 0) > latest);
      return ahead.length === 0 ? undefined : `Later than ${now}: ${listNames(ahead)}.`;
    },
  },
  {
    name: 'index-keys-match',
    statement: 'The index keys of an item match its other attributes, so that erasures and lists find the item.',
    source: 'decisions/create-all-indexes-at-once.md',
    next: 'Report the item as a defect. Until it is fixed, an erasure may miss it.',
    kinds: ITEM_KINDS,
    faultIn: indexFaultIn,
  },
  {
    name: 'consent-is-complete',
    statement: 'Each consent is stored with its time and its source.',
    source: 'decisions/weigh-consents-by-origin.md',
    next: 'Record the consent again. While a time has no source, sends to this contact fail.',
    kinds: ['consent'],
    faultIn(item) {
      const broken = CONSENTS.filter(({ at, source, recordedAt }) => {
        const names = [at, source, recordedAt].filter((name) => has(item, name));
        // A consent without `recordedAt`, which only another system can have written, is valid. Erasures treat it as
        // recorded before them.
        return names.length > 0 && [at, source].some((name) => textOf(item, name) === undefined);
      });
      return broken.length === 0 ? undefined : `Stored only in part: ${listNames(broken.map(({ at }) => at))}.`;
    },
  },
  {
    name: 'turn-ends',
    statement: 'A turn ends within two days and contains its first message.',
    source: 'events.md#turns',
    next:
      'Run parley dead-letters list publishing and redrive the turn. If it is not listed, delete the item, which ' +
      'ends and publishes the turn.',
    kinds: ['turn'],
    faultIn(item, { now }) {
      const startedAt = timeOf(item, 'startedAt');
      if (startedAt === undefined) return 'It has no start time.';
      if (!membersOf(item, 'messageIds').has(item.firstMessageId)) return 'Its first message is missing.';
      return Date.parse(now) - startedAt > TURN_MS
        ? `It has been open since ${describeTime(item, 'startedAt')}.`
        : undefined;
    },
  },
  {
    name: 'message-is-complete',
    statement:
      'A message has its event or its call, its contact, and its time, unless only its statuses have arrived or it was ' +
      'erased. An earlier version has its event and its times.',
    source: 'decisions/store-events-in-any-order.md',
    next: 'Report the item as a defect.',
    kinds: ['message', 'echo', 'version'],
    faultIn(item) {
      const missing = partsOf(item).filter((name) => !has(item, name));
      if (missing.length > 0) return `Missing: ${listNames(missing)}.`;
      if (kindOf(item) === 'version') return undefined;
      const isSent = item.direction === 'outbound';
      return isSent === has(item, 'requestId')
        ? undefined
        : isSent
          ? 'It was sent, but has no request.'
          : 'It has a request, but was not sent.';
    },
  },
  {
    name: 'erased-item-has-no-personal-data',
    statement: 'An erased send, message, or audit trail entry keeps nothing that identifies the contact.',
    source: 'decisions/erase-under-every-name-of-a-user.md',
    next: 'Erase the contact again.',
    kinds: ['send', 'message', 'audit'],
    faultIn(item) {
      if (!has(item, 'erasedAt')) return undefined;
      const kind = kindOf(item);
      // Statuses that arrive after the erasure of their message are stored as those of a new contact.
      const isMessage = kind === 'message';
      const erased = isMessage ? MESSAGE_ERASED : kind === 'audit' ? AUDIT_ERASED : SEND_ERASED;
      const hasBody = !isMessage && textOf(item, 'body');
      const left = [...erased.filter((name) => has(item, name)), ...(hasBody ? ['body'] : [])];
      return left.length === 0 ? undefined : `Still present: ${listNames(left)}.`;
    },
  },
  {
    name: 'erasure-ends',
    statement: 'An erasure finishes within a day, and then has its end time.',
    source: 'decisions/erase-in-passes-through-a-queue.md',
    next: 'Run parley dead-letters list erasures and redrive the erasure, or erase the contact again.',
    kinds: ['erasure'],
    faultIn(item, { now }) {
      const [requested, finished] = [timeOf(item, 'requestedAt'), timeOf(item, 'finishedAt')];
      if (requested === undefined) return 'It has no start time.';
      if (item.state === 'running') {
        const isLate = Date.parse(now) - requested > ERASURE_MS;
        return isLate ? `It has been running since ${describeTime(item, 'requestedAt')}.` : undefined;
      }
      if (item.state !== 'done' || finished === undefined) return 'It is neither running nor done.';
      return finished + CLOCK_SKEW_MS < requested ? 'It finished before it was requested.' : undefined;
    },
  },
  {
    name: 'circuit-breaker-is-complete',
    statement: 'An open circuit breaker has a reason and a next probe, which is not before it opened.',
    source: 'decisions/stop-calling-while-the-account-is-on-hold.md',
    next: 'Run parley doctor to see the circuit breaker, and report the item as a defect.',
    kinds: ['account'],
    faultIn(item) {
      // An operator stopped or resumed sending before the circuit breaker opened for the first time.
      const isUnopened = item.circuit === undefined && !has(item, 'openedAt');
      if (isUnopened && (has(item, 'stoppedAt') || has(item, 'resumedAt'))) return undefined;
      if (item.circuit === 'closed') return has(item, 'closedAt') ? undefined : 'closedAt is missing.';
      const missing = ['reason', 'openedAt', 'nextProbeAt'].filter((name) => !has(item, name));
      if (item.circuit !== 'open') return 'It is neither open nor closed.';
      if (missing.length > 0) return `It is open without ${listNames(missing)}.`;
      return String(item.nextProbeAt) < String(item.openedAt) ? 'Its next probe is before it opened.' : undefined;
    },
  },
  {
    name: 'stop-is-complete',
    statement: 'A stop of sending has a note, and a resumption removes both.',
    source: 'decisions/stop-sending-for-the-stage.md',
    next: 'Run parley sending status to see whether sending is stopped, and report the item as a defect.',
    kinds: ['account'],
    faultIn(item) {
      if (has(item, 'stoppedAt') && has(item, 'resumedAt')) return 'It is both stopped and resumed.';
      return has(item, 'stoppedAt') === has(item, 'stopNote') ? undefined : 'It has only one of a stop and its note.';
    },
  },
] as const satisfies readonly ItemLaw[];

const DAY_MS = 24 * 60 * 60 * 1000;
/** A user can keep a turn open for a little more than a day, with 100 messages that are 15 minutes apart. */
const TURN_MS = 2 * DAY_MS;
const ERASURE_MS = DAY_MS;

const MESSAGE_ERASED = ['requestId', 'customerId', 'call'];
/** What an erasure removes from an audit trail entry. */
export const AUDIT_ERASED = ['contact', 'contactSort', 'platformContactId', 'source', 'note', 'customerId'];
/** Not `outcome`: a status, or an operator who finds the message, can still add it. */
const SEND_ERASED = [
  'contact',
  'contactSort',
  'createdAt',
  'traceparent',
  'call',
  'unknownCall',
  'decision',
  'outcomeDetails',
];

const STATUS_PARTS = ['statusBodies', 'sentAt', 'deliveredAt', 'readAt', 'answeredAt', 'failedAt'];

/** Returns the attributes that a message must have. */
const partsOf = (item: StoredItem): readonly string[] => {
  if (kindOf(item) === 'version') return ['direction', 'createdAt', 'modifiedAt', 'body'];
  // An echo, or an event that Parley does not know, may name no user.
  if (kindOf(item) === 'echo' || item.direction === 'unknown') return ['direction', 'createdAt', 'body'];
  if (item.direction === 'outbound') return ['requestId', 'call', 'createdAt', 'contact'];
  if (item.direction !== undefined || has(item, 'createdAt') || has(item, 'body')) {
    return ['direction', 'body', 'createdAt', 'contact'];
  }
  // An erased message keeps a mark, so that no function stores it again.
  return has(item, 'erasedAt') || STATUS_PARTS.some((name) => has(item, name)) ? [] : ['statusBodies'];
};
