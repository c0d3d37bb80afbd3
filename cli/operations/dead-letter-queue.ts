import {
  ChangeMessageVisibilityCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';

/** A dead-letter queue, and the queue that its messages go back to. */
export interface DeadLetterQueue {
  readonly sqs: SQSClient;
  readonly url: string;
  readonly destinationUrl: string;
}

/** What failed, why, and since when. */
export interface DeadLetter {
  readonly messageId: string;
  readonly reason: string;
  readonly body: string;
  readonly groupId?: string;
  /** When it came to this queue. */
  readonly since?: string;
}

/** Which dead letters are meant: those whose reason contains the text, in either case; all without one. */
export interface DeadLetterFilter {
  readonly reason?: string;
}

export const matches = ({ reason }: DeadLetterFilter, letter: DeadLetter): boolean =>
  reason === undefined || letter.reason.toLowerCase().includes(reason.toLowerCase());

/** Long enough to go through a queue; nobody else takes its messages meanwhile. */
const HELD_SECONDS = 300;

/** SQS's own redrive policy moves a message without a word. */
export const NO_REASON = 'received too often';

/** Receives what is visible, ten at a time, until nothing is left; a message is seen once. */
export async function* receiveAll({ sqs, url }: DeadLetterQueue): AsyncGenerator<Message> {
  for (;;) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: url,
        MaxNumberOfMessages: 10,
        VisibilityTimeout: HELD_SECONDS,
        // Waiting asks all of SQS's servers; without it a queue may look empty that is not.
        WaitTimeSeconds: 1,
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['All'],
      }),
    );
    if (Messages.length === 0) return;
    yield* Messages;
  }
}

/** Gives back what was held, so that it can be received at once. */
export const release = async ({ sqs, url }: DeadLetterQueue, held: readonly Message[]): Promise<void> => {
  for (const { ReceiptHandle } of held) {
    await sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl: url, ReceiptHandle, VisibilityTimeout: 0 }));
  }
};

export const readDeadLetter = ({ MessageId = '', Body = '', Attributes, MessageAttributes }: Message): DeadLetter => ({
  messageId: MessageId,
  reason: MessageAttributes?.reason?.StringValue ?? NO_REASON,
  body: Body,
  ...(Attributes?.MessageGroupId !== undefined && { groupId: Attributes.MessageGroupId }),
  ...(Attributes?.SentTimestamp !== undefined && { since: new Date(Number(Attributes.SentTimestamp)).toISOString() }),
});

/** How many messages a queue holds, about: those in sight, and those that somebody holds. */
export const queueDepth = async (
  sqs: SQSClient,
  url: string,
): Promise<{ readonly waiting: number; readonly held: number }> => {
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl: url,
      AttributeNames: [
        'ApproximateNumberOfMessages',
        'ApproximateNumberOfMessagesDelayed',
        'ApproximateNumberOfMessagesNotVisible',
      ],
    }),
  );
  return {
    waiting:
      Number(Attributes?.ApproximateNumberOfMessages ?? 0) +
      Number(Attributes?.ApproximateNumberOfMessagesDelayed ?? 0),
    held: Number(Attributes?.ApproximateNumberOfMessagesNotVisible ?? 0),
  };
};
