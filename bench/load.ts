import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { BenchCloud } from './load/bench-cloud.ts';
import { type LoadGenerator, startLoadGenerator } from './load/load-generator.ts';
import { type LoadCell, loadReport } from './load/load-report.ts';
import { startParleyCloud } from './load/parley-cloud.ts';
import { contactAddress } from './load/pushed-event.ts';
import { startTutorialCloud } from './load/tutorial-cloud.ts';
import { interleave, type Measurement, quantile } from './report.ts';

/** The numbers of concurrent requests. */
const LEVELS = [1, 4, 16, 64] as const;
const ROUNDS = 4;
const ROUND_MS = 2_500;
const WARM_UP_MS = 8_000;
const CONTACTS = 1_000;
const SENDS = 300;
const SEND_ROUNDS = 3;
const POLL_MS = 10;
const END_LIMIT_MS = 60_000;

/**
 * Measures how many events a stack acknowledges per second and how long an answer takes with each number of concurrent
 * requests, and how many messages per second it sends. Every stack runs on a local cloud of its own, on the same machine.
 */
export const measureLoad = async (): Promise<Measurement> => {
  await using stack = new AsyncDisposableStack();
  const { path } = stack.use(await mkdtempDisposable(join(tmpdir(), 'parley-bench-')));
  const parley = stack.use(await startParleyCloud(join(path, 'parley')));
  const tutorial = stack.use(await startTutorialCloud(join(path, 'tutorial')));
  const clouds: readonly BenchCloud[] = [parley, tutorial];
  const generator = stack.use(startLoadGenerator());

  const posted = new Map(clouds.map((cloud) => [cloud, [] as string[]]));
  const post = async (cloud: BenchCloud, clients: number, durationMs: number) => {
    const ids = posted.get(cloud) ?? [];
    const idPrefix = `event-${ids.length}-`;
    const answers = await postTo(generator, cloud, { clients, durationMs, idPrefix });
    for (const index of answers.latenciesMs.keys()) ids.push(`${idPrefix}${index}`);
    await cloud.idle();
    return answers;
  };

  for (const cloud of clouds) await post(cloud, Math.max(...LEVELS), WARM_UP_MS);
  const cells = LEVELS.flatMap((clients) =>
    clouds.map((cloud): LoadCell => ({ cloud, clients, latenciesMs: [], errors: 0, perSecond: 0 })),
  );
  const rates = await interleave(cells, { rounds: ROUNDS, warmUpRounds: 0 }, async (cell) => {
    const { latenciesMs, errors, elapsedMs } = await post(cell.cloud, cell.clients, ROUND_MS);
    for (const latency of latenciesMs) cell.latenciesMs.push(latency);
    cell.errors += errors;
    const perSecond = latenciesMs.length / (elapsedMs / 1000);
    console.error(`${cell.cloud.name}, ${cell.clients} at once: ${perSecond.toFixed(0)} events/s`);
    return perSecond;
  });
  for (const cell of cells) cell.perSecond = quantile(rates.get(cell) ?? [], 0.5);

  const lost = new Map<BenchCloud, number>();
  for (const cloud of clouds) lost.set(cloud, await countLost(cloud, posted.get(cloud) ?? []));

  const recipients = Array.from({ length: SENDS }, (_, index) => contactAddress(CONTACTS + index));
  for (const cloud of clouds) {
    await cloud.usersWrite(recipients);
    await cloud.idle();
  }
  const sendRates = await interleave(clouds, { rounds: SEND_ROUNDS, warmUpRounds: 1 }, async (cloud) => {
    const perSecond = await measureSends(cloud, recipients);
    console.error(`${cloud.name}: ${perSecond.toFixed(0)} sends/s`);
    return perSecond;
  });
  const sends = new Map(clouds.map((cloud) => [cloud, quantile(sendRates.get(cloud) ?? [], 0.5)]));
  return loadReport(clouds, cells, { lost, sends, sendCount: SENDS });
};

const postTo = (
  generator: LoadGenerator,
  { stack, pushHeaders }: BenchCloud,
  load: { readonly clients: number; readonly durationMs: number; readonly idPrefix: string },
) => generator.post({ webhookUrl: stack.webhookUrl, headers: pushHeaders, contacts: CONTACTS, ...load });

/** Returns how many of the posted events are not in the table exactly once, once every queue is empty. */
const countLost = async (cloud: BenchCloud, ids: readonly string[]): Promise<number> => {
  const endMs = performance.now() + END_LIMIT_MS;
  for (;;) {
    const stored = await cloud.stored();
    const lost = ids.filter((id) => stored.get(id) !== 1).length;
    if (lost === 0 || performance.now() > endMs) return lost;
    await pause(1_000);
  }
};

const measureSends = async (cloud: BenchCloud, recipients: readonly string[]): Promise<number> => {
  const before = await cloud.accepted();
  const requests = recipients.map((contact, index) => ({
    requestId: `request-${before + index}`,
    platformContactId: `+${contact}`,
    messageText: 'Your parcel is on its way.',
  }));
  const startMs = performance.now();
  await cloud.enqueue(requests);
  while ((await cloud.accepted()) - before < SENDS) {
    if (performance.now() - startMs > END_LIMIT_MS) throw new Error(`${cloud.name} did not send every message.`);
    await pause(POLL_MS);
  }
  const elapsedMs = performance.now() - startMs;
  await cloud.idle();
  return SENDS / (elapsedMs / 1000);
};
