import { type IdentityFacts, type KnownConsent, overlap } from './identity-facts.ts';

/**
 * Returns the opt-outs that hold for an address without doubt: its own, and those of the only customer that its user can
 * be, given at another address that has had no other user. The address's own later opt-in ends them.
 */
export const optOutsOf = (facts: IdentityFacts, key: string): readonly KnownConsent[] => {
  const users = facts.usersOf(key);
  const optIns = facts.consents.filter((consent) => consent.kind === 'opt-in' && consent.key === key);
  const isOverridden = (optOut: KnownConsent): boolean =>
    optIns.some((optIn) => optIn.saidMs > optOut.saidMs && (optIn.origin === 'user' || optOut.origin === 'import'));
  return facts.consents.filter(
    (consent) =>
      consent.kind === 'opt-out' && (consent.key === key || isOfUser(facts, consent, users)) && !isOverridden(consent),
  );
};

const isOfUser = (facts: IdentityFacts, { key, customerId }: KnownConsent, users: ReadonlySet<string>): boolean => {
  if (customerId !== undefined) return users.has(customerId);
  const named = facts.namedWith(key);
  return named.size === 1 && overlap(named, users);
};

/** Whether any opt-out that was ever recorded can be that of an address's user. */
export const canBeOptedOut = (facts: IdentityFacts, key: string): boolean => {
  const own = facts.everNamed.get(key) ?? NOBODY;
  return facts.everOptedOut.some(
    (optOut) =>
      optOut.key === key ||
      (optOut.customerId !== undefined && own.has(optOut.customerId)) ||
      overlap(facts.everNamed.get(optOut.key) ?? NOBODY, own),
  );
};

const NOBODY: ReadonlySet<string> = new Set();
