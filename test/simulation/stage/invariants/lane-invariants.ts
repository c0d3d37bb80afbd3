import { parseDueMessage } from '../../../../lambdas/domain/send-request.ts';
import { isSendLane, SEND_LANES, type SendLane } from '../ledger.ts';
import type { Recorded, StageFacts } from './stage-facts.ts';
import type { StageInvariant } from './stage-invariant.ts';

export const LANE_INVARIANTS = {
  lanesKept: {
    sentence:
      'A request stays on its queue: its dead letter is put on the dead-letter queue of the queue that it came from, ' +
      'its schedule puts it on that queue, and no function changes a message of one queue through another.',
    check(facts, { checked, violated }) {
      for (const { queue, body, index } of facts.entries('misdirected')) {
        violated(`A receipt handle of another queue was used in ${queue}: ${body}`, index);
      }
      for (const entry of facts.entries('queued')) {
        const lane = laneOf(facts, entry);
        if (lane === undefined) continue;
        checked();
        if (!wasIn(facts, lane, entry)) violated(`It was never on the queue ${lane}: ${entry.body}`, entry.index);
      }
    },
  },
} as const satisfies Record<string, StageInvariant>;

/** The lane in which a message must have been before it was put on a queue, if it came from one. */
const laneOf = (facts: StageFacts, entry: Recorded<'queued'>): SendLane | undefined => {
  const { queue, body } = entry;
  if (!isSendLane(queue)) return SEND_LANES.find((lane) => queue === `${lane}-dead-letters`);
  // The management API requeues on the send queue. Other due messages come from a schedule or a redrive.
  const isRequeued = queue === 'send' && facts.invocationAt(entry) !== undefined;
  return parseDueMessage(body) !== undefined && !isRequeued ? queue : undefined;
};

const wasIn = (facts: StageFacts, lane: SendLane, { body, index }: Recorded<'queued'>): boolean => {
  const requestId = parseDueMessage(body) ?? facts.requestIn(body)?.requestId;
  return facts
    .entries('queued')
    .some(
      (earlier) =>
        earlier.queue === lane &&
        earlier.index < index &&
        (earlier.body === body ||
          (requestId !== undefined &&
            (parseDueMessage(earlier.body) ?? facts.requestIn(earlier.body)?.requestId) === requestId)),
    );
};
