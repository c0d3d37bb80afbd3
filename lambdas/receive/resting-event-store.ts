import type { Clock, EventStore, WriteResult } from '../ports.ts';

/** How long a table that did not answer is left alone: short beside an outage, long beside the wait for an answer. */
const REST_MS = 1_000;

const RESTING: WriteResult = { kind: 'unreachable', reason: 'The table did not answer a moment ago.' };

/**
 * Leaves a table alone for a second after it was out of reach, so that during an outage one post in a second waits for it
 * and the others go to the inbound queue at once. Without it an outage would hold every post, and a function for each, for
 * the whole of the table's time.
 */
export const createRestingEventStore = (store: EventStore, clock: Clock): EventStore => {
  let restUntilMs = Number.NEGATIVE_INFINITY;
  const nowMs = () => Date.parse(clock.now());

  const guarded =
    <Written>(write: (written: Written) => Promise<WriteResult>) =>
    async (written: Written): Promise<WriteResult> => {
      if (nowMs() < restUntilMs) return RESTING;
      const result = await write(written);
      if (result.kind === 'unreachable') restUntilMs = nowMs() + REST_MS;
      return result;
    };

  return {
    recordMessage: guarded((message) => store.recordMessage(message)),
    recordStatus: guarded((status) => store.recordStatus(status)),
    openWindow: guarded((message) => store.openWindow(message)),
    settleSend: guarded((status) => store.settleSend(status)),
  };
};
