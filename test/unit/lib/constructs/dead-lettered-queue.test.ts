import { Match, type Template } from 'aws-cdk-lib/assertions';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seconds } from '../../../../lambdas/domain/duration.ts';
import { timeLimits } from '../../../../lambdas/domain/time-limits.ts';
import { logicalIdOf, synthesizedStack } from '../synthesized-stack.ts';

const QUEUE = 'AWS::SQS::Queue';
const MAPPING = 'AWS::Lambda::EventSourceMapping';

describe('Every queue', () => {
  const { template } = synthesizedStack('prod');

  test('keeps messages for 14 days, the maximum of SQS', () => {
    template.allResourcesProperties(QUEUE, { MessageRetentionPeriod: 14 * 24 * 60 * 60 });
  });

  test('takes messages of up to 1 MiB, the maximum of SQS', () => {
    template.resourcePropertiesCountIs(QUEUE, { MaximumMessageSize: 1024 * 1024 }, 7);
  });

  test('takes smaller messages if it is the send queue, so that its dead letters have room for a reason', () => {
    template.resourcePropertiesCountIs(QUEUE, { MaximumMessageSize: 256 * 1024, RedrivePolicy: Match.anyValue() }, 1);
  });

  test('is encrypted at rest', () => {
    template.allResourcesProperties(QUEUE, { SqsManagedSseEnabled: true });
  });

  test('with a consumer is no dead-letter queue of another queue, which would need no permission to send to it', () => {
    const refusing = { RedrivePolicy: Match.anyValue(), RedriveAllowPolicy: { redrivePermission: 'denyAll' } };
    template.resourcePropertiesCountIs(QUEUE, refusing, consumedQueues(template).length);
  });

  test('with a consumer has a visibility timeout of six function timeouts, except for the send queue', () => {
    const others = consumedQueues(template).filter(({ logicalId }) => !logicalId.startsWith('SenderSendQueue'));

    for (const { queue, timeoutSeconds } of others) expect(queue.VisibilityTimeout).toBe(6 * timeoutSeconds);
    expect(others).toHaveLength(2);
  });

  test('with a consumer lets each message of a batch fail alone and limits concurrency', () => {
    const mapping = {
      BatchSize: 10,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: Match.anyValue() },
    };
    template.resourcePropertiesCountIs(MAPPING, mapping, consumedQueues(template).length);
  });
});

describe('The send queue', () => {
  const { template } = synthesizedStack('prod');

  test('and its dead-letter queue keep order, deduplicate and limit throughput per contact', () => {
    const fifo = { FifoQueue: true, DeduplicationScope: 'messageGroup', FifoThroughputLimit: 'perMessageGroupId' };

    expect(Object.keys(template.findResources(QUEUE, { Properties: fifo }))).toEqual([
      expect.stringMatching(/^SenderSendQueueDeadLetters[0-9A-F]{8}$/),
      expect.stringMatching(/^SenderSendQueue[0-9A-F]{8}$/),
    ]);
  });

  test('does not deduplicate by content, since two equal requests may both be intended', () => {
    template.allResourcesProperties(QUEUE, { ContentBasedDeduplication: Match.absent() });
  });

  test('has the maximum receive count, so that a request can wait as long as possible', () => {
    template.hasResourceProperties(QUEUE, {
      FifoQueue: true,
      RedrivePolicy: { deadLetterTargetArn: deadLetters('SenderSendQueueDeadLetters'), maxReceiveCount: 1000 },
    });
  });
});

