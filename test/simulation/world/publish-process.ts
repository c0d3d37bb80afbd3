import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { createDynamodbTurns } from '../../../lambdas/adapters/dynamodb/turns.ts';
import { createEventBridgeBus } from '../../../lambdas/adapters/eventbridge.ts';
import {
  createChangeVisibility,
  createSqsPublishDeadLetterQueue,
  createSqsTurnQueue,
} from '../../../lambdas/adapters/sqs.ts';
import type { EventBus, PublishDeadLetterQueue, TurnRepository } from '../../../lambdas/ports.ts';
import { type ChangeRecord, createPublishChanges } from '../../../lambdas/publish/publish-changes.ts';
import { createTurnQueueHandler } from '../../../lambdas/publish/turns/end-turn.ts';
import { createPublishTurn } from '../../../lambdas/publish/turns/publish-turn.ts';
import type { Invocation } from '../../../lambdas/runtime/frame.ts';
import { createStreamHandler } from '../../../lambdas/runtime/stream-handler.ts';
import { readItemChange, type StreamRecord } from '../../../lambdas/table/item-changes.ts';
import { silentLog, silentMetrics } from '../../support/telemetry.ts';
import { type AcceptsEntry, createSimulatedEventBridgeClient, type SimulatedBus } from './bus.ts';
import { throwing } from './faults.ts';
import type { ReachableQueue } from './queues.ts';
import { createSimulatedSqsClient } from './sqs-client.ts';
import type { StreamProcess } from './stream.ts';
import { createSimulatedTable, type TableState } from './table.ts';
import { queueName, type Touches } from './touches.ts';
import type { PortTurns } from './turns.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** A way to break the function on purpose. Each instance belongs to one process. */
export interface PublishMutation {
  readonly bus?: (bus: EventBus) => Partial<EventBus>;
  readonly turns?: (turns: TurnRepository) => Partial<TurnRepository>;
  readonly deadLetters?: (queue: PublishDeadLetterQueue) => Partial<PublishDeadLetterQueue>;
  readonly changes?: (changes: readonly ChangeRecord[]) => readonly ChangeRecord[];
  readonly failures?: (failed: readonly string[]) => readonly string[];
}

export interface PublishProcessOptions {
  readonly name: string;
  readonly turns: PortTurns;
  readonly bus: SimulatedBus;
  /** The queue for changes that cannot be published. */
  readonly publishFailures: ReachableQueue;
  /** Whether events include the content of messages. */
  readonly content: boolean;
  /** @default the stage has no turns */
  readonly openTurns?: {
    readonly table: TableState;
    readonly queue: ReachableQueue;
    readonly silenceSeconds: number;
    readonly clock: VirtualClock;
  };
  readonly random?: () => number;
  /** Which of a call's events the bus accepts if it accepts only some. @default the first */
  readonly acceptsPartOf?: (count: number) => AcceptsEntry;
  readonly mutation?: PublishMutation;
}

const PUBLISH_FAILURES = 'https://queues.example/publish-failures';
const TURNS = 'https://queues.example/turns';
const touching = (what: string): Touches => ({ reads: [], writes: [what] });

/** The same value as in the function's entry. */
const REQUIRED_TIME_MS = 15_000;
export const PUBLISH_TIMEOUT_MS = 60_000;

/** A process that also ends turns. */
export interface PublishProcess extends StreamProcess {
  /** Handles messages of the turn queue. */
  endTurns(records: readonly SQSRecord[], invocation: Invocation): Promise<SQSBatchResponse>;
}

/** Starts a process of the function `publish`. It also receives the changes that the deployed filter leaves out. */
export const createPublishProcess = (options: PublishProcessOptions): PublishProcess => {
  const { name, turns, content, mutation, openTurns, random = () => 0 } = options;
  // Only the order of an item's events matters, and an item's records are in one shard.
  const shard = `events of ${name.split('.', 1)[0]}`;
  const client = createSimulatedEventBridgeClient(
    options.bus,
    (label, perform, failures) =>
      turns.call({
        process: name,
        label,
        perform,
        failures,
        canEndProcess: true,
        part: 'bus',
        touches: () => touching(shard),
      }),
    options.acceptsPartOf,
  );
  const sqs = createSimulatedSqsClient(
    { [PUBLISH_FAILURES]: options.publishFailures, ...(openTurns && { [TURNS]: openTurns.queue }) },
    <Answer>({ label, url }: { readonly label: string; readonly url: string }, perform: () => Answer) =>
      turns.call({
        process: name,
        label,
        perform,
        failures: throwing<Answer>('The queue'),
        canEndProcess: true,
        touches: () => touching(queueName(url === TURNS ? 'turns' : 'publishFailures')),
        part: 'queues',
      }),
  );
  const turnsOf = ({ table, queue: _, ...others }: NonNullable<typeof openTurns>) => {
    const plain = createDynamodbTurns(
      createSimulatedTable(table, (label, perform, _update, touches) =>
        turns.call({
          process: name,
          label,
          perform,
          failures: throwing('The table'),
          canEndProcess: true,
          part: 'table',
          ...(touches && { touches }),
        }),
      ),
    );
    return { ...others, queue: createSqsTurnQueue(sqs, TURNS), turns: { ...plain, ...mutation?.turns?.(plain) } };
  };
  const turnPorts = openTurns && turnsOf(openTurns);
  const plainBus = createEventBridgeBus(client, 'parley');
  const plainDeadLetters = createSqsPublishDeadLetterQueue(sqs, PUBLISH_FAILURES);
  const publishChanges = createPublishChanges({
    bus: { ...plainBus, ...mutation?.bus?.(plainBus) },
    deadLetters: { ...plainDeadLetters, ...mutation?.deadLetters?.(plainDeadLetters) },
    sleep: (ms) => turns.sleep(name, ms),
    randomness: { newId: () => name, random },
    log: silentLog,
    metrics: silentMetrics,
    content,
    handlers: turnPorts && { turn: createPublishTurn(turnPorts) },
  });
  const handle = createStreamHandler<StreamRecord>({
    async handleRecords(records, hasTime) {
      const changes = records.map((record) => ({
        sequenceNumber: record.dynamodb?.SequenceNumber ?? '',
        record,
        readChange: () => readItemChange(record),
      }));
      const failed = await publishChanges(mutation?.changes?.(changes) ?? changes, hasTime);
      return mutation?.failures?.(failed) ?? failed;
    },
    requiredTimeMs: REQUIRED_TIME_MS,
  });
  const handleTurns =
    turnPorts &&
    createTurnQueueHandler({
      turns: turnPorts.turns,
      changeVisibility: createChangeVisibility(sqs, TURNS),
      clock: turnPorts.clock,
      log: silentLog,
    });
  return {
    name,
    handle: (Records, invocation) => handle({ Records }, invocation),
    endTurns(records, invocation) {
      if (handleTurns === undefined) throw new Error('The stage has no turns.');
      return handleTurns({ Records: [...records] }, invocation);
    },
  };
};
