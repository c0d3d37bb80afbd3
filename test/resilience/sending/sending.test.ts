import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sendKey } from '../../../lambdas/table/keys.ts';
import { waitFor } from '../../../local/demo/wait-for.ts';
import { LOCAL_CONCURRENCY } from '../../../local/functions/function-pool.ts';
import { plantItem } from '../../support/checked-cloud.ts';
import { contactNumber, isInOrder, type SendingStage, startSendingStage, templateRequest } from './sending-stage.ts';

// Outages of hours and days. Shorter outages and killed processes are in ../chaos.

let stage: SendingStage;
let outdir: string;
const start = async (settings?: Readonly<Record<string, unknown>>): Promise<SendingStage> => {
  stage = await startSendingStage({ outdir, settings });
  return stage;
};
// All tests share one synthesis.
beforeAll(async () => {
  outdir = await mkdtemp(join(tmpdir(), 'parley-resilience-'));
});
afterAll(() => rm(outdir, { recursive: true, force: true }));
afterEach(() => stage.close());

describe('while the chat service is unreachable for six hours', () => {
  const GROUPS = 30;
  const REQUESTS = 300;
  const HALF_SECONDS = 3 * 3_600;
  const STEP_SECONDS = 600;
  /** Timeouts pass in real time. */
  const SHORT_TIMEOUTS = { chatService: { answerTimeoutSeconds: 1 } };
  const LATE_MS = 1_500;
  /** The calls in flight when the service fails, and two more per process before the circuit breaker opens. */
  const MAX_UNCERTAIN = LOCAL_CONCURRENCY * (10 + 2);

  it('only the sends in flight and a few more become uncertain, and the rest are sent in order afterwards', async () => {
    const { client, cloud } = await start(SHORT_TIMEOUTS);
    const contacts = Array.from({ length: GROUPS }, (_, index) => contactNumber(index));
    for (const contact of contacts) await stage.optIn(contact);
    const all = Array.from({ length: REQUESTS }, (_, index) =>
      templateRequest(`unreachable-${index}`, contactNumber(index % GROUPS)),
    );
    const acceptedCount = async () => (await stage.accepted()).length;
    const outlast = async (fault: Readonly<Record<string, unknown>>) => {
      await client.control('POST', '/faults', { answers: { count: 1_000_000, ...fault } });
      const acceptedBefore = await acceptedCount();
      for (let passed = 0; passed < HALF_SECONDS; passed += STEP_SECONDS) {
        await stage.idle();
        await cloud.clock.advance(STEP_SECONDS * 1000);
      }
      await stage.idle();
      await client.control('DELETE', '/faults');
      return acceptedBefore;
    };

    await stage.enqueue(all);
    await waitFor('a tenth is accepted', async () => ((await acceptedCount()) >= REQUESTS / 10 ? true : undefined));
    const acceptedBefore = await outlast({ status: 502 });
    await outlast({ status: 504, delayMs: LATE_MS });
    expect(await acceptedCount()).toBe(acceptedBefore);
    await stage.drain(60);

    const sends = await stage.sends();
    const others = all.filter(({ requestId }) => sends.get(requestId)?.state !== 'uncertain');
    const uncertain = REQUESTS - others.length;
    expect(uncertain).toBeLessThanOrEqual(MAX_UNCERTAIN);
    expect(await stage.states()).toEqual({ accepted: others.length, uncertain });
    expect(await client.queueDepth(cloud.sendDeadLetterQueueUrl)).toBe(0);
    const accepted = await stage.accepted();
    expect(contacts.filter((contact) => !isInOrder(contact, others, accepted))).toEqual([]);
  });
});

describe('a request that cannot be processed', () => {
  const STEP_MS = 900_000;
  const DAY_MS = 24 * 3_600_000;

  it('is dead-lettered alone after a day, and the others of its contact are sent in order', async () => {
    const { client, cloud } = await start();
    const contact = contactNumber(0);
    await stage.optIn(contact);
    const poison = templateRequest('poison', contact);
    await plantItem(cloud, {
      ...sendKey(poison.requestId),
      state: 'claimed',
      body: JSON.stringify(poison),
      attempts: 'many',
    });
    const others = Array.from({ length: 40 }, (_, index) => templateRequest(`behind-${index}`, contact));

    const startMs = cloud.clock.now().getTime();
    await stage.enqueue([poison, ...others]);
    for (let step = 0; step < 200 && (await client.queueDepth(cloud.sendDeadLetterQueueUrl)) === 0; step += 1) {
      await stage.idle();
      await cloud.clock.advance(STEP_MS);
    }
    expect(cloud.clock.now().getTime() - startMs).toBeGreaterThanOrEqual(DAY_MS);
    await stage.drain(60);

    expect(await stage.states()).toEqual({ claimed: 1, accepted: others.length });
    const deadLetters = await client.takeMessages(cloud.sendDeadLetterQueueUrl);
    expect(deadLetters.map(({ reason }) => reason)).toEqual([expect.stringMatching(/^PROCESSING_FAILED: /)]);
    expect(isInOrder(contact, others, await stage.accepted())).toBe(true);
  });
});