describe('The time limits of sending', () => {
  test.each([
    { settings: {}, timeout: 120, lease: 150, visibility: 180 },
    // Each second of a call counts four times: error 201 and a refreshed token.
    { settings: { answerTimeoutSeconds: 30 }, timeout: 200, lease: 230, visibility: 260 },
    { settings: { answerTimeoutSeconds: 60 }, timeout: 320, lease: 350, visibility: 380 },
    { settings: { answerTimeoutSeconds: 1 }, timeout: 84, lease: 114, visibility: 144 },
  ])('are $timeout, $lease, and $visibility seconds with $settings', ({ settings, timeout, lease, visibility }) => {
    const { template } = synthesizedStack('prod', { chatService: settings });
    const { queue, timeoutSeconds } = sendConsumer(template);
    // The function derives its lease from this variable.
    const { leaseSeconds } = timeLimits(seconds(Number(sendVariables(template).ANSWER_TIMEOUT_SECONDS)));

    expect({ timeout: timeoutSeconds, lease: leaseSeconds, visibility: queue.VisibilityTimeout }).toEqual({
      timeout,
      lease,
      visibility,
    });
  });

  test('make a claim outlast its function, and end before its message is visible again', () => {
    const timeout = fc.integer({ min: 1, max: 60 }).map(seconds);
    fc.assert(
      fc.property(timeout, (answerTimeoutSeconds) => {
        const limits = timeLimits(answerTimeoutSeconds);

        expect(limits.timeoutSeconds).toBeGreaterThan(limits.requiredSeconds);
        expect(limits.leaseSeconds).toBeGreaterThan(limits.timeoutSeconds);
        expect(limits.visibilitySeconds).toBeGreaterThan(limits.leaseSeconds);
        // Lambda's maximum: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
        expect(limits.timeoutSeconds).toBeLessThanOrEqual(900);
      }),
    );
  });
});

describe('The concurrency of calls', () => {
  test.each([
    { maxConcurrentCalls: 200, invocations: 20, calls: 10 },
    { maxConcurrentCalls: 25, invocations: 3, calls: 8 },
    { maxConcurrentCalls: 9, invocations: 2, calls: 4 },
    { maxConcurrentCalls: 2, invocations: 2, calls: 1 },
    { maxConcurrentCalls: 2000, invocations: 200, calls: 10 },
  ])('of at most $maxConcurrentCalls is $invocations x $calls', ({ maxConcurrentCalls, invocations, calls }) => {
    const { template } = synthesizedStack('prod', { chatService: { maxConcurrentCalls } });

    expect(sendConsumer(template).mapping.ScalingConfig).toEqual({ MaximumConcurrency: invocations });
    expect(sendVariables(template).MAX_CONCURRENT_CALLS).toBe(String(calls));
  });
});

describe('The inbound queue', () => {
  const { template } = synthesizedStack('prod');

  test('quarantines an event only after an outage of more than an hour and a half', () => {
    const { queue } = consumedQueues(template).find(({ logicalId }) => logicalId.startsWith('ReceiverInbound')) ?? {};

    expect(queue?.RedrivePolicy.deadLetterTargetArn).toEqual({
      'Fn::GetAtt': [expect.stringMatching(/^ReceiverInboundQueueDeadLetters[0-9A-F]{8}$/), 'Arn'],
    });
    expect(queue?.RedrivePolicy.maxReceiveCount * queue?.VisibilityTimeout).toBeGreaterThanOrEqual(90 * 60);
  });
});

function deadLetters(logicalIdPrefix: string) {
  return { 'Fn::GetAtt': [logicalIdOf(logicalIdPrefix), 'Arn'] };
}

function sendConsumer(template: Template) {
  const [consumer] = consumedQueues(template).filter(({ logicalId }) => logicalId.startsWith('SenderSendQueue'));
  if (consumer === undefined) throw new Error('No function consumes the send queue.');
  return consumer;
}

function sendVariables(template: Template): Readonly<Record<string, string>> {
  const functions = template.findResources('AWS::Lambda::Function', {
    Properties: { Environment: { Variables: { POWERTOOLS_SERVICE_NAME: 'send' } } },
  });
  return Object.values(functions)[0]?.Properties.Environment.Variables;
}

/** Returns each queue that a function consumes, with the timeout of that function. */
function consumedQueues(template: Template) {
  const queues = template.findResources(QUEUE);
  const functions = template.findResources('AWS::Lambda::Function');
  return Object.values(template.findResources(MAPPING)).flatMap(({ Properties: mapping }) => {
    const logicalId: string = mapping.EventSourceArn['Fn::GetAtt'][0];
    const queue = queues[logicalId]?.Properties;
    const timeoutSeconds = functions[mapping.FunctionName.Ref]?.Properties.Timeout;
    return queue === undefined ? [] : [{ logicalId, queue, timeoutSeconds, mapping }];
  });
}
