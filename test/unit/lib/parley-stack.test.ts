import { App } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, test } from 'vitest';
import { synthesizedStack } from './synthesized-stack.ts';

describe('The stack', () => {
  const { stack, template } = synthesizedStack('prod', { customerManagedKey: true });

  test('has the outputs that other systems rely on', () => {
    expect(Object.keys(template.toJSON().Outputs)).toEqual([
      'WebhookUrl',
      'ManagementUrl',
      'SendQueueUrl',
      'SendDeadLetterQueueUrl',
      'ScheduleDeadLetterQueueUrl',
      'InboundQueueUrl',
      'InboundDeadLetterQueueUrl',
      'ErasureQueueUrl',
      'ErasureDeadLetterQueueUrl',
      'PublishFailuresQueueUrl',
      'TableName',
      'EventBusName',
      'AccessTokenSecretId',
      'EncryptionKeyArn',
    ]);
    expect(template.toJSON().Outputs.WebhookUrl.Value['Fn::Join'][1].at(-1)).toBe('/webhook');
  });

  test('can be synthesized without an account and a region', () => {
    expect(stack.environment).toBe('aws://unknown-account/unknown-region');
  });

  test("rejects a topic of another region, which CloudWatch cannot notify, but not another account's", () => {
    const env = { account: '777788889999', region: 'eu-west-1' };
    const withTopic = (region: string, account: string) => () =>
      synthesizedStack('prod', { alarmTopicArn: `arn:aws:sns:${region}:${account}:alarms` }, { env });

    expect(withTopic('us-east-1', '777788889999')).toThrow(
      /alarmTopicArn: got "arn:aws:sns:us-east-1:.*region eu-west-1/,
    );
    expect(withTopic('eu-west-1', '444455556666')).not.toThrow();
  });

  test('warns of https targets in a region where EventBridge delivers to no URLs', () => {
    const events = { targets: [{ kind: 'https', url: 'https://crm.example/parley' }] };
    const warningsIn = (region: string) =>
      synthesizedStack('dev', { events }, { env: { account: '111122223333', region } })
        .stack.node.findAll()
        .flatMap(({ node }) => node.metadata)
        .filter(({ data }) => String(data).includes('may not deliver to URLs'));

    expect(warningsIn('us-gov-west-1')).toHaveLength(1);
    expect(warningsIn('eu-west-1')).toEqual([]);
  });

  test("has tags that say what it is for, which CloudFormation gives to its resources, and the settings' own", () => {
    const tagsOf = (settings: Readonly<Record<string, unknown>>) => {
      const { stack: tagged } = synthesizedStack('prod', settings);
      const assembly = App.of(tagged)?.synth();
      return assembly?.getStackByName(tagged.stackName).tags;
    };

    expect(tagsOf({})).toEqual({ application: 'parley', stage: 'Parley-prod' });
    expect(tagsOf({ tags: { stage: 'production', 'cost-center': '4711' } })).toEqual({
      application: 'parley',
      'cost-center': '4711',
      stage: 'production',
    });
  });

  test('has no AWS Solutions finding without a documented reason', () => {
    expect(new AwsSolutionsChecks(stack).validateScope(stack).violations).toEqual([]);
  });
});

describe('The logical ids of stateful resources', () => {
  const { template } = synthesizedStack('prod', {
    customerManagedKey: true,
    webhook: { auth: { kind: 'shared-token', header: 'x-token' } },
    events: { targets: [{ kind: 'https', url: 'https://crm.bank.internal/parley' }] },
  });

  // A change makes CloudFormation generate another value, in the place of the one that an operator stored.
  test('never generate the value of a secret again', () => {
    const secrets = Object.entries(template.findResources('AWS::SecretsManager::Secret'));

    expect(Object.fromEntries(secrets.map(([id, { Properties }]) => [id, Properties.GenerateSecretString]))).toEqual({
      ReceiverWebhookSecret96F4D864: { ExcludePunctuation: true, PasswordLength: 32 },
      SenderAccessToken437C3B26: {},
      PublisherTargetsTargetCrmBankInternaldfbb4714KeyB1F59AFC: { ExcludePunctuation: true, PasswordLength: 48 },
    });
  });

  // A changed logical id is a new resource: CloudFormation would abandon or delete the old one with its data.
  test.each([
    { type: 'AWS::DynamoDB::Table', logicalIds: ['TableCD117FA1'] },
    { type: 'AWS::KMS::Key', logicalIds: ['TableKeyF581D96F'] },
    // Consumers have rules on it.
    { type: 'AWS::Events::EventBus', logicalIds: ['PublisherEventBus6EFFBC37'] },
    // It contains up to a year of scheduled sends.
    { type: 'AWS::Scheduler::ScheduleGroup', logicalIds: ['SenderSchedulesGroup3665A566'] },
    {
      type: 'AWS::SecretsManager::Secret',
      logicalIds: [
        'PublisherTargetsTargetCrmBankInternaldfbb4714KeyB1F59AFC',
        'ReceiverWebhookSecret96F4D864',
        'SenderAccessToken437C3B26',
      ],
    },
    {
      type: 'AWS::SQS::Queue',
      logicalIds: [
        'ManagementErasureQueueDA40D82B',
        'ManagementErasureQueueDeadLetters8309428E',
        'PublisherPublishFailures4F362096',
        'PublisherTargetsDeadLetters252DE784',
        'ReceiverInboundQueue3A35EF0C',
        'ReceiverInboundQueueDeadLetters7968B7E1',
        'SenderSchedulesDeadLetters8D5B0CA8',
        'SenderSendQueue2D69C79A',
        'SenderSendQueueDeadLetters6DF88BE8',
      ],
    },
    // Not data, but the URLs that the chat service and internal systems are configured with.
    { type: 'AWS::ApiGatewayV2::Api', logicalIds: ['ManagementApi46D28074', 'ReceiverApi19EE3CF8'] },
  ])('stay the same for $type', ({ type, logicalIds }) => {
    expect(Object.keys(template.findResources(type)).sort()).toEqual(logicalIds);
  });
});
