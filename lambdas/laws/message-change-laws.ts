import { createHash } from 'node:crypto';
import type { Change, ChangeLaw } from './law.ts';
import {
  changedNames,
  describeMove,
  describeTime,
  has,
  includesAll,
  kindOf,
  listNames,
  membersOf,
  type StoredItem,
  textOf,
} from './stored-item.ts';

const STATUS_TIMES = ['sentAt', 'deliveredAt', 'readAt', 'answeredAt', 'failedAt'] as const;
const COLLECTED = ['statusBodies', 'otherStatuses'] as const;
/** The attributes that the event or the send behind an item has written. */
const CONTENT = ['direction', 'contact', 'body', 'modifiedAt', 'isFromStatus', 'isImported'] as const;
const TIME = ['createdAt', 'createdAtSource'] as const;

const NEXT = 'Compare the message with the chat service, and report the change as a defect.';

/** Whether an event may replace the stored one: that came from a status or an import, or Parley sent the message. */
const mayReplace = (before: StoredItem, after: StoredItem): boolean => {
  if (has(after, 'requestId')) return true;
  if (has(before, 'isFromStatus') && !has(after, 'isFromStatus')) return true;
  // An event that was delivered, and the same from the service's history.
  if (has(before, 'isImported') !== has(after, 'isImported')) return has(before, 'isImported');
  const isVersion = !has(before, 'isFromStatus') && !has(before, 'isImported');
  const [old = '', recent = ''] = [textOf(before, 'createdAt'), textOf(after, 'createdAt')];
  return !isVersion && (recent < old || (recent === old && String(after.body) < String(before.body)));
};

/** Whether an event is a later version of the stored one, or the same. */
const isLaterVersion = (before: StoredItem, after: StoredItem): boolean => {
  const [old = '', recent = ''] = [before, after].map(
    (item) => textOf(item, 'modifiedAt') ?? textOf(item, 'createdAt'),
  );
  return before.body === after.body || recent > old || (recent === old && String(after.body) > String(before.body));
};

/** How a message lists an earlier version. */
const digestOf = (body: unknown): string => createHash('sha256').update(String(body)).digest('base64url').slice(0, 32);

const isAnotherEvent = (before: StoredItem, after: StoredItem): boolean =>
  mayReplace(before, after) || before.body !== after.body || String(after.createdAt) < String(before.createdAt);

const isNoLater = (before: StoredItem, after: StoredItem): boolean =>
  String(after.createdAt) <= String(before.createdAt);

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
    name: 'latest-version-wins',
    statement:
      'A message has the content of its latest version and the time of its earliest one, and keeps all versions. A ' +
      'message from a status or an import is not a version, and is replaced by the delivered message.',
    source: 'decisions/store-events-in-any-order.md',
    next: NEXT,
    kinds: ['message', 'echo', 'version'],
    faultIn({ before, after }) {
      if (!before || !after || !has(before, 'createdAt') || mayReplace(before, after)) return undefined;
      const changed = changedNames(before, after);
      if (kindOf(after) === 'version') return changed.length === 0 ? undefined : `Changed: ${listNames(changed)}.`;
      const content = changed.filter((name) => CONTENT.some((each) => each === name));
      const times = changed.filter((name) => TIME.some((each) => each === name));
      if (content.length > 0 && !isLaterVersion(before, after)) {
        return `The new version, of ${describeTime(after, 'modifiedAt')}, is not later. Changed: ${listNames(content)}.`;
      }
      if (times.length > 0 && !isNoLater(before, after)) return `${describeMove('createdAt', before, after)}.`;
      const isKept = before.body === after.body || membersOf(after, 'versions').has(digestOf(before.body));
      return isKept ? undefined : 'The version that it replaced is not listed.';
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
      'A message keeps its trace. Only a later version of the message replaces it, or the message itself after its ' +
      'statuses.',
    source: 'decisions/carry-the-trace-in-the-items.md',
    next: NEXT,
    kinds: ['message', 'echo'],
    faultIn({ before, after }) {
      if (!before || !after || !has(before, 'traceparent') || before.traceparent === after.traceparent)
        return undefined;
      const isReplaceable = !has(before, 'requestId') && (!has(before, 'createdAt') || isAnotherEvent(before, after));
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
