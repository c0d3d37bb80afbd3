import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AttributeType, BillingMode, StreamViewType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { CfnEventSourceMapping, CfnFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { PROBE_FUNCTION, PROBE_MAPPING } from './variants.ts';

/**
 * What asks an account about permissions: a function that reads a table's stream, with each permission in its strictest
 * form. Whether AWS accepts that form does not depend on the form that Parley uses.
 */
export class ProbesStack extends Stack {
  constructor(scope: Construct, id: string) {
    super(scope, id, { description: 'Parley smoke test: what only an account can answer' });
    const encryptionKey = new Key(this, 'Key', { removalPolicy: RemovalPolicy.DESTROY, enableKeyRotation: true });
    const table = new Table(this, 'Table', {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      stream: StreamViewType.NEW_IMAGE,
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.CUSTOMER_MANAGED,
      encryptionKey,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': this.account } },
      }),
    });
    const actions = ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'];
    role.addToPolicy(
      new PolicyStatement({
        actions: actions.map((action) => `dynamodb:${action}`),
        resources: [table.tableStreamArn ?? ''],
      }),
    );
    role.addToPolicy(
      new PolicyStatement({
        actions: ['kms:Decrypt'],
        resources: [encryptionKey.keyArn],
        conditions: { StringEquals: { 'kms:ViaService': `dynamodb.${this.region}.${this.urlSuffix}` } },
      }),
    );
    const handler = new CfnFunction(this, PROBE_FUNCTION, {
      role: role.roleArn,
      runtime: 'nodejs24.x',
      handler: 'index.handler',
      code: { zipFile: 'exports.handler = async () => {};' },
    });
    handler.node.addDependency(role);
    new CfnEventSourceMapping(this, PROBE_MAPPING, {
      functionName: handler.ref,
      eventSourceArn: table.tableStreamArn,
      startingPosition: 'TRIM_HORIZON',
      maximumRetryAttempts: 1,
    });
  }
}
