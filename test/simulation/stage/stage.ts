import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { parseContactName } from '../../../lambdas/adapters/dynamodb/keys.ts';
import { type ConversationTable, registeringChannels } from '../../../lambdas/adapters/dynamodb/table.ts';
import { createSecretsManagerAccessToken } from '../../../lambdas/adapters/secrets.ts';
import { MAX_ERASURE_INVOCATIONS, MAX_INBOUND_INVOCATIONS } from '../../../lib/settings/flood-settings.ts';
import { ACCOUNT, sendRules } from '../../support/builders.ts';
import { joinContactItems } from '../../support/contact-items.ts';
import { createSimulatedBus } from '../world/bus.ts';
import {
  createSimulatedChatService,
  type Effect,
  type HttpAnswer,
  type SimulatedChatService,
} from '../world/chat-service.ts';
import { endOf, requestIdIn } from '../world/journal.ts';
import { createManageProcess, MANAGE_TIMEOUT_MS } from '../world/manage-process.ts';
import { createPublishProcess, PUBLISH_TIMEOUT_MS } from '../world/publish-process.ts';
import { createReceiveProcess } from '../world/receive-process.ts';
import { type CalledChatService, createSendProcess, LIMITS } from '../world/send-process.ts';
import { createTableState, nameOf, type TableState } from '../world/table.ts';
import { createDelivery, type Delivery, TOKEN_HEADER } from './delivery.ts';
import { REJECTED_TEXT } from './draw-request.ts';
import { createFunctionPool } from './function-pool.ts';
import { createKeepDaily } from './keep-daily.ts';
import type { QueueName } from './ledger.ts';
import { createOperator, type Operator } from './operator.ts';
import type { LambdaName, StageProcess } from './processes.ts';
import { createQueueMapping, type QueueMapping } from './queue-mapping.ts';
import { createStageCalls, type StageCalls } from './stage-calls.ts';
import type { StageContext } from './stage-context.ts';
import type { StageMutation } from './stage-mutation.ts';
import { createStageQueues, type StageQueues } from './stage-queues.ts';
import { createStageSchedules, type StageSchedules } from './stage-schedules.ts';
import { createTableStream } from './table-stream.ts';
import { statusEvent } from './wire-events.ts';

/** A stage in memory, with what surrounds it. */
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
}

export interface StageOptions {
  readonly context: StageContext;
  readonly faults: readonly string[] | undefined;
  readonly createMutation: (() => StageMutation) | undefined;
}

const RECEIVE_TIMEOUT_MS = 10_000;

const ERASURE_BATCH_SIZE = 10;
const WEBHOOK_TOKEN = 'a-token-of-the-simulated-webhook';
export const FIRST_ACCESS_TOKEN = 'access-token-1';
const MAX_STATUS_MS = 60_000;

