import type {
  BatchGetItemCommandInput,
  BatchGetItemCommandOutput,
  DeleteItemCommandInput,
  DeleteItemCommandOutput,
  GetItemCommandInput,
  GetItemCommandOutput,
  QueryCommandInput,
  QueryCommandOutput,
  UpdateItemCommandInput,
  UpdateItemCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/core/protocols';
import { isServerError, isThrottlingError, isTransientError, StandardRetryStrategy } from '@smithy/core/retry';
import { NodeHttpHandler, type NodeHttpHandlerOptions } from '@smithy/node-http-handler';
import { SignatureV4 } from '@smithy/signature-v4';
import { DynamodbError } from './dynamodb-error.ts';
import { fromDynamodbJson, toDynamodbJson } from './dynamodb-json.ts';

/** The operations that Parley uses, with the SDK's types. */
interface Operations {
  readonly GetItem: { readonly input: GetItemCommandInput; readonly output: GetItemCommandOutput };
  readonly BatchGetItem: { readonly input: BatchGetItemCommandInput; readonly output: BatchGetItemCommandOutput };
  readonly UpdateItem: { readonly input: UpdateItemCommandInput; readonly output: UpdateItemCommandOutput };
  readonly DeleteItem: { readonly input: DeleteItemCommandInput; readonly output: DeleteItemCommandOutput };
  readonly Query: { readonly input: QueryCommandInput; readonly output: QueryCommandOutput };
}

export type OperationName = keyof Operations;
export type InputOf<Name extends OperationName> = Operations[Name]['input'];
export type OutputOf<Name extends OperationName> = Omit<Operations[Name]['output'], '$metadata'>;

export interface CallOptions {
  /** Ends the call in flight and keeps it from starting: both reject with an `AbortError`. @default none */
  readonly abortSignal?: AbortSignal | undefined;
}

/** Calls DynamoDB. Sets of binary values are not supported. */
export interface DynamodbClient {
  /** @throws DynamodbError with DynamoDB's answer, or the error of Node.js if there is none. */
  call<Name extends OperationName>(name: Name, input: InputOf<Name>, options?: CallOptions): Promise<OutputOf<Name>>;
}

export interface DynamodbClientOptions {
  /** Such as `https://dynamodb.eu-west-1.amazonaws.com`. */
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string | undefined;
  };
  /** How often to try a call that DynamoDB throttles, fails, or does not answer. @default 3; the SDK's is 4 */
  readonly maxAttempts?: number;
  /** The timeouts of each attempt. */
  readonly requestHandler: NodeHttpHandlerOptions;
}

/**
 * Creates a client from the SDK's own parts: connections, signatures, and rules of retries.
 *
 * The SDK's `DynamoDBClient` takes half of the processor time of a warm event, and a third of a cold start. Most of it
 * is for what Parley does not need: other protocols, other sources of credentials, and converting data from and to the
 * form that DynamoDB's protocol already has. A test compares the answers of both clients. Unlike the SDK's, this one
 * does not correct a wrong clock, does not wait longer if an answer says so, and reads no other settings from the
 * environment, such as those for FIPS or dual-stack endpoints.
 *
 * Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.LowLevelAPI.html
 */
export const createDynamodbClient = (options: DynamodbClientOptions): DynamodbClient => {
  const { region, credentials, maxAttempts = 3, requestHandler } = options;
  const { protocol, hostname, port, host } = new URL(options.endpoint);
  // The request timeout ends with the headers of the answer.
  const http = new NodeHttpHandler({ socketTimeout: requestHandler.requestTimeout, ...requestHandler });
  const signer = new SignatureV4({ service: 'dynamodb', region, credentials, sha256: Sha256 });
  const retries = new StandardRetryStrategy({ maxAttempts, baseDelay: RETRY_BASE_MS });

  const attempt = async (name: OperationName, body: string, abortSignal?: AbortSignal): Promise<string> => {
    const headers = {
      host,
      'content-type': 'application/x-amz-json-1.0',
      'content-length': String(Buffer.byteLength(body)),
      'x-amz-target': `DynamoDB_20120810.${name}`,
    };
    const request = new HttpRequest({ method: 'POST', protocol, hostname, path: '/', headers, body });
    if (port !== '') request.port = Number(port);
    request.headers = (await signer.sign(request)).headers;
    const { response } = await http.handle(request, abortSignal && { abortSignal });
    const chunks: Buffer[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString('utf8');
    if (response.statusCode === 200) return text;
    throw new DynamodbError(response.statusCode, response.headers['x-amzn-requestid'], text);
  };

  return {
    async call(name, input, { abortSignal } = {}) {
      const body = toDynamodbJson(input);
      let token = await retries.acquireInitialRetryToken('');
      for (;;) {
        try {
          const output = fromDynamodbJson(await attempt(name, body, abortSignal));
          retries.recordSuccess(token);
          return output;
        } catch (error) {
          abortSignal?.throwIfAborted();
          try {
            token = await retries.refreshRetryTokenForRetry(token, { errorType: errorTypeOf(error) });
          } catch {
            // No attempt is left, or a retry would not help.
            throw error;
          }
        }
      }
    },
  };
};

/** The SDK's for DynamoDB: the first retry waits up to this time, and each further one up to twice as long. */
const RETRY_BASE_MS = 25;

/** What the rules of the SDK read of an error. */
type SdkError = Parameters<typeof isTransientError>[0];

const errorTypeOf = (error: unknown) => {
  // The rules compare single properties, whose types they do not rely on.
  const sdkError = error as SdkError;
  if (isThrottlingError(sdkError)) return 'THROTTLING';
  if (isTransientError(sdkError)) return 'TRANSIENT';
  return isServerError(sdkError) ? 'SERVER_ERROR' : 'CLIENT_ERROR';
};
