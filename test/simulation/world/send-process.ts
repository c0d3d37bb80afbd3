import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { createHttpChatService } from '../../../lambdas/adapters/chat-service/http-chat-service.ts';
import type { PostResult } from '../../../lambdas/adapters/chat-service/http-post.ts';
import { createDynamodbCircuit } from '../../../lambdas/adapters/dynamodb/circuit.ts';
import { createDynamodbContacts } from '../../../lambdas/adapters/dynamodb/contacts.ts';
import { createDynamodbMessages } from '../../../lambdas/adapters/dynamodb/messages.ts';
import { createDynamodbSends } from '../../../lambdas/adapters/dynamodb/sends.ts';
import type { ConversationTable } from '../../../lambdas/adapters/dynamodb/table.ts';
import { receiveFloorMs } from '../../../lambdas/domain/backoff.ts';
import type { AccountRef } from '../../../lambdas/domain/circuit-breaker.ts';
import type { WindowPer } from '../../../lambdas/domain/contact.ts';
import type { SendRules } from '../../../lambdas/domain/decision.ts';
import { seconds, toMs } from '../../../lambdas/domain/duration.ts';
import { timeLimits } from '../../../lambdas/domain/time-limits.ts';
import type {
  AccessToken,
  ChatService,
  Clock,
  ContactRepository,
  SendDeadLetterQueue,
  SendRepository,
  SendScheduler,
  VisibilityChange,
} from '../../../lambdas/ports.ts';
import type { Invocation } from '../../../lambdas/runtime/frame.ts';
import { createQueueHandler } from '../../../lambdas/runtime/queue-handler.ts';
import { createAccountView } from '../../../lambdas/send/account-view.ts';
import { createLanes } from '../../../lambdas/send/bulk/lanes.ts';
import { createGiveUp } from '../../../lambdas/send/give-up.ts';
import { createPrepareSend } from '../../../lambdas/send/prepare-send.ts';
import type { SendContext } from '../../../lambdas/send/send-context.ts';
import { createSendMessage } from '../../../lambdas/send/send-message.ts';
import { silentLog, silentMetrics } from '../../support/telemetry.ts';
import type { HttpAnswer } from './chat-service.ts';
import { type Failures, throwing } from './faults.ts';
import type { SimulatedQueue } from './queues.ts';
import type { SimulatedSchedules } from './schedules.ts';
import { createSimulatedTable, type TableState } from './table.ts';
import { queueName, type Touches } from './touches.ts';
import type { PortTurns } from './turns.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** The ports of a process that a mutant can break. */
export interface BreakablePorts {
  readonly contacts: ContactRepository;
  readonly sends: SendRepository;
  readonly chatService: ChatService;
  readonly deadLetters: SendDeadLetterQueue;
  readonly scheduler: SendScheduler;
  readonly changeVisibility: (changes: readonly VisibilityChange[]) => Promise<void>;
}

/** A way to break the function on purpose. Each instance belongs to one process. */
export interface Mutation {
  readonly table?: (table: ConversationTable) => Partial<ConversationTable>;
  readonly ports?: (ports: BreakablePorts, clock: Clock) => Partial<BreakablePorts>;
  readonly records?: (records: readonly SQSRecord[]) => SQSRecord[];
  readonly response?: (response: SQSBatchResponse) => SQSBatchResponse;
  /** Handles the messages of the bulk queue as those of the send queue. */
  readonly mixesLanes?: boolean;
}

/**
 * The chat service as a process reaches it. `isAnswered` is false if the process cannot know the result. In that case,
 * `isUnreadable` is true if the process receives a 2xx that it cannot read.
 */
export interface CalledChatService {
  post(call: {
    readonly path: string;
    readonly token: string;
    readonly body: unknown;
    readonly isAnswered: boolean;
    readonly isUnreadable?: boolean;
  }): HttpAnswer;
  /** The call is lost before it reaches the service. */
  lose(call: { readonly path: string; readonly body: unknown; readonly isAnswered: boolean }): void;
}

