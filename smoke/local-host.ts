import { type DisposableTempDir, mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findTarget } from '../cli/base/target.ts';
import { createManagementClient } from '../cli/operations/management-client.ts';
import { createSignedFetch } from '../cli/operations/signed-fetch.ts';
import { readStageSettings } from '../lib/settings/read-stage-settings.ts';
import { ACCOUNT_ID, REGION } from '../local/base/aws-environment.ts';
import { type LocalCloud, type LocalOptions, startLocal } from '../local/cloud/local-cloud.ts';
import { writeLocalState } from '../local/cloud/local-state.ts';
import { readCdkApp } from '../local/stack/cdk-app.ts';
import { createEventsQueue, eventsQueueName, eventsTo } from './events-queue.ts';
import type { SmokeHost } from './play-smoke.ts';
import { SmokeError } from './smoke-options.ts';
import type { SmokeStage } from './smoke-stage.ts';
import { callSandbox } from './webhook-signer.ts';

export interface LocalHostOptions {
  readonly id: string;
  readonly stage: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly startCloud?: (options: LocalOptions) => Promise<LocalCloud>;
  /** @default 30 seconds */
  readonly patienceMs?: number;
  /** @default 20 */
  readonly samples?: number;
}

const API_TIMEOUT_MS = 20_000;
const ALARM_PATIENCE_MS = 5_000;
const POLL_MS = 500;

/** Tests a stage in a local run with its own sandbox. */
export const createLocalHost = ({
  id,
  stage: stageName,
  settings,
  startCloud = startLocal,
  patienceMs = 30_000,
  samples = 20,
}: LocalHostOptions): SmokeHost => {
  const stack = new AsyncDisposableStack();
  const queue = eventsQueueName(id, REGION, ACCOUNT_ID);
  let stage: SmokeStage | undefined;

  const start = async (): Promise<string> => {
    const folder: DisposableTempDir = await mkdtempDisposable(join(tmpdir(), 'parley-smoke-'));
    stack.use(folder);
    const overrides = { ...settings, ...eventsTo(queue) };
    const context = { stage: stageName, settings: overrides, localRun: true };
    const read = readStageSettings({ ...context, stages: (await readCdkApp(process.cwd())).context.stages });
    const cloud = stack.use(
      await startCloud({ stage: stageName, settings: overrides, logFolder: join(folder.path, 'logs') }),
    );
    await writeLocalState(cloud, folder.path);
    const target = await findTarget({ local: true }, {}, folder.path);
    const { region, credentials, addresses } = target;
    const api = createManagementClient(
      addresses.managementUrl,
      createSignedFetch({ region, credentials }, API_TIMEOUT_MS),
    );
    const events = await createEventsQueue(target.sqs, queue);
    const { chatServiceUrl, clock } = cloud;
    const untilNextEvaluation = async (): Promise<void> => {
      // The local run evaluates alarms once a minute of its clock.
      await callSandbox(chatServiceUrl, 'POST', '/clock', { advanceSeconds: 60 });
      await pause(POLL_MS);
    };
    const waits = { patienceMs, alarmPatienceMs: ALARM_PATIENCE_MS };
    stage = {
      target,
      api,
      events,
      settings: read.settings,
      chatServiceUrl,
      ...waits,
      samples,
      untilNextEvaluation,
      now: clock.now,
    };
    return `stage ${stageName}, sandbox at ${chatServiceUrl}`;
  };

  return {
    preparations: [{ title: 'The local run starts', run: start }],
    async stage() {
      if (stage === undefined) throw new SmokeError('The local run is not started.');
      return stage;
    },
    removal: {
      title: 'The local run stops',
      later: undefined,
      async run() {
        await stack.disposeAsync();
        return 'nothing is left';
      },
    },
  };
};
