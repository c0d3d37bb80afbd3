import type {
  BatchGetItemCommandInput,
  BatchGetItemCommandOutput,
  DeleteItemCommandInput,
  DeleteItemCommandOutput,
  GetItemCommandInput,
  GetItemCommandOutput,
  QueryCommandInput,
  QueryCommandOutput,
  TransactWriteItemsCommandInput,
  TransactWriteItemsCommandOutput,
  UpdateItemCommandInput,
  UpdateItemCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { parseJson } from '../../domain/schema.ts';
import { type AwsJsonClientOptions, type CallOptions, createAwsJsonClient } from '../aws-json-client.ts';
import { AwsServiceError } from '../aws-service-error.ts';
import { fromDynamodbJson, toDynamodbJson } from './dynamodb-json.ts';

/** The operations that Parley uses, with the SDK's types. */
interface Operations {
  readonly GetItem: { readonly input: GetItemCommandInput; readonly output: GetItemCommandOutput };
  readonly BatchGetItem: { readonly input: BatchGetItemCommandInput; readonly output: BatchGetItemCommandOutput };
  readonly UpdateItem: { readonly input: UpdateItemCommandInput; readonly output: UpdateItemCommandOutput };
  readonly DeleteItem: { readonly input: DeleteItemCommandInput; readonly output: DeleteItemCommandOutput };
  readonly Query: { readonly input: QueryCommandInput; readonly output: QueryCommandOutput };
  readonly TransactWriteItems: {
    readonly input: TransactWriteItemsCommandInput;
    readonly output: TransactWriteItemsCommandOutput;
  };
}

export type OperationName = keyof Operations;
export type InputOf<Name extends OperationName> = Operations[Name]['input'];
export type OutputOf<Name extends OperationName> = Omit<Operations[Name]['output'], '$metadata'>;

/** Calls DynamoDB. Sets of binary values are not supported. */
export interface DynamodbClient {
  /** @throws AwsServiceError if DynamoDB returns an error, or Node.js's error if there is no response. */
  call<Name extends OperationName>(name: Name, input: InputOf<Name>, options?: CallOptions): Promise<OutputOf<Name>>;
}

/** Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.LowLevelAPI.html */
const DYNAMODB = {
  signingName: 'dynamodb',
  targetPrefix: 'DynamoDB_20120810',
  jsonVersion: '1.0',
  // As in the SDK.
  retryBaseMs: 25,
} as const;

export const createDynamodbClient = (options: AwsJsonClientOptions): DynamodbClient => {
  const call = createAwsJsonClient(DYNAMODB, options);
  return { call: (name, input, callOptions) => call(name, toDynamodbJson(input), fromDynamodbJson, callOptions) };
};

/**
 * Returns whether a condition failed, and the current item if the call asked for it. Returns undefined for any other
 * error.
 */
export const conditionFailure = (error: unknown): { readonly Item: GetItemCommandOutput['Item'] } | undefined => {
  if (!(error instanceof AwsServiceError) || error.name !== 'ConditionalCheckFailedException') return undefined;
  const Item = parseJson(error.body) === undefined ? undefined : fromDynamodbJson(error.body).Item;
  return { Item: typeof Item === 'object' && Item !== null ? Item : undefined };
};

/**
 * Returns why each write of a cancelled transaction failed, such as `ConditionalCheckFailed`, or `None` if it did not.
 * Returns undefined for any other error.
 *
 * Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
 */
export const cancellationCodes = (error: unknown): readonly string[] | undefined => {
  if (!(error instanceof AwsServiceError) || error.name !== 'TransactionCanceledException') return undefined;
  const { CancellationReasons: reasons } = Object(parseJson(error.body));
  return Array.isArray(reasons) ? reasons.map((reason) => String(Object(reason).Code)) : [];
};

/**
 * Whether DynamoDB refused a call because another transaction was writing one of its items, or because a transaction
 * was throttled. The SDK does not retry such calls.
 */
export const isConflict = (error: unknown): boolean => {
  if (error instanceof AwsServiceError && error.name === 'TransactionConflictException') return true;
  const codes = cancellationCodes(error) ?? [];
  return !codes.includes(CONDITION_FAILED) && codes.some((code) => CONFLICTS.has(code));
};

/** The codes of writes that can succeed when retried. */
const CONFLICTS = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);

/** The code of a write whose condition failed. */
export const CONDITION_FAILED = 'ConditionalCheckFailed';
