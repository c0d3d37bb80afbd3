type Item = Readonly<Record<string, unknown>>;

/**
 * Since when people answer a contact, according to its item, if they do so at a time. As docs/sending.md describes it,
 * without Parley's own code.
 */
export const peopleSince = (
  item: Item | undefined,
  at: string,
): { readonly since: string; readonly until?: string } | undefined => {
  const { handoverAt, handbackAt, operatorWroteAt, operatorUntil } = item ?? {};
  const isEnded = (since: unknown): boolean => typeof handbackAt === 'string' && String(since) <= handbackAt;
  if (typeof handoverAt === 'string' && !isEnded(handoverAt)) return { since: handoverAt };
  if (typeof operatorWroteAt !== 'string' || typeof operatorUntil !== 'string') return undefined;
  return isEnded(operatorWroteAt) || operatorUntil <= at ? undefined : { since: operatorWroteAt, until: operatorUntil };
};
