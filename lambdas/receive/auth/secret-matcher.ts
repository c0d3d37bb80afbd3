import type { Clock, WebhookSecret } from '../../ports.ts';
import { createRefreshed } from './refreshed.ts';

/** A rotation is noticed after this at the latest, and at once by the first post that only the new secret fits. */
const FRESH_FOR_MS = 5 * 60 * 1000;

/** Whether any of the secrets that count now fits. Throws `SourceUnavailable` when there are none to be had. */
export type SecretMatcher<Secret> = (fits: (secret: Secret) => boolean) => Promise<boolean>;

/**
 * Tries every secret that counts: several while one is replaced by another. When none fits, the secret is read once more,
 * at a bounded rate, in case it was just changed.
 *
 * @param parse makes a secret of a line of its text; throws when it is none, without quoting it
 */
export const createSecretMatcher = <Secret>(
  source: WebhookSecret,
  parse: (line: string) => Secret,
  clock: Clock,
): SecretMatcher<Secret> => {
  const secrets = createRefreshed(async () => {
    const value = readLines(await source.read()).map(parse);
    if (value.length === 0) throw new Error('The webhook’s secret is empty; put one secret or token on each line.');
    return { value, freshForMs: FRESH_FOR_MS };
  }, clock);
  return async (fits) => {
    const known = await secrets.current();
    if (known.some(fits)) return true;
    const afresh = await secrets.afresh();
    return afresh !== known && afresh.some(fits);
  };
};

const readLines = (text: string): readonly string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
