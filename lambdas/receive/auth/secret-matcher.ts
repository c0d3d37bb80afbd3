import { ParleyError } from '../../domain/errors.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Clock, Log, Verdict, WebhookSecret } from '../../ports.ts';
import { createStaleIfErrorCache } from './stale-if-error-cache.ts';

/** A rotation takes effect within this time, or as soon as a request arrives that only the new secret matches. */
const FRESH_FOR_MS = 5 * 60 * 1000;

/** The webhook's secret is invalid. The message says what to change and never quotes the secret. */
export class InvalidSecretError extends ParleyError {
  readonly code = 'ERR_SECRET_INVALID';
}

export interface SecretMatcherOptions {
  readonly secret: WebhookSecret;
  readonly clock: Clock;
  readonly log: Log;
}

/** `outdated`: no secret matches, but they were read before the request arrived. */
export type SecretMatch = 'match' | 'no-match' | 'outdated';

/**
 * Returns whether any active secret matches a request that was received at a time. Throws `SourceUnavailableError` if no
 * secret can be read.
 */
export type SecretMatcher<Secret> = (matches: (secret: Secret) => boolean, receivedAt: Instant) => Promise<SecretMatch>;

/**
 * Creates a matcher that tries every active secret; there are several during a rotation. If none matches, it reads the
 * secret again, at a bounded rate, in case the secret was just changed. A secret with an invalid line is rejected as a
 * whole, which is logged without the secret, and the previous one stays in use.
 *
 * @param parse parses a line of the secret's string; throws an {@link InvalidSecretError}
 */
export const createSecretMatcher = <Secret>(
  { secret, clock, log }: SecretMatcherOptions,
  parse: (line: string) => Secret,
): SecretMatcher<Secret> => {
  const secrets = createStaleIfErrorCache(async () => {
    try {
      return { value: parseLines(await secret.read(), parse), freshForMs: FRESH_FOR_MS };
    } catch (error) {
      if (error instanceof InvalidSecretError) log.error('webhook secret invalid', { reason: error.message });
      throw error;
    }
  }, clock);
  return async (matches, receivedAt) => {
    const cached = await secrets.get();
    if (cached.some(matches)) return 'match';
    const refreshed = await secrets.refresh();
    if (refreshed !== cached && refreshed.some(matches)) return 'match';
    return secrets.isNewerThan(receivedAt) ? 'no-match' : 'outdated';
  };
};

/** Returns the verdict on a request that no secret matches. */
export const mismatch = (match: Exclude<SecretMatch, 'match'>, reason: string): Verdict => ({
  kind: 'unauthenticated',
  reason,
  ...(match === 'outdated' && { isProvisional: true }),
});

const parseLines = <Secret>(text: string, parse: (line: string) => Secret): readonly Secret[] => {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (lines.length === 0) {
    throw new InvalidSecretError("The webhook's secret is empty. Store one secret or token per line.");
  }
  return lines.map(parse);
};
