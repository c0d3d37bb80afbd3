import type { Change, ChangeLaw } from './law.ts';
import {
  changedNames,
  describeMove,
  describeTime,
  has,
  includesAll,
  listNames,
  membersOf,
  type StoredItem,
  textOf,
} from './stored-item.ts';

const STATUS_TIMES = ['sentAt', 'deliveredAt', 'readAt', 'answeredAt', 'failedAt'] as const;
const COLLECTED = ['statusBodies', 'otherStatuses'] as const;
/** The attributes that the event or the send behind an item has written. */
const VERSION = ['direction', 'contact', 'createdAt', 'createdAtSource', 'body', 'isFromStatus', 'isImported'] as const;

const NEXT = 'Compare the message with the chat service, and report the change as a defect.';

/** Whether an event may replace the stored one: it is earlier, or the stored one is only a status or imported. */
const mayReplace = (before: StoredItem, after: StoredItem): boolean => {
  if (has(after, 'requestId')) return true;
  if (has(before, 'isFromStatus') && !has(after, 'isFromStatus')) return true;
  // An event that was delivered, and the same from the service's history.
  if (has(before, 'isImported') !== has(after, 'isImported')) return has(before, 'isImported');
  const [old = '', recent = ''] = [textOf(before, 'createdAt'), textOf(after, 'createdAt')];
  return recent < old || (recent === old && String(after.body) < String(before.body));
};

/** The attributes of an erased message. */
const MARK = ['pk', 'sk', 'erasedAt', 'expiresAt'];

const isErasure = ({ after }: Change): boolean =>
  has(after, 'erasedAt') && Object.keys(after ?? {}).every((name) => MARK.includes(name));

const LAWS_UNTIL_ERASURE = [
  {
    name: 'earliest-status-wins',
    statement: 'The time of a status is set once. Only an earlier report of the same status replaces it.',
    source: 'decisions/store-events-in-any-order.md',
    next: NEXT,
    kinds: ['message'],
    faultIn({ before, after }) {
      if (!before || !after) return undefined;
      const wrong = STATUS_TIMES.filter((name) => {
        const time = textOf(before, name);
        return time !== undefined && !(String(after[name] ?? '~') <= time);
      });
      if (wrong.length === 0) return undefined;
      return `${wrong.map((name) => describeMove(name, before, after)).join('; ')}.`;
    },
  },
  {
    name: 'status-events-are-kept',
    statement: 'A message keeps all of its status events.',
    source: 'decisions/store-events-in-any-order.md',
    next: NEXT,
    kinds: ['message'],
    faultIn({ before, after }) {
      if (!before || !after) return undefined;
      const lost = COLLECTED.filter((name) => !includesAll(membersOf(after, name), membersOf(before, name)));
      return lost.length === 0 ? undefined : `Lost a member: ${listNames(lost)}.`;
    },
  },
  {
    name: 'earliest-version-wins',
    statement:
      'An event replaces the stored version of its message only if it is earlier, or if that version is only a status ' +
      'or imported.',
    source: 'decisions/use-the-time-in-the-event.md',
    next: NEXT,
    kinds: ['message', 'echo'],
    faultIn({ before, after }) {
      if (!before || !after || !has(before, 'createdAt')) return undefined;
      const replaced = changedNames(before, after).filter((name) => VERSION.some((each) => each === name));
      if (replaced.length === 0 || mayReplace(before, after)) return undefined;
      return `The new version, of ${describeTime(after, 'createdAt')}, is not earlier. Changed: ${listNames(replaced)}.`;
    },
  },
  {
    name: 'message-keeps-its-request',
    statement: 'A message that Parley sent always belongs to the same request.',
    source: 'decisions/claim-a-send-before-the-call.md',
    next: "Look for two sends with this message ID, and for both messages in the chat service's console.",
    kinds: ['message'],
    faultIn({ before, after }) {
      if (!before || !after || !has(before, 'requestId') || before.requestId === after.requestId) return undefined;
      return has(after, 'requestId') ? 'It now belongs to another request.' : 'It lost its request ID.';
    },
  },
  {
    name: 'message-keeps-its-trace',
    statement:
      'A message keeps its trace. Only an earlier version of the message replaces it, or the message itself after its ' +
      'statuses.',
    source: 'decisions/carry-the-trace-in-the-items.md',
    next: NEXT,
    kinds: ['message', 'echo'],
    faultIn({ before, after }) {
      if (!before || !after || !has(before, 'traceparent') || before.traceparent === after.traceparent)
        return undefined;
      const isReplaceable = !has(before, 'requestId') && (!has(before, 'createdAt') || mayReplace(before, after));
      return isReplaceable ? undefined : 'It now belongs to another trace.';
    },
  },
  {
    name: 'message-keeps-its-contact',
    statement: 'A message that is stored under a contact is never detached from it, so that an erasure finds it.',
    source: 'decisions/erase-under-every-name-of-a-user.md',
    next: 'If the contact was erased, erase it again. Report the change as a defect.',
    kinds: ['message'],
    faultIn({ before, after }) {
      if (!before || !after) return undefined;
      const wasNamed = textOf(before, 'contact')?.startsWith('CONTACT#') === true;
      const isNamed = textOf(after, 'contact')?.startsWith('CONTACT#') === true;
      return wasNamed && !isNamed ? 'The message is no longer stored under its contact.' : undefined;
    },
  },
] as const satisfies readonly ChangeLaw[];

/** These laws hold for every write except the one that empties an erased message. */
export const MESSAGE_CHANGE_LAWS = LAWS_UNTIL_ERASURE.map((law) => ({
  ...law,
  faultIn: (change: Change) => (isErasure(change) ? undefined : law.faultIn(change)),
}));
