import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { synthesizedStack } from './synthesized-stack.ts';

const ALARM = 'AWS::CloudWatch::Alarm';

describe('An alarm', () => {
  const { template } = synthesizedStack('prod');

  test.each([
    { what: 'an event waits for a person', queue: 'WebhookInboundDeadLetterQueue' },
    { what: 'a request waits for a person', queue: 'SendingRequestsDeadLetterQueue' },
    { what: 'a scheduled send was not woken', queue: 'SendingSchedulingDeadLetterQueue' },
    { what: 'a change could not be told', queue: 'PublishingUntoldChanges' },
    { what: 'an erasure waits for a person', queue: 'ManagementErasuresDeadLetterQueue' },
  ])('is raised when $what', ({ queue }) => {
    template.hasResourceProperties(ALARM, {
      Namespace: 'AWS/SQS',
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': [Match.stringLikeRegexp(`^${queue}`), 'QueueName'] } }],
      Statistic: 'Maximum',
      Threshold: 1,
    });
  });

  test.each([
    { what: 'the table is out of reach for long', queue: 'WebhookInboundQueue', seconds: 600 },
    { what: 'requests wait for longer than their longest backoff', queue: 'SendingRequestsQueue', seconds: 1800 },
  ])('is raised when $what', ({ queue, seconds }) => {
    template.hasResourceProperties(ALARM, {
      MetricName: 'ApproximateAgeOfOldestMessage',
      Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': [Match.stringLikeRegexp(`^${queue}`), 'QueueName'] } }],
      Statistic: 'Maximum',
      Threshold: seconds,
    });
  });

  test.each(['WebhookReceiveFunction', 'SendingSendFunction', 'PublishingPublishFunction', 'ManagementManageFunction'])(
    'is raised when %s fails or is throttled',
    (name) => {
      for (const MetricName of ['Errors', 'Throttles']) {
        template.hasResourceProperties(ALARM, {
          Namespace: 'AWS/Lambda',
          MetricName,
          Dimensions: [{ Name: 'FunctionName', Value: { Ref: Match.stringLikeRegexp(`^${name}`) } }],
          Statistic: 'Sum',
          Threshold: 1,
        });
      }
    },
  );

  test('is raised when changes are told late', () => {
    template.hasResourceProperties(ALARM, {
      MetricName: 'IteratorAge',
      Dimensions: [{ Name: 'FunctionName', Value: { Ref: Match.stringLikeRegexp('^PublishingPublishFunction') } }],
      Statistic: 'Maximum',
      Threshold: 600_000,
    });
  });

  test('is raised when a post is too large to be kept', () => {
    template.hasResourceProperties(ALARM, {
      Namespace: 'Parley-prod',
      MetricName: 'EventTooLarge',
      Dimensions: [{ Name: 'service', Value: 'receive' }],
      Statistic: 'Sum',
      Threshold: 1,
    });
  });

  test.each(['WebhookApi', 'ManagementApi'])('is raised when a call of %s is answered with 5xx', (api) => {
    template.hasResourceProperties(ALARM, {
      Namespace: 'AWS/ApiGateway',
      MetricName: '5xx',
      Dimensions: Match.arrayWith([
        { Name: 'ApiId', Value: { Ref: Match.stringLikeRegexp(`^${api}`) } },
        { Name: 'Stage', Value: '$default' },
      ]),
      Statistic: 'Sum',
      Threshold: 1,
    });
  });

  test('is raised while the account is held', () => {
    template.hasResourceProperties(ALARM, {
      Namespace: 'Parley',
      MetricName: 'AccountHeld',
      Dimensions: [{ Name: 'service', Value: 'send' }],
      Statistic: 'Sum',
      Threshold: 1,
    });
  });

  test('is not raised by silence, and says in words what it means', () => {
    template.allResourcesProperties(ALARM, {
      TreatMissingData: 'notBreaching',
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      AlarmDescription: Match.stringLikeRegexp('\\.$'),
    });
  });

  test('and its end are told to the stage’s topic, and to nobody when there is none', () => {
    const alarmTopicArn = 'arn:aws:sns:eu-west-1:111122223333:alarms';

    synthesizedStack('prod', { alarmTopicArn }).template.allResourcesProperties(ALARM, {
      AlarmActions: [alarmTopicArn],
      OKActions: [alarmTopicArn],
    });
    template.allResourcesProperties(ALARM, { AlarmActions: Match.absent(), OKActions: Match.absent() });
    expect(Object.keys(template.findResources(ALARM))).toHaveLength(20);
  });
});
