import type { SQSRecord } from 'aws-lambda';
import { expect, it } from 'vitest';
import { handler } from '../../../examples/consumers/queue/handler.ts';

const recordOf = (messageId: string, body: string): SQSRecord => ({
  messageId,
  body,
  receiptHandle: messageId,
  attributes: {
    ApproximateReceiveCount: '1',
    SentTimestamp: '0',
    SenderId: 'events.amazonaws.com',
    ApproximateFirstReceiveTimestamp: '0',
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: 'arn:aws:sqs:eu-west-1:111122223333:events',
  awsRegion: 'eu-west-1',
});

it('retries only the message that is not JSON, not the others of its batch', async () => {
  const response = await handler({ Records: [recordOf('invalid', 'not JSON'), recordOf('unknown', '{}')] });

  expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: 'invalid' }] });
});
