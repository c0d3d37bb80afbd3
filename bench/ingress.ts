import { randomUUID } from 'node:crypto';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { type Bill, billOf, totalOf } from './cost/bill.ts';
import { eventText } from './cost/main-job-phases.ts';
import { startMeteredParley } from './cost/metered-parley.ts';
import { functionCpuMs } from './cost/process-time.ts';
import type { Usage } from './cost/usage.ts';
import type { BenchCloud } from './load/bench-cloud.ts';
import { startLoadGenerator } from './load/load-generator.ts';
import { startParleyCloud } from './load/parley-cloud.ts';
import { contactAddress, pushedEvent } from './load/pushed-event.ts';
import { PRICES, PRICES_NOTE } from './prices.ts';
import { interleave, type Measurement, quantile, type Table } from './report.ts';

const INGRESSES = ['direct', 'buffered'] as const;
type Ingress = (typeof INGRESSES)[number];

const CLIENTS = 8;
const CONTACTS = 1_000;
const ROUNDS = 6;
const ROUND_MS = 2_500;
const WARM_UP_MS = 5_000;
/** How many events are timed from the post to the table, one after another. */
const TIMED = 200;
/** How many events of each kind are counted for the bill. */
const COUNTED = 100;

const settingsOf = (ingress: Ingress) => ({ webhook: { ingress } });

interface Measured {
  readonly cloud: BenchCloud;
  readonly ingress: Ingress;
  readonly answersMs: number[];
  readonly toTableMs: number[];
  errors: number;
  cpuMs: number;
  events: number;
  lost: number;
}

/** Measures the two kinds of ingress: the time to the answer and to the table, the processor time, and the bill. */
export const measureIngress = async (): Promise<Measurement> => {
  const measured = await measureTimes();
  const bills = new Map<Ingress, Bills>();
  for (const ingress of INGRESSES) bills.set(ingress, await countBills(ingress));
  return {
    tables: [timeTable(measured), billTable(bills)],
    charts: [],
  };
};

const measureTimes = async (): Promise<readonly Measured[]> => {
  await using stack = new AsyncDisposableStack();
  const { path } = stack.use(await mkdtempDisposable(join(tmpdir(), 'parley-bench-')));
  const generator = stack.use(startLoadGenerator());
  const measured: Measured[] = [];
  for (const ingress of INGRESSES) {
    const cloud = stack.use(await startParleyCloud(join(path, ingress), ingress, settingsOf(ingress)));
    measured.push({ cloud, ingress, answersMs: [], toTableMs: [], errors: 0, cpuMs: 0, events: 0, lost: 0 });
  }
  const posted = new Map(measured.map((one) => [one, [] as string[]]));
  const post = async (one: Measured, durationMs: number) => {
    const { stack: running, pushHeaders, idle } = one.cloud;
    const idPrefix = `${one.ingress}-${randomUUID()}-`;
    const load = { clients: CLIENTS, durationMs, idPrefix, contacts: CONTACTS };
    const answers = await generator.post({ webhookUrl: running.webhookUrl, headers: pushHeaders, ...load });
    await idle();
    for (const index of answers.latenciesMs.keys()) posted.get(one)?.push(`${idPrefix}${index}`);
    return answers;
  };
  for (const one of measured) await post(one, WARM_UP_MS);
  await interleave(measured, { rounds: ROUNDS, warmUpRounds: 0 }, async (one) => {
    const before = receiveCpuMs(one.cloud);
    const { latenciesMs, errors, elapsedMs } = await post(one, ROUND_MS);
    one.cpuMs += receiveCpuMs(one.cloud) - before;
    one.events += latenciesMs.length;
    one.errors += errors;
    for (const latency of latenciesMs) one.answersMs.push(latency);
    const perSecond = latenciesMs.length / (elapsedMs / 1000);
    console.error(`${one.ingress}: ${perSecond.toFixed(0)} events/s`);
    return perSecond;
  });
  for (let index = 0; index < TIMED; index += 1) {
    for (const one of measured) one.toTableMs.push(await timeToTable(one.cloud, index));
  }
  for (const one of measured) {
    const stored = await one.cloud.stored();
    one.lost = (posted.get(one) ?? []).filter((id) => stored.get(id) !== 1).length;
  }
  return measured;
};

const receiveNameOf = ({ stack }: BenchCloud): string =>
  [...stack.functions.values()].find(({ declaration }) => declaration.variables.WEBHOOK_AUTH !== undefined)?.declaration
    .name ?? '';

const receiveCpuMs = (cloud: BenchCloud): number => functionCpuMs(receiveNameOf(cloud));

const POLL_MS = 1;
const MAX_WAIT_MS = 30_000;

