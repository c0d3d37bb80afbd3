import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { SQSClient } from '@aws-sdk/client-sqs';
import { z } from 'zod';
import { CREDENTIALS, REGION } from '../../local/aws-environment.ts';
import type { Emulators } from '../../local/emulators/emulators.ts';
import type { FunctionPool } from '../../local/functions/function-pool.ts';
import { logFileOf } from '../../local/functions/functions.ts';
import type { Interpose } from '../../local/interposed.ts';
import type { Service } from './assumptions.ts';
import { type ProxiedCall, type RecordingProxy, startRecordingProxy } from './recording-proxy.ts';
import { createTableMeter, NO_TABLE_USAGE, type TableUsage } from './table-meter.ts';

/** A call that a function, or a queue's event source mapping, made to a service. */
export interface MeteredCall {
  readonly service: Service;
  readonly operation: string;
  /** The function's name, or `MAPPING`. */
  readonly caller: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly table: TableUsage;
  /** Units of 64 KB that EventBridge or SQS bills. */
  readonly billedUnits: number;
  readonly isFifo: boolean;
}

export type Trigger = 'http' | 'queue' | 'stream' | 'other';

export interface MeteredInvocation {
  readonly functionName: string;
  readonly trigger: Trigger;
  readonly records: readonly unknown[];
  readonly eventBytes: number;
  readonly startMs: number;
  readonly endMs: number;
}

export const MAPPING = 'event source mapping';
const CHUNK_BYTES = 64 * 1024;
const LONGER_THAN_A_LONG_POLL = { requestTimeout: 30_000, throwOnRequestTimeout: true };
const POLL_MS = 10;
/** Longer than the batching window of a table's stream, and its mapping polls more often than the rest. */
const QUIET_MS = 1_700;

const event = z.object({
  requestContext: z.object({ http: z.unknown() }).optional(),
  Records: z.array(z.looseObject({ eventSource: z.string() })).optional(),
});
const entries = z.object({
  Entries: z.array(z.object({ Source: z.string(), DetailType: z.string(), Detail: z.string() })),
});
const queueCall = z.object({ QueueUrl: z.string() });
const received = z.object({ Messages: z.array(z.unknown()).default([]) });

/** Everything that a run's functions did, in order. */
export interface Meters extends AsyncDisposable {
  readonly interpose: Interpose;
  readonly calls: readonly MeteredCall[];
  readonly invocations: readonly MeteredInvocation[];
  /** Runs an action and waits until it has caused this many invocations other than by the stream. */
  readonly causing: (invocations: number, act: () => Promise<unknown>) => Promise<void>;
  /** Waits until nothing has happened for a moment. */
  readonly quiet: () => Promise<void>;
}

/** Returns how many bytes a function has written to its log. */
export const logBytes = (functionName: string, folder: string): number =>
  readFileSync(logFileOf(functionName, { folder })).length;

const operationOf = ({ headers }: Pick<ProxiedCall, 'headers'>): string =>
  String(headers['x-amz-target']).split('.').at(-1) ?? '';

/** The functions' access key ids are their names, which the signature of a call contains. */
const callerOf = ({ headers }: ProxiedCall): string =>
  /Credential=([^/]+)\//.exec(headers.authorization ?? '')?.[1] ?? '';

const triggerOf = ({ requestContext, Records }: z.output<typeof event>): Trigger => {
  if (requestContext?.http) return 'http';
  const source = Records?.[0]?.eventSource;
  if (source === 'aws:sqs') return 'queue';
  return source === 'aws:dynamodb' ? 'stream' : 'other';
};

/** Source: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevent-size.html. The time is 14 bytes. */
const busUnits = (body: string): number =>
  entries
    .parse(JSON.parse(body))
    .Entries.map(({ Source, DetailType, Detail }) => 14 + Buffer.byteLength(Source + DetailType + Detail))
    .reduce((units, bytes) => units + Math.ceil(bytes / CHUNK_BYTES), 0);

const ENDPOINTS = [
  ['AWS_ENDPOINT_URL_DYNAMODB', 'dynamodb'],
  ['AWS_ENDPOINT_URL_SQS', 'sqs'],
  ['AWS_ENDPOINT_URL_EVENTBRIDGE', 'eventBridge'],
  ['AWS_ENDPOINT_URL_SECRETS_MANAGER', 'secretsManager'],
  ['AWS_ENDPOINT_URL_SCHEDULER', 'scheduler'],
] as const;

