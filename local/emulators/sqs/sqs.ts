import { setTimeout as pause } from 'node:timers/promises';
import { createMovableClock, type MovableClock } from '../../base/clock.ts';
import type { ListeningServer } from '../../base/listen-locally.ts';
import {
  type AwsRequest,
  type AwsResponse,
  awsError,
  startAwsJsonServer,
  unknownOperation,
} from '../aws-json-server.ts';
import { MESSAGE_OPERATIONS } from './message-operations.ts';
import { MOVE_TASK_OPERATIONS } from './move-task-operations.ts';
import type { OperationContext } from './operation.ts';
import type { QueueGauges } from './queue.ts';
import { QUEUE_OPERATIONS } from './queue-operations.ts';
import { createQueues, type QueuesContext } from './queues.ts';
import { queryCodeOf, SqsError } from './sqs-error.ts';

export interface SqsOptions extends Pick<QueuesContext, 'inFlightLimit'> {
  /** @default a new clock */
  readonly clock?: MovableClock;
  /** How long a second of a long poll takes; less for tests that receive until a queue is empty. @default 1000 */
  readonly pollSecondMs?: number;
  /** @default 0, any free port */
  readonly port?: number;
}

/** A running emulator. */
export interface SqsServer extends ListeningServer {
  /** Returns what SQS would report about every queue at a time since the last change. */
  readonly gauges: (at: number) => readonly QueueGauges[];
}

// A map, because a client may name a property that every object inherits, such as `constructor`.
const OPERATIONS = new Map(Object.entries({ ...QUEUE_OPERATIONS, ...MESSAGE_OPERATIONS, ...MOVE_TASK_OPERATIONS }));

const SECOND_MS = 1_000;

/**
 * Starts an SQS emulator on the run's clock. It refuses operations and parameters that it does not support.
 *
 * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_Operations.html
 */
export const startSqs = async ({
  clock = createMovableClock(),
  inFlightLimit,
  pollSecondMs = SECOND_MS,
  port,
}: SqsOptions = {}): Promise<SqsServer> => {
  const now = (): number => clock.now().getTime();
  const waiting = new Set<AbortController>();
  const endWaits = (): void => {
    for (const wait of waiting) wait.abort();
  };
  const queues = createQueues({ now, onChange: endWaits, inFlightLimit });
  clock.onMove(async () => {
    queues.moveTasks.advance();
    endWaits();
  });

  const waitForMessage = async (untilVisibleMs: number, signal: AbortSignal): Promise<void> => {
    const wait = new AbortController();
    waiting.add(wait);
    const ended = AbortSignal.any([wait.signal, signal]);
    await pause(untilVisibleMs, undefined, { signal: ended }).catch(() => undefined);
    waiting.delete(wait);
  };

  const answer = async (request: AwsRequest): Promise<AwsResponse> => {
    const operation = request.operation.replace(/^AmazonSQS\./, '');
    const run = OPERATIONS.get(operation);
    if (!run) return unknownOperation(request.operation);
    queues.moveTasks.advance();
    const context: OperationContext = {
      request: { ...request, operation },
      queues,
      pollSecondMs,
      waitForMessage(queue, ms) {
        const untilVisibleMs = (queue.nextVisibleAt() ?? Number.POSITIVE_INFINITY) - now();
        // A task with a rate moves messages every second.
        const untilMovedMs = queues.moveTasks.running() > 0 ? SECOND_MS : Number.POSITIVE_INFINITY;
        return waitForMessage(Math.max(1, Math.min(ms, untilVisibleMs, untilMovedMs)), request.signal);
      },
    };
    try {
      return { status: 200, body: await run(request.input, context) };
    } catch (error) {
      if (error instanceof SqsError) return errorResponse(error);
      throw error;
    }
  };
  const server = await startAwsJsonServer('application/x-amz-json-1.0', answer, port);
  return { ...server, gauges: (at) => queues.all().map((queue) => queue.gauges(at)) };
};

const errorResponse = ({ code, message }: SqsError): AwsResponse => ({
  ...awsError(`com.amazonaws.sqs#${code}`, message),
  queryErrorType: queryCodeOf(code),
});

/**
 * Returns the URL of the queue with an ARN.
 *
 * @param queueBaseUrl The queues' base URL, without a trailing slash.
 */
export const queueUrlOf = (queueArn: string, queueBaseUrl: string): string =>
  `${queueBaseUrl}/${queueArn.split(':').at(-1)}`;
