import type { SQSRecord } from 'aws-lambda';
import { NOW } from './builders.ts';

/** A queue message as Lambda passes it to a function. */
export const sqsRecord = (
  body: string,
  attributes: Partial<SQSRecord['attributes']> = {},
  messageAttributes: Readonly<Record<string, string>> = {},
): SQSRecord => ({
  messageId: 'message-1',
  receiptHandle: 'handle-1',
  body,
  attributes: {
    ApproximateReceiveCount: '1',
    SentTimestamp: String(Date.parse(NOW)),
    SenderId: 'sender',
    ApproximateFirstReceiveTimestamp: String(Date.parse(NOW)),
    ...attributes,
  },
  messageAttributes: Object.fromEntries(
    Object.entries(messageAttributes).map(([name, stringValue]) => [name, { dataType: 'String', stringValue }]),
  ),
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:queue',
  awsRegion: 'us-east-1',
});
