import type { SQSEvent } from 'aws-lambda';
import { expect, it } from 'vitest';
import { createLanes } from '../../../../../lambdas/send/bulk/lanes.ts';
import { sqsRecord } from '../../../../support/sqs-record.ts';

const BULK_URL = 'https://sqs.us-east-1.amazonaws.com/111122223333/parley-BulkSendQueue-1.fifo';
const ARN = 'arn:aws:sqs:us-east-1:111122223333:';
const INVOCATION = { getRemainingTimeInMillis: () => 60_000, awsRequestId: 'request' };

const laneOf = async (eventSourceARN: string, hasBulk = true) => {
  const handled: string[] = [];
  const handler = (name: string) => async () => {
    handled.push(name);
    return { batchItemFailures: [] };
  };
  const bulk = hasBulk ? { queueUrl: BULK_URL, handleBatch: handler('bulk') } : undefined;
  const event: SQSEvent = { Records: [{ ...sqsRecord('{}'), eventSourceARN }] };
  await createLanes(handler('normal'), bulk)(event, INVOCATION);
  return handled;
};

it.each([
  ['of the bulk queue', `${ARN}parley-BulkSendQueue-1.fifo`, true, 'bulk'],
  ['of the send queue', `${ARN}parley-SendQueue-1.fifo`, true, 'normal'],
  ['of a queue whose name ends like that of the bulk queue', `${ARN}my-parley-BulkSendQueue-1.fifo`, true, 'normal'],
  ['in a stage without a bulk queue', `${ARN}parley-BulkSendQueue-1.fifo`, false, 'normal'],
])('a batch %s is handled with that queue', async (_case, arn, hasBulk, lane) => {
  expect(await laneOf(arn, hasBulk)).toEqual([lane]);
});
