import { AUDIT_ERASED } from './item-laws.ts';
import type { ChangeLaw } from './law.ts';
import {
  changedNames,
  countOf,
  has,
  ITEM_KINDS,
  type ItemKind,
  includesAll,
  kindOf,
  listNames,
  membersOf,
  type StoredItem,
  textOf,
} from './stored-item.ts';

const DEFECT = 'Report the change as a defect.';

/** The kinds of items that DynamoDB removes once they have expired. */
export const EXPIRING: readonly ItemKind[] = [
  'contact',
  'check',
  'denial',
  'handover',
  'turn',
  'customer',
  'message',
  'echo',
  'version',
  'unknown',
  'send',
  'transaction',
  'audit',
  'channel-day',
];

/** The kinds of items that an erasure or an operator deletes. */
const DELETED: readonly ItemKind[] = [
  'contact',
  'consent',
  'check',
  'denial',
  'handover',
  'turn',
  'customer',
  'message',
  'echo',
  'version',
  'dead-letter',
  'dead-letter-part',
  'dead-letter-contact',
];

const COUNTS = ['messages', 'sends', 'deadLetters'] as const;

/** The attributes of the account's item that a stop or a resumption writes, besides the account's name. */
const STOP = ['stoppedAt', 'stopNote', 'resumedAt', 'platform', 'channel'];

/** The time of the latest stop or resumption; empty before the first. A later one is a later string. */
const actTimeOf = (item: StoredItem | undefined): string =>
  textOf(item, 'stoppedAt') ?? textOf(item, 'resumedAt') ?? '';

/** Returns why no transition of the circuit breaker leads from one image to the other. */
const circuitFault = (before: StoredItem | undefined, after: StoredItem): string | undefined => {
  const wasOpen = before?.circuit === 'open';
  if (after.circuit === 'closed') {
    if (!wasOpen) return 'It closed without being open';
    return has(before, 'probeId') ? undefined : 'It closed without a probe';
  }
  if (!wasOpen) return openingFault(before, after);
  const probes = countOf(after, 'probes') - countOf(before, 'probes');
  const failed = countOf(after, 'failedSends') - countOf(before, 'failedSends');
  if (before?.openedAt !== after.openedAt) return 'openedAt changed while it was open';
  // A probe starts, or replaces one whose lease has expired.
  if (probes === 1 && failed === 0 && has(after, 'probeId')) {
    return String(after.nextProbeAt) > String(before?.nextProbeAt) ? undefined : 'A probe started before it was due';
  }
  // An operator asks for the next probe.
  const isDueEarlier = String(after.nextProbeAt) < String(before?.nextProbeAt);
  if (probes === 0 && failed === 0 && isDueEarlier && !has(before, 'probeId') && !has(after, 'probeId')) {
    return undefined;
  }
  // A probe ends.
  if (probes === 0 && (failed === 0 || failed === 1) && has(before, 'probeId') && !has(after, 'probeId')) {
    return undefined;
  }
  return `probes changed by ${probes} and failedSends by ${failed} in one write`;
};

const openingFault = (before: StoredItem | undefined, after: StoredItem): string | undefined => {
  if (countOf(after, 'probes') !== 0 || countOf(after, 'failedSends') !== 0 || has(after, 'probeId')) {
    return 'It opened with the probes of an earlier outage';
  }
  if (has(after, 'sendFailedAt')) return 'It opened with the failed request of an earlier outage';
  const closedAt = textOf(before, 'closedAt');
  return closedAt !== undefined && String(after.openedAt) <= closedAt ? 'It opened before it had closed' : undefined;
};

