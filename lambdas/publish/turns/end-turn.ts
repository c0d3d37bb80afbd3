import type { SQSRecord } from 'aws-lambda';
import { eventFloorMs } from '../../domain/backoff.ts';
import { parseOpenTurn } from '../../domain/turns/turn.ts';
import type { Clock, Log, TurnRepository } from '../../ports.ts';
import { createQueueHandler, DONE, type MessageResult, type QueueHandlerOptions } from '../../runtime/queue-handler.ts';

export interface EndTurnOptions {
  readonly turns: Pick<TurnRepository, 'end'>;
  readonly log: Log;
}

/** Creates the handler of messages from the turn queue. A turn ends unless a message was added since it was queued. */
export const createEndTurn =
  ({ turns, log }: EndTurnOptions) =>
  async ({ body, messageId }: SQSRecord): Promise<MessageResult> => {
    const turn = parseOpenTurn(body);
    // The table has the turn, so nothing is lost.
    if (turn === undefined) log.error('queue message is not a turn; deleted', { messageId });
    else await turns.end(turn);
    return DONE;
  };

/** One call, with the SDK's three attempts and the retries after conflicts. */
const REQUIRED_TIME_MS = 20_000;

export const createTurnQueueHandler = (
  options: EndTurnOptions & Pick<QueueHandlerOptions, 'changeVisibility' | 'metrics'> & { readonly clock: Clock },
) => {
  const { changeVisibility, clock, log, metrics } = options;
  return createQueueHandler({
    handleMessage: createEndTurn(options),
    changeVisibility,
    minimumWaitMs: eventFloorMs,
    clock,
    requiredTimeMs: REQUIRED_TIME_MS,
    log,
    metrics,
    ageMetric: 'RetriedTurnAge',
  });
};
