import type { Queue, QueueSettings, ReceivedMessage } from '../../../local/emulators/sqs/queue.ts';
import { createQueues } from '../../../local/emulators/sqs/queues.ts';
import { LIMITS } from './send-process.ts';
import type { VirtualClock } from './virtual-clock.ts';

export interface SimulatedMessage {
  readonly body: string;
  /** Required on a FIFO queue. */
  readonly groupId?: string;
  readonly deduplicationId?: string;
  readonly reason?: string;
}

export interface SimulatedQueueOptions {
  readonly isFifo: boolean;
  readonly visibilityTimeoutSeconds: number;
}

/** A queue with its dead-letter queue, with the settings that the stack deploys. */
export interface SimulatedQueue {
  put(message: SimulatedMessage): void;
  putDeadLetter(message: SimulatedMessage): void;
  receive(max: number): readonly ReceivedMessage[];
  delete(receiptHandle: string): void;
  setVisibility(receiptHandle: string, seconds: number): void;
  /** The place of a message among all that were put on the queue. */
  placeOf(messageId: string): number;
  readonly visible: number;
  /** Messages that are neither deleted nor dead-lettered. */
  readonly depth: number;
  nextVisibleAt(): number | undefined;
  /** The messages that this test or a function put on the dead-letter queue, and those that SQS moved there. */
  deadLetters(): readonly { readonly body: string; readonly reason: string | undefined }[];
  /** Identifies what can be received, and when, without the ids that SQS draws. */
  key(): string;
}

export const VISIBILITY_TIMEOUT_SECONDS = LIMITS.visibilitySeconds;
const RETENTION_SECONDS = 14 * 24 * 60 * 60;
export const MAX_RECEIVE_COUNT = 1000;

/** The send queue. */
const SENDS: SimulatedQueueOptions = { isFifo: true, visibilityTimeoutSeconds: VISIBILITY_TIMEOUT_SECONDS };

export const createSimulatedQueue = (clock: VirtualClock, options = SENDS): SimulatedQueue => {
  const queues = createQueues({ now: () => clock.ms, onChange: () => undefined });
  const settings = { ...SETTINGS, ...options };
  const deadLetterQueue = queues.create({ ...settings, name: 'dead-letters', arn: 'dead-letters' });
  const redrive = { deadLetterQueueArn: 'dead-letters', maxReceiveCount: MAX_RECEIVE_COUNT };
  const queue = queues.create({ ...settings, name: 'messages', arn: 'messages', redrive });
  /** What the latest receive of each message made known, by receipt handle. SQS's ids are random; ours are places. */
  const received = new Map<string, { readonly place: number; visibleAt: number; readonly receiveCount: number }>();
  const places = new Map<string, number>();
  let putsKey = '';
  const deleted: number[] = [];
  let deadLetters: readonly { readonly body: string; readonly reason: string | undefined }[] = [];

  const check = (fault: string | undefined): void => {
    if (fault !== undefined) throw new Error(`SQS refuses the receipt handle: ${fault}.`);
  };
  return {
    put({ body, groupId, deduplicationId }) {
      const { messageId } = queue.send({ body, groupId, deduplicationId, attributes: {} });
      if (!places.has(messageId)) places.set(messageId, places.size);
      putsKey += `${body} ${groupId} ${deduplicationId} ${clock.ms};`;
    },
    putDeadLetter({ reason, ...message }) {
      deadLetterQueue.send({
        ...message,
        attributes: reason ? { reason: { DataType: 'String', StringValue: reason } } : {},
      });
      putsKey += `dead letter ${message.body} ${reason} ${clock.ms};`;
      deadLetters = readDeadLetters(deadLetterQueue);
    },
    receive(max) {
      const before = deadLetterQueue.depths().visible;
      const messages = receiveFrom(queue, max);
      if (deadLetterQueue.depths().visible !== before) deadLetters = readDeadLetters(deadLetterQueue);
      for (const { messageId, receiptHandle, receiveCount } of messages) {
        const place = places.get(messageId) ?? -1;
        for (const [handle, known] of received) if (known.place === place) received.delete(handle);
        received.set(receiptHandle, {
          place,
          receiveCount,
          visibleAt: clock.ms + options.visibilityTimeoutSeconds * 1000,
        });
      }
      return messages;
    },
    delete(receiptHandle) {
      check(queue.delete(receiptHandle));
      const place = received.get(receiptHandle)?.place;
      if (place !== undefined) deleted.push(place);
      received.delete(receiptHandle);
    },
    setVisibility(receiptHandle, seconds) {
      check(queue.changeVisibility(receiptHandle, seconds));
      const known = received.get(receiptHandle);
      if (known) known.visibleAt = clock.ms + seconds * 1000;
    },
    placeOf: (messageId) => places.get(messageId) ?? -1,
    get visible() {
      return queue.depths().visible;
    },
    get depth() {
      const { visible, inFlight, delayed } = queue.depths();
      return visible + inFlight + delayed;
    },
    nextVisibleAt: () => queue.nextVisibleAt(),
    deadLetters: () => deadLetters,
    key: () => {
      const hidden = [...received.values()]
        .toSorted((one, other) => one.place - other.place)
        .map(({ place, visibleAt, receiveCount }) => `${place} ${Math.max(0, visibleAt - clock.ms)} ${receiveCount}`);
      return `${putsKey}|${deleted.toSorted().join()}|${hidden.join()}`;
    },
  };
};

/** As the stack deploys both queues. */
const SETTINGS: Omit<QueueSettings, keyof SimulatedQueueOptions> = {
  name: '',
  arn: '',
  contentBasedDeduplication: false,
  deduplicationScope: 'messageGroup',
  delaySeconds: 0,
  retentionSeconds: RETENTION_SECONDS,
  receiveWaitSeconds: 0,
  maximumMessageBytes: 1024 * 1024,
};

const receiveFrom = (queue: Queue, max: number): readonly ReceivedMessage[] => {
  const result = queue.receive({ max });
  return result.kind === 'received' ? result.messages : [];
};

/** Looks without hiding: a visibility timeout of 0 makes them visible again at once. */
const readDeadLetters = (queue: Queue) => {
  const found: { readonly body: string; readonly reason: string | undefined }[] = [];
  const seen = new Set<string>();
  // A receive gives ten messages of a FIFO queue at most, and the oldest again; a long visibility shows the next ones.
  const handles: string[] = [];
  for (let batch = receiveFrom(queue, 10); batch.length > 0; batch = receiveFrom(queue, 10)) {
    for (const { messageId, receiptHandle, body, attributes, deadLetterQueueSourceArn } of batch) {
      handles.push(receiptHandle);
      if (seen.has(messageId)) continue;
      seen.add(messageId);
      const moved = deadLetterQueueSourceArn && 'SQS moved it after 1,000 receives.';
      found.push({ body, reason: attributes.reason?.StringValue ?? moved });
    }
  }
  for (const handle of handles) queue.changeVisibility(handle, 0);
  return found;
};
