import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Item } from '../../../lambdas/table/item.ts';
import { parseContactName } from '../../../lambdas/table/keys.ts';
import { MAX_ERASURE_INVOCATIONS, MAX_INBOUND_INVOCATIONS } from '../../../lib/settings/flood-settings.ts';
import { MAX_TURN_INVOCATIONS } from '../../../lib/settings/turn-settings.ts';
import { joinContactItems } from '../../support/contact-items.ts';
import { createSimulatedBus } from '../world/bus.ts';
import type { SimulatedChatService } from '../world/chat-service.ts';
import { createTableState, nameOf, type TableState } from '../world/table.ts';
import { bufferedPost } from './buffered-post.ts';
import { createDelivery, type Delivery } from './delivery.ts';
import type { InvocationEnd } from './function-pool.ts';
import { createKeepDaily } from './keep-daily.ts';
import type { QueueName } from './ledger.ts';
import { createOperator, type Operator } from './operator.ts';
import type { LambdaName, StageProcess } from './processes.ts';
import { createQueueMapping, type QueueMapping } from './queue-mapping.ts';
import { createStageCalls, type StageCalls } from './stage-calls.ts';
import { createStageChatService, type StageChatService } from './stage-chat-service.ts';
import type { StageContext } from './stage-context.ts';
import { createStageFunctions } from './stage-functions.ts';
import type { StageMutation } from './stage-mutation.ts';
import { createStageQueues, type StageQueues } from './stage-queues.ts';
import { createStageSchedules, type StageSchedules } from './stage-schedules.ts';
import { createTableStream } from './table-stream.ts';

/** A stage in memory, with its environment. */
export interface Stage {
  readonly table: TableState;
  readonly queues: StageQueues;
  readonly schedules: StageSchedules;
  readonly calls: StageCalls;
  readonly chatService: SimulatedChatService;
  readonly delivery: Delivery;
  readonly operator: Operator;
  /** Where processes read the access token. */
  readonly secret: { token: string };
  setDevice: StageChatService['setDevice'];
  /** Ends every running process of a function. */
  crash(lambda: LambdaName): void;
  /** Lambda does not invoke the function `receive` until then. */
  throttle(untilMs: number): void;
  /** The webhook's secret cannot be read until then. */
  lockSecret(untilMs: number): void;
}

export interface StageOptions {
  readonly context: StageContext;
  readonly faults: readonly string[] | undefined;
  readonly createMutation: (() => StageMutation) | undefined;
}

const ERASURE_BATCH_SIZE = 10;
/**
 * A pass of an erasure makes about 70 calls, and starts over if one of them fails. If one call in five failed, none of
 * the 1,000 passes would succeed. AWS services fail far less often, unless they have an outage.
 * Source: https://aws.amazon.com/dynamodb/sla/
 */
const SPARED_ERASURE_RECEIVE = 50;
const WEBHOOK_TOKEN = 'a-token-of-the-simulated-webhook';
export const FIRST_ACCESS_TOKEN = 'access-token-1';

