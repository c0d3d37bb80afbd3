import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { synthesizedStack } from '../synthesized-stack.ts';

const TABLE = 'AWS::DynamoDB::Table';

describe('The table', () => {
  const { template } = synthesizedStack('dev');

  test('has a partition key and a sort key for all kinds of items', () => {
    template.hasResourceProperties(TABLE, {
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      AttributeDefinitions: Match.arrayWith([
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
      ]),
    });
  });

  test('has the indexes of every query, with keys only, so that most writes cost nothing in an index', () => {
    const index = (IndexName: string, partitionKey: string, sortKey: string) => ({
      IndexName,
      KeySchema: [
        { AttributeName: partitionKey, KeyType: 'HASH' },
        { AttributeName: sortKey, KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    });

    template.hasResourceProperties(TABLE, {
      GlobalSecondaryIndexes: [
        index('byContact', 'contact', 'contactSort'),
        index('byState', 'stateShard', 'stateAt'),
        index('byBroadcast', 'broadcastShard', 'broadcastState'),
      ],
    });
  });

  test('streams both images, so that a write without a change can be recognized', () => {
    template.hasResourceProperties(TABLE, { StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' } });
  });

  test('removes expired items and supports point-in-time recovery', () => {
    template.hasResourceProperties(TABLE, {
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    });
  });

  test('is billed per request, so that no provisioned capacity limits a burst of events', () => {
    template.hasResourceProperties(TABLE, { BillingMode: 'PAY_PER_REQUEST', ProvisionedThroughput: Match.absent() });
  });

  test('is encrypted with a key that DynamoDB owns, or with a customer managed key that is rotated', () => {
    const { template: withKey } = synthesizedStack('dev', { customerManagedKey: true });

    template.hasResourceProperties(TABLE, { SSESpecification: Match.absent() });
    template.resourceCountIs('AWS::KMS::Key', 0);
    withKey.hasResourceProperties('AWS::KMS::Key', { EnableKeyRotation: true });
    withKey.hasResourceProperties(TABLE, {
      SSESpecification: {
        SSEEnabled: true,
        SSEType: 'KMS',
        KMSMasterKeyId: { 'Fn::GetAtt': [Match.anyValue(), 'Arn'] },
      },
    });
  });
});

describe('The data of a deleted stack', () => {
  const STATEFUL = [TABLE, 'AWS::SQS::Queue', 'AWS::SecretsManager::Secret', 'AWS::KMS::Key'];
  const settings = { customerManagedKey: true };

  test('is retained in a production stage', () => {
    const { stack, template } = synthesizedStack('prod', settings);

    for (const type of STATEFUL) {
      // What has a fixed name must not survive a failed creation, but a protected table cannot be deleted.
      const DeletionPolicy = type === TABLE ? 'Retain' : 'RetainExceptOnCreate';
      template.allResources(type, { DeletionPolicy, UpdateReplacePolicy: 'Retain' });
    }
    template.hasResourceProperties(TABLE, { DeletionProtectionEnabled: true });
    expect(stack.terminationProtection).toBe(true);
  });

  test('is deleted in any other stage', () => {
    const { stack, template } = synthesizedStack('dev', settings);

    for (const type of STATEFUL) template.allResources(type, { DeletionPolicy: 'Delete' });
    template.hasResourceProperties(TABLE, { DeletionProtectionEnabled: false });
    expect(stack.terminationProtection).toBe(false);
  });
});
