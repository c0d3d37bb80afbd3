import { eventFloorMs } from '../domain/backoff.ts';
import { ms } from '../domain/duration.ts';
import type { Clock } from '../ports.ts';
import { createQueueHandler, type QueueHandlerOptions } from '../runtime/queue-handler.ts';
import { createDrainMessage, type DrainMessageOptions } from './drain-message.ts';
import { TIME_BUDGET } from './time-budget.ts';

export type InboundQueueHandlerOptions = DrainMessageOptions &
  Pick<QueueHandlerOptions, 'changeVisibility'> & { readonly clock: Clock };

/** Creates the handler of the inbound queue's messages. */
export const createInboundQueueHandler = (options: InboundQueueHandlerOptions) => {
  const { changeVisibility, clock, log, metrics } = options;
  return createQueueHandler({
    handleMessage: createDrainMessage(options),
    handleFailure: undefined,
    changeVisibility,
    minimumWaitMs: eventFloorMs,
    clock,
    // A handshake fetches a second document.
    requiredTimeMs: ms(2 * TIME_BUDGET.verification + TIME_BUDGET.drain + 2 * TIME_BUDGET.queue),
    log,
    metrics,
    ageMetric: 'RetriedMessageAge',
  });
};
