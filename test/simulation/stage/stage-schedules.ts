import { serializeDueMessage } from '../../../lambdas/domain/send-request.ts';
import type { SimulatedSchedules } from '../world/schedules.ts';
import type { Entry } from './agenda.ts';
import type { SendLane } from './ledger.ts';
import type { StageCalls } from './stage-calls.ts';
import type { StageContext } from './stage-context.ts';
import type { StageQueues } from './stage-queues.ts';

/** One-time schedules that put a due message on a send queue and delete themselves. */
export interface StageSchedules extends Pick<SimulatedSchedules, 'cancel'> {
  /** The schedules as the function `send` creates them for a queue. */
  of(lane: SendLane): Pick<SimulatedSchedules, 'create' | 'cancel'>;
  /** The requests that have a schedule. */
  waiting(): readonly string[];
}

/**
 * A schedule is precise to a minute.
 * Source: https://docs.aws.amazon.com/scheduler/latest/UserGuide/what-is-scheduler.html
 */
const MAX_LATE_MS = 60_000;

/**
 * Without a retry policy of its own, a schedule retries for 24 hours and then puts its input on the dead-letter queue.
 * Source: https://docs.aws.amazon.com/scheduler/latest/APIReference/API_RetryPolicy.html
 */
const MAX_RETRIES_MS = 24 * 60 * 60 * 1000;
const RETRY_MS = 60_000;

export const createStageSchedules = (context: StageContext, calls: StageCalls, queues: StageQueues): StageSchedules => {
  const { clock, agenda, record, draw } = context;
  const schedules = new Map<string, Entry>();

  const fire = (lane: SendLane, requestId: string, groupId: string, dueAt: number): void => {
    schedules.delete(requestId);
    const message = { body: serializeDueMessage(requestId), groupId, deduplicationId: `due-${requestId}` };
    if (calls.unavailableUntil('queues') === undefined) {
      record({ kind: 'schedule-fired', requestId });
      queues[lane].put(message);
    } else if (clock.ms - dueAt < MAX_RETRIES_MS) {
      context.after(RETRY_MS, `retry the schedule of ${requestId}`, () => fire(lane, requestId, groupId, dueAt));
    } else
      queues['schedule-dead-letters'].put({
        body: JSON.stringify({ MessageBody: message.body, MessageGroupId: groupId }),
      });
  };

  const create =
    (lane: SendLane): SimulatedSchedules['create'] =>
    ({ requestId, groupId, at }) => {
      if (schedules.has(requestId)) return;
      // `at()` has no fractions of a second.
      const dueAt = Math.max(Math.ceil(Date.parse(at) / 1000) * 1000, clock.ms + 1);
      const identity = draw.identify(`schedule of ${requestId}`);
      const firesAt = dueAt + Math.floor(draw.fraction(identity, 0) ** 3 * MAX_LATE_MS);
      schedules.set(
        requestId,
        agenda.add(firesAt, identity, () => fire(lane, requestId, groupId, dueAt)),
      );
      record({ kind: 'scheduled', requestId }, calls.current);
    };
  const cancel = (requestId: string): void => {
    const entry = schedules.get(requestId);
    if (entry === undefined) return;
    agenda.cancel(entry);
    schedules.delete(requestId);
    record({ kind: 'unscheduled', requestId }, calls.current);
  };

  return {
    of: (lane) => ({ create: create(lane), cancel }),
    cancel,
    waiting: () => [...schedules.keys()],
  };
};
