import { expect } from 'vitest';
import { createDynamodbAudit } from '../../../../lambdas/adapters/dynamodb/audit.ts';
import { createDynamodbChannels } from '../../../../lambdas/adapters/dynamodb/channels.ts';
import { createDynamodbCircuit } from '../../../../lambdas/adapters/dynamodb/circuit.ts';
import { createDynamodbContacts } from '../../../../lambdas/adapters/dynamodb/contacts.ts';
import { createDynamodbEchoes } from '../../../../lambdas/adapters/dynamodb/echoes.ts';
import { createDynamodbErasures } from '../../../../lambdas/adapters/dynamodb/erasures.ts';
import { createDynamodbGaps } from '../../../../lambdas/adapters/dynamodb/gaps.ts';
import { createDynamodbKeptDeadLetters } from '../../../../lambdas/adapters/dynamodb/kept-dead-letters.ts';
import { createDynamodbMessages } from '../../../../lambdas/adapters/dynamodb/messages.ts';
import { createDynamodbSendLists } from '../../../../lambdas/adapters/dynamodb/send-lists.ts';
import { createDynamodbSends } from '../../../../lambdas/adapters/dynamodb/sends.ts';
import { createDynamodbStops } from '../../../../lambdas/adapters/dynamodb/stops.ts';
import { createDynamodbStoredEvents } from '../../../../lambdas/adapters/dynamodb/stored-events.ts';
import type { Caller } from '../../../../lambdas/domain/audit.ts';
import type { WindowPer } from '../../../../lambdas/domain/contact.ts';
import type { DeadLetterText } from '../../../../lambdas/domain/dead-letter-subject.ts';
import type { SendRules } from '../../../../lambdas/domain/decision.ts';
import { ms } from '../../../../lambdas/domain/duration.ts';
import type { QueuedErasure } from '../../../../lambdas/domain/erasure.ts';
import * as z from '../../../../lambdas/domain/schema.ts';
import type { NumberFormat } from '../../../../lambdas/domain/send-call.ts';
import type { ChatServiceAnswer } from '../../../../lambdas/domain/send-outcome.ts';
import type { RouteDescription } from '../../../../lambdas/manage/api/define-route.ts';
import type { ImportPorts } from '../../../../lambdas/manage/api/imports.ts';
import type { RedrivePorts } from '../../../../lambdas/manage/api/redrives.ts';
import type { RouteName } from '../../../../lambdas/manage/api/route-name.ts';
import { ROUTES } from '../../../../lambdas/manage/api/routes.ts';
import { createErasureWorker } from '../../../../lambdas/manage/erase-contact.ts';
import type { FifoMessage } from '../../../../lambdas/ports.ts';
import { createStoreEvents } from '../../../../lambdas/receive/store-events.ts';
import type { MessageResult } from '../../../../lambdas/runtime/queue-handler.ts';
import { systemRandomness } from '../../../../lambdas/runtime/system.ts';
import { ACCOUNT, NOW, PLAIN_RECEIVER, RETENTION_DAYS, sendRules } from '../../../support/builders.ts';
import type { EmulatedTables } from '../../../support/emulated-table.ts';
import { singly } from '../../../support/single-event.ts';
import { sqsRecord } from '../../../support/sqs-record.ts';
import { recordingMetrics, silentLog } from '../../../support/telemetry.ts';

const unavailable = (): ChatServiceAnswer => ({ kind: 'not-sent', cause: 'ECONNREFUSED' });

/** What a test gives of a call; a body that is not a string is serialized as JSON. */
export interface GivenCall {
  readonly id?: string;
  readonly query?: Record<string, string>;
  readonly body?: unknown;
  /** @default {@link OPERATOR} */
  readonly caller?: Caller;
  readonly traceparent?: string;
}

export const OPERATOR: Caller = {
  arn: 'arn:aws:sts::111122223333:assumed-role/operator/ana',
  id: 'AROAEXAMPLEID:ana',
};

