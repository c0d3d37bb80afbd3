import type { Clock, WebhookSecret } from '../../ports.ts';
import { createStaleIfErrorCache } from './stale-if-error-cache.ts';

/** A rotation takes effect within this time, or as soon as a request arrives that only the new secret matches. */
const FRESH_FOR_MS = 5 * 60 * 1000;

/** Returns whether any active secret matches. Throws `SourceUnavailableError` if no secret can be read. */
export type SecretMatcher<Secret> = (matches: (secret: Secret) => boolean) => Promise<boolean>;

/**
 * Creates a matcher that tries every active secret; there are several during a rotation. If none matches, it reads the
 * secret again, at a bounded rate, in case the secret was just changed.
 *
 * @param parse parses a line of the secret's string; throws an error that does not quote the line if it is malformed
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
  return async (matches) => {
    const cached = await secrets.get();
    if (cached.some(matches)) return true;
    const refreshed = await secrets.refresh();
    return refreshed !== cached && refreshed.some(matches);
  };
};

const linesOf = (text: string): readonly string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
