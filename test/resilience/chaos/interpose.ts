import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { SQSClient } from '@aws-sdk/client-sqs';
import { CREDENTIALS, REGION } from '../../../local/base/aws-environment.ts';
import type { PutEntry } from '../../../local/emulators/event-buses.ts';
import type { FunctionPool } from '../../../local/functions/function-pool.ts';
import type { InvokeFunction } from '../../../local/functions/invocation.ts';
import type { Interpose } from '../../../local/stack/interposed.ts';
import type { FaultCounts } from './fault-counts.ts';
import { createFaultDeck } from './fault-deck.ts';
import { type FaultProxy, type FaultProxyOptions, type ProxiedCall, startFaultProxy } from './fault-proxy.ts';
import {
  CALL_FAULTS,
  ENTRIES,
  ENTRY_FAULTS,
  INVOCATION_FAULTS,
  INVOCATIONS,
  PART_NAMES,
  PARTS,
  type PartName,
} from './parts.ts';
import { SERVICE_ERRORS } from './service-errors.ts';

/** Breaks parts on purpose, to test that the checks find it. */
export interface Sabotage {
  readonly tamper?: Partial<Record<PartName, FaultProxyOptions['tamper']>>;
}

export interface InterposedOptions {
  readonly seed: number;
  readonly counts: FaultCounts;
  readonly onCall: (part: PartName, call: ProxiedCall) => void;
  /** Called with each entry that the event bus accepts. */
  readonly onPublished: (entry: PutEntry) => void;
  /** Called with the event of an invocation whose process was killed or that timed out. */
  readonly onDeath: (functionId: string, event: string) => void;
  readonly sabotage?: Sabotage | undefined;
}

/** The proxies between the parts of a run. */
export interface ChaosConnections extends AsyncDisposable {
  readonly interpose: Interpose;
  readonly proxies: Readonly<Record<PartName, FaultProxy>>;
  /** Starts or ends the injection of faults in all connections. */
  setActive(isActive: boolean): void;
}

/** Longer than a long poll of SQS. */
const MAPPING_TIMEOUT = { requestTimeout: 30_000, throwOnRequestTimeout: true };
/** The errors of an invocation whose process has ended. */
const DEATHS: ReadonlySet<string> = new Set(['Sandbox.Timedout', 'Runtime.ExitError']);
const SIGNING_KEYS_PATH = '/carrier/certs';

export const startConnections = async (options: InterposedOptions): Promise<ChaosConnections> => {
  const { seed, counts, onCall, onPublished, onDeath, sabotage } = options;
  await using stack = new AsyncDisposableStack();
  const started = await Promise.all(
    PART_NAMES.map(async (part) => {
      const { name, rate, delayMs } = PARTS[part];
      const proxy = await startFaultProxy({
        deck: createFaultDeck(seed, name, { rate, faults: CALL_FAULTS }),
        errors: SERVICE_ERRORS[part],
        delayMs,
        onFault: (fault) => counts.add(name, fault),
        onCall: (call) => onCall(part, call),
        tamper: sabotage?.tamper?.[part],
      });
      stack.defer(proxy.close);
      return [part, proxy] as const;
    }),
  );
  // Object.fromEntries does not keep the type of the keys.
  const proxies = Object.fromEntries(started) as Record<PartName, FaultProxy>;
  let isActive = false;

  const invocations = createFaultDeck(seed, INVOCATIONS.name, { rate: INVOCATIONS.rate, faults: INVOCATION_FAULTS });
  const invoke =
    (pool: FunctionPool): InvokeFunction =>
    async (event) => {
      const fault = isActive ? invocations.next() : undefined;
      if (fault !== undefined) counts.add(INVOCATIONS.name, fault);
      if (fault === 'throttled') return failedInvocation('TooManyRequestsException', 'Rate Exceeded.');
      const result = await pool.invoke(event);
      if (!result.ok && DEATHS.has(result.error.errorType)) onDeath(pool.declaration.logicalId, event);
      return fault === undefined ? result : failedInvocation('ServiceException', 'The result was lost.');
    };

  const entries = createFaultDeck(seed, ENTRIES.name, { rate: ENTRIES.rate, faults: ENTRY_FAULTS });
  const interpose: Interpose = (emulators, chatServiceUrl) => {
    const { env, buses, queueBaseUrl } = emulators;
    buses.setFault((entry) => {
      const fault = isActive ? entries.next() : undefined;
      if (fault !== undefined) counts.add(ENTRIES.name, fault);
      if (fault !== 'dropped') onPublished(entry);
      if (fault === undefined) return undefined;
      return { errorCode: 'InternalFailure', message: 'Injected by the chaos run.', accepted: fault === 'accepted' };
    });
    const tables = env.AWS_ENDPOINT_URL_DYNAMODB ?? '';
    const queues = env.AWS_ENDPOINT_URL_SQS ?? '';
    const targets: Record<Exclude<PartName, 'webhook'>, string> = {
      dynamodb: tables,
      streamMappings: tables,
      sqs: queues,
      queueMappings: queues,
      eventBridge: env.AWS_ENDPOINT_URL_EVENTBRIDGE ?? '',
      scheduler: env.AWS_ENDPOINT_URL_SCHEDULER ?? '',
      secrets: env.AWS_ENDPOINT_URL_SECRETS_MANAGER ?? '',
      chatService: chatServiceUrl,
      signingKeys: chatServiceUrl,
    };
    for (const part of PART_NAMES) if (part !== 'webhook') proxies[part].setTarget(targets[part]);
    const client = { region: REGION, credentials: CREDENTIALS, requestHandler: MAPPING_TIMEOUT };
    const sqs = new SQSClient({ ...client, endpoint: proxies.queueMappings.url });
    const dynamodbStreams = new DynamoDBStreamsClient({ ...client, endpoint: proxies.streamMappings.url });
    stopped.defer(() => {
      sqs.destroy();
      dynamodbStreams.destroy();
    });
    const redirections = [
      [`${chatServiceUrl}${SIGNING_KEYS_PATH}`, `${proxies.signingKeys.url}${SIGNING_KEYS_PATH}`],
      ...(['dynamodb', 'sqs', 'eventBridge', 'scheduler', 'secrets', 'chatService'] as const).map(
        (part) => [targets[part], proxies[part].url] as const,
      ),
    ] as const;
    return {
      environment: (variables) =>
        Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, redirect(value, redirections)])),
      mappings: {
        sqs,
        dynamodbStreams,
        queueBaseUrl: redirect(queueBaseUrl, [[queues, proxies.queueMappings.url]]),
      },
      invocations: invoke,
      webhookUrl(webhookUrl) {
        const { origin, pathname } = new URL(webhookUrl);
        proxies.webhook.setTarget(origin);
        return `${proxies.webhook.url}${pathname}`;
      },
    };
  };

  const stopped = stack.move();
  return {
    interpose,
    proxies,
    setActive(active) {
      isActive = active;
      for (const part of PART_NAMES) proxies[part].setActive(active);
    },
    [Symbol.asyncDispose]: () => stopped.disposeAsync(),
  };
};

/** Replaces origins in a value. Matches whole ports, because one port number can be the start of another. */
const redirect = (value: string, redirections: readonly (readonly [from: string, to: string])[]): string =>
  redirections.reduce(
    (text, [from, to]) => text.replaceAll(new RegExp(`${from.replaceAll('.', '\\.')}(?![0-9])`, 'g'), to),
    value,
  );

const failedInvocation = (errorType: string, errorMessage: string) => ({
  ok: false as const,
  error: { errorType, errorMessage },
});
