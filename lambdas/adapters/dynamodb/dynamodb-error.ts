import type { GetItemCommandOutput } from '@aws-sdk/client-dynamodb';
import { parseJson } from '../../domain/schema.ts';
import { fromDynamodbJson } from './dynamodb-json.ts';

/** DynamoDB's answer that it did not do what was asked. Its `name` is DynamoDB's, such as `ThrottlingException`. */
export class DynamodbError extends Error {
  override readonly name: string;
  readonly $metadata: { readonly httpStatusCode: number; readonly requestId: string | undefined };
  /** The current item, after a `ConditionalCheckFailedException`. Undefined if there is none. */
  readonly Item: GetItemCommandOutput['Item'];

  /** @param body the answer's body, which is not JSON if a load balancer wrote it */
  constructor(statusCode: number, requestId: string | undefined, body: string) {
    const parsed = parseJson(body) === undefined ? {} : fromDynamodbJson(body);
    // One field must not depend on another: whether a condition failed is decided by the type alone.
    const { __type: type, message, Message, Item } = Object(parsed);
    super([message, Message].find((text) => typeof text === 'string') ?? '');
    this.name = TYPE.exec(String(type ?? ''))?.[1] ?? 'DynamodbError';
    this.$metadata = { httpStatusCode: statusCode, requestId };
    this.Item = typeof Item === 'object' && Item !== null ? Item : undefined;
  }
}

/** Such as `com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException`. Some services append a URL. */
const TYPE = /^(?:[^#]*#)?([A-Za-z]\w*)/;