export const createStage = ({ context, faults, createMutation }: StageOptions): Stage => {
  const { clock, features, record } = context;
  const { windowPer, batchSize } = features;
  const calls = createStageCalls({ context, faults: faults && new Set(faults) });
  const mutationOf = (lambda: LambdaName) => {
    const { table, ...mutation } = createMutation?.() ?? {};
    return {
      ...mutation,
      /** What Parley's own table does, the mutation that all functions share, and then that of this one. */
      tableOf: (own: NonNullable<StageMutation['send']>['table']) => ({
        table(plain: ConversationTable) {
          const registering = registeringChannels(plain, new Map());
          const shared = { ...registering, ...table?.(registering, lambda) };
          return { ...shared, ...own?.(shared) };
        },
      }),
    };
  };

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
  const schedules = createStageSchedules(context, calls, queues);
  const bus = createSimulatedBus({ onPublish: (event) => record({ kind: 'published', ...event }, calls.current) });

  const messageIds = new Map<string, number>();
  const chatService = createSimulatedChatService({
    clock,
    accessToken: FIRST_ACCESS_TOKEN,
    approvedTemplates: ['parcel_update'],
    refusedText: REJECTED_TEXT,
    clockAheadMs: features.clockAheadMs,
    newId(body) {
      const requestId = requestIdIn(body);
      const count = (messageIds.get(requestId) ?? 0) + 1;
      messageIds.set(requestId, count);
      return `message-of-${requestId}-${count}`;
    },
  });
  /** The chat service as processes reach it: calls of its sending endpoints are in the ledger. */
  const called: CalledChatService = {
    post({ path, token, body, isAnswered }) {
      const before = chatService.effects.length;
      const answer = chatService.post(path, token, body);
      const effect = chatService.effects[before];
      recordCall({ path, body, isAnswered }, effect, answer);
      if (effect) reportDelivered(effect);
      return answer;
    },
    lose: (call) => recordCall(call, undefined, undefined),
  };
  const recordCall = (
    { path: endpoint, body, isAnswered }: Parameters<CalledChatService['lose']>[0],
    effect: Effect | undefined,
    answer: HttpAnswer | undefined,
  ): void => {
    if (endpoint !== 'message/v3' && endpoint !== 'intent/v2') return;
    const sent = typeof body === 'object' && body !== null ? { ...body } : {};
    const requestId = requestIdIn(body);
    const claimId = claims.get(`${calls.current} ${requestId}`);
    record(
      { kind: 'call', requestId, claimId, endpoint, body: sent, effect, end: endOf(effect, answer), isAnswered },
      calls.current,
    );
  };
  const reportDelivered = ({ id, body }: Effect): void => {
    const address = String(body.platformContactId);
    const STATUS = chatService.isOnPlatform(address) ? 'delivered' : 'failed';
    context.after(context.delayMs(`how late ${id} reaches the user`, MAX_STATUS_MS), `delivered ${id}`, () => {
      delivery.publish(statusEvent(context, { id, body, STATUS }));
    });
  };
  const secret = { token: FIRST_ACCESS_TOKEN };
  const accessTokenOf = (process: string) =>
    createSecretsManagerAccessToken(
      // The adapter calls `send` with a command only.
      {
        send: () =>
          calls.call({
            process,
            label: 'read the access token',
            perform: () => ({ SecretString: secret.token }),
            canEndProcess: true,
            failures: {
              'fails-before': () => {
                throw new Error('The secret is unavailable.');
              },
            },
          }),
      } as unknown as Parameters<typeof createSecretsManagerAccessToken>[0],
      'access-token',
    );

  const random = (process: StageProcess) => () => context.next(`${process.function} ${clock.ms}`);
  const send = createFunctionPool({
    context,
    calls,
    lambda: 'send',
    timeoutMs: LIMITS.timeoutSeconds * 1000,
    start(process) {
      const { tableOf, send: own } = mutationOf('send');
      return createSendProcess({
        name: process.name,
        clock,
        turns: calls,
        table: readable(process),
        queue: { putDeadLetter: queues['send-dead-letters'].put, setVisibility: queues.send.setVisibility },
        schedules,
        chatService: called,
        accessToken: accessTokenOf(process.name),
        account: ACCOUNT,
        rules: sendRules(features.rules),
        isContactConstant: false,
        windowPer,
        random: random(process),
        answerMs: (path) => Math.floor(context.next(`answer ${path} ${clock.ms}`) ** 4 * features.maxAnswerMs),
        mutation: { ...own, ...tableOf(own?.table) },
      });
    },
  });

  const receive = createFunctionPool({
    context,
    calls,
    lambda: 'receive',
    timeoutMs: RECEIVE_TIMEOUT_MS,
    start(process) {
      const { tableOf, receive: own } = mutationOf('receive');
      return createReceiveProcess({
        name: process.name,
        clock,
        aheadMs: 0,
        turns: calls,
        table: readable(process),
        queue: {
          put: queues.inbound.put,
          putDeadLetter: queues['inbound-dead-letters'].put,
          setVisibility: queues.inbound.setVisibility,
        },
        windowPer,
        onQueued: () => undefined,
        random: random(process),
        auth: { kind: 'shared-token', header: TOKEN_HEADER, envelope: 'pubsub' },
        webhookSecret: { read: async () => WEBHOOK_TOKEN },
        mutation: { ...own, ...tableOf(own?.table) },
      });
    },
  });

  const publish = createFunctionPool({
    context,
    calls,
    lambda: 'publish',
    timeoutMs: PUBLISH_TIMEOUT_MS,
    start(process) {
      const { publish: mutation } = mutationOf('publish');
      return createPublishProcess({
        name: process.name,
        turns: calls,
        bus,
        publishFailures: queues['publish-dead-letters'],
        content: features.content,
        random: random(process),
        ...(mutation && { mutation }),
      });
    },
  });

  const manage = createFunctionPool({
    context,
    calls,
    lambda: 'manage',
    timeoutMs: MANAGE_TIMEOUT_MS,
    start(process) {
      const { tableOf, manage: own } = mutationOf('manage');
      return createManageProcess({
        name: process.name,
        clock,
        turns: calls,
        table: readable(process),
        queues: {
          send: queues.send,
          sendDeadLetters: queues['send-dead-letters'],
          inbound: queues.inbound,
          inboundDeadLetters: queues['inbound-dead-letters'],
          erasures: queues.erasures,
          erasureDeadLetters: queues['erasures-dead-letters'],
          scheduleDeadLetters: queues['schedule-dead-letters'],
          publishFailures: queues['publish-dead-letters'],
        },
        schedules,
        chatService: called,
        accessToken: accessTokenOf(process.name),
        account: ACCOUNT,
        windowPer,
        random: random(process),
        mutation: { ...own, ...tableOf(own?.table) },
      });
    },
  });

  /** The table as a process sees it: what it reads about contacts is in the ledger. */
  const readable = (process: StageProcess): TableState => ({
    ...table,
    get(key) {
      recordRead(process, key.pk);
      return table.get(key);
    },
  });
  let lastRead = '';
  const recordRead = (process: StageProcess, name: string): void => {
    const contact = parseContactName(name);
    if (contact === undefined) return;
    // One call reads several items of a contact.
    const read = `${process.name} ${name} ${clock.ms}`;
    if (read === lastRead) return;
    lastRead = read;
    const item = joinContactItems(contact, (key) => table.items.get(nameOf(key)));
    record({ kind: 'read-contact', name, contact: item }, process.name);
  };

  mappings.send = createQueueMapping({
    context,
    calls,
    queue: queues.send,
    pool: send,
    function: 'send',
    batchSize: batchSize.send,
    concurrency: features.sendConcurrency,
    handle: (handlers, records, invocation) => handlers.handle(records, invocation),
  });
  mappings.inbound = createQueueMapping({
    context,
    calls,
    queue: queues.inbound,
    pool: receive,
    function: 'drain',
    batchSize: batchSize.inbound,
    concurrency: MAX_INBOUND_INVOCATIONS,
    handle: (handlers, records, invocation) => handlers.handle(records, invocation),
  });

  mappings.erasures = createQueueMapping({
    context,
    calls,
    queue: queues.erasures,
    pool: manage,
    function: 'erase',
    batchSize: ERASURE_BATCH_SIZE,
    concurrency: MAX_ERASURE_INVOCATIONS,
    handle: (handlers, records, invocation) => handlers.handle(records, invocation),
  });
  const keeping = createKeepDaily(context, queues, (about) =>
    manage.invoke({ function: 'keep', about, messages: 0 }, (handlers, invocation) => handlers.keep(invocation)),
  );
  const operator = createOperator({
    context,
    calls,
    queues,
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
      receive.invoke({ function: 'receive', about, messages: 1 }, (handlers) => handlers.post(event)),
  });

  return { table, queues, schedules, calls, chatService, delivery, operator, secret };
};
