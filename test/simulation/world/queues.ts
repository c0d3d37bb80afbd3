import type { MessageAttribute, Queue, QueueSettings, ReceivedMessage } from '../../../local/emulators/sqs/queue.ts';
import { createQueues } from '../../../local/emulators/sqs/queues.ts';
import { LIMITS } from './send-process.ts';
import type { VirtualClock } from './virtual-clock.ts';

export interface SimulatedMessage {
  readonly body: string;
  /** Required on a FIFO queue. */
  readonly groupId?: string;
  readonly deduplicationId?: string;
  readonly reason?: string;
  /** @default 0 */
  readonly delaySeconds?: number;
  /** Further attributes, by name. */
  readonly attributes?: Readonly<Record<string, string>>;
}

export interface SimulatedQueueOptions {
  /** The prefix of its message ids, so that ids are unique across queues. */
  readonly name?: string;
  readonly isFifo: boolean;
  readonly visibilityTimeoutSeconds: number;
}

/** One queue. */
export interface SimulatedPlainQueue {
  put(message: SimulatedMessage): void;
  /**
   * Message ids contain the message's position in the queue, unlike the random ids of SQS.
   *
   * @param visibilityTimeoutSeconds the queue's own by default
   */
  receive(max: number, visibilityTimeoutSeconds?: number): readonly ReceivedMessage[];
  delete(receiptHandle: string): void;
  setVisibility(receiptHandle: string, seconds: number): void;
  /** The place of a message among all that were put on the queue. */
  placeOf(messageId: string): number;
  readonly visible: number;
  readonly inFlight: number;
  /** Messages that are neither deleted nor dead-lettered. */
  readonly depth: number;
  nextVisibleAt(): number | undefined;
  /** The messages that were put on the queue and not deleted, even while they are hidden. */
  messages(): readonly { readonly body: string; readonly reason: string | undefined }[];
  /** Identifies what can be received, and when, without the ids that SQS draws. */
  key(): string;
}

/** A queue as the client of a process reaches it. */
export type ReachableQueue = Pick<
  SimulatedPlainQueue,
  'put' | 'receive' | 'delete' | 'setVisibility' | 'visible' | 'inFlight'
>;

/** A queue with its dead-letter queue, with the settings that the stack deploys. */
export interface SimulatedQueue extends SimulatedPlainQueue {
  readonly deadLetterQueue: SimulatedPlainQueue;
  putDeadLetter(message: SimulatedMessage): void;
  /** The messages that this test or a function put on the dead-letter queue, and those that SQS moved there. */
  deadLetters(): readonly { readonly body: string; readonly reason: string | undefined }[];
}

export const VISIBILITY_TIMEOUT_SECONDS = LIMITS.visibilitySeconds;
const RETENTION_SECONDS = 14 * 24 * 60 * 60;
export const MAX_RECEIVE_COUNT = 1000;

/** The send queue. */
const SENDS: SimulatedQueueOptions = { isFifo: true, visibilityTimeoutSeconds: VISIBILITY_TIMEOUT_SECONDS };

export const createSimulatedQueue = (clock: VirtualClock, options = SENDS): SimulatedQueue => {
  const queues = createQueues({ now: () => clock.ms, onChange: () => undefined });
  const { isFifo, visibilityTimeoutSeconds } = options;
  const settings = { ...SETTINGS, isFifo, visibilityTimeoutSeconds };
  const deadLetterQueue = queues.create({ ...settings, name: 'dead-letters', arn: 'dead-letters' });
  const redrive = { deadLetterQueueArn: 'dead-letters', maxReceiveCount: MAX_RECEIVE_COUNT };
  const queue = queues.create({ ...settings, name: 'messages', arn: 'messages', redrive });
  const { name = '' } = options;
  const dead = createPlainQueue(clock, deadLetterQueue, `${name}dead-letter`);
  const main = createPlainQueue(clock, queue, `${name}message`);
  return {
    ...main,
    get visible() {
      return main.visible;
    },
    get inFlight() {
      return main.inFlight;
    },
    get depth() {
      return main.depth;
    },
    receive(max, visibilityTimeoutSeconds) {
      const before = deadLetterQueue.depths().visible;
      const messages = main.receive(max, visibilityTimeoutSeconds);
      if (deadLetterQueue.depths().visible !== before) for (const id of dead.adopt()) main.forget(id);
      return messages;
    },
    deadLetterQueue: dead,
    putDeadLetter: dead.put,
    deadLetters: dead.messages,
    key: () => `${main.key()}/${dead.key()}`,
  };
};

