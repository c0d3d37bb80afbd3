import { receiveFloorMs } from '../domain/backoff.ts';
import { ms } from '../domain/duration.ts';
import { createQueueHandler, type QueueHandlerOptions } from '../runtime/queue-handler.ts';
import { createErasureWorker, type ErasureWorkerOptions } from './erase-contact.ts';

export type ErasureQueueHandlerOptions = Omit<ErasureWorkerOptions, 'passMs'> &
  Pick<QueueHandlerOptions, 'changeVisibility'>;

const PASS_MS = ms(20_000);
/** Leaves the rest of the function's timeout for the last page of the pass. */
const REQUIRED_TIME_MS = ms(40_000);
/** Erasures that were requested together have the same floor, but must not search the same queue at the same time. */
const MAX_JITTER_MS = 60_000;

/** Creates the handler of the erasure queue's messages. Each receive of a message is a pass of its erasure. */
export const createErasureQueueHandler = (options: ErasureQueueHandlerOptions) => {
  const { changeVisibility, clock, randomness, log, metrics } = options;
  return createQueueHandler({
    handleMessage: createErasureWorker({ ...options, passMs: PASS_MS }),
    handleFailure: undefined,
    changeVisibility,
    minimumWaitMs(receiveCount, ageMs) {
      const floorMs = receiveFloorMs(receiveCount, ageMs);
      return floorMs === 0 ? 0 : floorMs + MAX_JITTER_MS * randomness.random();
    },
    clock,
    requiredTimeMs: REQUIRED_TIME_MS,
    log,
    metrics,
    ageMetric: undefined,
  });
};
