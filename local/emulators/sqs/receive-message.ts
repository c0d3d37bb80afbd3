import { z } from 'zod';
import { defineOperation, queueAt } from './operation.ts';
import { checkSelection, writeMessage } from './received-message.ts';
import { SqsError } from './sqs-error.ts';

const names = z.array(z.string()).default([]);

/**
 * Receives messages, and waits for them with long polling. Too many messages in flight are an error only for
 * short polling.
 *
 * Sources: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ReceiveMessage.html and
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-visibility-timeout.html
 */
export const receiveMessage = defineOperation(
  {
    QueueUrl: z.string(),
    MaxNumberOfMessages: z.int().min(1).max(10).default(1),
    VisibilityTimeout: z.int().min(0).max(43_200).optional(),
    WaitTimeSeconds: z.int().min(0).max(20).optional(),
    AttributeNames: names,
    MessageSystemAttributeNames: names,
    MessageAttributeNames: names,
  },
  async ({ QueueUrl, ...input }, context) => {
    const queue = queueAt(QueueUrl, context);
    const systemAttributes = [...input.AttributeNames, ...input.MessageSystemAttributeNames];
    const selection = { systemAttributes, messageAttributes: input.MessageAttributeNames };
    checkSelection(selection);
    const { MaxNumberOfMessages: max, VisibilityTimeout: visibilityTimeoutSeconds } = input;
    const { signal } = context.request;
    const waitSeconds = input.WaitTimeSeconds ?? queue.settings.receiveWaitSeconds;
    const waitEnd = performance.now() + waitSeconds * context.pollSecondMs;
    // A client that has closed the connection would never delete the messages.
    while (!signal.aborted) {
      context.queues.moveTasks.advance();
      const result = queue.receive({ max, visibilityTimeoutSeconds });
      if (result.kind === 'over-limit' && waitSeconds === 0) {
        throw new SqsError('OverLimit', 'The maximum number of in flight messages is reached.');
      }
      if (result.kind === 'received' && result.messages.length > 0) {
        return { Messages: result.messages.map((message) => writeMessage(message, selection)) };
      }
      const remainingMs = waitEnd - performance.now();
      if (remainingMs <= 0) return {};
      await context.waitForMessage(queue, remainingMs);
    }
    return {};
  },
);
