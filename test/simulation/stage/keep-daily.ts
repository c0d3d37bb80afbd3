import type { Entry } from './agenda.ts';
import { nextMidnight } from './durations.ts';
import type { InvocationEnd } from './function-pool.ts';
import type { QueueName } from './ledger.ts';
import type { StageContext } from './stage-context.ts';
import type { StageQueues } from './stage-queues.ts';

/**
 * The daily schedule that keeps dead letters. It runs only while there are any, because it would do nothing otherwise.
 */
export interface KeepDaily {
  /** Called when there may be more dead letters. */
  poke(name: QueueName): void;
}

const KEPT: readonly QueueName[] = [
  'send-dead-letters',
  'bulk-dead-letters',
  'inbound-dead-letters',
  'schedule-dead-letters',
  'erasures-dead-letters',
];

/**
 * After a failure, Lambda retries an asynchronous invocation twice.
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
 */
const RETRIES_MS = [60_000, 120_000];

/**
 * After this many failures in a row, drawn faults no longer affect a run. Dead letters are kept a week before SQS would
 * delete them, and AWS services do not fail that often, unless they have an outage.
 */
const SPARED_AFTER_FAILURES = 12;

export const createKeepDaily = (
  context: StageContext,
  queues: StageQueues,
  keep: (run: { readonly about: string; readonly isSpared: boolean }) => Promise<InvocationEnd<void>>,
): KeepDaily => {
  const { clock, agenda, draw } = context;
  let failures = 0;
  let scheduled: Entry | undefined;
  let isRunning = false;

  const schedule = (): void => {
    if (isRunning || scheduled?.happen !== undefined || KEPT.every((name) => queues[name].contents().length === 0))
      return;
    const nextDay = nextMidnight(clock.ms);
    scheduled = agenda.add(nextDay, draw.identify('keep'), () => void run(0));
  };
  const run = async (retries: number): Promise<void> => {
    isRunning = true;
    const end = await keep({ about: `${clock.now()} ${retries}`, isSpared: failures >= SPARED_AFTER_FAILURES });
    isRunning = false;
    failures = end.how === 'answered' ? 0 : failures + 1;
    const retryMs = end.how === 'answered' ? undefined : RETRIES_MS[retries];
    if (retryMs === undefined) schedule();
    else scheduled = agenda.add(clock.ms + retryMs, draw.identify('keep again'), () => void run(retries + 1));
  };
  return {
    poke(name) {
      if (KEPT.includes(name)) schedule();
    },
  };
};
