import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { ChaosStage } from './chaos-stage.ts';
import type { Recorder } from './recorder.ts';

const POLL_MS = 25;
const QUIET_POLLS = 8;
/** The stream is read ten times a second. */
const EMPTY_READS = 15;
/** Much shorter than a claim's lease and a queue's visibility timeout, so that running work ends before they do. */
const STEP_MS = 20_000;
/** Three hours of the run's clock. A circuit breaker may make its next probe only after an hour. */
const MAX_STEPS = 540;
const MAX_BUSY_MS = 120_000;
const ACTIVE_STATES: ReadonlySet<unknown> = new Set(['queued', 'scheduled', 'claimed', 'waiting']);

const OPEN_CIRCUITS = 'open circuit breakers';

const state = z.object({ pending: z.int() });

/** The counts of work that is left, by name. Empty if there is none. */
export type Waiting = Readonly<Record<string, number>>;

/**
 * Waits until no work is left. Whenever no function is running, moves the run's clock forward a little, so that
 * retries, schedules, and the messages of killed functions become due. Gives up after three hours of the run's clock.
 *
 * @param probe puts a request on the send queue
 * @returns the counts of work that is left
 */
export const waitUntilQuiet = async (
  stage: ChaosStage,
  recorder: Recorder,
  probe: (index: number) => Promise<void>,
): Promise<Waiting> => {
  let probes = 0;
  for (let step = 0; step < MAX_STEPS; step += 1) {
    await idle(stage);
    const waiting = Object.keys(await findWaiting(stage));
    if (waiting.join() === OPEN_CIRCUITS) {
      // Only a request can close it.
      await probe(probes);
      probes += 1;
    }
    if (waiting.length === 0) {
      await published(recorder);
      await idle(stage);
      if (Object.keys(await findWaiting(stage)).length === 0) return {};
    }
    await stage.cloud.clock.advance(STEP_MS);
  }
  return findWaiting(stage);
};

/** Waits until all processes have been idle for a moment. */
const idle = async ({ working }: ChaosStage): Promise<void> => {
  const untilMs = performance.now() + MAX_BUSY_MS;
  for (let quiet = 0; quiet < QUIET_POLLS && performance.now() < untilMs; quiet += 1) {
    await pause(POLL_MS);
    if (working() > 0) quiet = 0;
  }
};

/** Waits until the stream has been read to its end. */
const published = async (recorder: Recorder): Promise<void> => {
  recorder.emptyReads = 0;
  const untilMs = performance.now() + MAX_BUSY_MS;
  while (recorder.emptyReads < EMPTY_READS && performance.now() < untilMs) await pause(POLL_MS);
};

const findWaiting = async ({ client, cloud }: ChaosStage): Promise<Waiting> => {
  const { pending } = state.parse(await client.control('GET', '/state'));
  const counts = {
    'events at the chat service': pending,
    'messages on the send queue': await client.queueDepth(cloud.sendQueueUrl),
    'messages on the inbound queue': await client.queueDepth(cloud.inboundQueueUrl),
    'messages on the erasure queue': await client.queueDepth(cloud.erasureQueueUrl),
    schedules: cloud.emulators.schedules.list(undefined).length,
  };
  const waiting = Object.entries(counts).filter(([, count]) => count > 0);
  if (waiting.length > 0) return Object.fromEntries(waiting);
  const items = Object.values(await client.table());
  const active = items.filter(({ sk, state }) => sk === 'SEND' && ACTIVE_STATES.has(state)).length;
  const open = items.filter(({ circuit }) => circuit === 'open').length;
  return {
    ...(active > 0 && { 'sends that have not ended': active }),
    ...(open > 0 && { [OPEN_CIRCUITS]: open }),
  };
};
