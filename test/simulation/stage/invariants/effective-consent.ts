import type { Item } from '../../../../lambdas/table/item.ts';

/** The effective opt-in or opt-out. */
export interface EffectiveConsent {
  readonly state: 'opted-in' | 'opted-out';
  readonly at: string;
  readonly origin: 'user' | 'import';
}

/**
 * Returns the effective consent as docs/ defines it: only a later opt-in by the user overrides the user's own opt-out,
 * and any later opt-in overrides an imported one. A keyword overrides another only if it is also later by the times that
 * the messages state themselves.
 */
export const effectiveConsent = (item: Item | undefined): EffectiveConsent | undefined => {
  const at = (name: string): string => String(item?.[name] ?? '');
  const [userIn, importIn] = [at('userOptInAt'), at('importOptInAt')];
  const [userOut, importOut] = [at('userOptOutAt'), at('importOptOutAt')];
  const isUserOut = isOptedOutByUser(item);
  const isImportOut = importOut !== '' && userIn <= importOut && importIn <= importOut;
  if (isUserOut || isImportOut) {
    const isUsers = isUserOut && (!isImportOut || userOut >= importOut);
    return { state: 'opted-out', at: isUsers ? userOut : importOut, origin: isUsers ? 'user' : 'import' };
  }
  if (userIn === '' && importIn === '') return undefined;
  const isUsers = userIn >= importIn;
  return { state: 'opted-in', at: isUsers ? userIn : importIn, origin: isUsers ? 'user' : 'import' };
};

/** Whether the user's own opt-out counts, whatever imports say. */
export const isOptedOutByUser = (item: Item | undefined): boolean => {
  const at = (name: string): string => String(item?.[name] ?? '');
  const [ownIn, ownOut] = [at('userOptInOwnAt'), at('userOptOutOwnAt')];
  if (at('userOptOutAt') === '') return false;
  return at('userOptInAt') <= at('userOptOutAt') || (ownIn !== '' && ownIn <= ownOut);
};
