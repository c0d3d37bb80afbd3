import { type DeliveryAttempt, namedIds } from './published-message.ts';

/** How many attempts are kept. */
const MAX_ATTEMPTS = 20_000;

/** The latest completed attempts, in order of completion. */
export interface AttemptLog {
  add(attempt: DeliveryAttempt): void;
  latest(): readonly DeliveryAttempt[];
  /** Returns the attempts to deliver an event that names this id. */
  of(id: string): readonly DeliveryAttempt[];
}

export const createAttemptLog = (
  restored: readonly DeliveryAttempt[] = [],
  maxAttempts: number = MAX_ATTEMPTS,
): AttemptLog => {
  let attempts: DeliveryAttempt[] = [];
  const byId = new Map<string, DeliveryAttempt[]>();

  const forget = (dropped: ReadonlySet<DeliveryAttempt>) => {
    for (const [id, known] of byId) {
      const kept = known.filter((attempt) => !dropped.has(attempt));
      if (kept.length === 0) byId.delete(id);
      else byId.set(id, kept);
    }
  };

  const add = (attempt: DeliveryAttempt) => {
    attempts.push(attempt);
    for (const id of namedIds(attempt.shownBody)) {
      const known = byId.get(id);
      if (known === undefined) byId.set(id, [attempt]);
      else known.push(attempt);
    }
    // Shortening at twice the limit makes the cost per attempt negligible.
    if (attempts.length <= 2 * maxAttempts) return;
    forget(new Set(attempts.slice(0, -maxAttempts)));
    attempts = attempts.slice(-maxAttempts);
  };

  for (const attempt of restored) add(attempt);
  return {
    add,
    latest: () => attempts.slice(-maxAttempts),
    of: (id) => byId.get(id) ?? [],
  };
};
