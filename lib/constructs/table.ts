import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AttributeType, BillingMode, StreamViewType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { ParleyFunction } from './parley-function.ts';

/** How the conversation table is kept. */
export interface ConversationTableProps {
  /**
   * Whether the table is protected from deletion and outlives its stack.
   *
   * @default false
   */
  readonly production?: boolean;
  /**
   * Whether the table is encrypted with a key of this account's own, which costs a monthly fee and can be revoked.
   *
   * @default false, a key that DynamoDB owns
   */
  readonly customerManagedKey?: boolean;
}

/** What a function may do to the table's items; each action of DynamoDB that it calls, and no other. */
export type TableAction = 'dynamodb:BatchGetItem' | 'dynamodb:DeleteItem' | 'dynamodb:GetItem' | 'dynamodb:UpdateItem';

/** The table's indexes: a contact's messages and sends in order of time; the sends whose outcome nobody knows. */
export type TableIndex = 'byContact' | 'unsettled';

// What DynamoDB asks of the key in its caller's name; its own list with the wildcards written out.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html
const KEY_ACTIONS = [
  'kms:Decrypt',
  'kms:DescribeKey',
  'kms:Encrypt',
  'kms:GenerateDataKey',
  'kms:GenerateDataKeyWithoutPlaintext',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
];

/**
 * The one table: contacts, messages and sends.
 *
 * Not a `TableV2`: CDK cannot give that one a key of the account's own in a stack that is made for any region, and it
 * would only serve replicas in other regions.
 */
export class ConversationTable extends Construct {
  readonly table: Table;
  readonly #key: Key | undefined;

  constructor(scope: Construct, id: string, props: ConversationTableProps = {}) {
    super(scope, id);
    const production = props.production ?? false;
    const removalPolicy = production ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
    this.#key = props.customerManagedKey
      ? new Key(this, 'Key', {
          description: "Encrypts Parley's conversation table",
          enableKeyRotation: true,
          removalPolicy,
        })
      : undefined;
    this.table = new Table(this, 'Table', {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      stream: StreamViewType.NEW_AND_OLD_IMAGES,
      timeToLiveAttribute: 'expiresAt',
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      ...(this.#key && { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey: this.#key }),
      deletionProtection: production,
      removalPolicy,
    });
    this.table.addGlobalSecondaryIndex({
      indexName: 'byContact',
      partitionKey: { name: 'contact', type: AttributeType.STRING },
      sortKey: { name: 'createdAt', type: AttributeType.STRING },
    });
    // Sparse: only an uncertain send has the attribute.
    this.table.addGlobalSecondaryIndex({
      indexName: 'unsettled',
      partitionKey: { name: 'unsettled', type: AttributeType.STRING },
      sortKey: { name: 'uncertainAt', type: AttributeType.STRING },
    });
  }

  /** Allows a function these actions on the table's items, not on its stream, and to query these indexes. */
  allow(parleyFunction: ParleyFunction, actions: readonly TableAction[], indexes: readonly TableIndex[] = []): void {
    parleyFunction.allow(actions, [this.table.tableArn]);
    if (indexes.length > 0) {
      const arns = indexes.map((index) => `${this.table.tableArn}/index/${index}`);
      parleyFunction.allow(['dynamodb:Query'], arns);
    }
    this.#allowKey(parleyFunction);
  }

  /**
   * Allows a function to be fed from the table's stream.
   *
   * @returns the stream's ARN.
   * @see https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-eventsourcemapping.html
   */
  allowStream(parleyFunction: ParleyFunction): string {
    const { tableStreamArn } = this.table;
    if (tableStreamArn === undefined) throw new Error('The conversation table is made with a stream.');
    parleyFunction.allow(
      ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator', 'dynamodb:ListStreams'],
      [tableStreamArn],
    );
    this.#allowKey(parleyFunction);
    return tableStreamArn;
  }

  #allowKey(parleyFunction: ParleyFunction): void {
    if (!this.#key) return;
    parleyFunction.allow(KEY_ACTIONS, [this.#key.keyArn], {
      StringEquals: { 'kms:ViaService': `dynamodb.${Stack.of(this).region}.amazonaws.com` },
    });
  }
}
