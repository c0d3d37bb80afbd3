import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
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

  test('with a consumer has a visibility timeout of six function timeouts, so that no batch is processed twice at once', () => {
    for (const { queue, timeoutSeconds } of consumedQueues(template)) {
      expect(queue.VisibilityTimeout).toBeGreaterThanOrEqual(6 * timeoutSeconds);
    }
    expect(consumedQueues(template)).toHaveLength(3);
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

describe('The claim of a send', () => {
  const { template } = synthesizedStack('prod');

  test('outlives the function that made it and ends before its message is visible again', () => {
    const { queue, timeoutSeconds } =
      consumedQueues(template).find(({ logicalId }) => logicalId.startsWith('Sender')) ?? {};
    const [send] = Object.values(
      template.findResources('AWS::Lambda::Function', {
        Properties: { Environment: { Variables: { POWERTOOLS_SERVICE_NAME: 'send' } } },
      }),
    );
    const leaseSeconds = Number(send?.Properties.Environment.Variables.CLAIM_LEASE_SECONDS);

    expect(leaseSeconds).toBeGreaterThan(timeoutSeconds);
    expect(leaseSeconds).toBeLessThan(queue?.VisibilityTimeout);
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

/** Returns each queue that a function consumes, with the timeout of that function. */
function consumedQueues(template: Template) {
  const queues = template.findResources(QUEUE);
  const functions = template.findResources('AWS::Lambda::Function');
  return Object.values(template.findResources(MAPPING)).flatMap(({ Properties: mapping }) => {
    const logicalId: string = mapping.EventSourceArn['Fn::GetAtt'][0];
    const queue = queues[logicalId]?.Properties;
    const timeoutSeconds = functions[mapping.FunctionName.Ref]?.Properties.Timeout;
    return queue === undefined ? [] : [{ logicalId, queue, timeoutSeconds }];
  });
}
