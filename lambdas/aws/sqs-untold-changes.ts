import type { UntoldChanges } from '../ports.ts';
import { reasonAttribute } from './sqs-reason.ts';

/** What is left of SQS's 1 MiB for a message with its attribute. */
const MAX_BODY_BYTES = 1024 * 1024 - 8_192;

/**
 * Puts changes that cannot be told on the queue where Lambda's own failure records of the stream go.
 *
 * The SQS client is loaded when it is first needed, which may be never: it would lengthen every cold start.
 */
export const createSqsUntoldChanges = (queueUrl: string): UntoldChanges => {
  let connecting: ReturnType<typeof connect> | undefined;
  return {
    async put({ sequenceNumber, record }, reason) {
      connecting ??= connect();
      const { client, SendMessageCommand } = await connecting;
      const whole = JSON.stringify({ reason, sequenceNumber, record });
      const body =
        Buffer.byteLength(whole) <= MAX_BODY_BYTES ? whole : JSON.stringify({ reason, sequenceNumber, cut: true });
      await client.send(
        new SendMessageCommand({
          QueueUrl: queueUrl,
          MessageBody: body,
          MessageAttributes: reasonAttribute(reason),
        }),
      );
    },
  };
};

/** It answers in milliseconds; three attempts, the SDK's default, take ten seconds at the most. */
const AWS_CALL = { connectionTimeout: 1_000, requestTimeout: 2_000, throwOnRequestTimeout: true };

const connect = async () => {
  const { SendMessageCommand, SQSClient } = await import('@aws-sdk/client-sqs');
  return { client: new SQSClient({ requestHandler: AWS_CALL }), SendMessageCommand };
};
