import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { contactNumber, type SendingStage, templateRequest } from './sending-stage.ts';

export interface KillOptions {
  readonly requests: number;
  readonly kills: number;
  readonly seed: number;
  /** Resets some connections after the message was accepted, as well. */
  readonly resets: boolean;
}

export interface KillReport {
  readonly killed: number;
  readonly resetCalls: number;
  /** How many sends ended so. */
  readonly states: Readonly<Record<string, number>>;
  readonly settledByStatus: number;
  /** Requests that the outbox holds more than once: must be none. */
  readonly sentTwice: readonly string[];
  /** Requests without a send that ended: must be none. */
  readonly missing: readonly string[];
  /** Accepted sends that the outbox does not hold, and sent ones that are called anything but accepted or uncertain. */
  readonly contradictions: readonly string[];
}

const faultsLeft = z.object({ answers: z.array(z.object({ count: z.int() })) });

const ENDED = new Set(['accepted', 'refused', 'rejected', 'expired', 'uncertain']);

/** Longer than the queue's visibility time-out and a claim's lease, so that what a dead function had comes back. */
const AFTER_A_KILL_MS = 800_000;

/** A generator of chance that a seed repeats (mulberry32). */
export const createChance = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** Kills `send` at random moments while requests come in; the sandbox's outbox is what is believed in the end. */
export const killAndRecover = async (
  stage: SendingStage,
  { requests, kills, seed, resets }: KillOptions,
): Promise<KillReport> => {
  const { cloud, client, send } = stage;
  const chance = createChance(seed);
  const groups = Math.max(1, Math.round(requests / 20));
  for (let group = 0; group < groups; group += 1) await stage.optIn(contactNumber(group));
  const all = Array.from({ length: requests }, (_, index) =>
    templateRequest(`kill-${seed}-${index}`, contactNumber(Math.floor(chance() * groups))),
  );
  const share = Math.ceil(requests / kills);
  let ordered = 0;
  let killed = 0;

  for (let round = 0; round < kills; round += 1) {
    await stage.enqueue(all.slice(round * share, (round + 1) * share));
    if (resets) {
      const count = Math.floor(chance() * 4);
      if (count > 0) await client.control('POST', '/faults', { answers: { count, reset: 'after' } });
      ordered += count;
    }
    // Anywhere between a process's start and the end of a batch: after some of its messages went out, and a moment more.
    const until = (await client.outbox()).length + Math.floor(chance() * share);
    const momentMs = chance() * 30;
    for (let looked = 0; looked < 100 && (await client.outbox()).length < until; looked += 1) await pause(10);
    await pause(momentMs);
    const victim = chance();
    let isKilled = send.killOne(victim);
    while (!isKilled && (await client.queueDepth(cloud.sendQueueUrl)) > 0) isKilled = send.killOne(victim);
    if (isKilled) killed += 1;
    await cloud.clock.advance(AFTER_A_KILL_MS);
  }
  const unmet = faultsLeft.parse(await client.control('GET', '/faults')).answers;
  const resetCalls = ordered - unmet.reduce((sum, { count }) => sum + count, 0);
  await client.control('DELETE', '/faults');
  await stage.drain(AFTER_A_KILL_MS / 1000);
  await stage.delivered();
  return report(
    stage,
    all.map(({ requestId }) => requestId),
    killed,
    resetCalls,
  );
};

const report = async (
  stage: SendingStage,
  requestIds: readonly string[],
  killed: number,
  resetCalls: number,
): Promise<KillReport> => {
  const sends = await stage.sends();
  const times = new Map<string, number>();
  for (const requestId of await stage.accepted()) times.set(requestId, (times.get(requestId) ?? 0) + 1);
  const states: Record<string, number> = {};
  for (const { state } of sends.values()) states[String(state)] = (states[String(state)] ?? 0) + 1;
  return {
    killed,
    resetCalls,
    states,
    settledByStatus: [...sends.values()].filter(({ settledBy }) => settledBy === 'status').length,
    sentTwice: [...times].filter(([, count]) => count > 1).map(([requestId]) => requestId),
    missing: requestIds.filter((requestId) => !ENDED.has(String(sends.get(requestId)?.state))),
    contradictions: requestIds.filter((requestId) => {
      const state = sends.get(requestId)?.state;
      return times.has(requestId) ? state !== 'accepted' && state !== 'uncertain' : state === 'accepted';
    }),
  };
};
