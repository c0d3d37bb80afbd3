import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createLocalClient } from '../../../local/cloud/local-client.ts';
import type { LocalCloud } from '../../../local/cloud/local-cloud.ts';
import { startCheckedCloud } from '../../support/checked-cloud.ts';

export interface TableOutageOptions {
  /** How long the table is unavailable. */
  readonly seconds: number;
  /** Requests per second. */
  readonly rate: number;
}

export interface TableOutageResult {
  readonly requests: number;
  /** How often each HTTP status was answered at the first attempt; an event that is not acknowledged is redelivered. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly slowestMs: number;
  /** Events on the inbound queue at the end of the outage. */
  readonly waiting: number;
  /** How long after the outage every event was in the table. */
  readonly recoveryMs: number;
  /** Events in the table in the end. Each has its own key, so none can be there twice. */
  readonly stored: number;
  readonly quarantined: number;
}

const TOKEN = randomBytes(16).toString('hex');
const RECOVERY_TIMEOUT_MS = 180_000;

/** Posts events at a steady rate to a local run whose table does not answer, then restores the table. */
export const runTableOutage = async ({ seconds, rate }: TableOutageOptions): Promise<TableOutageResult> => {
  const logFolder = await mkdtemp(join(tmpdir(), 'parley-outage-'));
  const cloud = await startCheckedCloud({
    settings: { webhook: { auth: { kind: 'shared-token', header: 'x-token' } } },
    warn: () => undefined,
    logFolder,
  });
  const client = createLocalClient(cloud);
  try {
    putToken(cloud);
    // Warms the functions up.
    await Promise.all(Array.from({ length: 4 }, (_, index) => post(cloud, `before-${index}`)));
    cloud.emulators.pauseTables(true);
    const answers = await stream(cloud, seconds * rate, rate);
    for (const [index, { status }] of answers.entries()) {
      if (status !== 200) await untilAcknowledged(cloud, `during-${index}`);
    }
    const waiting = await client.queueDepth(cloud.inboundQueueUrl);
    const restoredMs = performance.now();
    cloud.emulators.pauseTables(false);
    let stored = 0;
    while (stored < answers.length && performance.now() - restoredMs < RECOVERY_TIMEOUT_MS) {
      await pause(250);
      stored = Object.keys(await client.table()).filter((key) => /^MESSAGE#during-\d+ MESSAGE$/.test(key)).length;
    }
    return {
      requests: answers.length,
      statuses: countBy(answers.map(({ status }) => String(status))),
      slowestMs: Math.round(Math.max(...answers.map(({ ms }) => ms))),
      waiting,
      recoveryMs: Math.round(performance.now() - restoredMs),
      stored,
      quarantined: await client.queueDepth(cloud.inboundDeadLetterQueueUrl),
    };
  } finally {
    cloud.emulators.pauseTables(false);
    client.close();
    await cloud.close();
    await rm(logFolder, { recursive: true });
  }
};

const putToken = ({ emulators, webhookSecretId = '' }: LocalCloud): void => {
  const secret = emulators.secrets.find(webhookSecretId);
  if (!secret) throw new Error('The stack has no secret for its webhook.');
  emulators.secrets.put(secret, TOKEN);
};

const post = async ({ webhookUrl, clock }: LocalCloud, id: string): Promise<{ status: number; ms: number }> => {
  const startedMs = performance.now();
  const response = await fetch(webhookUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-token': TOKEN },
    body: JSON.stringify({
      _id_: id,
      FROM: `+54911${String(10_000_000 + Number(id.replace(/\D/g, '')))}`,
      MESSAGE: 'Hi',
      CREATION_TIME: clock.now().toISOString(),
    }),
  });
  await response.text();
  return { status: response.status, ms: performance.now() - startedMs };
};

const untilAcknowledged = async (cloud: LocalCloud, id: string): Promise<void> => {
  while ((await post(cloud, id)).status !== 200) await pause(100);
};

/** Posts at the given rate, however long the answers take. */
const stream = async (cloud: LocalCloud, count: number, rate: number) => {
  const startedMs = performance.now();
  const answers: Promise<{ status: number; ms: number }>[] = [];
  for (let index = 0; index < count; index += 1) {
    const waitMs = startedMs + (index * 1000) / rate - performance.now();
    if (waitMs > 0) await pause(waitMs);
    answers.push(post(cloud, `during-${index}`));
  }
  return Promise.all(answers);
};

const countBy = (values: readonly string[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(values, (value) => value)].map(([value, group]) => [value, group.length]));
