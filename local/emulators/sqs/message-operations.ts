import { z } from 'zod';
import { runBatch } from './batch.ts';
import { md5, md5OfAttributes, messageBytes } from './message-digest.ts';
import { type MessageInput, messageInput, readMessage } from './message-to-send.ts';
import { defineOperation, type Operation, queueAt } from './operation.ts';
import type { Queue, ReceiptFault } from './queue.ts';
import { receiveMessage } from './receive-message.ts';
import { invalidValue, SqsError } from './sqs-error.ts';

/** Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html */
const MAX_BATCH_BYTES = 1_048_576;

const queueUrl = { QueueUrl: z.string() };
const receipt = { ReceiptHandle: z.string() };
const newVisibility = { ...receipt, VisibilityTimeout: z.int() };

const batchOf = <Shape extends z.ZodRawShape>(entry: Shape) => ({
  ...queueUrl,
  Entries: z.array(z.strictObject({ Id: z.string(), ...entry })),
});

const send = (queue: Queue, input: MessageInput): object => {
  const message = readMessage(queue.settings, input);
  const { messageId, sequenceNumber } = queue.send(message);
  return {
    MessageId: messageId,
    MD5OfMessageBody: md5(message.body),
    MD5OfMessageAttributes: md5OfAttributes(message.attributes),
    SequenceNumber: sequenceNumber,
  };
};

const remove = (queue: Queue, handle: string): object => {
  const fault = queue.delete(handle);
  if (fault) throw receiptError(fault, handle);
  return {};
};

const changeVisibility = (queue: Queue, input: { ReceiptHandle: string; VisibilityTimeout: number }): object => {
  const { ReceiptHandle, VisibilityTimeout } = input;
  if (VisibilityTimeout < 0 || VisibilityTimeout > 43_200) {
    throw invalidValue('VisibilityTimeout', VisibilityTimeout, 'VisibilityTimeout must be between 0 and 43200.');
  }
  const fault = queue.changeVisibility(ReceiptHandle, VisibilityTimeout);
  if (fault === 'beyond-12-hours') {
    const reason = 'Total VisibilityTimeout for the message is beyond the limit [43200 seconds].';
    throw invalidValue('VisibilityTimeout', VisibilityTimeout, reason);
  }
  if (fault === 'deleted' || fault === 'expired') {
    const reason = 'Message does not exist or is not available for visibility timeout change.';
    throw invalidValue('ReceiptHandle', ReceiptHandle, reason);
  }
  if (fault) throw receiptError(fault, ReceiptHandle);
  return {};
};

const receiptError = (fault: ReceiptFault, handle: string): SqsError => {
  switch (fault) {
    case 'malformed':
      return new SqsError(
        'ReceiptHandleIsInvalid',
        `The input receipt handle "${handle}" is not a valid receipt handle.`,
      );
    case 'not-in-flight':
      return new SqsError('MessageNotInflight', 'The message is not in flight.');
    default:
      return invalidValue('ReceiptHandle', handle, 'The receipt handle has expired.');
  }
};

/** The operations on messages. */
export const MESSAGE_OPERATIONS: Readonly<Record<string, Operation>> = {
  SendMessage: defineOperation({ ...queueUrl, ...messageInput }, ({ QueueUrl, ...input }, context) =>
    send(queueAt(QueueUrl, context), input),
  ),

  SendMessageBatch: defineOperation(batchOf(messageInput), ({ QueueUrl, Entries }, context) => {
    const queue = queueAt(QueueUrl, context);
    const bytes = Entries.reduce((sum, entry) => sum + messageBytes(entry), 0);
    if (bytes > MAX_BATCH_BYTES) {
      const sentence = `Batch requests cannot be longer than ${MAX_BATCH_BYTES} bytes. You have sent ${bytes} bytes.`;
      throw new SqsError('BatchRequestTooLong', sentence);
    }
    return runBatch(Entries, (entry) => send(queue, entry));
  }),

  ReceiveMessage: receiveMessage,

  DeleteMessage: defineOperation({ ...queueUrl, ...receipt }, ({ QueueUrl, ReceiptHandle }, context) =>
    remove(queueAt(QueueUrl, context), ReceiptHandle),
  ),

  DeleteMessageBatch: defineOperation(batchOf(receipt), ({ QueueUrl, Entries }, context) => {
    const queue = queueAt(QueueUrl, context);
    return runBatch(Entries, ({ ReceiptHandle }) => remove(queue, ReceiptHandle));
  }),

  ChangeMessageVisibility: defineOperation({ ...queueUrl, ...newVisibility }, ({ QueueUrl, ...input }, context) =>
    changeVisibility(queueAt(QueueUrl, context), input),
  ),

  ChangeMessageVisibilityBatch: defineOperation(batchOf(newVisibility), ({ QueueUrl, Entries }, context) => {
    const queue = queueAt(QueueUrl, context);
    return runBatch(Entries, (entry) => changeVisibility(queue, entry));
  }),
};
