import { z } from 'zod';
import { checkAttributes, checkCharacters } from './message-attributes.ts';
import { messageBytes } from './message-digest.ts';
import type { MessageToSend, QueueSettings } from './queue.ts';
import { invalidValue, missingParameter, SqsError } from './sqs-error.ts';

/**
 * The characters of message group IDs and deduplication IDs.
 *
 * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 */
const ID = /^[\x21-\x7e]{1,128}$/;
const MAX_DELAY_SECONDS = 900;

/** A message as in SendMessage and in the entries of SendMessageBatch. */
export const messageInput = {
  MessageBody: z.string(),
  DelaySeconds: z.int().optional(),
  MessageAttributes: z
    .record(
      z.string(),
      z.strictObject({
        DataType: z.string(),
        StringValue: z.string().optional(),
        BinaryValue: z.base64().optional(),
      }),
    )
    .default({}),
  MessageGroupId: z.string().optional(),
  MessageDeduplicationId: z.string().optional(),
};
const messageInputObject = z.object(messageInput);
export type MessageInput = z.output<typeof messageInputObject>;

/**
 * Reads a message to send.
 *
 * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 *
 * @throws SqsError if SQS would refuse the message.
 */
export const readMessage = (settings: QueueSettings, input: MessageInput): MessageToSend => {
  const { MessageBody: body, MessageAttributes: attributes, DelaySeconds: delaySeconds } = input;
  const { MessageGroupId: groupId, MessageDeduplicationId: deduplicationId } = input;
  if (body === '') throw missingParameter('MessageBody');
  checkCharacters(body);
  checkAttributes(attributes);
  if (messageBytes(input) > settings.maximumMessageBytes) {
    const sentence = `Message must be shorter than ${settings.maximumMessageBytes} bytes.`;
    throw new SqsError('InvalidParameterValue', `One or more parameters are invalid. Reason: ${sentence}`);
  }
  if (delaySeconds !== undefined && (delaySeconds < 0 || delaySeconds > MAX_DELAY_SECONDS)) {
    throw invalidValue('DelaySeconds', delaySeconds, `DelaySeconds must be >= 0 and <= ${MAX_DELAY_SECONDS}.`);
  }
  if (groupId !== undefined) checkId('MessageGroupId', groupId);
  if (deduplicationId !== undefined) checkId('MessageDeduplicationId', deduplicationId);
  if (settings.isFifo) checkFifoMessage(settings, input);
  else if (deduplicationId !== undefined) throw notForThisQueueType('MessageDeduplicationId', deduplicationId);
  return { body, attributes, groupId, deduplicationId, delaySeconds: settings.isFifo ? undefined : delaySeconds };
};

const checkFifoMessage = ({ contentBasedDeduplication }: QueueSettings, input: MessageInput): void => {
  const { MessageGroupId, MessageDeduplicationId, DelaySeconds = 0 } = input;
  if (MessageGroupId === undefined) throw missingParameter('MessageGroupId');
  if (MessageDeduplicationId === undefined && !contentBasedDeduplication) {
    throw new SqsError(
      'InvalidParameterValue',
      'The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly',
    );
  }
  if (DelaySeconds > 0) throw notForThisQueueType('DelaySeconds', DelaySeconds);
};

const notForThisQueueType = (parameter: string, value: string | number): SqsError =>
  invalidValue(parameter, value, 'The request include parameter that is not valid for this queue type.');

const checkId = (parameter: string, id: string): void => {
  if (ID.test(id)) return;
  const rule = `${parameter} can only include alphanumeric and punctuation characters. 1 to 128 in length.`;
  throw invalidValue(parameter, id, rule);
};
