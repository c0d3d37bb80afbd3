import { compare } from './compare.ts';
import type { Instant } from './instant.ts';

export const CONSENT_KINDS = ['opt-in', 'opt-out'] as const;
export type ConsentKind = (typeof CONSENT_KINDS)[number];

/** Who gave or withdrew the consent: the user, in a form, a message, or a call; or a list that a system loads. */
export const CONSENT_ORIGINS = ['user', 'import'] as const;
export type ConsentOrigin = (typeof CONSENT_ORIGINS)[number];

/** An opt-in or opt-out. The latest one of each kind and origin is stored. */
export interface Consent {
  readonly kind: ConsentKind;
  readonly origin: ConsentOrigin;
  /** When the user gave or withdrew it. */
  readonly at: Instant;
  /** Where it was given, such as a form, an email, or a call. */
  readonly source: string;
  /** When Parley recorded it, which decides whether an erasure removes it. @default at */
  readonly recordedAt?: Instant;
  /** The ID of the message that was a keyword. @default none: it was given otherwise */
  readonly messageId?: string;
  /**
   * The time that this message itself states, which is later than `at` if the chat service's clock is ahead. It only
   * orders the user's messages among themselves, because one clock gave it to all of them. A stored opt-out has the
   * latest such time of all opt-outs. @default none
   */
  readonly ownAt?: Instant;
  /** The customer to whom an opt-out at another address belongs. @default none: it was given at this address */
  readonly customerId?: string;
}

/** The origin of a consent whose caller gives none. It never overrides a user's opt-out by mistake. */
export const DEFAULT_ORIGIN: Readonly<Record<ConsentKind, ConsentOrigin>> = { 'opt-in': 'import', 'opt-out': 'user' };

export const CONSENT_STATES = ['opted-in', 'opted-out', 'none'] as const;

/**
 * The effective consent: whether the business may write to the user first, and the opt-in or opt-out that decides it.
 */
export type ConsentVerdict =
  | (Pick<Consent, 'at' | 'origin' | 'source' | 'messageId' | 'customerId'> & {
      readonly state: 'opted-in' | 'opted-out';
    })
  /** Neither an opt-in nor an opt-out is recorded. */
  | { readonly state: 'none' };

/**
 * Returns the effective consent of a contact, regardless of the order of its consents. Only a later opt-in of the user
 * overrides the user's own opt-out; any later opt-in overrides an imported one. An opt-in by keyword overrides an opt-out
 * by keyword only if it is later by their own times too.
 */
export const consentVerdict = (consents: readonly Consent[]): ConsentVerdict => {
  const optOut = latestOf(standingOptOuts(consents));
  if (optOut !== undefined) return describe('opted-out', optOut);
  const optIn = latestOf(optInsIn(consents));
  return optIn === undefined ? { state: 'none' } : describe('opted-in', optIn);
};

/** Returns the opt-outs that no opt-in overrides. */
export const standingOptOuts = (consents: readonly Consent[]): readonly Consent[] =>
  consents.filter(
    (consent) => consent.kind === 'opt-out' && !optInsIn(consents).some((optIn) => overrides(optIn, consent)),
  );

const optInsIn = (consents: readonly Consent[]): readonly Consent[] => consents.filter(({ kind }) => kind === 'opt-in');

const overrides = (optIn: Consent, optOut: Consent): boolean =>
  isLater(optIn, optOut) && (optIn.origin === 'user' || optOut.origin === 'import');

/** Whether something counts as later than a consent: also by their messages' own times, if both have one. */
export const isLater = (one: Pick<Consent, 'at' | 'ownAt'>, consent: Pick<Consent, 'at' | 'ownAt'>): boolean =>
  one.at > consent.at && (one.ownAt === undefined || consent.ownAt === undefined || one.ownAt > consent.ownAt);

const latestOf = (consents: readonly Consent[]): Consent | undefined =>
  consents.toSorted((one, other) => compare(one.at, other.at) || compare(one.origin, other.origin)).at(-1);

const describe = (
  state: 'opted-in' | 'opted-out',
  { at, origin, source, messageId, customerId }: Consent,
): ConsentVerdict => ({
  state,
  at,
  origin,
  source,
  ...(messageId !== undefined && { messageId }),
  ...(customerId !== undefined && { customerId }),
});
