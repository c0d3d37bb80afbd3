import { describe, expect, it } from 'vitest';
import { deadLetterReason } from '../../../../lambdas/domain/dead-letter.ts';

describe('the reason of a dead letter', () => {
  it("is EventBridge Scheduler's error, without phone numbers", () => {
    const attributes = {
      ERROR_CODE: 'InvalidParameterValue',
      ERROR_MESSAGE: `The group +5491155550000 is invalid for arn:aws:sqs:eu-west-1:111122223333:send. ${'x'.repeat(900)}`,
    };

    expect(deadLetterReason(attributes)).toMatch(
      /^InvalidParameterValue: The group \*\*\*00 is invalid for arn:aws:sqs:eu-west-1:111122223333:send\. x{300,499}$/,
    );
  });
});
