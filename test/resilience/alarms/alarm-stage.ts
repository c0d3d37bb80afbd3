import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CreateQueueCommand } from '@aws-sdk/client-sqs';
import type { ServiceName } from '../../../lambdas/domain/metric-names.ts';
import { arnOf } from '../../../local/base/aws-environment.ts';
import { createRunFolder } from '../../../local/base/run-folder.ts';
import { createLocalClient, type LocalClient } from '../../../local/cloud/local-client.ts';
import type { LocalCloud, LocalOptions } from '../../../local/cloud/local-cloud.ts';
import { writeLocalState } from '../../../local/cloud/local-state.ts';
import { waitFor } from '../../../local/demo/wait-for.ts';
import type { FunctionPool } from '../../../local/functions/function-pool.ts';
import type { InvokeFunction } from '../../../local/functions/invocation.ts';
import type { Interpose } from '../../../local/stack/interposed.ts';
import { runParley } from '../../support/run-parley.ts';
import { startTestCloud } from '../../support/test-cloud.ts';

export const TOKEN_HEADER = 'x-webhook-token';

/** The queue that receives the stage's events. */
const TARGET = 'crm';

/** The setting of the stage's event target. */
export const EVENT_TARGET = { kind: 'sqs', queueArn: arnOf('sqs', TARGET) };

const MINUTE_MS = 60_000;

/** Long enough for what is due to reach the functions, and for their logs to be read. */
const WORK_MS = 40;
const MAX_WORK_MS = 10_000;

/** A local run whose faults and alarms a test controls. */
export interface AlarmStage extends AsyncDisposable {
  readonly cloud: LocalCloud;
  readonly client: LocalClient;
  /** Makes a function's invocations fail whose event matches. Pass undefined to end that. */
  readonly fail: (service: ServiceName, matches: ((event: string) => boolean) | undefined) => void;
  /** Throttles a function completely, as reserved concurrency of zero does, or ends that. */
  readonly throttle: (service: ServiceName, isThrottled: boolean) => void;
  /** Runs a command of `parley`. @throws Error if it fails */
  readonly parley: (command: string, stdin?: string) => Promise<string>;
  readonly isOn: (alarm: string) => boolean;
  /** Waits until the functions are idle and their metrics are counted. */
  readonly idle: () => Promise<void>;
  /** Moves the clock by a number of minutes, and waits until the functions are idle again. */
  readonly advance: (minutes: number) => Promise<void>;
  /** Posts a webhook request. Returns the status. */
  readonly post: (
    event: unknown,
    request?: { readonly path?: string; readonly headers?: HeadersInit },
  ) => Promise<number>;
  /** Makes the stage's event target refuse events, or accept them again. */
  readonly refuseEvents: (isRefusing: boolean) => void;
  /** Waits until a queue is empty. */
  readonly drained: (queueUrl: string) => Promise<void>;
  /** Waits until a queue holds messages. */
  readonly filled: (queueUrl: string) => Promise<void>;
}

export interface AlarmStageOptions {
  readonly settings?: LocalOptions['settings'];
  /** Variables to add to those of `receive`. */
  readonly receiveVariables?: Readonly<Record<string, string>>;
}

