import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import type { MetricName } from '../../../../lambdas/domain/metric-names.ts';
import { logicalIdOf, synthesizedStack } from '../synthesized-stack.ts';

const ALARM = 'AWS::CloudWatch::Alarm';

describe('An alarm', () => {
  const { template } = synthesizedStack('prod');

  test.each([
    { what: 'an event is quarantined', queue: 'ReceiverInboundQueueDeadLetters' },
    { what: 'a send request is dead-lettered', queue: 'SenderSendQueueDeadLetters' },
    { what: 'a scheduled send cannot be queued', queue: 'SenderSchedulesDeadLetters' },
    { what: 'a change cannot be published', queue: 'PublisherPublishFailures' },
    { what: 'an erasure fails', queue: 'ManagementErasureQueueDeadLetters' },
  ])('is raised when $what', ({ queue }) => {
    template.hasResourceProperties(ALARM, {
      Namespace: 'AWS/SQS',
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': [logicalIdOf(queue), 'QueueName'] } }],
      Statistic: 'Maximum',
      Threshold: 1,
    });
  });

  test.each([
    { what: 'events wait too long for the table', queue: 'ReceiverInboundQueue', seconds: 600 },
    { what: 'send requests wait twice their longest backoff', queue: 'SenderSendQueue', seconds: 1800 },
  ])('is raised when $what', ({ queue, seconds }) => {
    template.hasResourceProperties(ALARM, {
      MetricName: 'ApproximateAgeOfOldestMessage',
      Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': [logicalIdOf(queue), 'QueueName'] } }],
      Statistic: 'Maximum',
      Threshold: seconds,
    });
  });

  test.each(['ReceiverFunction', 'SenderFunction', 'PublisherFunction', 'ManagementFunction'])(
    'is raised when %s fails or is throttled',
    (name) => {
      for (const MetricName of ['Errors', 'Throttles']) {
        template.hasResourceProperties(ALARM, {
          Namespace: 'AWS/Lambda',
          MetricName,
          Dimensions: [{ Name: 'FunctionName', Value: { Ref: logicalIdOf(name) } }],
          Statistic: 'Sum',
          Threshold: 1,
        });
      }
    },
  );

  test('is raised when events are published late', () => {
    template.hasResourceProperties(ALARM, {
      MetricName: 'IteratorAge',
      Dimensions: [{ Name: 'FunctionName', Value: { Ref: logicalIdOf('PublisherFunction') } }],
      Statistic: 'Maximum',
      Threshold: 600_000,
    });
  });

  test('is raised when a webhook request is too large to be quarantined', () => {
    template.hasResourceProperties(ALARM, {
      Namespace: 'Parley-prod',
      MetricName: 'EventTooLarge',
      Dimensions: [{ Name: 'service', Value: 'receive' }],
      Statistic: 'Sum',
      Threshold: 1,
    });
  });

  test.each(['ReceiverApi', 'ManagementApi'])('is raised when %s answers with 5xx', (api) => {
    template.hasResourceProperties(ALARM, {
      Namespace: 'AWS/ApiGateway',
      MetricName: '5xx',
      Dimensions: Match.arrayWith([
        { Name: 'ApiId', Value: { Ref: logicalIdOf(api) } },
        { Name: 'Stage', Value: '$default' },
      ]),
      Statistic: 'Sum',
      Threshold: 1,
    });
  });

  test('is raised while the account is on hold', () => {
    template.hasResourceProperties(ALARM, {
      Namespace: 'Parley-prod',
      MetricName: 'AccountHeld',
      Dimensions: [{ Name: 'service', Value: 'send' }],
      Statistic: 'Sum',
      Threshold: 1,
    });
  });

  test('is raised when the chat service rejects a send, which is not dead-lettered', () => {
    template.hasResourceProperties(ALARM, {
      Namespace: 'Parley-prod',
      MetricName: 'SendRejected',
      Dimensions: [{ Name: 'service', Value: 'send' }],
      Statistic: 'Sum',
      Threshold: 1,
    });
  });

  test('is raised while dead letters wait in the table, which the function counts once a day', () => {
    template.hasResourceProperties(ALARM, {
      Namespace: 'Parley-prod',
      MetricName: 'DeadLettersWaiting',
      Dimensions: [{ Name: 'service', Value: 'manage' }],
      Period: 86_400,
      EvaluationPeriods: 2,
      DatapointsToAlarm: 1,
      Threshold: 1,
    });
  });

  test('watches a custom metric under the namespace and dimensions that its function emits', () => {
    // An alarm on a metric that nobody emits never fires, and nothing else notices.
    const emitted: readonly (readonly [service: string, metric: MetricName])[] = [
      ['receive', 'EventTooLarge'],
      ['send', 'AccountHeld'],
      ['send', 'SendRejected'],
      ['manage', 'DeadLettersWaiting'],
    ];
    const custom = Object.values(template.findResources(ALARM))
      .map(({ Properties }) => Properties)
      .filter(({ Namespace }) => !Namespace.startsWith('AWS/'));

    expect(custom.map(({ Namespace, MetricName, Dimensions }) => ({ Namespace, MetricName, Dimensions }))).toEqual(
      emitted.map(([service, MetricName]) => ({
        Namespace: variablesOf(service).POWERTOOLS_METRICS_NAMESPACE,
        MetricName,
        Dimensions: [{ Name: 'service', Value: service }],
      })),
    );
  });

  function variablesOf(service: string): Record<string, unknown> {
    const variables = Object.values(template.findResources('AWS::Lambda::Function')).map(
      ({ Properties }) => Properties.Environment.Variables,
    );
    return variables.find(({ POWERTOOLS_SERVICE_NAME }) => POWERTOOLS_SERVICE_NAME === service);
  }

  test('is not raised by missing data and has a description', () => {
    template.allResourcesProperties(ALARM, {
      TreatMissingData: 'notBreaching',
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      AlarmDescription: Match.stringLikeRegexp('\\.$'),
    });
  });

  test('notifies the topic of the stage, if there is one, when it is raised and when it ends', () => {
    const alarmTopicArn = 'arn:aws:sns:eu-west-1:111122223333:alarms';

    synthesizedStack('prod', { alarmTopicArn }).template.allResourcesProperties(ALARM, {
      AlarmActions: [alarmTopicArn],
      OKActions: [alarmTopicArn],
    });
    template.allResourcesProperties(ALARM, { AlarmActions: Match.absent(), OKActions: Match.absent() });
    expect(Object.keys(template.findResources(ALARM))).toHaveLength(22);
  });
});
