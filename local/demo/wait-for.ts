import { setTimeout as pause } from 'node:timers/promises';
import { LocalError } from '../local-error.ts';

const PATIENCE_MS = 30_000;

/**
 * Looks again and again until there is something to see.
 *
 * @param what for the sentence when there never is, after half a minute
 */
export const waitFor = async <Seen>(what: string, look: () => Promise<Seen | undefined>): Promise<Seen> => {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (Date.now() > until) throw new LocalError(`This did not happen within ${PATIENCE_MS / 1000} s: ${what}.`);
    await pause(50);
  }
};
