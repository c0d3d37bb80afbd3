import { z } from 'zod';
import type { Service } from './assumptions.ts';
import { type ProxiedCall, type RecordingProxy, startRecordingProxy } from './recording-proxy.ts';
import { type createTableMeter, NO_TABLE_USAGE, type TableUsage } from './table-meter.ts';

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

export const MAPPING = 'event source mapping';
const CHUNK_BYTES = 64 * 1024;

const entries = z.object({
  Entries: z.array(z.object({ Source: z.string(), DetailType: z.string(), Detail: z.string() })),
});
const queueCall = z.object({ QueueUrl: z.string() });
const received = z.object({ Messages: z.array(z.unknown()).default([]) });

const operationOf = ({ headers }: Pick<ProxiedCall, 'headers'>): string =>
  String(headers['x-amz-target']).split('.').at(-1) ?? '';

/** The functions' access key ids are their names, which the signature of a call contains. */
const callerOf = ({ headers }: ProxiedCall): string =>
  /Credential=([^/]+)\//.exec(headers.authorization ?? '')?.[1] ?? '';

/** Source: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevent-size.html. The time is 14 bytes. */
const busUnits = (body: string): number =>
  entries
    .parse(JSON.parse(body))
    .Entries.map(({ Source, DetailType, Detail }) => 14 + Buffer.byteLength(Source + DetailType + Detail))
    .reduce((units, bytes) => units + Math.ceil(bytes / CHUNK_BYTES), 0);

/** Stand between the functions of a run and the services, and record the calls. */
export interface MeterProxies extends AsyncDisposable {
  readonly services: Readonly<Record<Service, RecordingProxy>>;
  /** For the queues' event source mappings. */
  readonly mappingQueues: RecordingProxy;
}

/** Starts the proxies. `tableMeter` returns undefined until the table's emulator runs. */
export const startMeterProxies = async (
  onCall: (call: MeteredCall) => void,
  tableMeter: () => ReturnType<typeof createTableMeter> | undefined,
): Promise<MeterProxies> => {
  await using stack = new AsyncDisposableStack();
  const record = (service: Service, call: ProxiedCall, more: Partial<MeteredCall>): void => {
    const { startMs, endMs } = call;
    const isFifo = service === 'sqs' && queueCall.parse(JSON.parse(call.body.toString())).QueueUrl.endsWith('.fifo');
    onCall({
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
      before: async (call) => tableMeter()?.note(operationOf(call), JSON.parse(call.body.toString())),
      async after(call, noted) {
        const meter = tableMeter();
        if (meter === undefined || noted === undefined) return;
        const [body, answer] = [call.body, call.answer].map((json) => JSON.parse(json.toString()));
        record('dynamodb', call, { table: await meter.usageOf(operationOf(call), body, answer, noted) });
      },
    }),
  );
  const services: Record<Service, RecordingProxy> = {
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
  return { services, mappingQueues, [Symbol.asyncDispose]: () => resources.disposeAsync() };
};