export const RECORD_CHANGE_LAWS = [
  {
    name: 'circuit-breaker-follows-its-transitions',
    statement:
      'The circuit breaker opens only when it is closed, makes one probe at a time, and closes only after a probe.',
    source: 'decisions/stop-calling-while-the-account-is-on-hold.md',
    next: 'Run parley doctor to see the circuit breaker, and report the change as a defect.',
    kinds: ['account'],
    faultIn({ before, after }) {
      const changed = changedNames(before, after).filter((name) => name !== 'pk' && name !== 'sk');
      if (!after || changed.length === 0) return undefined;
      if (changed.every((name) => STOP.includes(name))) return undefined;
      const fault = circuitFault(before, after);
      return fault && `${fault}.`;
    },
  },
  {
    name: 'latest-stop-counts',
    statement: 'A stop or a resumption of sending never replaces a later one.',
    source: 'decisions/stop-sending-for-the-stage.md',
    next: 'Run parley sending status to see whether sending is stopped, and report the change as a defect.',
    kinds: ['account'],
    faultIn({ before, after }) {
      if (!after) return undefined;
      const [earlier, later] = [actTimeOf(before), actTimeOf(after)];
      return later < earlier ? 'An earlier stop or resumption replaced a later one.' : undefined;
    },
  },
  {
    name: 'erasure-moves-forward',
    statement: 'An erasure counts each pass once, its counts never decrease, and it does not change after it is done.',
    source: 'decisions/erase-in-passes-through-a-queue.md',
    next: 'Erase the contact again, and report the change as a defect.',
    kinds: ['erasure'],
    faultIn({ before, after }) {
      if (!before || !after || changedNames(before, after).length === 0) return undefined;
      if (before.state === 'done') return 'It changed after it was done.';
      if (before.requestedAt !== after.requestedAt) return 'requestedAt changed.';
      if (countOf(after, 'turns') !== countOf(before, 'turns') + 1) {
        return `turns went from ${countOf(before, 'turns')} to ${countOf(after, 'turns')} in one write.`;
      }
      const fallen = COUNTS.filter((name) => countOf(after, name) < countOf(before, name));
      return fallen.length === 0 ? undefined : `Decreased: ${listNames(fallen)}.`;
    },
  },
  {
    name: 'audit-entry-does-not-change',
    statement: 'An audit trail entry never changes, except that an erasure removes what identifies the contact.',
    source: 'operating.md#the-audit-trail',
    next: 'Find out who wrote to the table. Someone may have hidden an action.',
    kinds: ['audit'],
    faultIn({ before, after }) {
      if (!before || !after) return undefined;
      const altered = changedNames(before, after).filter(
        (name) => !(name === 'erasedAt' && !has(before, name)) && !(AUDIT_ERASED.includes(name) && !has(after, name)),
      );
      const isErased = has(after, 'erasedAt') || changedNames(before, after).length === 0;
      return altered.length === 0 && isErased ? undefined : `${listNames(changedNames(before, after))} changed.`;
    },
  },
  {
    name: 'dead-letter-does-not-change',
    statement: 'A dead letter in the table does not change until it is redriven, deleted, or erased.',
    source: 'decisions/keep-dead-letters-in-the-table.md',
    next: DEFECT,
    kinds: ['dead-letter', 'dead-letter-part'],
    faultIn({ before, after }) {
      if (!before || !after) return undefined;
      const altered = changedNames(before, after).filter((name) => ['queue', 'since', 'parts', 'data'].includes(name));
      return altered.length === 0 ? undefined : `${listNames(altered)} changed.`;
    },
  },
  {
    name: 'number-stays-registered',
    statement: 'A registered business number stays registered, so that erasures include it.',
    source: 'decisions/erase-under-every-name-of-a-user.md',
    next: 'Repeat the erasures requested since then, and report the change as a defect.',
    kinds: ['channels'],
    faultIn({ before, after }) {
      if (!before) return undefined;
      const isKept = includesAll(membersOf(after, 'channels'), membersOf(before, 'channels'));
      return isKept ? undefined : 'A registered business number was removed.';
    },
  },
  {
    name: 'channel-keeps-its-days',
    statement:
      "A channel's day never loses a slot (five minutes in which a user wrote), and `firstSeenAt` never moves later.",
    source: 'decisions/judge-silence-by-past-weeks.md',
    next: DEFECT,
    kinds: ['channel', 'channel-day'],
    faultIn({ before, after }) {
      if (!before || !after) return undefined;
      if (!includesAll(membersOf(after, 'slots'), membersOf(before, 'slots'))) return 'It lost a slot.';
      const [was = '', is = ''] = [textOf(before, 'firstSeenAt'), textOf(after, 'firstSeenAt')];
      return was !== '' && (is === '' || is > was) ? 'firstSeenAt became later.' : undefined;
    },
  },
  {
    name: 'item-is-deleted-only-as-documented',
    statement:
      'Only erasures and operators delete items, and never a send or an audit trail entry. An item expires only if it ' +
      'has an expiry.',
    source: 'decisions/give-each-expiry-its-own-item.md',
    next: 'Restore the item from point-in-time recovery, and find out who deleted it.',
    kinds: ITEM_KINDS,
    faultIn({ before, after, isExpiry = false }) {
      const kind = before && kindOf(before);
      if (after !== undefined || kind === undefined) return undefined;
      if (!isExpiry) return DELETED.includes(kind) ? undefined : 'The item was deleted.';
      return EXPIRING.includes(kind) && has(before, 'expiresAt') ? undefined : 'The item expired without an expiry.';
    },
  },
] as const satisfies readonly ChangeLaw[];
