import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { synthesizedStack } from './synthesized-stack.ts';

const TABLE = 'AWS::DynamoDB::Table';

describe('The conversation table', () => {
  const { template } = synthesizedStack('dev');

  test('has the keys that every item is written under', () => {
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

  test('gives a conversation in order by an index that holds whole messages', () => {
    template.hasResourceProperties(TABLE, {
      GlobalSecondaryIndexes: Match.arrayWith([
        {
          IndexName: 'byContact',
          KeySchema: [
            { AttributeName: 'contact', KeyType: 'HASH' },
            { AttributeName: 'createdAt', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'ALL' },
        },
      ]),
    });
  });

  test('finds the uncertain sends by a sparse index, without a scan', () => {
    template.hasResourceProperties(TABLE, {
      GlobalSecondaryIndexes: Match.arrayWith([
        Match.objectLike({
          IndexName: 'unsettled',
          KeySchema: [
            { AttributeName: 'unsettled', KeyType: 'HASH' },
            { AttributeName: 'uncertainAt', KeyType: 'RANGE' },
          ],
        }),
      ]),
    });
  });

  test('streams both images, so that a write which changed nothing can be told from one that did', () => {
    template.hasResourceProperties(TABLE, { StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' } });
  });

  test('forgets what is past its retention, and can be put back to any second of the last weeks', () => {
    template.hasResourceProperties(TABLE, {
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    });
  });

  test('is paid per request, so that a burst of events meets no capacity that somebody once guessed', () => {
    template.hasResourceProperties(TABLE, { BillingMode: 'PAY_PER_REQUEST', ProvisionedThroughput: Match.absent() });
  });

  test('is encrypted with a key of DynamoDB’s own, or one of the account’s that is rotated', () => {
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

describe('What outlives its stack', () => {
  const STATEFUL = [TABLE, 'AWS::SQS::Queue', 'AWS::SecretsManager::Secret', 'AWS::KMS::Key'];
  const settings = { customerManagedKey: true };

  test('is everything that holds something, in a production stage', () => {
    const { stack, template } = synthesizedStack('prod', settings);

    for (const type of STATEFUL) {
      template.allResources(type, { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
    }
    template.hasResourceProperties(TABLE, { DeletionProtectionEnabled: true });
    expect(stack.terminationProtection).toBe(true);
  });

  test('is nothing in any other, so that a stage can be tried and removed', () => {
    const { stack, template } = synthesizedStack('dev', settings);

    for (const type of STATEFUL) template.allResources(type, { DeletionPolicy: 'Delete' });
    template.hasResourceProperties(TABLE, { DeletionProtectionEnabled: false });
    expect(stack.terminationProtection).toBe(false);
  });
});