export interface SendProcessOptions {
  readonly name: string;
  readonly clock: VirtualClock;
  readonly turns: PortTurns;
  readonly table: TableState;
  readonly queue: Pick<SimulatedQueue, 'putDeadLetter' | 'setVisibility'>;
  readonly schedules: Pick<SimulatedSchedules, 'create' | 'cancel'>;
  /** The bulk queue, with its URL. @default none */
  readonly bulk?: Pick<SendProcessOptions, 'queue' | 'schedules'> & { readonly url: string };
  readonly chatService: CalledChatService;
  /** The token, or where the process reads it. */
  readonly accessToken: string | AccessToken;
  readonly account: AccountRef;
  readonly rules: SendRules;
  /** @default 'user' */
  readonly windowPer?: WindowPer;
  /** @param process its name */
  readonly random: (process: string) => number;
  /** How long the chat service takes to answer. */
  readonly answerMs: (call: string) => number;
  readonly mutation?: Mutation;
}

const ANSWER_TIMEOUT_MS = 10_000;
/** A call to AWS takes at most ten seconds, including its three attempts. */
const AWS_TIMEOUT_MS = 10_000;

const constantToken = (token: string): AccessToken => ({ read: async () => token, refresh: async () => token });

const touching = (name: string) => ({ touches: (): Touches => ({ reads: [], writes: [name] }) });

/** The time limits of the function, as the stack derives them from the defaults of its settings. */
export const LIMITS = timeLimits(seconds(10));

/** Starts a process of the function `send`: what it remembers between two invocations is its own. */
export const createSendProcess = (options: SendProcessOptions) => {
  const { name, clock, turns, account, accessToken, mutation, bulk } = options;
  const call = <Answer>(label: string, perform: () => Answer, failures: Failures<Answer>, more: object = {}) =>
    turns.call({ process: name, label, perform, failures, canEndProcess: true, timeoutMs: AWS_TIMEOUT_MS, ...more });

  const plainTable = createSimulatedTable(options.table, (label, perform, _, touches) =>
    call(label, perform, throwing('The table'), {
      isTable: true,
      ...(touches && { touches }),
      part: 'table',
    }),
  );
  const table = { ...plainTable, ...mutation?.table?.(plainTable) };

  const accountView = createAccountView();
  let ids = 0;
  const createHandleBatch = ({ queue, schedules }: Pick<SendProcessOptions, 'queue' | 'schedules'>) => {
    const deadLetters: SendDeadLetterQueue = {
      put: ({ body, groupId, deduplicationId }, reason) => {
        const put = () => queue.putDeadLetter({ body, groupId, deduplicationId, reason });
        const more = { part: 'queues', ...touching(queueName('sendDeadLetters')) };
        return call('put on the dead-letter queue', put, throwing('The dead-letter queue'), more);
      },
    };
    const plain: BreakablePorts = {
      contacts: createDynamodbContacts(table, { readsHandovers: options.rules.operators !== undefined }),
      sends: createDynamodbSends(table),
      chatService: createHttpChatService({
        baseUrl: 'https://chat.example',
        contactCheckPath: 'customer/checkChatContact',
        accessToken: typeof accessToken === 'string' ? constantToken(accessToken) : accessToken,
        post: (url, headers, body) => postAtTurn(options, url, headers['access-token'] ?? '', body),
      }),
      deadLetters,
      scheduler: {
        schedule: (schedule) =>
          call(`schedule ${schedule.requestId}`, () => schedules.create(schedule), throwing('The scheduler'), {
            part: 'scheduler',
            ...touching(`schedule ${schedule.requestId}`),
          }),
        cancel: (requestId) =>
          call(`unschedule ${requestId}`, () => schedules.cancel(requestId), throwing('The scheduler'), {
            part: 'scheduler',
            ...touching(`schedule ${requestId}`),
          }),
      },
      changeVisibility: (changes) => {
        const seconds = changes.map((change) => change.seconds).join(', ');
        const set = () => {
          for (const change of changes) queue.setVisibility(change.receiptHandle, change.seconds);
        };
        return call(`set the visibility to ${seconds} s`, set, throwing('The queue'), {
          isIndependent: true,
          part: 'queues',
        });
      },
    };
    const ports = { ...plain, ...mutation?.ports?.(plain, clock) };

    const context: SendContext = {
      contacts: ports.contacts,
      sends: ports.sends,
      messages: createDynamodbMessages(table, { gapClock: undefined }),
      circuits: createDynamodbCircuit(table, account),
      chatService: ports.chatService,
      deadLetters: ports.deadLetters,
      scheduler: ports.scheduler,
      clock,
      sleep: (ms: number) => turns.sleep(name, ms),
      randomness: { newId: () => `${name}-${++ids}`, random: () => options.random(name) },
      log: silentLog,
      metrics: silentMetrics,
      account,
      accountView,
      rules: options.rules,
      contactDefaults: {
        chatPlatform: account.platform,
        chatChannelNumber: account.channel,
        windowPer: options.windowPer ?? 'user',
      },
      defaultNotAfter: undefined,
      leaseMs: toMs(LIMITS.leaseSeconds),
      probeLeaseMs: toMs(LIMITS.probeSeconds),
      callTimeMs: toMs(LIMITS.callSeconds),
      maxConcurrentCalls: 10,
      pace: undefined,
    };
    const handling = {
      handleMessage: createPrepareSend(context, createSendMessage(context)),
      handleFailure: createGiveUp(context),
      minimumWaitMs: receiveFloorMs,
      changeVisibility: ports.changeVisibility,
      clock,
      requiredTimeMs: toMs(LIMITS.requiredSeconds),
      log: silentLog,
      metrics: silentMetrics,
      ageMetric: 'RetriedMessageAge' as const,
    };
    return createQueueHandler(handling);
  };
  const handleBatch = createLanes(
    createHandleBatch(options),
    bulk && mutation?.mixesLanes !== true ? { queueUrl: bulk.url, handleBatch: createHandleBatch(bulk) } : undefined,
  );
  return {
    name,
    async handle(records: readonly SQSRecord[], invocation: Invocation): Promise<SQSBatchResponse> {
      const response = await handleBatch({ Records: mutation?.records?.(records) ?? [...records] }, invocation);
      return mutation?.response?.(response) ?? response;
    },
  };
};

