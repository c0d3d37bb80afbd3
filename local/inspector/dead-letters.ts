import { type Message, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { deleteDeadLetters, readDeadLetter } from '../../cli/operations/dead-letter-queue.ts';
import { deleteKept, readKept } from '../../cli/operations/kept-dead-letters.ts';
import type { ManagementClient } from '../../cli/operations/management-client.ts';
import { recordAct } from '../../cli/operations/record-act.ts';
import { redrive } from '../../cli/operations/redrive.ts';
import { withoutCredentials } from '../../lambdas/domain/buffered-request.ts';
import { parseDueMessage } from '../../lambdas/domain/send-request.ts';
import type { DeadLetter, InspectedQueue, Inspector, Redriven, Refused } from '../../sandbox/base/inspector.ts';
import { isObject, parseJson } from '../base/json.ts';
import { orRefused } from './management-client.ts';

/** The URLs of the dead-letter queues. */
export interface DeadLetterUrls {
  readonly sendDeadLetterQueueUrl: string;
  /** Undefined without a queue for bulk requests. */
  readonly bulkSendDeadLetterQueueUrl?: string | undefined;
  readonly inboundDeadLetterQueueUrl: string;
}

/** The maximum number of messages per receive. */
const BATCH_SIZE = 10;

/**
 * Creates the inspector's operations on dead letters: those of `parley dead-letters`, which also record the action in
 * the audit trail.
 */
export const createDeadLetterOperations = (
  sqs: SQSClient,
  urls: DeadLetterUrls,
  api: ManagementClient,
): Pick<Inspector, 'deadLetters' | 'redrive' | 'discard'> => {
  const queues = {
    send: { sqs, url: urls.sendDeadLetterQueueUrl },
    // The routes of the inspector refuse the calls of a stage without this queue.
    bulk: { sqs, url: urls.bulkSendDeadLetterQueueUrl ?? '' },
    inbound: { sqs, url: urls.inboundDeadLetterQueueUrl },
  };
  const takeTurns = { send: createTurns(), bulk: createTurns(), inbound: createTurns() };

  const discard = async (queue: InspectedQueue, id: string): Promise<boolean> => {
    await recordAct(api, { action: 'dead-letter-deletion', queue, deadLetterId: id });
    const isKept = (await readKept(api, queue, id)) !== undefined && (await deleteKept(api, id));
    return isKept || (await deleteDeadLetters(queues[queue], { messageId: id })) > 0;
  };

  return {
    deadLetters: (queue) => takeTurns[queue](() => peek(sqs, queues[queue].url, queue)),
    redrive: (queue, id) =>
      takeTurns[queue](() =>
        orRefused(async (): Promise<Redriven> => {
          const { moved } = (await redrive(api, queue, { filter: { messageId: id } })) ?? { moved: 0 };
          return id !== undefined && moved === 0 ? notFound(id) : { kind: 'redriven', moved };
        }),
      ),
    discard: (queue, id) =>
      takeTurns[queue](() =>
        orRefused(async () => ((await discard(queue, id)) ? { kind: 'discarded' } : notFound(id))),
      ),
  };
};

const notFound = (id: string): Refused => ({
  kind: 'refused',
  status: 404,
  message: `Dead letter ${id} not found. It may have been redriven or discarded, or it is behind others of its message group.`,
});

/** While an operation searches a queue, its messages are hidden, so another one would not find them. */
const createTurns = () => {
  let previous: Promise<unknown> = Promise.resolve();
  return <Result>(operation: () => Promise<Result>): Promise<Result> => {
    const result = previous.then(operation);
    previous = result.catch(() => undefined);
    return result;
  };
};

/** Returns messages without hiding them from others, by receiving them with a visibility timeout of zero. */
const peek = async (sqs: SQSClient, QueueUrl: string, queue: InspectedQueue): Promise<readonly DeadLetter[]> => {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl,
      VisibilityTimeout: 0,
      MaxNumberOfMessages: BATCH_SIZE,
      MessageAttributeNames: ['All'],
      MessageSystemAttributeNames: ['All'],
    }),
  );
  return Messages.map((message) => describe(message, queue));
};

const describe = (message: Message, queue: InspectedQueue): DeadLetter => {
  const { messageId, body, reason, groupId, since } = readDeadLetter(message);
  return {
    id: messageId,
    body: withoutCredentials(body),
    reason,
    groupId,
    requestId: queue === 'inbound' ? undefined : requestIdIn(body),
    since,
    receiveCount: Number(message.Attributes?.ApproximateReceiveCount ?? 0),
  };
};

const requestIdIn = (body: string): string | undefined => {
  const request = parseJson(body);
  if (isObject(request) && typeof request.requestId === 'string') return request.requestId;
  return parseDueMessage(body);
};
