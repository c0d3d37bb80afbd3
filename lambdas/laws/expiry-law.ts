import { WINDOW_MS } from '../domain/window.ts';
import type { ItemLaw } from './law.ts';
import { EXPIRING } from './record-change-laws.ts';
import { CONSENTS, has, ITEM_KINDS, kindOf, type StoredItem, timeOf } from './stored-item.ts';

const DAY_SECONDS = 24 * 60 * 60;

/**
 * The times from which the retention of each kind of item can start. For a send, it starts at the latest decision that
 * wrote its request.
 */
const KEPT_FROM = {
  contact: ['lastInboundAt', 'linkedAt'],
  check: ['checkedAt'],
  handover: ['handoverAt', 'handbackAt', 'operatorWroteAt'],
  turn: ['addedAt'],
  message: ['createdAt'],
  echo: ['createdAt'],
  version: ['createdAt'],
  unknown: ['firstSeenAt'],
  audit: ['at'],
  send: ['claimedAt', 'queuedAt', 'sendAt', 'waitingAt', 'refusedAt', 'expiredAt'],
} as const;

const keptFrom = (item: StoredItem): readonly string[] => {
  const kind = kindOf(item);
  return Object.entries(KEPT_FROM).find(([name]) => name === kind)?.[1] ?? [];
};

/** The setting may have changed since, but it is always a whole number of days. */
const isWholeDays = (seconds: number): boolean => seconds >= DAY_SECONDS && seconds % DAY_SECONDS === 0;

export const EXPIRY_LAW = {
  name: 'expiry-follows-retention',
  statement:
    'An item with personal data expires a whole number of days after its time, as the retention settings specify. ' +
    'Consents, customers that opted out, customer IDs that many users share, circuit breakers, erasures, and dead letters ' +
    'do not expire.',
  source: 'decisions/give-each-expiry-its-own-item.md',
  next: 'Report the item as a defect. It may be kept for too long, or not long enough.',
  kinds: ITEM_KINDS,
  faultIn(item) {
    const kind = kindOf(item);
    if (kind === undefined) return undefined;
    const { expiresAt } = item;
    if (!EXPIRING.includes(kind)) return has(item, 'expiresAt') ? 'It has an expiry.' : undefined;
    if (kind === 'customer' && (has(item, 'isShared') || CONSENTS.some(({ at }) => has(item, at)))) {
      return has(item, 'expiresAt') ? 'It has opt-outs, or is shared, and has an expiry.' : undefined;
    }
    if (typeof expiresAt !== 'number') return 'It has no expiry.';
    if (kind === 'denial') {
      const at = timeOf(item, 'windowDeniedAt');
      const isRight = at !== undefined && expiresAt === Math.ceil((at + WINDOW_MS) / 1000);
      return isRight ? undefined : 'It does not expire with the window that it denies.';
    }
    const times = keptFrom(item).flatMap((name) => timeOf(item, name) ?? []);
    // The retention of a send that has only failed, or of a message with only statuses, starts at the first of them.
    if (times.length === 0) return undefined;
    const isRight = times.some((time) => isWholeDays(expiresAt - Math.floor(time / 1000)));
    return isRight ? undefined : 'It does not expire a whole number of days after its time.';
  },
} as const satisfies ItemLaw;