/** A queue of the emulator. Replaces its random message ids with positions. */
const createPlainQueue = (clock: VirtualClock, queue: Queue, idPrefix: string) => {
  const defaultTimeoutSeconds = queue.settings.visibilityTimeoutSeconds;
  /** What the latest receive of each message made known, by place. */
  const received = new Map<number, { visibleAt: number; readonly receiveCount: number }>();
  const places = new Map<string, number>();
  const handles = new Map<string, { readonly place: number; readonly real: string }>();
  const stored = new Map<number, ReturnType<SimulatedPlainQueue['messages']>[number]>();
  let putsKey = '';
  const deleted: number[] = [];

  const check = (fault: string | undefined): void => {
    if (fault !== undefined) throw new Error(`SQS refuses the receipt handle: ${fault}.`);
  };
  const realOf = (receiptHandle: string) => handles.get(receiptHandle) ?? { place: -1, real: receiptHandle };
  const placed = (messageId: string): number => {
    const place = places.get(messageId) ?? places.size;
    places.set(messageId, place);
    return place;
  };
  const plain: SimulatedPlainQueue = {
    put(message) {
      const { body, groupId, deduplicationId, delaySeconds, reason } = message;
      const { messageId } = queue.send({
        body,
        groupId,
        deduplicationId,
        delaySeconds,
        attributes: attributesOf(message),
      });
      if (!places.has(messageId)) stored.set(placed(messageId), { body, reason });
      putsKey += `${body} ${groupId} ${deduplicationId} ${reason} ${clock.ms};`;
    },
    receive(max, visibilityTimeoutSeconds = defaultTimeoutSeconds) {
      return receiveFrom(queue, max, visibilityTimeoutSeconds).map((message) => {
        const { messageId, receiptHandle, receiveCount } = message;
        const place = placed(messageId);
        received.set(place, { receiveCount, visibleAt: clock.ms + visibilityTimeoutSeconds * 1000 });
        const handle = `${idPrefix}-${place}.${receiveCount}`;
        handles.set(handle, { place, real: receiptHandle });
        return { ...message, messageId: `${idPrefix}-${place}`, receiptHandle: handle };
      });
    },
    delete(receiptHandle) {
      const { place, real } = realOf(receiptHandle);
      check(queue.delete(real));
      if (!deleted.includes(place)) deleted.push(place);
      received.delete(place);
      stored.delete(place);
    },
    setVisibility(receiptHandle, seconds) {
      const { place, real } = realOf(receiptHandle);
      check(queue.changeVisibility(real, seconds));
      const known = received.get(place);
      if (known) known.visibleAt = clock.ms + seconds * 1000;
    },
    placeOf: (messageId) => Number(messageId.slice(idPrefix.length + 1)),
    get visible() {
      return queue.depths().visible;
    },
    get inFlight() {
      return queue.depths().inFlight;
    },
    get depth() {
      const { visible, inFlight, delayed } = queue.depths();
      return visible + inFlight + delayed;
    },
    nextVisibleAt: () => queue.nextVisibleAt(),
    messages: () => [...stored.values()],
    key: () => {
      const hidden = [...received]
        .toSorted(([one], [other]) => one - other)
        .map(([place, { visibleAt, receiveCount }]) => `${place} ${Math.max(0, visibleAt - clock.ms)} ${receiveCount}`);
      return `${putsKey}|${deleted.toSorted().join()}|${hidden.join()}`;
    },
  };
  return {
    ...plain,
    get visible() {
      return plain.visible;
    },
    get inFlight() {
      return plain.inFlight;
    },
    get depth() {
      return plain.depth;
    },
    /** Detects messages that SQS moved here. Returns their real ids. */
    adopt(): readonly string[] {
      const moved = receiveAll(queue).filter(({ messageId }) => !places.has(messageId));
      for (const { messageId, body } of moved) {
        stored.set(placed(messageId), {
          body,
          reason: 'SQS moved it after 1,000 receives.',
        });
        putsKey += `moved ${body} ${clock.ms};`;
      }
      return moved.map(({ messageId }) => messageId);
    },
    /** Detects that SQS moved a message away. */
    forget(messageId: string): void {
      const place = places.get(messageId) ?? -1;
      stored.delete(place);
      received.delete(place);
    },
  };
};

/** Returns the attributes of a message as SQS has them. */
export const attributesOf = ({ reason, attributes }: SimulatedMessage): Readonly<Record<string, MessageAttribute>> =>
  Object.fromEntries(
    Object.entries({ ...attributes, ...(reason && { reason }) }).map(([name, StringValue]) => [
      name,
      { DataType: 'String', StringValue },
    ]),
  );

/** As the stack deploys both queues. */
const SETTINGS: Omit<QueueSettings, 'isFifo' | 'visibilityTimeoutSeconds'> = {
  name: '',
  arn: '',
  contentBasedDeduplication: false,
  deduplicationScope: 'messageGroup',
  delaySeconds: 0,
  retentionSeconds: RETENTION_SECONDS,
  receiveWaitSeconds: 0,
  maximumMessageBytes: 1024 * 1024,
};

const receiveFrom = (queue: Queue, max: number, visibilityTimeoutSeconds?: number): readonly ReceivedMessage[] => {
  const result = queue.receive({ max, visibilityTimeoutSeconds });
  return result.kind === 'received' ? result.messages : [];
};

/** Looks without hiding: a visibility timeout of 0 makes them visible again at once. */
const receiveAll = (queue: Queue): readonly ReceivedMessage[] => {
  const found = new Map<string, ReceivedMessage>();
  // A receive gives ten messages of a FIFO queue at most, and the oldest again; a long visibility shows the next ones.
  const handles: string[] = [];
  for (let batch = receiveFrom(queue, 10); batch.length > 0; batch = receiveFrom(queue, 10)) {
    for (const message of batch) {
      handles.push(message.receiptHandle);
      found.set(message.messageId, message);
    }
  }
  for (const handle of handles) queue.changeVisibility(handle, 0);
  return [...found.values()];
};
