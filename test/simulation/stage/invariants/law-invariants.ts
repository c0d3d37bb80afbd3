import { violationsAtRest, violationsOfChange } from '../../../../lambdas/laws/check-laws.ts';
import { RETENTION_DAYS } from '../../../support/builders.ts';
import { lostMessagesOf } from './stage-events.ts';
import type { StageFacts } from './stage-facts.ts';
import type { StageInvariant } from './stage-invariant.ts';

export const LAW_INVARIANTS = {
  lawsHold: {
    sentence:
      'Every write, and every item that is left at the end, obeys the documented laws of the table, unless an event was ' +
      'posted only once and not acknowledged: what it says may be stored in part.',
    check(facts, { checked, violated }) {
      for (const { before, after, index } of facts.entries('write')) {
        checked();
        for (const { law, key, fault } of violationsOfChange({ before, after })) {
          violated(`${key.pk} ${key.sk} breaks ${law}: ${fault}`, index);
        }
      }
      // Nothing is still underway when a run ends, so nothing needs more time.
      const now = new Date(facts.run.endedAtMs).toISOString();
      const context = { now, graceMs: 0, messageDays: RETENTION_DAYS.messages };
      for (const { law, key, fault } of violationsAtRest(facts.run.items.values(), context)) {
        const isLeft =
          (law === 'dead-letter-is-complete' && isInterrupted(facts, key.pk)) ||
          (law === 'accepted-send-has-its-message' && isUnacknowledged(facts, key.pk));
        if (!isLeft) violated(`${key.pk} ${key.sk} breaks ${law}: ${fault}`);
      }
    },
  },
} as const satisfies Record<string, StageInvariant>;

const isUnacknowledged = (facts: StageFacts, pk: string): boolean =>
  lostMessagesOf(facts).has(String(facts.run.items.get(`${pk} SEND`)?.messageId));

/**
 * A function that ends, or cannot reach the table, while it stores or deletes a dead letter leaves a part of it, which
 * an erasure finds. Every fault at a dead letter in the invocation counts, because a late write takes effect after its
 * fault, and a fault's ID does not name the dead letter.
 */
const isInterrupted = (facts: StageFacts, pk: string): boolean =>
  facts
    .namesOf(`${pk} `)
    .flatMap((name) => facts.writesOf(name))
    .some((write) => {
      const invocation = facts.invocationAt(write);
      return facts.isHindered(invocation, invocation?.start ?? write.index, { about: [' DEADLETTER'] });
    });
