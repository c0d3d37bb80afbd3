import type { APIGatewayProxyEventV2, Context, SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { createHttpChatService } from '../../../lambdas/adapters/chat-service/http-chat-service.ts';
import { createDynamodbAudit } from '../../../lambdas/adapters/dynamodb/audit.ts';
import { createDynamodbChannels } from '../../../lambdas/adapters/dynamodb/channels.ts';
import { createDynamodbCircuit } from '../../../lambdas/adapters/dynamodb/circuit.ts';
import { createDynamodbContacts } from '../../../lambdas/adapters/dynamodb/contacts.ts';
import { createDynamodbEchoes } from '../../../lambdas/adapters/dynamodb/echoes.ts';
import { createDynamodbErasures } from '../../../lambdas/adapters/dynamodb/erasures.ts';
import { createDynamodbGaps } from '../../../lambdas/adapters/dynamodb/gaps.ts';
import { createDynamodbKeptDeadLetters } from '../../../lambdas/adapters/dynamodb/kept-dead-letters.ts';
import { createDynamodbMessages } from '../../../lambdas/adapters/dynamodb/messages.ts';
import { createDynamodbSendLists } from '../../../lambdas/adapters/dynamodb/send-lists.ts';
import { createDynamodbSends } from '../../../lambdas/adapters/dynamodb/sends.ts';
import { createDynamodbStops } from '../../../lambdas/adapters/dynamodb/stops.ts';
import { createDynamodbStoredEvents } from '../../../lambdas/adapters/dynamodb/stored-events.ts';
import type { ConversationTable } from '../../../lambdas/adapters/dynamodb/table.ts';
import {
  createChangeVisibility,
  createSqsErasureQueue,
  createSqsRedriveQueue,
  createSqsSendQueue,
} from '../../../lambdas/adapters/sqs.ts';
import { createSqsDeadLetterSource, createSqsQueuedDeadLetters } from '../../../lambdas/adapters/sqs-dead-letters.ts';
import type { AccountRef } from '../../../lambdas/domain/circuit-breaker.ts';
import type { WindowPer } from '../../../lambdas/domain/contact.ts';
import type { SendRules } from '../../../lambdas/domain/decision.ts';
import { seconds } from '../../../lambdas/domain/duration.ts';
import type { Answer } from '../../../lambdas/manage/api/answer.ts';
import type { ManagementCall } from '../../../lambdas/manage/api/define-route.ts';
import type { RedrivePorts } from '../../../lambdas/manage/api/redrives.ts';
import type { RouteName } from '../../../lambdas/manage/api/route-name.ts';
import { ROUTES } from '../../../lambdas/manage/api/routes.ts';
import { createErasureQueueHandler } from '../../../lambdas/manage/erasure-queue-handler.ts';
import { createKeepDeadLetters, keepDeadLetter } from '../../../lambdas/manage/keep-dead-letters.ts';
import { answerErrors, createManagementHandler } from '../../../lambdas/manage/management-handler.ts';
import type {
  AccessToken,
  AuditRepository,
  ChannelRepository,
  ChatService,
  CircuitRepository,
  ContactRepository,
  DeadLetterSource,
  ErasureQueue,
  ErasureRepository,
  GapRepository,
  KeptDeadLetterRepository,
  MessageRepository,
  QueuedDeadLetters,
  SendLists,
  SendQueue,
  SendRepository,
  SendScheduler,
  StopRepository,
} from '../../../lambdas/ports.ts';
import { frame, type Invocation } from '../../../lambdas/runtime/frame.ts';
import { RETENTION_DAYS, sendRules } from '../../support/builders.ts';
import { silentLog, silentMetrics } from '../../support/telemetry.ts';
import { type Failures, throwing } from './faults.ts';
import type { ReachableQueue } from './queues.ts';
import type { SimulatedSchedules } from './schedules.ts';
import { type CalledChatService, postAtTurn } from './send-process.ts';
import { createSimulatedSqsClient } from './sqs-client.ts';
import { createSimulatedTable, type TableState } from './table.ts';
import { queueName, type Touches } from './touches.ts';
import type { Part, Turns } from './turns.ts';
import type { VirtualClock } from './virtual-clock.ts';

type ManageQueueName =
  | 'send'
  | 'sendDeadLetters'
  | 'inbound'
  | 'inboundDeadLetters'
  | 'erasures'
  | 'erasureDeadLetters'
  | 'scheduleDeadLetters'
  | 'publishFailures';

/** The queues that the function reaches. */
export type ManageQueues<Queue extends ReachableQueue = ReachableQueue> = Readonly<Record<ManageQueueName, Queue>> & {
  /** Undefined in a stage without a bulk queue. */
  readonly bulk?: Queue;
  readonly bulkDeadLetters?: Queue;
};

/** The ports of a process that a mutant can break. */
export interface BreakableManagePorts {
  readonly contacts: ContactRepository;
  readonly messages: MessageRepository;
  readonly sends: SendRepository;
  readonly lists: SendLists;
  readonly circuits: CircuitRepository;
  readonly stops: StopRepository;
  readonly channels: ChannelRepository;
  readonly gaps: GapRepository;
  readonly watches: boolean;
  readonly deadLetters: KeptDeadLetterRepository;
  readonly audit: AuditRepository;
  readonly erasures: ErasureRepository;
  readonly queue: SendQueue;
  readonly erasureQueue: ErasureQueue;
  readonly redriveQueues: RedrivePorts['redriveQueues'];
  readonly redrivenSources: RedrivePorts['redrivenSources'];
  readonly sources: readonly DeadLetterSource[];
  readonly queuedDeadLetters: QueuedDeadLetters;
  readonly scheduler: SendScheduler;
  readonly chatService: ChatService;
}

/** A way to break the function on purpose. Each instance belongs to one process. */
export interface ManageMutation {
  readonly table?: (table: ConversationTable) => Partial<ConversationTable>;
  readonly ports?: (ports: BreakableManagePorts) => Partial<BreakableManagePorts>;
  readonly records?: (records: readonly SQSRecord[]) => SQSRecord[];
  readonly response?: (response: SQSBatchResponse) => SQSBatchResponse;
}

export interface ManageProcessOptions {
  readonly name: string;
  readonly clock: VirtualClock;
  readonly turns: Pick<Turns, 'call'>;
  readonly table: TableState;
  readonly queues: ManageQueues;
  readonly schedules: Pick<SimulatedSchedules, 'cancel'>;
  readonly chatService: CalledChatService;
  readonly accessToken: AccessToken;
  readonly account: AccountRef;
  /** @default 'user' */
  /** The rules of sending that answers depend on, beside those of an ordinary stage. @default none */
  readonly rules?: Partial<Pick<SendRules, 'operators' | 'optOutConfirmation'>>;
  readonly windowPer?: WindowPer;
  /** @default 0 */
  readonly random?: () => number;
  readonly answerMs?: () => number;
  readonly mutation?: ManageMutation;
}

/** A call of the management API. */
export interface ManagementRequest {
  readonly route: RouteName;
  readonly id?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The same values as in the function's entry and the stack. */
const KEEP_REQUIRED_TIME_MS = 20_000;
export const MANAGE_TIMEOUT_MS = 60_000;
export const ERASURE_VISIBILITY_SECONDS = 360;

const CALLER = { arn: 'arn:aws:iam::000000000000:user/operator' };

const urlOf = (name: keyof ManageQueues | ''): string => `https://queues.example/000000000000/${name}`;

/** Starts a process of the function `manage`: it answers a call of the API, erases in passes, or keeps dead letters. */
export const createManageProcess = (options: ManageProcessOptions) => {
  const { name, clock, turns, queues, schedules, account, mutation, random = () => 0 } = options;
  const call = <Result>(
    part: Part,
    label: string,
    perform: () => Result,
    failures: Failures<Result>,
    touches?: () => Touches,
  ): Promise<Result> =>
    turns.call({ process: name, label, perform, failures, canEndProcess: true, part, ...(touches && { touches }) });

  const plainTable = createSimulatedTable(options.table, (label, perform, _, touches) =>
    call('table', label, perform, throwing('The table'), touches),
  );
  const table = { ...plainTable, ...mutation?.table?.(plainTable) };
  const sqs = createSimulatedSqsClient(
    Object.fromEntries(Object.entries(queues).map(([key, queue]) => [urlOf(key as keyof ManageQueues), queue])),
    ({ label, url, writes }, perform) => {
      const names = [queueName(url.slice(urlOf('').length))];
      return call('queues', label, perform, throwing('The queue'), () =>
        writes ? { reads: [], writes: names } : { reads: names, writes: [] },
      );
    },
  );
  let ids = 0;
  const randomness = { newId: () => `${name}-${++ids}`, random };
  const deadLettersOf = (queue: DeadLetterSource['queue'], key: keyof ManageQueues) =>
    createSqsDeadLetterSource(sqs, queue, urlOf(key), { sourceUrl: undefined, hiddenSeconds: seconds(60) });
  const deadLetterSources = {
    send: deadLettersOf('send', 'sendDeadLetters'),
    ...(queues.bulkDeadLetters && { bulk: deadLettersOf('bulk', 'bulkDeadLetters') }),
    inbound: deadLettersOf('inbound', 'inboundDeadLetters'),
    schedules: deadLettersOf('schedules', 'scheduleDeadLetters'),
    erasures: deadLettersOf('erasures', 'erasureDeadLetters'),
  };
  const scheduleOf = (requestId: string): Touches => ({ reads: [], writes: [`schedule ${requestId}`] });
  const deadLetters = createDynamodbKeptDeadLetters(table);
  const plain: BreakableManagePorts = {
    contacts: createDynamodbContacts(table, { readsHandovers: options.rules?.operators !== undefined }),
    messages: createDynamodbMessages(table, { gapClock: undefined }),
    sends: createDynamodbSends(table),
    lists: createDynamodbSendLists(table),
    circuits: createDynamodbCircuit(table, account),
    stops: createDynamodbStops(table, account),
    channels: createDynamodbChannels(table),
    gaps: createDynamodbGaps(table),
    watches: true,
    deadLetters,
    audit: createDynamodbAudit(table, randomness),
    erasures: createDynamodbErasures(table),
    queue: createSqsSendQueue(sqs, urlOf('send')),
    erasureQueue: createSqsErasureQueue(sqs, urlOf('erasures')),
    redriveQueues: {
      send: createSqsRedriveQueue(sqs, urlOf('send')),
      ...(queues.bulk && { bulk: createSqsRedriveQueue(sqs, urlOf('bulk')) }),
      inbound: createSqsRedriveQueue(sqs, urlOf('inbound')),
      erasures: createSqsRedriveQueue(sqs, urlOf('erasures')),
    },
    redrivenSources: deadLetterSources,
    sources: Object.values(deadLetterSources),
    queuedDeadLetters: createSqsQueuedDeadLetters(
      sqs,
      {
        send: urlOf('sendDeadLetters'),
        bulk: queues.bulkDeadLetters && urlOf('bulkDeadLetters'),
        others: (['scheduleDeadLetters', 'erasureDeadLetters', 'inboundDeadLetters', 'publishFailures'] as const).map(
          urlOf,
        ),
      },
      (deadLetter) => keepDeadLetter({ deadLetters, clock, randomness, chatPlatform: account.platform }, deadLetter),
    ),
    scheduler: {
      schedule: () => Promise.reject(new Error('This function schedules nothing.')),
      cancel: (requestId) =>
        call(
          'scheduler',
          `unschedule ${requestId}`,
          () => schedules.cancel(requestId),
          throwing('The scheduler'),
          () => scheduleOf(requestId),
        ),
    },
    chatService: createHttpChatService({
      baseUrl: 'https://chat.example',
      contactCheckPath: 'customer/checkChatContact',
      accessToken: options.accessToken,
      post: (url, headers, body) =>
        postAtTurn({ answerMs: () => 0, ...options }, url, headers['access-token'] ?? '', body),
    }),
  };
  const ports = { ...plain, ...mutation?.ports?.(plain) };
  const routePorts = {
    ...ports,
    accessToken: options.accessToken,
    contactDefaults: {
      chatPlatform: account.platform,
      chatChannelNumber: account.channel,
      windowPer: options.windowPer ?? ('user' as const),
    },
    // No act makes a dry run.
    backlog: { read: () => Promise.reject(new Error('Nothing counts the messages.')) },
    storedEvents: createDynamodbStoredEvents(table),
    echoes: createDynamodbEchoes(table),
    eventMeanings: { keywords: undefined, operatorEchoes: undefined },
    republish: undefined,
    rules: sendRules({
      chatPlatform: account.platform,
      chatChannelNumber: account.channel,
      numberFormat: 'plus',
      ...options.rules,
    }),
    defaultNotAfter: undefined,
    settings: {
      chatPlatform: account.platform,
      chatChannelNumber: account.channel,
      chatServiceUrl: 'https://chat.example',
      windowMarginSeconds: 60,
      windowPer: options.windowPer ?? ('user' as const),
      retentionDays: RETENTION_DAYS,
    },
    clock,
    randomness,
    log: silentLog,
    metrics: silentMetrics,
  };
  const eraseBatch = createErasureQueueHandler({
    ...routePorts,
    changeVisibility: createChangeVisibility(sqs, urlOf('erasures')),
  });
  const keepDeadLetters = createKeepDeadLetters({ ...routePorts, chatPlatform: account.platform });

  const responders = new Map(
    Object.values(ROUTES).map((route) => [route.route, (call: ManagementCall) => route.respond(routePorts, call)]),
  );
  const respond = frame(createManagementHandler({ responders, log: silentLog }), [answerErrors(silentLog)]);

  return {
    name,
    /** Answers a request from API Gateway. */
    async http(event: APIGatewayProxyEventV2): Promise<{ readonly status: number; readonly body: unknown }> {
      // The frame passes on the context, of which nothing is read.
      const { statusCode = 200, body = '' } = await respond(event, {} as Context);
      return { status: statusCode, body: JSON.parse(body) };
    },
    /** Answers an API call. Throws if the function would return 500. */
    call({ route, id = '', query = {}, body }: ManagementRequest): Promise<Answer> {
      const bodyText = body === undefined ? '' : JSON.stringify(body);
      return ROUTES[route].respond(routePorts, { caller: CALLER, id, query, bodyText });
    },
    /** Handles messages of the erasure queue. Each message is one pass of an erasure. */
    async handle(records: readonly SQSRecord[], invocation: Invocation): Promise<SQSBatchResponse> {
      const response = await eraseBatch({ Records: mutation?.records?.(records) ?? [...records] }, invocation);
      return mutation?.response?.(response) ?? response;
    },
    /** Moves old dead letters to the table, like the daily schedule. Throws if Lambda must retry. */
    keep: ({ getRemainingTimeInMillis }: Invocation): Promise<void> =>
      keepDeadLetters(() => getRemainingTimeInMillis() > KEEP_REQUIRED_TIME_MS),
  };
};
