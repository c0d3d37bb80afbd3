import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  type ITable,
  ProjectionType,
  StreamViewType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { EXPIRY, INDEXES } from '../../lambdas/table/indexes.ts';
import { READ_ACTIONS, WRITE_ACTIONS } from '../settings/key-policy.ts';
import { grantKeyUse, updateAfterKeyUse } from './stage-key.ts';

/** Properties of a {@link ParleyTable}. */
export interface ParleyTableProps {
  /**
   * Whether the table is protected from deletion and outlives its stack.
   *
   * @default false
   */
  readonly production?: boolean;
  /**
   * The customer managed key that encrypts the table.
   *
   * @default a key that DynamoDB owns
   */
  readonly encryptionKey?: IKey;
}

/**
 * The table of contacts, messages, sends, erasures, and the account's circuit breaker.
 *
 * It is not a `TableV2`, because CDK does not support a customer managed key for one in a stack without a fixed region,
 * and Parley needs no replicas.
 */
export class ParleyTable extends Table {
  constructor(scope: Construct, id: string, { production = false, encryptionKey }: ParleyTableProps = {}) {
    super(scope, id, {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      stream: StreamViewType.NEW_AND_OLD_IMAGES,
      timeToLiveAttribute: EXPIRY,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      ...(encryptionKey && { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey }),
      deletionProtection: production,
      // Retained even if the stack's creation fails: deletion protection would make CloudFormation's rollback fail. The
      // name is generated, so the next attempt can create another table.
      removalPolicy: production ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    updateAfterKeyUse(this, encryptionKey);
    // CloudFormation can create or delete only one index per update, so all are created with the table. One without items
    // costs nothing.
    for (const { name, partition, sort } of INDEXES) {
      this.addGlobalSecondaryIndex({
        indexName: name,
        partitionKey: { name: partition, type: AttributeType.STRING },
        sortKey: { name: sort, type: AttributeType.STRING },
        // With only keys, other changes to an item cause no write to the index. Items are read from the table.
        projectionType: ProjectionType.KEYS_ONLY,
      });
    }
  }
}

/** The actions on items that Parley's functions use. */
export type ItemAction = 'dynamodb:BatchGetItem' | 'dynamodb:DeleteItem' | 'dynamodb:GetItem' | 'dynamodb:UpdateItem';

export type TableIndex = (typeof INDEXES)[number]['name'];

/** The kinds of items, by the start of their partition key. `CHANNELS` is a single item. */
export type ItemKey =
  | 'ACCOUNT#*'
  | 'AUDIT#*'
  | 'CHANNEL#*'
  | 'CHANNELS'
  | 'CONTACT#*'
  | 'CUSTOMER#*'
  | 'DEADLETTER#*'
  | 'ERASURE#*'
  | 'MESSAGE#*'
  | 'SEND#*'
  | 'TRANSACTION#*'
  | 'UNKNOWN#*';

/**
 * Grants these actions on the items of a table with these partition keys, but not on its indexes or its stream.
 *
 * Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html
 */
export function grantItemActions(table: ITable, grantee: IGrantable, actions: ItemAction[], keys: ItemKey[]): Grant {
  // Each of these actions requires a partition key, so the condition is never met because a key is missing.
  // https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html
  const conditions = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys } };
  const isWriting = actions.some((action) => !action.endsWith('GetItem'));
  return Grant.addToPrincipal({ grantee, actions, resourceArns: [table.tableArn], conditions }).combine(
    grantKeyUse(
      table.encryptionKey,
      grantee,
      'dynamodb',
      isWriting ? [...READ_ACTIONS, ...WRITE_ACTIONS] : READ_ACTIONS,
    ),
  );
}

/** Grants permission to query these indexes of a table. */
export function grantQuery(table: ITable, grantee: IGrantable, ...indexes: TableIndex[]): Grant {
  const resourceArns = indexes.map((index) => `${table.tableArn}/index/${index}`);
  return Grant.addToPrincipal({ grantee, actions: ['dynamodb:Query'], resourceArns }).combine(
    grantKeyUse(table.encryptionKey, grantee, 'dynamodb', READ_ACTIONS),
  );
}

/**
 * Grants the permissions that an event source mapping needs to read a table's stream. `ListStreams` is allowed for all
 * streams, because AWS documents no resource for it. It returns only ARNs.
 *
 * Sources: https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-eventsourcemapping.html and
 * https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html
 */
export function grantStreamRead(table: ITable, streamArn: string, reader: IFunction): void {
  grantOnStream(table, streamArn, reader, ['DescribeStream', 'GetRecords', 'GetShardIterator']);
  Grant.addToPrincipal({ grantee: reader, actions: ['dynamodb:ListStreams'], resourceArns: ['*'] });
  Validations.of(reader.role ?? reader).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason: 'AWS documents no resource for dynamodb:ListStreams, which Lambda calls for the event source mapping.',
  });
}

/** Grants permission to read known ranges of the table's stream. */
export function grantStreamRange(table: ITable, streamArn: string, grantee: IGrantable): Grant {
  return grantOnStream(table, streamArn, grantee, ['GetRecords', 'GetShardIterator']);
}

/**
 * A stream is decrypted through `dynamodb` too: the policy of the AWS managed key for DynamoDB, which can encrypt a table
 * with a stream, allows calls only through this service.
 *
 * Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html
 */
function grantOnStream(table: ITable, streamArn: string, grantee: IGrantable, operations: readonly string[]): Grant {
  const actions = operations.map((operation) => `dynamodb:${operation}`);
  return Grant.addToPrincipal({ grantee, actions, resourceArns: [streamArn] }).combine(
    grantKeyUse(table.encryptionKey, grantee, 'dynamodb', ['kms:Decrypt']),
  );
}