export const createStage = ({ context, faults, createMutation }: StageOptions): Stage => {
  const { clock, features, record } = context;
  const { batchSize } = features;
  const calls = createStageCalls({ context, faults: faults && new Set(faults) });
  const table = createTableState((write) => {
    const { before, after } = write;
    if (!stream.add(write)) return;
    record({ kind: 'write', key: nameOf(after ?? before ?? {}), before, after }, calls.current);
    if (calls.current !== undefined && typeof after?.claimId === 'string' && after.claimId !== before?.claimId) {
      claims.set(`${calls.current} ${String(after.pk).slice('SEND#'.length)}`, after.claimId);
    }
  });
  /** The last claim of each request by each process. */
  const claims = new Map<string, string>();

  const mappings: Partial<Record<QueueName, QueueMapping>> = {};
  const queues = createStageQueues(
    context,
    () => calls.current,
    (name) => {
      mappings[name]?.poke();
      keeping.poke(name);
    },
  );
  const secret = { token: FIRST_ACCESS_TOKEN };
  const {
    service: chatService,
    called,
    setDevice,
  } = createStageChatService({
    context,
    calls,
    accessToken: FIRST_ACCESS_TOKEN,
    claimOf: (process, requestId) => claims.get(`${process} ${requestId}`),
    report: (event) => delivery.publish(event),
  });
  const schedules = createStageSchedules(context, calls, queues);
  const bus = createSimulatedBus({ onPublish: (event) => record({ kind: 'published', ...event }, calls.current) });

  /** The table as a process sees it: what it reads about contacts is in the ledger. */
  const readable = (process: StageProcess): TableState => ({
    ...table,
    get(key) {
      recordRead(process, key.pk);
      return table.get(key);
    },
  });
  /** The stage keeps expired items, as DynamoDB may, and no function reads them. */
  const unexpired = (item: Item | undefined): Item | undefined =>
    typeof item?.expiresAt === 'number' && item.expiresAt * 1000 <= clock.ms ? undefined : item;
  let lastRead = '';
  const recordRead = (process: StageProcess, name: string): void => {
    const contact = parseContactName(name);
    if (contact === undefined) return;
    // One call reads several items of a contact.
    const read = `${process.name} ${name} ${clock.ms}`;
    if (read === lastRead) return;
    lastRead = read;
    const item = joinContactItems(contact, (key) => unexpired(table.items.get(nameOf(key))));
    record({ kind: 'read-contact', name, contact: item }, process.name);
  };

  const until = { throttled: 0, locked: 0 };
  const functions = createStageFunctions({
    context,
    calls,
    tableOf: readable,
    queues,
    schedules,
    bus,
    chatService: called,
    secret,
    webhookToken: WEBHOOK_TOKEN,
    isReceiveThrottled: () => clock.ms < until.throttled,
    isSecretLocked: () => clock.ms < until.locked,
    createMutation,
  });
  const { send, receive, publish, manage } = functions;
  mappings.send = createQueueMapping({
    context,
    calls,
    queue: queues.send,
    pool: send,
    function: 'send',
    batchSize: batchSize.send,
    concurrency: features.sendConcurrency,
  });
  if (features.bulkLane === true)
    mappings.bulk = createQueueMapping({
      context,
      calls,
      queue: queues.bulk,
      pool: send,
      function: 'send',
      batchSize: batchSize.send,
      concurrency: features.sendConcurrency,
    });
  mappings.inbound = createQueueMapping({
    context,
    calls,
    queue: queues.inbound,
    pool: receive,
    function: 'drain',
    batchSize: batchSize.inbound,
    concurrency: MAX_INBOUND_INVOCATIONS,
  });

  mappings.turns = createQueueMapping({
    context,
    calls,
    queue: queues.turns,
    pool: {
      ...publish,
      invoke: (task, handle) =>
        publish.invoke(task, ({ endTurns }, invocation) => handle({ handle: endTurns }, invocation)),
    },
    function: 'end-turn',
    batchSize: batchSize.inbound,
    concurrency: MAX_TURN_INVOCATIONS,
  });
  mappings.erasures = createQueueMapping({
    context,
    calls,
    queue: queues.erasures,
    pool: manage,
    function: 'erase',
    batchSize: ERASURE_BATCH_SIZE,
    concurrency: MAX_ERASURE_INVOCATIONS,
    sparedFromReceive: SPARED_ERASURE_RECEIVE,
  });
  const keeping = createKeepDaily(context, queues, (run) =>
    manage.invoke({ function: 'keep', messages: 0, ...run }, (handlers, invocation) => handlers.keep(invocation)),
  );
  const operator = createOperator({
    context,
    request: (event, about) =>
      manage.invoke({ function: 'manage', about, messages: 1 }, (handlers) => handlers.http(event)),
  });

  const stream = createTableStream({
    context,
    onFailureQueue: queues['publish-dead-letters'],
    async invoke(records, about) {
      const task = { function: 'publish' as const, about, messages: records.length };
      const end = await publish.invoke(task, (handlers, invocation) => handlers.handle(records, invocation));
      return end.how === 'answered'
        ? { ok: true, payload: JSON.stringify(end.result) }
        : { ok: false, error: { errorType: end.how, errorMessage: end.how } };
    },
  });

  const delivery = createDelivery({
    context,
    token: WEBHOOK_TOKEN,
    post: (event: APIGatewayProxyEventV2, about) =>
      features.ingress === 'buffered'
        ? buffer(event)
        : receive.invoke({ function: 'receive', about, messages: 1 }, (handlers) => handlers.post(event)),
  });
  /** API Gateway puts a post on the inbound queue. */
  const buffer = async (event: APIGatewayProxyEventV2): Promise<InvocationEnd<number>> => {
    if (calls.unavailableUntil('queues') !== undefined) return { how: 'answered', result: 503 };
    queues.inbound.put({ body: bufferedPost(event, clock.ms) });
    return { how: 'answered', result: 200 };
  };

  const crash = (lambda: LambdaName): void => functions[lambda].crash();
  return {
    table,
    queues,
    schedules,
    calls,
    chatService,
    delivery,
    operator,
    secret,
    setDevice,
    crash,
    throttle(untilMs) {
      until.throttled = untilMs;
    },
    lockSecret(untilMs) {
      until.locked = untilMs;
    },
  };
};
