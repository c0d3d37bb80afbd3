import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { statementsOf } from '../iam-statements.ts';
import { synthesizedStack } from '../synthesized-stack.ts';

const KEY = 'TableKeyF581D96F';
const KEY_ARN = { 'Fn::GetAtt': [KEY, 'Arn'] };
const EVERYTHING = {
  webhook: { auth: { kind: 'shared-token', header: 'x-token' } },
  events: {
    targets: [
      { kind: 'sqs', queueArn: 'arn:aws:sqs:eu-west-1:111122223333:crm' },
      { kind: 'https', url: 'https://crm.bank.internal/parley' },
    ],
  },
};

/** What the key encrypts: the type of resource, and the property that names the key. */
const ENCRYPTED = [
  { type: 'AWS::SQS::Queue', property: 'KmsMasterKeyId', count: 9 },
  { type: 'AWS::SecretsManager::Secret', property: 'KmsKeyId', count: 3 },
  { type: 'AWS::Logs::LogGroup', property: 'KmsKeyId', count: 6 },
  { type: 'AWS::Events::EventBus', property: 'KmsKeyIdentifier', count: 1 },
  { type: 'AWS::Events::Connection', property: 'KmsKeyIdentifier', count: 1 },
] as const;

describe('A customer managed key', () => {
  const { template } = synthesizedStack('prod', { ...EVERYTHING, customerManagedKey: true });

  test.each(ENCRYPTED)('encrypts every $type', ({ type, property, count }) => {
    template.allResourcesProperties(type, { [property]: KEY_ARN });
    template.resourceCountIs(type, count);
  });

  test('lets CloudWatch Logs encrypt each log group, by its name', () => {
    const policies = JSON.stringify(template.findResources('AWS::KMS::Key'));
    const names = Object.values(template.findResources('AWS::Logs::LogGroup')).flatMap(
      ({ Properties }) => Properties.LogGroupName ?? [],
    );

    expect(names).toHaveLength(2);
    for (const name of names) {
      // All but the part that is new for each stack, and the reference to the stack's name, which the policy has as text.
      expect(name['Fn::Join'][1].slice(0, 2)).toEqual(['/aws/vendedlogs/', { Ref: 'AWS::StackName' }]);
    }
    expect(policies).toContain(':log-group:Parley-prod-*');
    expect(policies).toContain(':log-group:/aws/vendedlogs/Parley-prod/*');
  });

  test('encrypts the table', () => {
    template.hasResourceProperties('AWS::DynamoDB::Table', { SSESpecification: { KMSMasterKeyId: KEY_ARN } });
  });

  test('is the only one, and rotated every year', () => {
    template.resourceCountIs('AWS::KMS::Key', 1);
    template.allResourcesProperties('AWS::KMS::Key', { EnableKeyRotation: true });
  });

  test('is asked for another data key of a queue once an hour', () => {
    template.allResourcesProperties('AWS::SQS::Queue', { KmsDataKeyReusePeriodSeconds: 3600 });
  });

  test('has the tag without which EventBridge does not use it for connections, if there are any', () => {
    const tagged = { Tags: [{ Key: 'EventBridgeApiDestinations', Value: 'true' }] };

    template.hasResourceProperties('AWS::KMS::Key', tagged);
    synthesizedStack('prod', { customerManagedKey: true }).template.resourcePropertiesCountIs(
      'AWS::KMS::Key',
      tagged,
      0,
    );
  });

  test('leaves events that cannot be encrypted on the queue for publish failures', () => {
    template.hasResourceProperties('AWS::Events::EventBus', {
      DeadLetterConfig: { Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^PublisherPublishFailures'), 'Arn'] } },
    });
    expect(statementsOf(template)).toContain(
      'PublisherPublishFailuresPolicy: Allow sqs:SendMessage on PublisherPublishFailures.Arn to events.amazonaws.com ' +
        'if {"ArnEquals":{"aws:SourceArn":"PublisherEventBus.Arn"}}',
    );
  });

  test('may be used by exactly these services, each for what belongs to the stack', () => {
    const ofKey = statementsOf(template).filter((statement) => statement.startsWith('TableKey: '));
    const arn = (service: string, resource: string) =>
      `arn:AWS::Partition:${service}:AWS::Region:AWS::AccountId:${resource}`;
    const bus = arn('events', 'event-bus/Parley-prod');

    expect(ofKey).toEqual(
      [
        'TableKey: Allow kms:* on * to arn:AWS::Partition:iam::AWS::AccountId:root',
        'TableKey: Allow kms:Decrypt, kms:Encrypt, kms:GenerateDataKey, ' +
          'kms:GenerateDataKeyWithoutPlaintext, kms:ReEncryptFrom, kms:ReEncryptTo on * to logs.AWS::Region.AWS::URLSuffix ' +
          `if {"ArnLike":{"kms:EncryptionContext:aws:logs:arn":"${arn('logs', 'log-group:Parley-prod-*')}"}}`,
        'TableKey: Allow kms:Decrypt, kms:Encrypt, kms:GenerateDataKey, ' +
          'kms:GenerateDataKeyWithoutPlaintext, kms:ReEncryptFrom, kms:ReEncryptTo on * to logs.AWS::Region.AWS::URLSuffix ' +
          `if {"ArnLike":{"kms:EncryptionContext:aws:logs:arn":"${arn('logs', 'log-group:/aws/vendedlogs/Parley-prod/*')}"}}`,
        'TableKey: Allow kms:Decrypt, kms:GenerateDataKey on * to events.amazonaws.com ' +
          `if {"ArnLike":{"kms:EncryptionContext:aws:sqs:arn":"${arn('sqs', 'Parley-prod-*')}"}}`,
        'TableKey: Allow kms:Decrypt, kms:GenerateDataKey on * to events.amazonaws.com ' +
          `if {"StringEquals":{"aws:SourceAccount":"AWS::AccountId","aws:SourceArn":"${bus}",` +
          `"kms:EncryptionContext:aws:events:event-bus:arn":"${bus}"}}`,
        'TableKey: Allow kms:DescribeKey on * to events.amazonaws.com ' +
          'if {"StringEquals":{"aws:SourceAccount":"AWS::AccountId"}}',
      ].toSorted(),
    );
  });
});

describe('A stage without a customer managed key', () => {
  const { template } = synthesizedStack('prod', EVERYTHING);

  test.each(ENCRYPTED)('leaves the key of every $type to AWS', ({ type, property }) => {
    template.allResourcesProperties(type, { [property]: Match.absent() });
  });

  test('encrypts queues with a key that SQS owns', () => {
    template.allResourcesProperties('AWS::SQS::Queue', { SqsManagedSseEnabled: true });
  });

  test('has no dead-letter queue for the event bus', () => {
    template.allResourcesProperties('AWS::Events::EventBus', { DeadLetterConfig: Match.absent() });
  });
});

describe('The secrets that a stage generates', () => {
  test('have at least 32 characters, as many as Secrets Manager generates by default', () => {
    const { template } = synthesizedStack('prod', EVERYTHING);

    expect(lengths(template)).toEqual([32, 32, 48]);
  });
});

/** Source: https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetRandomPassword.html */
const DEFAULT_LENGTH = 32;

const lengths = (template: Template): number[] =>
  Object.values(template.findResources('AWS::SecretsManager::Secret'))
    .map(({ Properties }) => Properties.GenerateSecretString.PasswordLength ?? DEFAULT_LENGTH)
    .toSorted();