/** The routes of the management API and the erasure worker with a table of their own. */
export const createManagedStage = async (
  tables: EmulatedTables,
  {
    windowPer = 'user',
    numberFormat = 'verbatim',
    rules = {},
    defaultNotAfter,
    eventMeanings = { keywords: undefined, operatorEchoes: undefined },
  }: {
    readonly rules?: Partial<SendRules>;
    readonly windowPer?: WindowPer;
    readonly numberFormat?: NumberFormat;
    readonly defaultNotAfter?: string;
    readonly eventMeanings?: ImportPorts['eventMeanings'];
  } = {},
) => {
  const tableName = await tables.createTable();
  const table = tables.tableOf(tableName, { client: tables.tableClient });
  const repositories = {
    contacts: createDynamodbContacts(table, { readsHandovers: rules.operators !== undefined }),
    messages: createDynamodbMessages(table, { gapClock: undefined }),
    sends: createDynamodbSends(table),
    lists: createDynamodbSendLists(table),
    circuits: createDynamodbCircuit(table, ACCOUNT),
    stops: createDynamodbStops(table, ACCOUNT),
    channels: createDynamodbChannels(table),
    gaps: createDynamodbGaps(table),
    watches: true,
    deadLetters: createDynamodbKeptDeadLetters(table),
    erasures: createDynamodbErasures(table),
    audit: createDynamodbAudit(table, systemRandomness),
    storedEvents: createDynamodbStoredEvents(table),
    echoes: createDynamodbEchoes(table),
  };
  const metrics = recordingMetrics();
  const clock = { now: () => stage.now() };
  let now = NOW;
  let ids = 0;

  const ports = {
    ...repositories,
    clock,
    randomness: { newId: () => `id-${++ids}`, random: () => 0 },
    log: silentLog,
    metrics,
    queue: {
      async put({ body, groupId, deduplicationId, traceparent }: FifoMessage) {
        stage.queued.push({ body, groupId, deduplicationId, traceparent });
      },
    },
    backlog: {
      read: async () => {
        if (stage.isQueueUnavailable) throw new Error('The queue is unavailable.');
        stage.countedQueues += 1;
        return stage.backlog;
      },
    },
    erasureQueue: {
      async put(erasure: QueuedErasure, delaySeconds: number) {
        stage.queuedErasures.push(erasure);
        stage.erasureDelaySeconds = delaySeconds;
      },
    },
    queuedDeadLetters: {
      async remove(isWanted: (deadLetter: DeadLetterText) => boolean) {
        const { isEveryDeadLetterVisible: isComplete, queuedDeadLetters } = stage;
        stage.queuedDeadLetters = queuedDeadLetters.filter((each) => !isWanted(each));
        return { removed: queuedDeadLetters.length - stage.queuedDeadLetters.length, isComplete };
      },
    },
    scheduler: {
      async cancel(requestId: string) {
        if (stage.isSchedulerUnavailable) throw new Error('The scheduler is unavailable.');
        stage.cancelledSchedules.push(requestId);
      },
      schedule: () => Promise.reject(new Error('This function schedules nothing.')),
    },
    chatService: {
      async checkContacts(channel: string, contacts: readonly string[]) {
        stage.checkedChannels.push(channel);
        stage.checks.push(contacts);
        return (await stage.duringCheck(contacts)) ?? stage.checkAnswer;
      },
    },
    accessToken: { read: async () => stage.readAccessToken() },
    contactDefaults: { chatPlatform: ACCOUNT.platform, chatChannelNumber: ACCOUNT.channel, windowPer },
    rules: sendRules({
      chatPlatform: ACCOUNT.platform,
      chatChannelNumber: ACCOUNT.channel,
      numberFormat,
      ...rules,
    }),
    defaultNotAfter,
    eventMeanings,
    settings: {
      chatPlatform: ACCOUNT.platform,
      chatChannelNumber: ACCOUNT.channel,
      chatServiceUrl: 'https://chat.example',
      windowMarginSeconds: 60,
      windowPer,
      retentionDays: RETENTION_DAYS,
    },
  };
  const storeEvent = singly(
    createStoreEvents({
      repositories: () => repositories,
      clock,
      budgetMs: ms(10_000),
      chatPlatform: 'chat',
      windowPer,
      chatChannelNumber: ACCOUNT.channel,
      ...PLAIN_RECEIVER,
      ...eventMeanings,
    }),
  );
  const erasePass = createErasureWorker({ ...ports, passMs: ms(60_000) });

  const stage = {
    ...repositories,
    ports,
    table,
    tableName,
    counted: metrics.counted,
    /** Every value of a metric, with its time. */
    samples: metrics.samples,
    /** The messages put on the send queue, and the erasures put on theirs. */
    queued: [] as FifoMessage[],
    queuedErasures: [] as QueuedErasure[],
    /** The delay of the erasure that was queued last. */
    erasureDelaySeconds: 0,
    cancelledSchedules: [] as string[],
    /** The dead letters that go back to a queue, and these queues, if the test has them. */
    redrivenSources: {} as RedrivePorts['redrivenSources'],
    redriveQueues: {} as RedrivePorts['redriveQueues'],
    /** The event bus and its dead letters, if the test has them. */
    republish: undefined as RedrivePorts['republish'],
    /** The sends that the routes use. */
    usedSends: repositories.sends,
    queuedDeadLetters: [] as readonly DeadLetterText[],
    isEveryDeadLetterVisible: true,
    isSchedulerUnavailable: false,
    /** How many requests are on the queues, and how often they were counted. */
    backlog: { queue: 0 } as { readonly queue: number; readonly bulk?: number },
    countedQueues: 0,
    isQueueUnavailable: false,
    /** The business number and the numbers of each contact check, and the chat service's answer. */
    checkedChannels: [] as string[],
    checks: [] as (readonly string[])[],
    checkAnswer: unavailable(),
    /** Returns the stored access token. */
    readAccessToken: (): string => 'token',
    /** Runs during each call of a contact check, and can return another answer. */
    duringCheck: async (_contacts: readonly string[]): Promise<ChatServiceAnswer | undefined> => undefined,

    now: () => now,
    setNow(instant: string) {
      now = instant;
    },

    /** Calls a route, and checks that its answer is documented and has no other fields. */
    async call(name: RouteName, { id = '', query = {}, body = '', caller = OPERATOR, traceparent }: GivenCall = {}) {
      const bodyText = typeof body === 'string' ? body : JSON.stringify(body);
      const route: RouteDescription & Pick<(typeof ROUTES)[RouteName], 'respond'> = ROUTES[name];
      const given = { caller, id, query, bodyText, traceparent };
      const { usedSends: sends, redrivenSources, redriveQueues, republish } = stage;
      const answer = await route.respond({ ...ports, sends, redrivenSources, redriveQueues, republish }, given);
      const response = route.responses[answer.status];
      if (!response) throw new Error(`${route.route} does not document the status ${answer.status}.`);
      const sent: unknown = JSON.parse(JSON.stringify(answer.body));
      expect(sent).toEqual(z.parse(response, sent));
      return answer;
    },
    /** Receives a webhook event, which is stored. */
    async receive(event: unknown): Promise<void> {
      const stored = await storeEvent({ rawBody: Buffer.from(JSON.stringify(event)), receivedAt: now });
      if (stored.kind !== 'stored') throw new Error(`The event was not stored: ${stored.reason}`);
    },
    erasePass: (erasure: QueuedErasure) => erasePass(sqsRecord(JSON.stringify(erasure))),
    /** Runs a pass of an erasure that dies after this many writes to the table. */
    async erasePassWithWrites(erasure: QueuedErasure, writes: number): Promise<'done' | 'retry' | 'died'> {
      let left = writes;
      const writing = <Parameters extends readonly unknown[], Result>(
        write: (...parameters: Parameters) => Promise<Result>,
      ) => {
        return async (...parameters: Parameters): Promise<Result> => {
          if (left === 0) throw new Error('killed');
          left -= 1;
          return write(...parameters);
        };
      };
      const dying = { ...table, update: writing(table.update), delete: writing(table.delete) };
      const pass = createErasureWorker({ ...ports, erasures: createDynamodbErasures(dying), passMs: ms(60_000) });
      const result = await pass(sqsRecord(JSON.stringify(erasure))).catch(() => undefined);
      return result?.kind ?? 'died';
    },
    /** Processes the queued erasures until they are done. Returns the result of every pass. */
    async erase(): Promise<readonly MessageResult[]> {
      const passes: MessageResult[] = [];
      for (const erasure of stage.queuedErasures.splice(0)) {
        do passes.push(await stage.erasePass(erasure));
        while (passes.at(-1)?.kind === 'retry' && passes.length < 20);
      }
      return passes;
    },

    items: () => tables.items(tableName),
    item: async (key: string) => (await stage.items())[key],
    sendItem: (requestId = 'request-1') => stage.item(`SEND#${requestId} SEND`),
  };
  return stage;
};

export type ManagedStage = Awaited<ReturnType<typeof createManagedStage>>;
