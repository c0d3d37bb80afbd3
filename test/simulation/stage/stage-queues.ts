import type { QueueSettings } from '../../../local/emulators/sqs/queue.ts';
import { createQueues } from '../../../local/emulators/sqs/queues.ts';
import { messageIdOf } from '../../../local/emulators/sqs/receipt-handle.ts';
import { attributesOf, type ReachableQueue } from '../world/queues.ts';
import { LIMITS } from '../world/send-process.ts';
import { QUEUES, type QueueName } from './ledger.ts';
import type { StageContext } from './stage-context.ts';
import type { QueuedMessage } from './stage-run.ts';

/** A queue of a stage. */
export interface StageQueue extends ReachableQueue {
  readonly name: QueueName;
  nextVisibleAt(): number | undefined;
  /** The messages that are neither deleted nor expired. */
  contents(): readonly QueuedMessage[];
}

export type StageQueues = Readonly<Record<QueueName, StageQueue>>;

const DAY_SECONDS = 24 * 60 * 60;
const RETENTION_SECONDS = 14 * DAY_SECONDS;
const MAX_RECEIVE_COUNT = 1000;

/** As the stack deploys them. */
const DECLARED: Readonly<Record<QueueName, { readonly isFifo: boolean; readonly visibilityTimeoutSeconds: number }>> = {
  send: { isFifo: true, visibilityTimeoutSeconds: LIMITS.visibilitySeconds },
  'send-dead-letters': { isFifo: true, visibilityTimeoutSeconds: 30 },
  bulk: { isFifo: true, visibilityTimeoutSeconds: LIMITS.visibilitySeconds },
  'bulk-dead-letters': { isFifo: true, visibilityTimeoutSeconds: 30 },
  inbound: { isFifo: false, visibilityTimeoutSeconds: 60 },
  'inbound-dead-letters': { isFifo: false, visibilityTimeoutSeconds: 30 },
  turns: { isFifo: false, visibilityTimeoutSeconds: 360 },
  erasures: { isFifo: false, visibilityTimeoutSeconds: 360 },
  'erasures-dead-letters': { isFifo: false, visibilityTimeoutSeconds: 30 },
  'publish-dead-letters': { isFifo: false, visibilityTimeoutSeconds: 30 },
  'schedule-dead-letters': { isFifo: false, visibilityTimeoutSeconds: 30 },
};

/**
 * Creates the queues of a stage.
 *
 * @param onChange called whenever more messages of a queue may be available
 * @param current whose call takes effect now
 */
export const createStageQueues = (
  context: StageContext,
  current: () => string | undefined,
  onChange: (name: QueueName) => void,
): StageQueues => {
  const { clock } = context;
  let ids = 0;
  const newId = () => `00000000-0000-4000-8000-${String(++ids).padStart(12, '0')}`;
  const emulators = createQueues({
    now: () => clock.ms,
    onChange: () => undefined,
    newId,
    lookahead: context.features.fifoLookahead,
  });
  const arnOf = (name: QueueName) => `arn:aws:sqs:us-east-1:000000000000:${name}`;

  const create = (name: QueueName): StageQueue => {
    const deadLetters =
      name === 'turns' ? 'publish-dead-letters' : QUEUES.find((other) => other === `${name}-dead-letters`);
    const settings: QueueSettings = {
      ...DECLARED[name],
      name,
      arn: arnOf(name),
      contentBasedDeduplication: false,
      deduplicationScope: 'messageGroup',
      delaySeconds: 0,
      retentionSeconds: RETENTION_SECONDS,
      receiveWaitSeconds: 0,
      maximumMessageBytes: 1024 * 1024,
      ...(deadLetters !== undefined && {
        redrive: { deadLetterQueueArn: arnOf(deadLetters), maxReceiveCount: MAX_RECEIVE_COUNT },
      }),
    };
    const emulator = emulators.create(settings);
    const messages = new Map<string, QueuedMessage & { readonly expiresAtMs: number }>();
    const add = (id: string, body: string, reason: string | undefined, since = clock.ms): void => {
      messages.set(id, { body, reason, expiresAtMs: since + RETENTION_SECONDS * 1000 });
      context.record({ kind: 'queued', queue: name, body, ...(reason !== undefined && { reason }) }, current());
      onChange(name);
    };
    // SQS moves a message here without a call that could be observed.
    const target = emulators.findByArn(settings.arn);
    const adopt = target?.adopt;
    if (target && adopt) {
      Object.assign(target, {
        adopt(...[message, sourceArn]: Parameters<typeof adopt>) {
          adopt(message, sourceArn);
          emptied.get(sourceArn)?.(message.messageId);
          owners.set(message.messageId, name);
          const since = settings.isFifo ? clock.ms : message.enqueuedAt;
          add(message.messageId, message.body, 'SQS moved it after 1,000 receives.', since);
        },
      });
    }
    emptied.set(settings.arn, (id) => messages.delete(id));
    /** Records the use of a receipt handle of another queue, which SQS refuses, and which no retry can fix. */
    const checkOwner = (receiptHandle: string): void => {
      const id = messageIdOf(receiptHandle) ?? '';
      if (owners.get(id) !== name)
        context.record({ kind: 'misdirected', queue: name, body: bodies.get(id) ?? '' }, current());
    };
    const check = (fault: string | undefined): void => {
      if (fault !== undefined) throw new Error(`SQS refuses the receipt handle: ${fault}.`);
    };
    return {
      name,
      put(message) {
        const { reason, attributes: _, ...sent } = message;
        const { messageId } = emulator.send({ ...sent, attributes: attributesOf(message) });
        // SQS accepts a duplicate and drops it.
        if (owners.has(messageId)) return;
        owners.set(messageId, name);
        bodies.set(messageId, message.body);
        add(messageId, message.body, reason);
      },
      receive(max, visibilityTimeoutSeconds) {
        const result = emulator.receive({ max, visibilityTimeoutSeconds });
        return result.kind === 'received' ? result.messages : [];
      },
      delete(receiptHandle) {
        checkOwner(receiptHandle);
        check(emulator.delete(receiptHandle));
        const id = messageIdOf(receiptHandle) ?? '';
        const message = messages.get(id);
        if (message && messages.delete(id))
          context.record({ kind: 'deleted', queue: name, body: message.body }, current());
        onChange(name);
      },
      setVisibility(receiptHandle, seconds) {
        checkOwner(receiptHandle);
        check(emulator.changeVisibility(receiptHandle, seconds));
        onChange(name);
      },
      get visible() {
        return emulator.depths().visible;
      },
      get inFlight() {
        return emulator.depths().inFlight;
      },
      nextVisibleAt: () => emulator.nextVisibleAt(),
      contents: () =>
        [...messages.values()]
          .filter(({ expiresAtMs }) => expiresAtMs > clock.ms)
          .map(({ body, reason }) => ({ body, reason })),
    };
  };
  const emptied = new Map<string, (messageId: string) => void>();
  /** The queue of each message, and its body. */
  const owners = new Map<string, QueueName>();
  const bodies = new Map<string, string>();

  // Dead-letter queues first, because the others name them.
  return Object.fromEntries(
    QUEUES.toSorted((one, other) => other.length - one.length).map((name) => [name, create(name)]),
  ) as Record<QueueName, StageQueue>;
};
