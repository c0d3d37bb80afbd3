import type { Clock, WebhookSecret } from '../../ports.ts';
import { createStaleIfErrorCache } from './stale-if-error-cache.ts';

/**
 * A rotation takes effect after this at the latest, and at once with the first request that only the new secret fits.
 */
const FRESH_FOR_MS = 5 * 60 * 1000;

/** Returns whether any of the active secrets fits. Throws `SourceUnavailableError` when none can be read. */
export type SecretMatcher<Secret> = (fits: (secret: Secret) => boolean) => Promise<boolean>;

/**
 * Creates a matcher that tries every active secret; there are several during a rotation. When none fits, the secret is
 * read again, at a bounded rate, in case it was just changed.
 *
 * @param parse parses a line of the secret's string; throws for a malformed one, without quoting it
 */
export const createSecretMatcher = <Secret>(
  source: WebhookSecret,
  parse: (line: string) => Secret,
  clock: Clock,
): SecretMatcher<Secret> => {
  const secrets = createStaleIfErrorCache(async () => {
    const value = linesOf(await source.read()).map(parse);
    if (value.length === 0) throw new Error("The webhook's secret is empty; store one secret or token per line.");
    return { value, freshForMs: FRESH_FOR_MS };
  }, clock);
  return async (fits) => {
    const cached = await secrets.get();
    if (cached.some(fits)) return true;
    const refreshed = await secrets.refresh();
    return refreshed !== cached && refreshed.some(fits);
  };
};

const linesOf = (text: string): readonly string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