/** Starts proxies that count what functions call, for any stack that the local cloud runs. */
export const startMeters = async (): Promise<Meters> => {
  await using stack = new AsyncDisposableStack();
  const calls: MeteredCall[] = [];
  const invocations: MeteredInvocation[] = [];
  let running = 0;
  let tableMeter: ReturnType<typeof createTableMeter> | undefined;

  const record = (service: Service, call: ProxiedCall, more: Partial<MeteredCall>): void => {
    const { startMs, endMs } = call;
    const isFifo = service === 'sqs' && queueCall.parse(JSON.parse(call.body.toString())).QueueUrl.endsWith('.fifo');
    calls.push({
      service,
      operation: operationOf(call),
      caller: callerOf(call),
      startMs,
      endMs,
      isFifo,
      table: NO_TABLE_USAGE,
      billedUnits: Math.ceil(Math.max(1, call.body.length) / CHUNK_BYTES),
      ...more,
    });
  };
  const plain = async (service: Service): Promise<RecordingProxy> =>
    stack.use(
      await startRecordingProxy({
        after(call) {
          const isBus = service === 'eventBridge' && operationOf(call) === 'PutEvents';
          const isChat = service === 'chatService';
          record(service, call, {
            ...(isBus && { billedUnits: busUnits(call.body.toString()) }),
            ...(isChat && { operation: call.url, caller: '' }),
          });
        },
      }),
    );
  const tables = stack.use(
    await startRecordingProxy({
      before: async (call) => tableMeter?.note(operationOf(call), JSON.parse(call.body.toString())),
      async after(call, noted) {
        if (tableMeter === undefined || noted === undefined) return;
        const [body, answer] = [call.body, call.answer].map((json) => JSON.parse(json.toString()));
        record('dynamodb', call, { table: await tableMeter.usageOf(operationOf(call), body, answer, noted) });
      },
    }),
  );
  const proxies: Record<Service, RecordingProxy> = {
    dynamodb: tables,
    sqs: await plain('sqs'),
    eventBridge: await plain('eventBridge'),
    secretsManager: await plain('secretsManager'),
    scheduler: await plain('scheduler'),
    chatService: await plain('chatService'),
  };
  const mappingQueues = stack.use(
    await startRecordingProxy({
      after(call) {
        const isEmpty =
          operationOf(call) === 'ReceiveMessage' &&
          received.parse(JSON.parse(call.answer.toString())).Messages.length === 0;
        // Empty receives depend on the time, and are a fixed cost.
        if (!isEmpty) record('sqs', call, { caller: MAPPING });
      },
    }),
  );

  const resources = stack.move();
  const interpose: Interpose = (emulators: Emulators, chatServiceUrl) => {
    tableMeter = createTableMeter(emulators.dynamodb);
    const replaced = ENDPOINTS.map(([variable, service]) => {
      proxies[service].setTarget(emulators.env[variable] ?? '');
      return [variable, proxies[service].url] as const;
    });
    proxies.chatService.setTarget(chatServiceUrl);
    const queueOrigin = new URL(emulators.queueBaseUrl).origin;
    mappingQueues.setTarget(queueOrigin);
    const client = { region: REGION, credentials: CREDENTIALS, requestHandler: LONGER_THAN_A_LONG_POLL };
    const sqs = new SQSClient({ ...client, endpoint: mappingQueues.url });
    resources.defer(() => sqs.destroy());
    // A queue's messages arrive one by one, as the bill assumes, although a run can make many visible at once.
    sqs.middlewareStack.add(
      (next) => (args) => {
        const isReceive = 'MaxNumberOfMessages' in args.input;
        return next(isReceive ? { ...args, input: { ...args.input, MaxNumberOfMessages: 1 } } : args);
      },
      { step: 'initialize' },
    );
    return {
      environment: (variables) => ({
        ...Object.fromEntries(
          Object.entries(variables).map(([name, value]) => [
            name,
            // The keys' URL contains the same origin, but only calls that Parley makes for a send count.
            value === chatServiceUrl ? proxies.chatService.url : value.replaceAll(queueOrigin, proxies.sqs.url),
          ]),
        ),
        ...Object.fromEntries(replaced),
        AWS_ACCESS_KEY_ID: variables.AWS_LAMBDA_FUNCTION_NAME ?? '',
      }),
      mappings: {
        sqs,
        dynamodbStreams: emulators.dynamodbStreams,
        queueBaseUrl: emulators.queueBaseUrl.replace(queueOrigin, mappingQueues.url),
      },
      invocations:
        ({ declaration: { name }, invoke }: FunctionPool) =>
        async (text) => {
          const parsed = event.parse(JSON.parse(text));
          running += 1;
          const startMs = performance.now();
          const result = await invoke(text);
          running -= 1;
          if (!result.ok) throw new Error(`${name}: ${result.error.errorMessage}`);
          const { Records: records = [] } = parsed;
          const eventBytes = Buffer.byteLength(text);
          const trigger = triggerOf(parsed);
          invocations.push({ functionName: name, trigger, records, eventBytes, startMs, endMs: performance.now() });
          return result;
        },
      webhookUrl: (url) => url,
    };
  };

  const causes = () => invocations.filter(({ trigger }) => trigger !== 'stream').length;
  return {
    interpose,
    calls,
    invocations,
    async causing(expected, act) {
      const before = causes();
      await act();
      const deadline = performance.now() + 30_000;
      while (causes() < before + expected || running > 0) {
        if (performance.now() > deadline)
          throw new Error(`Expected ${expected} invocations, saw ${causes() - before}.`);
        await pause(POLL_MS);
      }
    },
    async quiet() {
      let seen = -1;
      while (seen !== calls.length + invocations.length || running > 0) {
        seen = calls.length + invocations.length;
        await pause(QUIET_MS);
      }
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};
