import { readdirSync, readFileSync } from 'node:fs';
import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { METRIC_NAMES_OF, type MetricName } from '../../../../lambdas/domain/metric-names.ts';
import { type AlarmProperties, alarmHistory, alarmProperties, type Sample } from '../../../support/alarm-evaluation.ts';
import { emittedMetrics, shownMetrics } from '../../../support/stack-metrics.ts';
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
    { what: 'events wait too long for the table', queue: 'ReceiverInboundQueue', service: 'receive', seconds: 600 },
    {
      what: 'send requests wait twice their longest backoff',
      queue: 'SenderSendQueue',
      service: 'send',
      seconds: 1800,
    },
  ])('is raised when $what, whether they are retried or not processed', ({ queue, service, seconds }) => {
    const metric = (Id: string, Metric: object) => ({
      Id,
      MetricStat: { Metric, Period: 300, Stat: 'Maximum' },
      ReturnData: false,
    });
    template.hasResourceProperties(ALARM, {
      Metrics: [
        Match.objectLike({ Expression: 'MAX([FILL(queued, 0), FILL(retried, 0)])' }),
        metric('queued', {
          Namespace: 'AWS/SQS',
          MetricName: 'ApproximateAgeOfOldestMessage',
          Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': [logicalIdOf(queue), 'QueueName'] } }],
        }),
        metric('retried', {
          Namespace: 'Parley-prod',
          MetricName: 'RetriedMessageAge',
          Dimensions: [{ Name: 'service', Value: service }],
        }),
      ],
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

  test.each([
    ['a webhook request is too large to be quarantined', 'receive', { MetricName: 'EventTooLarge' }],
    ['it is unknown whether a message was sent', 'send', { MetricName: 'SendUncertain', EvaluationPeriods: 1 }],
    ['the chat service rejects a send, which is not dead-lettered', 'send', { MetricName: 'SendRejected' }],
    [
      'the event bus keeps refusing events',
      'publish',
      { MetricName: 'PublishFailed', EvaluationPeriods: 3, DatapointsToAlarm: 2 },
    ],
  ])('is raised when %s', (_what, service, alarm) => {
    template.hasResourceProperties(ALARM, {
      Namespace: 'Parley-prod',
      Dimensions: [{ Name: 'service', Value: service }],
      Statistic: 'Sum',
      Threshold: 1,
      ...alarm,
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

  test('is raised while the account is on hold, also while nobody reports it', () => {
    template.hasResourceProperties(ALARM, {
      Namespace: 'Parley-prod',
      MetricName: 'AccountHeld',
      Dimensions: [{ Name: 'service', Value: 'send' }],
      Statistic: 'Minimum',
      Period: 60,
      Threshold: 1,
      TreatMissingData: 'ignore',
    });
  });

  test('is raised when invalid signatures keep coming, but not by a single one', () => {
    const alarm = customAlarm('WebhookUnauthenticated');
    const minutes = (...times: readonly number[]) => times.map((time) => ({ at: time * 60_000, value: 1 }));
    const isRaised = (samples: readonly Sample[]) =>
      [0, 3].map((extraPeriods) =>
        alarmHistory(alarm, samples, { from: 0, until: 3 * 3_600_000, extraPeriods }).some(
          ({ state }) => state === 'ALARM',
        ),
      );

    expect(isRaised(minutes(30))).toEqual([false, false]);
    expect(isRaised(minutes(30, 31, 32, 33))).toEqual([false, false]);
    // A publish/subscribe system that pauses for ten minutes after each refusal.
    expect(isRaised(minutes(30, 40, 50, 60))).toEqual([true, true]);
    expect(isRaised(minutes(30, 32, 35, 38, 41, 44))).toEqual([true, true]);
  });

  test('is raised when the API keeps refusing many requests, including those that never reach the function', () => {
    template.hasResourceProperties(ALARM, {
      Namespace: 'AWS/ApiGateway',
      MetricName: '4xx',
      Dimensions: Match.arrayWith([{ Name: 'ApiId', Value: { Ref: logicalIdOf('ReceiverApi') } }]),
      Statistic: 'Sum',
      Threshold: 20,
      EvaluationPeriods: 6,
      DatapointsToAlarm: 3,
    });
  });

  test('is raised when a message opens no window because it names no number, if windows are per number', () => {
    const alarm = { MetricName: 'EventWithoutChannel', Dimensions: [{ Name: 'service', Value: 'receive' }] };

    synthesizedStack('prod', { window: { per: 'channel' } }).template.hasResourceProperties(ALARM, alarm);
    synthesizedStack('prod', { window: { per: 'user' } }).template.resourcePropertiesCountIs(ALARM, alarm, 0);
  });

  test('is raised when an SNS topic unsubscribes the webhook, and does not exist without a topic', () => {
    const alarm = {
      Namespace: 'Parley-prod',
      MetricName: 'WebhookUnsubscribed',
      Dimensions: [{ Name: 'service', Value: 'receive' }],
      Statistic: 'Sum',
      Threshold: 1,
      EvaluationPeriods: 1,
    };
    const topicArn = 'arn:aws:sns:eu-west-1:444455556666:chat-events';
    const webhook = { auth: { kind: 'sns', topicArn } };

    synthesizedStack('prod', { webhook }).template.hasResourceProperties(ALARM, alarm);
    template.resourcePropertiesCountIs(ALARM, { MetricName: 'WebhookUnsubscribed' }, 0);
  });

  test.each([
    { what: 'dead letters wait in the table', MetricName: 'DeadLettersWaiting' },
    { what: 'the access token expires soon', MetricName: 'AccessTokenExpiring' },
  ])('is raised while $what, which the function counts once a day', ({ MetricName }) => {
    template.hasResourceProperties(ALARM, {
      Namespace: 'Parley-prod',
      MetricName,
      Dimensions: [{ Name: 'service', Value: 'manage' }],
      Period: 86_400,
      EvaluationPeriods: 2,
      DatapointsToAlarm: 1,
      Threshold: 1,
    });
  });

  function customAlarm(name: MetricName): AlarmProperties {
    const alarms = Object.values(template.findResources(ALARM)).map(({ Properties }) => Properties);
    return alarmProperties.parse(alarms.find(({ MetricName }) => MetricName === name));
  }

  test('is not raised by missing data and has a description', () => {
    template.allResourcesProperties(ALARM, {
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      AlarmDescription: Match.stringLikeRegexp('\\. Runbook: docs/runbook\\.md#[a-z]+$'),
    });
    const ignoring = template.findResources(ALARM, { Properties: { TreatMissingData: Match.not('notBreaching') } });
    expect(Object.values(ignoring).map(({ Properties }) => Properties.MetricName)).toEqual(['AccountHeld']);
  });

  test('notifies the topic of the stage, if there is one, when it is raised and when it ends', () => {
    const alarmTopicArn = 'arn:aws:sns:eu-west-1:444455556666:alarms';

    synthesizedStack('prod', { alarmTopicArn }).template.allResourcesProperties(ALARM, {
      AlarmActions: [alarmTopicArn],
      OKActions: [alarmTopicArn],
    });
    template.allResourcesProperties(ALARM, { AlarmActions: Match.absent(), OKActions: Match.absent() });
    expect(Object.keys(template.findResources(ALARM))).toHaveLength(31);
  });
});

describe('The dashboard', () => {
  const { template } = synthesizedStack('prod', { window: { per: 'channel' } });
  const body = JSON.stringify(template.findResources('AWS::CloudWatch::Dashboard')).replaceAll('\\"', '"');

  test.each([
    'Inbound events by outcome',
    'Sends by state',
    'Circuit breaker',
    'Queues: age of the oldest message',
    "Webhook: latency against Parley's limit",
    'Cost: GB-seconds of the functions',
    'Cost: request units of the table',
    'Cost: bytes of logs',
  ])('answers a question: %s', (title) => {
    expect(body).toContain(title);
  });

  test('shows every alarm', () => {
    const alarms = Object.keys(template.findResources(ALARM));

    expect(alarms.filter((alarm) => !body.includes(`{"Fn::GetAtt":["${alarm}","Arn"]}`))).toEqual([]);
  });

  test('shows the limit of two seconds beside the latency of the webhook', () => {
    expect(body).toMatch(/"horizontal":\[\{[^}]*"value":2000[^}]*\}\]/);
  });
});

describe('The saved queries', () => {
  test.each(['Follow a request', 'Follow a contact', 'Follow a trace'])('include "%s", for every function', (name) => {
    const { template } = synthesizedStack('prod');
    const logs = ['ReceiverFunctionLogs', 'SenderFunctionLogs', 'PublisherFunctionLogs', 'ManagementFunctionLogs'];

    template.hasResourceProperties('AWS::Logs::QueryDefinition', {
      Name: `Parley-prod/${name}`,
      LogGroupNames: logs.map((group) => ({ Ref: logicalIdOf(group) })),
      QueryString: Match.stringLikeRegexp('\\| filter .*ID.*\\n\\| sort @timestamp asc'),
    });
  });
});

describe('The metrics of the functions', () => {
  test.each(['user', 'channel'])('are all on the dashboard or an alarm if windows are per %s', (per) => {
    const { template } = synthesizedStack('prod', { window: { per } });

    expect(emittedMetrics('Parley-prod').filter((metric) => !shownMetrics(template).has(metric))).toEqual([]);
  });

  test('are all counted somewhere in the code of the function that is said to emit them', () => {
    const unused = Object.entries(METRIC_NAMES_OF).flatMap(([service, names]) => {
      const folder = new URL(`../../../../lambdas/${service}/`, import.meta.url);
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
      const own = files.map((file) => readFileSync(new URL(file, folder), 'utf8')).join('');
      const shared = [...new Set(own.match(/(?<=\/)runtime\/[a-z-]+\.ts(?=')/g))];
      const code = [own, ...shared.map((file) => readFileSync(new URL(`../${file}`, folder), 'utf8'))].join('');
      return names.filter((name) => !code.includes(`'${name}'`));
    });

    expect(unused).toEqual([]);
  });
});
