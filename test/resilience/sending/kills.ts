import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { createRandom } from '../../support/random.ts';
import { contactNumber, type SendingStage, templateRequest } from './sending-stage.ts';

export interface KillOptions {
  readonly requests: number;
  readonly kills: number;
  readonly seed: number;
  /** Whether some connections are also reset after the message was accepted. */
  readonly resets: boolean;
}

export interface KillReport {
  readonly killed: number;
  readonly resetCalls: number;
  /** The number of sends in each state. */
  readonly states: Readonly<Record<string, number>>;
  readonly confirmedByStatus: number;
  /** Requests that are in the outbox more than once. Must be empty. */
  readonly sentTwice: readonly string[];
  /** Requests whose send has not ended. Must be empty. */
  readonly missing: readonly string[];
  /** Accepted sends that are not in the outbox, and sent ones that are neither accepted nor uncertain. Must be empty. */
  readonly contradictions: readonly string[];
}

const faultsLeft = z.object({ answers: z.array(z.object({ count: z.int() })) });

const ENDED = new Set(['accepted', 'refused', 'rejected', 'expired', 'uncertain']);

/** Longer than the queue's visibility timeout and a claim's lease, so that a dead function's messages are retried. */
const AFTER_A_KILL_MS = 800_000;

const A_WAIT_MS = 5_000;

/** Kills `send` at random moments while requests arrive, then compares the table with the sandbox's outbox. */
export const killAndRecover = async (
  stage: SendingStage,
  { requests, kills, seed, resets }: KillOptions,
): Promise<KillReport> => {
  const { cloud, client, send } = stage;
  const random = createRandom(seed);
  const groups = Math.max(1, Math.round(requests / 20));
  for (let group = 0; group < groups; group += 1) await stage.optIn(contactNumber(group));
  const all = Array.from({ length: requests }, (_, index) =>
    templateRequest(`kill-${seed}-${index}`, contactNumber(Math.floor(random() * groups))),
  );
  const share = Math.ceil(requests / kills);
  let orderedResets = 0;
  let killed = 0;

  for (let round = 0; round < kills; round += 1) {
    await stage.enqueue(all.slice(round * share, (round + 1) * share));
    if (resets) {
      const count = Math.floor(random() * 4);
      if (count > 0) await client.control('POST', '/faults', { answers: { count, reset: 'after' } });
      orderedResets += count;
    }
    // Anywhere between a process's start and the end of a batch: after some messages were sent, and a moment more.
    const killAt = (await client.outbox()).length + Math.floor(random() * share);
    const momentMs = random() * 30;
    for (let looks = 0; looks < 100 && (await client.outbox()).length < killAt; looks += 1) await pause(10);
    await pause(momentMs);
    const victim = random();
    let isKilled = send.killOne(victim);
    while (!isKilled && (await client.queueDepth(cloud.sendQueueUrl)) > 0) {
      // Everything in the queue may be waiting: some resets in a row open the circuit breaker.
      if (send.working() === 0) await cloud.clock.advance(A_WAIT_MS);
      isKilled = send.killOne(victim);
    }
    if (isKilled) killed += 1;
    await cloud.clock.advance(AFTER_A_KILL_MS);
  }
  const unused = faultsLeft.parse(await client.control('GET', '/faults')).answers;
  const resetCalls = orderedResets - unused.reduce((sum, { count }) => sum + count, 0);
  await client.control('DELETE', '/faults');
  await stage.drain(AFTER_A_KILL_MS / 1000);
  await stage.delivered();
  const requestIds = all.map(({ requestId }) => requestId);
  return { killed, resetCalls, ...(await compareWithOutbox(stage, requestIds)) };
};

const compareWithOutbox = async (
  stage: SendingStage,
  requestIds: readonly string[],
): Promise<Omit<KillReport, 'killed' | 'resetCalls'>> => {
  const sends = await stage.sends();
  const timesSent = new Map<string, number>();
  for (const requestId of await stage.accepted()) timesSent.set(requestId, (timesSent.get(requestId) ?? 0) + 1);
  return {
    states: await stage.states(),
    confirmedByStatus: [...sends.values()].filter(({ confirmedBy }) => confirmedBy === 'status').length,
    sentTwice: [...timesSent].filter(([, count]) => count > 1).map(([requestId]) => requestId),
    missing: requestIds.filter((requestId) => !ENDED.has(String(sends.get(requestId)?.state))),
    contradictions: requestIds.filter((requestId) => {
      const state = sends.get(requestId)?.state;
      return timesSent.has(requestId) ? state !== 'accepted' && state !== 'uncertain' : state === 'accepted';
    }),
  };
};
