import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { synthesizedStack } from './synthesized-stack.ts';

const QUEUE = 'AWS::SQS::Queue';
const MAPPING = 'AWS::Lambda::EventSourceMapping';

describe('Every queue', () => {
  const { template } = synthesizedStack('prod');

  test('keeps a message for 14 days, SQS’s longest, also the dead letters that wait for a person', () => {
    template.allResourcesProperties(QUEUE, { MessageRetentionPeriod: 14 * 24 * 60 * 60 });
  });

  test('takes a message of 1 MiB, SQS’s largest, so that no event of the webhook’s size is too large to be kept', () => {
    template.resourcePropertiesCountIs(QUEUE, { MaximumMessageSize: 1024 * 1024 }, 7);
  });

  test('but the one of send requests takes 256 KiB, so that its dead letters have room for the reason', () => {
    template.resourcePropertiesCountIs(QUEUE, { MaximumMessageSize: 256 * 1024, RedrivePolicy: Match.anyValue() }, 1);
  });

  test('is encrypted at rest', () => {
    template.allResourcesProperties(QUEUE, { SqsManagedSseEnabled: true });
  });

  test('that has a consumer is invisible for six of its time-outs, or a slow batch is worked on twice at once', () => {
    for (const { queue, timeoutSeconds } of drained(template)) {
      expect(queue.VisibilityTimeout).toBeGreaterThanOrEqual(6 * timeoutSeconds);
    }
    expect(drained(template)).toHaveLength(3);
  });

  test('that has a consumer lets each message of a batch fail alone, and leaves the webhook concurrency to answer', () => {
    const mapping = {
      BatchSize: 10,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: Match.anyValue() },
    };
    template.resourcePropertiesCountIs(MAPPING, mapping, drained(template).length);
  });
});

describe('The send queue', () => {
  const { template } = synthesizedStack('prod');

  test('and its dead-letter queue keep order and deduplicate per contact, at a throughput that no contacts share', () => {
    const fifo = { FifoQueue: true, DeduplicationScope: 'messageGroup', FifoThroughputLimit: 'perMessageGroupId' };

    expect(Object.keys(template.findResources(QUEUE, { Properties: fifo }))).toEqual([
      expect.stringMatching(/^SendingRequestsDeadLetterQueue/),
      expect.stringMatching(/^SendingRequestsQueue/),
    ]);
  });

  test('asks for a deduplication id, since two requests of one content may both be meant', () => {
    template.allResourcesProperties(QUEUE, { ContentBasedDeduplication: Match.absent() });
  });

  test('never ends a request’s waiting by counting: its receive count is SQS’s greatest', () => {
    template.hasResourceProperties(QUEUE, {
      FifoQueue: true,
      RedrivePolicy: { deadLetterTargetArn: deadLetters('SendingRequestsDeadLetterQueue'), maxReceiveCount: 1000 },
    });
  });
});

describe('A claim of a send', () => {
  const { template } = synthesizedStack('prod');

  test('outlives the function that made it, and is over when its message can be received again', () => {
    const { queue, timeoutSeconds } = drained(template).find(({ logicalId }) => logicalId.startsWith('Sending')) ?? {};
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

  test('hands an event to a person only after an outage of an hour and a half', () => {
    const { queue } = drained(template).find(({ logicalId }) => logicalId.startsWith('WebhookInbound')) ?? {};

    expect(queue?.RedrivePolicy.deadLetterTargetArn).toEqual({
      'Fn::GetAtt': [expect.stringMatching(/^WebhookInboundDeadLetterQueue/), 'Arn'],
    });
    expect(queue?.RedrivePolicy.maxReceiveCount * queue?.VisibilityTimeout).toBeGreaterThanOrEqual(90 * 60);
  });
});

function deadLetters(logicalIdPrefix: string) {
  return { 'Fn::GetAtt': [Match.stringLikeRegexp(`^${logicalIdPrefix}`), 'Arn'] };
}

/** Each queue that a function drains, with that function's time-out. */
function drained(template: Template) {
  const queues = template.findResources(QUEUE);
  const functions = template.findResources('AWS::Lambda::Function');
  return Object.values(template.findResources(MAPPING)).flatMap(({ Properties: mapping }) => {
    const logicalId: string = mapping.EventSourceArn['Fn::GetAtt'][0];
    const queue = queues[logicalId]?.Properties;
    const timeoutSeconds = functions[mapping.FunctionName.Ref]?.Properties.Timeout;
    return queue === undefined ? [] : [{ logicalId, queue, timeoutSeconds }];
  });
}
