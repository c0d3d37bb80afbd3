import type { ChangeLaw } from './law.ts';
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

const STATUS_TIMES = ['sentAt', 'deliveredAt', 'readAt', 'failedAt'] as const;
const COLLECTED = ['statusBodies', 'otherStatuses'] as const;
/** What the event or the send that an item shows has written. */
const VERSION = ['direction', 'contact', 'createdAt', 'createdAtSource', 'body', 'isFromStatus'] as const;

const NEXT = 'Compare the message with the chat service, and report the change as a defect.';

/** Whether an event may replace the one that is stored: an earlier one, or one that is more than a status. */
const mayReplace = (before: StoredItem, after: StoredItem): boolean => {
  if (has(after, 'requestId')) return true;
  if (has(before, 'isFromStatus') && !has(after, 'isFromStatus')) return true;
  const [old = '', recent = ''] = [textOf(before, 'createdAt'), textOf(after, 'createdAt')];
  return recent < old || (recent === old && String(after.body) < String(before.body));
};

export const MESSAGE_CHANGE_LAWS: readonly ChangeLaw[] = [
  {
    name: 'earliest-status-counts',
    statement: 'The time of a status is set once, and only an earlier report of the same status replaces it.',
    source: 'decisions/keep-the-earliest-time-of-each-status.md',
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
    name: 'status-events-stay',
    statement: 'Every status event of a message stays with the message.',
    source: 'decisions/record-a-status-before-its-message.md',
    next: NEXT,
    kinds: ['message'],
    faultIn({ before, after }) {
      if (!before || !after) return undefined;
      const lost = COLLECTED.filter((name) => !includesAll(membersOf(after, name), membersOf(before, name)));
      return lost.length === 0 ? undefined : `${listNames(lost)} lost a member.`;
    },
  },
  {
    name: 'earliest-version-counts',
    statement: 'An event replaces the stored version of its message only if it is earlier, or more than a status.',
    source: 'decisions/use-the-time-in-the-event.md',
    next: NEXT,
    kinds: ['message', 'echo'],
    faultIn({ before, after }) {
      if (!before || !after || !has(before, 'createdAt')) return undefined;
      const replaced = changedNames(before, after).filter((name) => VERSION.some((each) => each === name));
      if (replaced.length === 0 || mayReplace(before, after)) return undefined;
      return `${listNames(replaced)} changed, but the new version, of ${describeTime(after, 'createdAt')}, is no earlier.`;
    },
  },
  {
    name: 'message-keeps-its-request',
    statement: 'A message that Parley sent stays the message of its request.',
    source: 'decisions/claim-a-send-before-the-call.md',
    next: "Look for two sends with this message ID, and for both messages in the chat service's console.",
    kinds: ['message'],
    faultIn({ before, after }) {
      if (!before || !after || !has(before, 'requestId') || before.requestId === after.requestId) return undefined;
      return has(after, 'requestId') ? 'It became the message of another request.' : 'It names its request no longer.';
    },
  },
  {
    name: 'message-keeps-its-contact',
    statement: 'A message that is stored under a contact stays under one, so that an erasure finds it.',
    source: 'decisions/erase-under-every-name-of-a-user.md',
    next: 'Erase the contact again if it was erased, and report the change as a defect.',
    kinds: ['message'],
    faultIn({ before, after }) {
      if (!before || !after) return undefined;
      const wasNamed = textOf(before, 'contact')?.startsWith('CONTACT#') === true;
      const isNamed = textOf(after, 'contact')?.startsWith('CONTACT#') === true;
      return wasNamed && !isNamed ? 'The message is no longer stored under its contact.' : undefined;
    },
  },
];
