import { Match } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, test } from 'vitest';
import { statementsOf } from '../iam-statements.ts';
import { logicalIdOf, synthesizedStack } from '../synthesized-stack.ts';

const QUEUE = 'arn:aws:sqs:eu-west-1:111122223333:crm';
const TARGETS = [
  { kind: 'sqs', queueArn: QUEUE },
  { kind: 'https', url: 'https://crm.bank.internal/parley', header: 'x-key', events: ['MessageReceived'] },
];

describe('The stream of the table', () => {
  const { template } = synthesizedStack('prod');

  test('is read in batches in which single records can fail and a bad record is isolated', () => {
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      EventSourceArn: { 'Fn::GetAtt': [logicalIdOf('Table'), 'StreamArn'] },
      StartingPosition: 'TRIM_HORIZON',
      BatchSize: 100,
      BisectBatchOnFunctionError: true,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      DestinationConfig: {
        OnFailure: { Destination: { 'Fn::GetAtt': [logicalIdOf('PublisherPublishFailures'), 'Arn'] } },
      },
      // Half of what a stream keeps; the other half is for reading the record from the stream.
      MaximumRecordAgeInSeconds: 12 * 60 * 60,
    });
  });

  test('is read in batches of what was written within a second', () => {
    synthesizedStack('prod').template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      StartingPosition: 'TRIM_HORIZON',
      MaximumBatchingWindowInSeconds: 1,
    });
  });

  test.each([
    { stage: 'prod', events: {}, variable: 'false' },
    { stage: 'dev', events: {}, variable: 'true' },
    { stage: 'prod', events: { content: true }, variable: 'true' },
    { stage: 'dev', events: { content: false }, variable: 'false' },
  ] as const)('is published with or without content: $stage, $events', ({ stage, events, variable }) => {
    synthesizedStack(stage, { events }).template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ EVENT_CONTENT: variable }) },
    });
  });
});

describe('A stage with event targets', () => {
  const { stack, template } = synthesizedStack('prod', { events: { targets: TARGETS } });

  test('has a rule for each, with its events, a day of retries, and a dead-letter queue', () => {
    const target = {
      DeadLetterConfig: { Arn: { 'Fn::GetAtt': [logicalIdOf('PublisherTargetsDeadLetters'), 'Arn'] } },
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

  test("delivers to another account's queue through a role, which EventBridge must not have for the stack's own account", () => {
    const isElsewhere = Match.stringLikeRegexp('^PublisherTargetsTargetCrm423dd177IsInAnotherAccount');
    const role = logicalIdOf('PublisherTargetsTargetCrm423dd177Role');
    template.hasCondition('*', { 'Fn::Not': [{ 'Fn::Equals': [{ Ref: 'AWS::AccountId' }, '111122223333'] }] });
    template.hasResourceProperties('AWS::Events::Rule', {
      Targets: [
        Match.objectLike({
          Arn: QUEUE,
          RoleArn: { 'Fn::If': [isElsewhere, { 'Fn::GetAtt': [role, 'Arn'] }, { Ref: 'AWS::NoValue' }] },
        }),
      ],
    });
    template.hasResource('AWS::IAM::Role', {
      Condition: isElsewhere,
      Properties: {
        AssumeRolePolicyDocument: {
          Statement: [
            {
              Action: 'sts:AssumeRole',
              Effect: 'Allow',
              Principal: { Service: 'events.amazonaws.com' },
              Condition: {
                StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } },
                ArnLike: { 'aws:SourceArn': Match.anyValue() },
              },
            },
          ],
        },
        Policies: [
          {
            PolicyDocument: { Statement: [{ Action: 'sqs:SendMessage', Effect: 'Allow', Resource: QUEUE }] },
          },
        ],
      },
    });
  });

  test('has the same rule if its account is known at synth', () => {
    const env = { account: '444455556666', region: 'eu-west-1' };
    const known = synthesizedStack('prod', { events: { targets: TARGETS } }, { env }).template;

    expect(Object.keys(known.findResources('AWS::Events::Rule'))).toHaveLength(TARGETS.length);
    known.hasResourceProperties('AWS::Events::Rule', {
      Targets: [Match.objectLike({ Arn: QUEUE, RoleArn: { 'Fn::If': Match.anyValue() } })],
    });
  });

  test('authenticates at a URL with a generated key in the header that the stage names', () => {
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
      InvocationEndpoint: 'https://crm.bank.internal/parley',
    });
  });

  test('lets only rules of its bus use the dead-letter queue and the URL', () => {
    const added = statementsOf(template).filter((statement) => statement.startsWith('PublisherTargets'));

    expect(added).toEqual([
      'PublisherTargetsDeadLettersPolicy: Allow sqs:SendMessage on PublisherTargetsDeadLetters.Arn to events.amazonaws.com if {"StringEquals":{"aws:SourceAccount":"AWS::AccountId"},"ArnLike":{"aws:SourceArn":"arn:AWS::Partition:events:AWS::Region:AWS::AccountId:rule/PublisherEventBus/*"}}',
      'PublisherTargetsDeadLettersPolicy: Deny sqs:* on PublisherTargetsDeadLetters.Arn to * if {"Bool":{"aws:SecureTransport":"false"}}',
      'PublisherTargetsTargetCrm423dd177Role: Allow sqs:SendMessage on arn:aws:sqs:eu-west-1:111122223333:crm',
      'PublisherTargetsUrlsRoleDefaultPolicy: Allow events:InvokeApiDestination on PublisherTargetsTargetCrmBankInternaldfbb4714DestinationApiDestination.Arn',
    ]);
  });

  test('keeps the resources of each target, and its key, when the list changes', () => {
    const resourcesOf = (targets: readonly unknown[]) =>
      Object.entries(synthesizedStack('prod', { events: { targets } }).template.toJSON().Resources).filter(([id]) =>
        id.startsWith('PublisherTargetsTarget'),
      );
    const other = { kind: 'https', url: 'https://erp.bank.internal/parley' };
    const [, crm] = TARGETS;
    const before = Object.fromEntries(resourcesOf([other, crm]));

    expect(Object.fromEntries(resourcesOf([crm, other]))).toEqual(before);
    for (const [id, resource] of resourcesOf([crm])) expect(resource).toEqual(before[id]);
    expect(Object.keys(before)).toHaveLength(2 * resourcesOf([crm]).length);
  });

  test('raises an alarm when a target does not accept events', () => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Dimensions: [
        {
          Name: 'QueueName',
          Value: { 'Fn::GetAtt': [logicalIdOf('PublisherTargetsDeadLetters'), 'QueueName'] },
        },
      ],
    });
  });

  test('has no AWS Solutions finding without a documented reason', () => {
    expect(new AwsSolutionsChecks(stack).validateScope(stack).violations).toEqual([]);
  });
});
