import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '../../../local/base/json.ts';
import { createLocalClient, type LocalClient } from '../../../local/cloud/local-client.ts';
import { type LocalCloud, startLocal } from '../../../local/cloud/local-cloud.ts';
import { MAIN_JOB } from '../../../local/demo/main-job.ts';
import { logFileOf } from '../../../local/functions/functions.ts';
import type { InvocationResult } from '../../../local/functions/invocation.ts';
import { BUNDLE_CASES, type BundleCase, type CaseStage, TOKEN_HEADER } from './bundle-cases.ts';

/** What the bundled functions did under a runtime client, without values that differ between runs. */
export interface BundleRun {
  /** The result of each case. */
  readonly results: ReadonlyMap<string, unknown>;
  /** The table, the dead letters, and the requests to the chat service after the cases. */
  readonly state: Readonly<Record<string, unknown>>;
  /** The lines of the functions' logs that are not JSON. */
  readonly strayLines: readonly string[];
}

/** The steps of the demo that do not move the clock. Only the local run's own runtime client follows the clock. */
const STEPS = MAIN_JOB.filter((_, index) => [0, 1, 2, 5, 6].includes(index));

/**
 * Plays the main job through the local run's own event sources, and then invokes the functions with the documented
 * events.
 *
 * @param now the time of the cases, in milliseconds since the epoch; the same time leads to the same items
 * @throws LocalError if a step of the main job fails.
 */
export const runBundles = async (folder: string, now: number, runtimeClient?: string): Promise<BundleRun> => {
  await using cloud = await startLocal({
    settings: { webhook: { auth: { kind: 'shared-token', header: TOKEN_HEADER } } },
    logFolder: join(folder, runtimeClient === undefined ? 'own' : 'aws'),
    outdir: join(folder, 'cdk.out'),
    warn: () => undefined,
    runtimeClient,
  });
  using client = createLocalClient(cloud);
  for (const { play } of STEPS) await play({ cloud, client, print: () => undefined });
  const token = cloud.emulators.secrets.find(cloud.webhookSecretId ?? '')?.versions[0]?.secretString ?? '';
  const results = new Map<string, unknown>();
  const stage: CaseStage = { token, now };
  for (const one of BUNDLE_CASES) results.set(one.name, outcomeOf(await invoke(cloud, one, stage)));
  const state = await stateOf(client, cloud);
  const names = [...cloud.functions.values()].map(({ declaration }) => declaration.name);
  const logs = await Promise.all(names.map((name) => readFile(logFileOf(name, { folder: cloud.logFolder }), 'utf8')));
  return { results, state, strayLines: logs.flatMap((log) => log.split('\n').filter(isStray)) };
};

const invoke = async (cloud: LocalCloud, one: BundleCase, stage: CaseStage): Promise<InvocationResult> => {
  const [, pool] = [...cloud.functions].find(([logicalId]) => logicalId.startsWith(one.functionName)) ?? [];
  if (pool === undefined) throw new Error(`The stack has no function ${one.functionName}.`);
  return pool.invoke(JSON.stringify(one.event(stage)));
};

const outcomeOf = (result: InvocationResult): unknown =>
  result.ok ? withoutTimes(JSON.parse(result.payload)) : { error: result.error.errorType };

/** Excludes the main job's items, because the sandbox draws their ids. */
const OF_THE_CASES = /^CONTACT#.*541155550001 |^MESSAGE#(text|base64|deferred|stream) |^SEND#fixture-/;

const stateOf = async (client: LocalClient, { sendDeadLetterQueueUrl, inboundDeadLetterQueueUrl }: LocalCloud) => ({
  ...Object.fromEntries(
    Object.entries(await client.table()).flatMap(([key, item]) =>
      OF_THE_CASES.test(key) ? [[key, withoutTimes(item)]] : [],
    ),
  ),
  'dead letters of sends': withoutTimes(await client.takeMessages(sendDeadLetterQueueUrl)),
  'quarantined events': withoutTimes(await client.takeMessages(inboundDeadLetterQueueUrl)),
});

/** Replaces times, ids, and expiries, which differ from run to run. */
const withoutTimes = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_key, member: unknown) => (member instanceof Set ? [...member].toSorted() : member) ?? null)
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>')
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, '<id>')
      // The sandbox's ids, also in lists and sentences.
      .replaceAll(/\b[0-9A-Z]{20}\b/g, '<id>')
      .replaceAll(/"expiresAt":\d+/g, '"expiresAt":0'),
  );

/** Whether a line is neither empty nor a JSON object, as Parley's logs and metrics are. */
const isStray = (line: string): boolean => {
  if (line === '' || line.startsWith('Invoke Error ')) return false;
  try {
    return !isObject(JSON.parse(line));
  } catch {
    return true;
  }
};
