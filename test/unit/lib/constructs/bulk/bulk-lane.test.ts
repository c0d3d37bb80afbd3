import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { seconds } from '../../../../../lambdas/domain/duration.ts';
import { timeLimits } from '../../../../../lambdas/domain/time-limits.ts';
import { callIntervalMs, sendInvocations } from '../../../../../lib/settings/lane-settings.ts';
import { statementsOf } from '../../iam-statements.ts';
import { logicalIdOf, synthesizedStack } from '../../synthesized-stack.ts';

const MAPPING = 'AWS::Lambda::EventSourceMapping';
const { template } = synthesizedStack('prod', { sends: { bulkLane: { maxConcurrentCalls: 40 } } });
const plain = synthesizedStack('prod').template;
const idsOf = (all: typeof template, type: string) => Object.keys(all.findResources(type));

describe('A stage with a bulk queue', () => {
  test('has one more FIFO queue with a dead-letter queue, and nothing of the others changes', () => {
    const added = (type: string) => idsOf(template, type).filter((id) => !idsOf(plain, type).includes(id));
    expect(added('AWS::SQS::Queue')).toHaveLength(2);
    expect(idsOf(plain, 'AWS::SQS::Queue').filter((id) => !idsOf(template, 'AWS::SQS::Queue').includes(id))).toEqual(
      [],
    );
    expect(
      added('AWS::CloudWatch::Alarm')
        .map((id) => /Bulk[A-Za-z]+?(?=[0-9A-F]{8}$)/.exec(id)?.[0])
        .toSorted(),
    ).toEqual(['BulkSendDeadLetters', 'BulkSendQueueAge', 'BulkSendQueueBacklog']);
  });

  test.each([
    { queue: 'SenderSendQueue', retried: 'RetriedMessageAge', seconds: 1800 },
    { queue: 'SenderBulkSendQueue', retried: 'RetriedBulkMessageAge', seconds: 43_200 },
  ])('measures the age of $queue by its own messages, also of those that are retried', (lane) => {
    const metric = (Id: string, Metric: object) => Match.objectLike({ Id, MetricStat: Match.objectLike({ Metric }) });
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      Metrics: Match.arrayWith([
        metric('queued', {
          Namespace: 'AWS/SQS',
          MetricName: 'ApproximateAgeOfOldestMessage',
          Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': [logicalIdOf(lane.queue), 'QueueName'] } }],
        }),
        metric('retried', Match.objectLike({ MetricName: lane.retried })),
      ]),
      Threshold: lane.seconds,
    });
  });

  test('gives each queue its own concurrency, so that a backlog of one leaves that of the other free', () => {
    for (const calls of [40, 200]) {
      template.hasResourceProperties(MAPPING, {
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency: sendInvocations(calls) },
      });
    }
  });

  test('lets the management API count the requests of both queues for a dry run', () => {
    const ofSendQueue = 'ManagementFunctionRoleDefaultPolicy: Allow sqs:GetQueueAttributes on SenderSendQueue.Arn';
    expect(statementsOf(template)).toContain(ofSendQueue);
    expect(statementsOf(template)).toContain(
      'ManagementFunctionRoleBulk: Allow sqs:GetQueueAttributes, sqs:SendMessage on SenderBulkSendQueue.Arn',
    );
    expect(statementsOf(plain)).toContain(ofSendQueue);
  });

  test('warns before SQS no longer finds the messages of other contacts', () => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Threshold: 100_000,
    });
  });
});

describe('The pace of bulk calls', () => {
  const intervalOf = (bulkLane: object) =>
    Object.values(
      synthesizedStack('prod', { sends: { bulkLane } }).template.findResources('AWS::Lambda::Function'),
    ).flatMap(({ Properties }) => Properties.Environment?.Variables?.BULK_CALL_INTERVAL_MS ?? []);

  test('is divided among the invocations that run at a time, and rounded so that it is never exceeded', () => {
    expect(intervalOf({ maxConcurrentCalls: 40, maxCallsPerSecond: 30 })).toEqual(['134']);
  });

  test('leaves an invocation the time for a call for each message of a batch, at its slowest', () => {
    const slowest = [2, 11, 20, 21, 199, 2000].map((calls) => {
      const invocations = sendInvocations(calls);
      return callIntervalMs(invocations, invocations);
    });
    const { timeoutSeconds, requiredSeconds } = timeLimits(seconds(1));
    expect(10 * Math.max(...slowest)).toBeLessThan((timeoutSeconds - requiredSeconds) * 1000);
  });

  test('is not set unless the stage sets it', () => {
    expect(intervalOf({ maxConcurrentCalls: 40 })).toEqual([]);
  });
});

test('A stage without it has no trace of it', () => {
  expect(JSON.stringify(plain.toJSON())).not.toMatch(/BulkSend|BULK_|bulk send/);
});
