import { describe, expect, it } from 'vitest';
import { bufferedText } from '../../../../lambdas/domain/buffered-request.ts';
import { deadLetterReason } from '../../../../lambdas/domain/dead-letter.ts';

/** Source: https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html */
const DISCARDED_BATCH = {
  requestContext: { requestId: 'r', functionArn: 'f', condition: 'RecordAgeExceeded', approximateInvokeCount: 9 },
  responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
  version: '1.0',
  timestamp: '2026-11-20T12:00:00.000Z',
  DDBStreamBatchInfo: {
    shardId: 'shardId-1',
    startSequenceNumber: '800000000003126276362',
    endSequenceNumber: '800000000003126276370',
    approximateArrivalOfFirstRecord: '2026-11-20T00:00:00Z',
    approximateArrivalOfLastRecord: '2026-11-20T00:00:01Z',
    batchSize: 3,
    streamArn: 'arn:aws:dynamodb:eu-west-1:111122223333:table/Parley/stream/1',
  },
};

describe('the reason of a dead letter', () => {
  it("is EventBridge Scheduler's error, without phone numbers", () => {
    const attributes = {
      ERROR_CODE: 'InvalidParameterValue',
      ERROR_MESSAGE: `The group +5491155550000 is invalid for arn:aws:sqs:eu-west-1:111122223333:send. ${'x'.repeat(900)}`,
    };

    expect(deadLetterReason(attributes, '{}')).toMatch(
      /^InvalidParameterValue: The group \*\*\*00 is invalid for arn:aws:sqs:eu-west-1:111122223333:send\. x{300,499}$/,
    );
  });

  it('names the target that did not accept an event', () => {
    const attributes = {
      RULE_ARN: 'arn:aws:events:eu-west-1:111122223333:rule/Parley-dev/Target1',
      TARGET_ARN: 'arn:aws:sqs:eu-west-1:111122223333:crm',
      ERROR_CODE: 'NO_PERMISSIONS',
      ERROR_MESSAGE: 'Access denied.',
      EXHAUSTED_RETRY_CONDITION: 'MaximumRetryAttempts',
      RETRY_ATTEMPTS: '185',
    };

    expect(deadLetterReason(attributes, '{}')).toBe(
      'NO_PERMISSIONS: Access denied. (MaximumRetryAttempts, 185 retries), target arn:aws:sqs:eu-west-1:111122223333:crm',
    );
  });

  it('says that a webhook request was never verified', () => {
    const values = { requestId: '', receivedAtMs: '1795176000000', chatChannelNumber: '', headers: '', body: '' };
    expect(deadLetterReason({}, bufferedText(values))).toMatch(/^unverified: maximum receives exceeded/);
    expect(deadLetterReason({}, '{}')).toBe('maximum receives exceeded');
  });

  it('is the condition on which Lambda gave up on changes', () => {
    expect(deadLetterReason({}, JSON.stringify(DISCARDED_BATCH))).toBe('RecordAgeExceeded: 3 changes');
    expect(deadLetterReason({}, '{"DDBStreamBatchInfo":{}}')).toBe('maximum receives exceeded');
  });
});