/** Posts an event and returns how long it takes until its message is in the table. */
const timeToTable = async ({ stack, pushHeaders }: BenchCloud, index: number): Promise<number> => {
  const id = `timed-${randomUUID()}`;
  const body = pushedEvent(id, contactAddress(index), new Date().toISOString());
  const key = { pk: { S: `MESSAGE#${id}` }, sk: { S: 'MESSAGE' } };
  const get = new GetItemCommand({ TableName: stack.tableName, Key: key, ConsistentRead: true });
  const startMs = performance.now();
  const answer = await fetch(stack.webhookUrl, { method: 'POST', headers: { ...pushHeaders }, body });
  if (!answer.ok) throw new Error(`The webhook answered ${answer.status}.`);
  for (;;) {
    const { Item } = await stack.emulators.dynamodb.send(get);
    const elapsedMs = performance.now() - startMs;
    if (Item !== undefined) return elapsedMs;
    if (elapsedMs > MAX_WAIT_MS) throw new Error(`The message ${id} is not in the table after ${MAX_WAIT_MS} ms.`);
    await pause(POLL_MS);
  }
};

interface Bills {
  readonly authentic: Bill;
  readonly unauthentic: Bill;
}

const countBills = async (ingress: Ingress): Promise<Bills> => {
  await using running = await startMeteredParley(settingsOf(ingress));
  const { client, cloud, measure, meters } = running;
  const text = await eventText(client);
  let users = 0;
  const count = (what: string, act: () => Promise<unknown>) => {
    console.error(`${ingress}: ${COUNTED} × ${what}`);
    const happen = async () => {
      for (let index = 0; index < COUNTED; index += 1) await meters.causing(1, act);
    };
    return happen().then(() => measure(COUNTED, happen));
  };
  const authentic = await count('message', () => {
    users += 1;
    return client.userWrites(`+54911${50_000_000 + users}`, { text });
  });
  const unauthentic = await count('unauthentic post', () => {
    const body = pushedEvent(randomUUID(), contactAddress(0), new Date().toISOString());
    return fetch(cloud.webhookUrl, {
      method: 'POST',
      headers: { authorization: 'Bearer a.b.c', 'content-type': 'application/json' },
      body,
    });
  });
  return { authentic: billOfIngress(ingress, authentic), unauthentic: billOfIngress(ingress, unauthentic) };
};

/** With buffered ingress, the REST API and its call of SQS take the place of the HTTP API. */
const billOfIngress = (ingress: Ingress, usage: Usage): Bill => {
  const bill = billOf(usage, 0);
  if (ingress === 'direct') return bill;
  return { ...bill, api: PRICES.restApi.usd, queues: bill.queues + PRICES.standardQueue.usd };
};

const timeTable = (measured: readonly Measured[]): Table => ({
  title: `${CLIENTS} concurrent requests`,
  rows: [
    [
      'ingress',
      'posts',
      'p50 ms to the answer',
      'p99',
      'p99.9',
      'p50 ms to the table',
      'p99',
      'processor ms per event',
      'errors',
      'lost',
    ],
    ...measured.map(({ ingress, answersMs, toTableMs, cpuMs, events, errors, lost }) => [
      ingress,
      String(events),
      ...[0.5, 0.99, 0.999].map((fraction) => quantile(answersMs, fraction).toFixed(1)),
      ...[0.5, 0.99].map((fraction) => quantile(toTableMs, fraction).toFixed(1)),
      (cpuMs / events).toFixed(2),
      String(errors),
      String(lost),
    ]),
  ],
  note:
    'The time to the table is that of single events, one after another. On AWS, API Gateway and SQS add their own time, ' +
    'which the emulators do not have.',
});

const PARTS = [
  ['API', 'api'],
  ['queues', 'queues'],
  ['Lambda requests', 'requests'],
  ['Lambda duration', 'duration'],
  ['table writes', 'tableWrites'],
  ['logs', 'logs'],
  ['traces', 'traces'],
] as const satisfies readonly (readonly [string, keyof Bill])[];

const billTable = (bills: ReadonlyMap<Ingress, Bills>): Table => ({
  title: 'US dollars per million posts, without the event bus',
  rows: [
    ['ingress', ...PARTS.map(([name]) => name), 'total'],
    ...[...bills].flatMap(([ingress, { authentic, unauthentic }]) =>
      [[`${ingress}, a message`, authentic] as const, [`${ingress}, not authentic`, unauthentic] as const].map(
        ([name, bill]) => [
          name,
          ...PARTS.map(([, part]) => bill[part].toFixed(2)),
          (totalOf(bill) - bill.bus).toFixed(2),
        ],
      ),
    ),
  ],
  note:
    `${PRICES_NOTE} With buffered ingress, every message is received alone, which is the most expensive case: under ` +
    'load, ten share an invocation and the requests of the queue. A flood of 1,000,000 posts costs what the table says; ' +
    '`webhook.throttle` limits how many there can be.',
});
