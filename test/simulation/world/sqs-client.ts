import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  type MessageAttributeValue,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { createSqsClient } from '../../../lambdas/adapters/sqs.ts';
import type { ReachableQueue } from './queues.ts';

/** Takes a turn for a call of SQS. `writes` is whether the call can change the queue `url`. */
export type TakeSqsTurn = <Answer>(
  call: { readonly label: string; readonly url: string; readonly writes: boolean; readonly effect: string },
  perform: () => Answer,
) => Promise<Answer>;

/** A placeholder that is never used in a request. */
const SDK_CLIENT = createSqsClient({
  region: 'us-east-1',
  credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
});

/** Creates a client with which the real adapters reach simulated queues, by URL. */
export const createSimulatedSqsClient = (
  queues: Readonly<Record<string, ReachableQueue>>,
  takeTurn: TakeSqsTurn,
): SQSClient => {
  const queueAt = (url: string | undefined): ReachableQueue => {
    const queue = queues[url ?? ''];
    if (queue === undefined) throw new Error(`There is no simulated queue at ${url}.`);
    return queue;
  };

  const send = (command: unknown): Promise<unknown> => {
    if (command instanceof SendMessageCommand) {
      const { QueueUrl: url = '', MessageBody: body = '', MessageAttributes, ...others } = command.input;
      const { MessageGroupId: groupId, MessageDeduplicationId: deduplicationId, DelaySeconds: delaySeconds } = others;
      const { reason, ...attributes } = stringsOf(MessageAttributes);
      const message = {
        body,
        ...(groupId !== undefined && { groupId }),
        ...(deduplicationId !== undefined && { deduplicationId }),
        ...(reason !== undefined && { reason }),
        ...(delaySeconds !== undefined && { delaySeconds }),
        ...(Object.keys(attributes).length > 0 && { attributes }),
      };
      const call = { label: `put on ${nameAt(url)}`, url, writes: true, effect: JSON.stringify(message) };
      return takeTurn(call, () => queueAt(url).put(message));
    }
    if (command instanceof ReceiveMessageCommand) {
      const { QueueUrl: url = '', MaxNumberOfMessages = 1, VisibilityTimeout } = command.input;
      const queue = queueAt(url);
      const call = { label: `receive from ${nameAt(url)}`, url, writes: queue.visible > 0, effect: '' };
      return takeTurn(call, () => ({ Messages: queue.receive(MaxNumberOfMessages, VisibilityTimeout).map(asMessage) }));
    }
    if (command instanceof DeleteMessageCommand) {
      const { QueueUrl: url = '', ReceiptHandle = '' } = command.input;
      const call = { label: `delete from ${nameAt(url)}`, url, writes: true, effect: ReceiptHandle };
      return takeTurn(call, () => queueAt(url).delete(ReceiptHandle));
    }
    if (command instanceof ChangeMessageVisibilityBatchCommand) {
      const { QueueUrl: url = '', Entries = [] } = command.input;
      const effect = Entries.map(
        ({ ReceiptHandle, VisibilityTimeout }) => `${ReceiptHandle} ${VisibilityTimeout}`,
      ).join();
      const seconds = Entries.map(({ VisibilityTimeout }) => VisibilityTimeout).join(', ');
      const label = `set the visibility in ${nameAt(url)} to ${seconds} s`;
      return takeTurn({ label, url, writes: true, effect }, () => {
        for (const { ReceiptHandle = '', VisibilityTimeout = 0 } of Entries) {
          queueAt(url).setVisibility(ReceiptHandle, VisibilityTimeout);
        }
        return {};
      });
    }
    if (command instanceof GetQueueAttributesCommand) {
      const { QueueUrl: url = '' } = command.input;
      return takeTurn({ label: `count ${nameAt(url)}`, url, writes: false, effect: '' }, () => {
        const { visible, inFlight } = queueAt(url);
        const Attributes = {
          ApproximateNumberOfMessages: String(visible),
          ApproximateNumberOfMessagesNotVisible: String(inFlight),
        };
        return { Attributes };
      });
    }
    throw new Error('The simulated SQS does not know this command.');
  };
  return Object.create(SDK_CLIENT, { send: { value: send } });
};

const stringsOf = (attributes: Readonly<Record<string, MessageAttributeValue>> = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, { StringValue }]) => {
      if (StringValue === undefined)
        throw new Error(`The simulated SQS knows only strings; ${name} is something else.`);
      return [name, StringValue];
    }),
  );

const nameAt = (url: string): string => url.slice(url.lastIndexOf('/') + 1);

const asMessage = (message: ReturnType<ReachableQueue['receive']>[number]): Message => ({
  MessageId: message.messageId,
  ReceiptHandle: message.receiptHandle,
  Body: message.body,
  MessageAttributes: Object.fromEntries(
    Object.entries(message.attributes).map(([name, { DataType, StringValue }]) => [name, { DataType, StringValue }]),
  ),
  Attributes: {
    SentTimestamp: String(message.sentAt),
    ...(message.groupId !== undefined && { MessageGroupId: message.groupId }),
    ...(message.deadLetterQueueSourceArn !== undefined && {
      DeadLetterQueueSourceArn: message.deadLetterQueueSourceArn,
    }),
  },
});