/** Starts a local run for scenarios of alarms. */
export const startAlarmStage = async ({ settings, receiveVariables = {} }: AlarmStageOptions): Promise<AlarmStage> => {
  await using stack = new AsyncDisposableStack();
  const folder = await createRunFolder();
  stack.defer(() => folder.remove());
  const failing = new Map<string, (event: string) => boolean>();

  const interpose: Interpose = (emulators) => ({
    mappings: emulators,
    webhookUrl: (url) => url,
    environment: (variables) => ({
      ...variables,
      ...(variables.POWERTOOLS_SERVICE_NAME === 'receive' && receiveVariables),
    }),
    invocations:
      (pool): InvokeFunction =>
      async (event) =>
        failing.get(serviceOf(pool))?.(event)
          ? { ok: false, error: { errorType: 'Runtime.ExitError', errorMessage: 'Injected by the test.' } }
          : pool.invoke(event),
  });
  const cloud = await startTestCloud({
    settings,
    interpose,
    logFolder: join(folder.path, 'logs'),
    warn: () => undefined,
  });
  stack.defer(() => cloud.close());
  await writeLocalState(cloud, folder.path);
  const client = createLocalClient(cloud);
  stack.defer(() => client.close());

  const targetUrl = `${cloud.emulators.queueBaseUrl}/${TARGET}`;
  await cloud.emulators.sqs.send(new CreateQueueCommand({ QueueName: TARGET }));
  let isTargetRefusing = false;
  // Emulates a queue whose policy does not allow EventBridge to send.
  cloud.emulators.sqs.middlewareStack.add((next) => async (call) => {
    if (isTargetRefusing && Reflect.get(call.input, 'QueueUrl') === targetUrl) throw new Error('AccessDenied');
    return next(call);
  });

  const poolOf = (service: ServiceName): FunctionPool => {
    const found = [...cloud.functions.values()].find((pool) => serviceOf(pool) === service);
    if (found === undefined) throw new Error(`The stage has no function ${service}.`);
    return found;
  };
  const { alarms } = cloud.emulators.cloudWatch;
  const depth = async (queueUrl: string, isDone: (messages: number) => boolean): Promise<void> => {
    await waitFor(`the queue ${queueUrl}`, async () => (isDone(await client.queueDepth(queueUrl)) ? true : undefined));
  };
  const idle = async (): Promise<void> => {
    let isIdle = false;
    for (const deadline = Date.now() + MAX_WORK_MS; !isIdle && Date.now() < deadline; ) {
      await pause(WORK_MS);
      isIdle = [...cloud.functions.values()].every((pool) => pool.working() === 0);
    }
    await pause(WORK_MS);
  };
  const token = () => cloud.emulators.secrets.find(cloud.webhookSecretId ?? '')?.versions[0]?.secretString ?? '';

  const resources = stack.move();
  return {
    cloud,
    client,
    fail(service, matches) {
      if (matches) failing.set(service, matches);
      else failing.delete(service);
    },
    throttle: (service, isThrottled) => poolOf(service).throttleAbove(isThrottled ? 0 : undefined),
    async parley(command, stdin) {
      const { code, out, err } = await runParley(command.split(' '), { stateFolder: folder.path, stdin });
      // 6: doctor and alarms found something.
      if (code === 0 || code === 6) return out;
      throw new Error(`parley ${command} failed with ${code}: ${err} ${out}`);
    },
    isOn(alarm) {
      alarms.catchUp();
      const status = alarms.all().find(({ alarm: { name } }) => nameOf(name) === alarm);
      if (status === undefined) throw new Error(`The stage has no alarm ${alarm}.`);
      return status.state === 'ALARM';
    },
    idle,
    async advance(minutes) {
      await cloud.clock.advance(minutes * MINUTE_MS);
      // Otherwise, the clock would leave behind what the functions count: their metrics would be too old for an alarm.
      await idle();
    },
    async post(event, { path = '', headers = { [TOKEN_HEADER]: token() } } = {}) {
      const body = JSON.stringify(event);
      return (await fetch(`${cloud.webhookUrl}${path}`, { method: 'POST', headers, body })).status;
    },
    refuseEvents(isRefusing) {
      isTargetRefusing = isRefusing;
    },
    drained: (queueUrl) => depth(queueUrl, (messages) => messages === 0),
    filled: (queueUrl) => depth(queueUrl, (messages) => messages > 0),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};

const serviceOf = ({ declaration }: FunctionPool): string => declaration.variables.POWERTOOLS_SERVICE_NAME ?? '';

/** Returns the name of an alarm in the runbook. */
const nameOf = (physicalName: string): string => physicalName.replace(/^.*-Monitoring(.+)[0-9A-F]{8}$/, '$1');
