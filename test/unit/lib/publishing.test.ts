import { Match } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, test } from 'vitest';
import { statementsOf } from './iam-statements.ts';
import { synthesizedStack } from './synthesized-stack.ts';

const QUEUE = 'arn:aws:sqs:eu-west-1:111122223333:crm';
const TARGETS = [
  { kind: 'sqs', queueArn: QUEUE },
  { kind: 'https', url: 'https://crm.example/parley', header: 'x-key', events: ['MessageReceived'] },
];

describe('The table’s stream', () => {
  const { template } = synthesizedStack('prod');

  test('is told in batches of which a part can fail, a bad record parted from the good ones', () => {
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      EventSourceArn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^ConversationsTable'), 'StreamArn'] },
      StartingPosition: 'TRIM_HORIZON',
      BatchSize: 100,
      BisectBatchOnFunctionError: true,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      DestinationConfig: {
        OnFailure: { Destination: { 'Fn::GetAtt': [Match.stringLikeRegexp('^PublishingUntoldChanges'), 'Arn'] } },
      },
      // Half of what a stream keeps: a person has the other half.
      MaximumRecordAgeInSeconds: 12 * 60 * 60,
    });
  });

  test('brings no removals, which tell nothing', () => {
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      FilterCriteria: { Filters: [{ Pattern: '{"eventName":["INSERT","MODIFY"]}' }] },
    });
  });

  test.each([
    { content: true, told: 'true' },
    { content: false, told: 'false' },
  ])('is told with content or without: $content', ({ content, told }) => {
    synthesizedStack('prod', { events: { content } }).template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ EVENT_CONTENT: told }) },
    });
  });
});

describe('A stage that names targets', () => {
  const { stack, template } = synthesizedStack('prod', { events: { targets: TARGETS } });

  test('has a rule for each, with its events, a day of tries, and a dead-letter queue', () => {
    const target = {
      DeadLetterConfig: { Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^PublishingTargetsDeadLetterQueue'), 'Arn'] } },
      RetryPolicy: { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 },
    };
    template.hasResourceProperties('AWS::Events::Rule', {
      EventPattern: { source: ['parley'] },
      Targets: [Match.objectLike({ Arn: QUEUE, ...target })],
    });
    template.hasResourceProperties('AWS::Events::Rule', {
      EventPattern: { source: ['parley'], 'detail-type': ['MessageReceived'] },
      Targets: [Match.objectLike(target)],
    });
  });

  test('posts with a key that the stack makes, and shows it in the header that the stage names', () => {
    template.hasResourceProperties('AWS::Events::Connection', {
      AuthParameters: {
        ApiKeyAuthParameters: {
          ApiKeyName: 'x-key',
          ApiKeyValue: { 'Fn::Join': ['', Match.arrayWith(['{{resolve:secretsmanager:'])] },
        },
      },
    });
    template.hasResourceProperties('AWS::Events::ApiDestination', {
      HttpMethod: 'POST',
      InvocationEndpoint: 'https://crm.example/parley',
    });
  });

  test('lets EventBridge’s rules into its dead-letter queue, and its own rule call its own address', () => {
    const added = statementsOf(template).filter((statement) => statement.startsWith('PublishingTargets'));

    expect(added).toEqual([
      'PublishingTargetsDeadLetterQueuePolicy: Allow sqs:SendMessage on PublishingTargetsDeadLetterQueue.Arn to events.amazonaws.com if {"ArnEquals":{"aws:SourceArn":"PublishingTargetsTarget1.Arn"}}',
      'PublishingTargetsDeadLetterQueuePolicy: Allow sqs:SendMessage on PublishingTargetsDeadLetterQueue.Arn to events.amazonaws.com if {"ArnEquals":{"aws:SourceArn":"PublishingTargetsTarget2.Arn"}}',
      'PublishingTargetsDeadLetterQueuePolicy: Deny sqs:* on PublishingTargetsDeadLetterQueue.Arn to * if {"Bool":{"aws:SecureTransport":"false"}}',
      'PublishingTargetsTarget2DestinationEventsRoleDefaultPolicy: Allow events:InvokeApiDestination on PublishingTargetsTarget2DestinationApiDestination.Arn',
    ]);
  });

  test('is alarmed by what a target does not take', () => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Dimensions: [
        {
          Name: 'QueueName',
          Value: { 'Fn::GetAtt': [Match.stringLikeRegexp('^PublishingTargetsDeadLetterQueue'), 'QueueName'] },
        },
      ],
    });
  });

  test('has no finding of AWS’s own checks that is not answered with a reason', () => {
    expect(new AwsSolutionsChecks(stack).validateScope(stack).violations).toEqual([]);
  });
});