/** Makes an HTTP call. A failure without an answer leaves it unknown whether the call took effect. */
export const postAtTurn = (
  {
    name,
    turns,
    chatService,
    answerMs,
  }: Pick<SendProcessOptions, 'name' | 'chatService' | 'answerMs'> & { readonly turns: Pick<PortTurns, 'call'> },
  url: URL,
  token: string,
  body: string,
): Promise<PostResult> => {
  const path = url.pathname.replace('/api/v1.0/', '');
  const unknown: PostResult = { kind: 'unknown', cause: 'ECONNRESET' };
  const call = { path, token, body: JSON.parse(body) };
  const perform = (isAnswered = true, isUnreadable = false): PostResult => {
    const answer = chatService.post({ ...call, isAnswered, ...(isUnreadable && { isUnreadable }) });
    return { kind: 'answered', httpStatus: answer.httpStatus, bodyText: JSON.stringify(answer.body) ?? '' };
  };
  return turns.call<PostResult>({
    process: name,
    label: `call ${path}`,
    perform,
    failures: {
      refused: () => {
        chatService.lose({ ...call, isAnswered: true });
        return { kind: 'not-sent', cause: 'ECONNREFUSED' };
      },
      'fails-before': () => {
        chatService.lose({ ...call, isAnswered: false });
        return unknown;
      },
      'fails-after': () => {
        perform(false);
        return unknown;
      },
      garbage: () => {
        perform(false, true);
        return { kind: 'answered', httpStatus: 200, bodyText: '<html>' };
      },
    },
    outages: {
      refused: () => {
        chatService.lose({ ...call, isAnswered: true });
        return { kind: 'not-sent', cause: 'ECONNREFUSED' };
      },
      'bad-gateway': (hasEffect) => {
        if (hasEffect) perform(false);
        else chatService.lose({ ...call, isAnswered: false });
        return { kind: 'answered', httpStatus: 502, bodyText: '' };
      },
      throttled: () => {
        chatService.lose({ ...call, isAnswered: true });
        return { kind: 'answered', httpStatus: 429, bodyText: '', retryAfter: '5' };
      },
      unanswered: (hasEffect) => {
        if (hasEffect) perform(false);
        else chatService.lose({ ...call, isAnswered: false });
        return { kind: 'unknown', cause: 'ETIMEDOUT' };
      },
    },
    canEndProcess: true,
    part: 'chat-service',
    ...touching('the chat service'),
    takesMs: answerMs(path),
    timeoutMs: ANSWER_TIMEOUT_MS,
  });
};
