import { serializeDueMessage } from '../../../lambdas/domain/send-request.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** One-time schedules that put a due message on the send queue and delete themselves. */
export interface SimulatedSchedules {
  /** Does nothing if the request is already scheduled, as the adapter does with Scheduler's conflict. */
  create(schedule: { readonly requestId: string; readonly groupId: string; readonly at: string }): void;
  cancel(requestId: string): void;
  /** Puts the messages of the schedules that are due on the queue. */
  runDue(): void;
  nextDueAt(): number | undefined;
  key(): string;
}

export const createSimulatedSchedules = (
  clock: VirtualClock,
  put: (message: { readonly body: string; readonly groupId: string; readonly deduplicationId: string }) => void,
): SimulatedSchedules => {
  const schedules = new Map<string, { readonly groupId: string; readonly dueAt: number }>();
  return {
    create({ requestId, groupId, at }) {
      // `at()` has no fractions of a second.
      const dueAt = Math.ceil(Date.parse(at) / 1000) * 1000;
      if (!schedules.has(requestId)) schedules.set(requestId, { groupId, dueAt });
    },
    cancel(requestId) {
      schedules.delete(requestId);
    },
    runDue() {
      for (const [requestId, { groupId, dueAt }] of schedules) {
        if (dueAt > clock.ms) continue;
        schedules.delete(requestId);
        put({ body: serializeDueMessage(requestId), groupId, deduplicationId: `due-${requestId}` });
      }
    },
    nextDueAt() {
      const times = [...schedules.values()].map(({ dueAt }) => dueAt);
      return times.length === 0 ? undefined : Math.min(...times);
    },
    key: () => JSON.stringify([...schedules]),
  };
};
