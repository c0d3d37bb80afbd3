import type { ReferenceLaw } from './law.ts';
import { countOf, has, type ItemKey, idOf, keyOf, kindOf, membersOf, textOf, timeOf } from './stored-item.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** More parts than any dead letter has. Limits the reads for a damaged item. */
const MAX_PARTS = 100;

const messageKey = (id: string): ItemKey => ({ pk: `MESSAGE#${id}`, sk: 'MESSAGE' });

/** Matches the business number in a contact's key, unless the contact applies to all numbers. */
const NUMBER = /^CONTACT#[^#]*#(?!\*#)[^#]*#/;

const numberOf = (name: unknown): string | undefined => NUMBER.exec(String(name))?.[0];

export const REFERENCE_LAWS = [
  {
    name: 'accepted-send-has-its-message',
    statement: 'An accepted send whose message ID is known has its message, until the message expires or is erased.',
    source: 'decisions/claim-a-send-before-the-call.md',
    next: "Run parley status with the request ID, and look for the message in the chat service's console.",
    kinds: ['send'],
    // An erasure deletes all messages of a contact before it empties the sends, in many passes if there are many.
    isBrokenByErasure: true,
    keysFor(item, { now, graceMs, messageDays }) {
      const [id, claimedAt, acceptedAt] = [
        textOf(item, 'messageId'),
        timeOf(item, 'claimedAt'),
        timeOf(item, 'acceptedAt'),
      ];
      const isAccepted = item.state === 'accepted' || item.state === 'failed';
      if (!isAccepted || has(item, 'erasedAt') || !id || claimedAt === undefined) return [];
      const nowMs = Date.parse(now);
      // If a status confirmed the send, acceptedAt is the time of that event, which can be before the claim.
      const isRecent = Math.max(claimedAt, acceptedAt ?? 0) + graceMs > nowMs;
      const mayHaveExpired = claimedAt + messageDays * DAY_MS <= nowMs;
      return isRecent || mayHaveExpired ? [] : [messageKey(id)];
    },
    faultIn(item, [message]) {
      if (message === undefined) return 'Its message is missing.';
      if (message.requestId === idOf(item)) return undefined;
      return has(message, 'requestId') ? 'Its message belongs to another request.' : 'Its message has no request ID.';
    },
  },
  {
    name: 'listed-version-is-stored',
    statement: 'Every earlier version that a message lists is stored, until the message expires or is erased.',
    source: 'decisions/store-events-in-any-order.md',
    next: 'Report the item as a defect.',
    kinds: ['message', 'echo'],
    isBrokenByErasure: true,
    // Versions expire from their own times on.
    keysFor(item, { now, messageDays }) {
      const createdAt = timeOf(item, 'createdAt');
      if (createdAt === undefined || createdAt + messageDays * DAY_MS <= Date.parse(now)) return [];
      return [...membersOf(item, 'versions')].map((digest) => ({ pk: keyOf(item).pk, sk: `VERSION#${digest}` }));
    },
    faultIn(_item, versions) {
      const missing = versions.filter((version) => version === undefined).length;
      return missing === 0 ? undefined : `Missing versions: ${missing}.`;
    },
  },
  {
    name: 'erased-send-has-no-message',
    statement: 'Every message that was ever recorded for an erased send is erased as well.',
    source: 'decisions/erase-under-every-name-of-a-user.md',
    next: 'Erase the contact again.',
    kinds: ['send'],
    keysFor(item, { now, graceMs }) {
      const erasedAt = timeOf(item, 'erasedAt');
      if (erasedAt === undefined || erasedAt + graceMs > Date.parse(now)) return [];
      const ids = new Set([item.messageId, ...membersOf(item, 'messageIds')]);
      return [...ids].flatMap((id) => (typeof id === 'string' ? [messageKey(id)] : []));
    },
    faultIn: (item, messages) =>
      messages.some((message) => message?.requestId === idOf(item))
        ? 'One of its messages is still stored.'
        : undefined,
  },
  {
    name: 'dead-letter-is-complete',
    statement:
      'A dead letter in the table has all parts of its body and its contacts, and no part exists without its dead letter.',
    source: 'decisions/keep-dead-letters-in-the-table.md',
    next: 'Delete the dead letter. If only parts are left, erase their contact or delete the items.',
    kinds: ['dead-letter', 'dead-letter-part', 'dead-letter-contact'],
    isBrokenByErasure: true,
    keysFor(item) {
      const { pk } = keyOf(item);
      if (kindOf(item) !== 'dead-letter') return [{ pk, sk: 'DEADLETTER' }];
      const numbered = (prefix: string, name: string) =>
        Array.from({ length: Math.min(countOf(item, name), MAX_PARTS) }, (_, index) => ({
          pk,
          sk: `${prefix}#${index}`,
        }));
      return [...numbered('PART', 'parts'), ...numbered('CONTACT', 'contacts')];
    },
    faultIn(item, related) {
      const missing = related.filter((each) => each === undefined).length;
      if (missing === 0) return undefined;
      return kindOf(item) === 'dead-letter' ? `Missing parts: ${missing}.` : 'Its dead letter is missing.';
    },
  },
  {
    name: 'business-number-is-registered',
    statement: 'Every business number that has contacts is registered, so that erasures include it.',
    source: 'decisions/erase-under-every-name-of-a-user.md',
    next: 'Report the item as a defect. Until the number is registered, erasures miss its contacts.',
    kinds: ['contact', 'consent', 'check', 'denial', 'handover', 'turn', 'message', 'echo', 'version', 'send'],
    keysFor: (item) =>
      (numberOf(item.pk) ?? numberOf(item.contact)) === undefined ? [] : [{ pk: 'CHANNELS', sk: 'CHANNELS' }],
    faultIn(item, [channels]) {
      const number = numberOf(item.pk) ?? numberOf(item.contact);
      return membersOf(channels, 'channels').has(number) ? undefined : 'Its business number is not registered.';
    },
  },
] as const satisfies readonly ReferenceLaw[];
