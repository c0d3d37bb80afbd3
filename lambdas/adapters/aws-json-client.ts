import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/core/protocols';
import { isServerError, isThrottlingError, isTransientError, StandardRetryStrategy } from '@smithy/core/retry';
import { NodeHttpHandler, type NodeHttpHandlerOptions } from '@smithy/node-http-handler';
import { SignatureV4 } from '@smithy/signature-v4';
import { AwsServiceError } from './aws-service-error.ts';

/** An AWS service that is called with JSON. Source: https://smithy.io/2.0/aws/protocols/aws-json-1_0-protocol.html */
export interface AwsJsonService {
  /** The service's name in signatures. */
  readonly signingName: string;
  /** The part of `x-amz-target` before the operation. */
  readonly targetPrefix: string;
  readonly jsonVersion: '1.0' | '1.1';
  /** The maximum delay before the first retry. The maximum doubles with each further retry. */
  readonly retryBaseMs: number;
}

export interface AwsJsonClientOptions {
  /** Such as `https://dynamodb.eu-west-1.amazonaws.com`. */
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken: string | undefined;
  };
  /** How many times to attempt a call that is throttled, fails on the server, or times out. */
  readonly maxAttempts: number;
  /** The timeouts of each attempt. */
  readonly requestHandler: NodeHttpHandlerOptions;
}

export interface CallOptions {
  /** Aborts a call in progress, or prevents one from starting. The call rejects with an `AbortError`. @default none */
  readonly abortSignal?: AbortSignal | undefined;
}

/**
 * Calls an operation of a service with JSON input. Returns the result of `parse` for the response.
 *
 * @throws AwsServiceError if the service returns an error, or Node.js's error if there is no response.
 */
export type CallAwsService = <Output>(
  operation: string,
  input: string,
  parse: (answer: string) => Output,
  options?: CallOptions,
) => Promise<Output>;

/**
 * Creates a client from parts of the SDK: its connections, signatures, and retry rules.
 *
 * The SDK's clients take half of the processor time of a warm event, and a third of a cold start, mostly for features
 * that Parley does not need, such as other protocols and credential sources. A test compares this client with the
 * SDK's. Unlike theirs, it does not correct clock skew, ignores retry delays in responses, and reads no other settings
 * from the environment, such as those for FIPS or dual-stack endpoints.
 */
export const createAwsJsonClient = (service: AwsJsonService, options: AwsJsonClientOptions): CallAwsService => {
  const { signingName, targetPrefix, jsonVersion, retryBaseMs } = service;
  const { region, credentials, maxAttempts, requestHandler } = options;
  const { protocol, hostname, port, host } = new URL(options.endpoint);
  // `requestTimeout` ends when the response headers arrive; `socketTimeout` covers the body.
  const http = new NodeHttpHandler({ socketTimeout: requestHandler.requestTimeout, ...requestHandler });
  const signer = new SignatureV4({ service: signingName, region, credentials, sha256: Sha256 });
  const retries = new StandardRetryStrategy({ maxAttempts, baseDelay: retryBaseMs });

  const attempt = async (operation: string, body: string, abortSignal?: AbortSignal): Promise<string> => {
    const headers = {
      host,
      'content-type': `application/x-amz-json-${jsonVersion}`,
      'content-length': String(Buffer.byteLength(body)),
      'x-amz-target': `${targetPrefix}.${operation}`,
    };
    const request = new HttpRequest({ method: 'POST', protocol, hostname, path: '/', headers, body });
    if (port !== '') request.port = Number(port);
    request.headers = (await signer.sign(request)).headers;
    const { response } = await http.handle(request, abortSignal && { abortSignal });
    const chunks: Buffer[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString('utf8');
    if (response.statusCode === 200) return text;
    throw new AwsServiceError(response.statusCode, response.headers['x-amzn-requestid'], text);
  };

  return async (operation, input, parse, { abortSignal } = {}) => {
    let token = await retries.acquireInitialRetryToken('');
    for (;;) {
      try {
        const output = parse(await attempt(operation, input, abortSignal));
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
  };
};

/** The error type that the SDK's retry rules accept. */
type SdkError = Parameters<typeof isTransientError>[0];

const errorTypeOf = (error: unknown) => {
  // The rules check individual properties and do not rely on their types.
  const sdkError = error as SdkError;
  if (isThrottlingError(sdkError)) return 'THROTTLING';
  if (isTransientError(sdkError)) return 'TRANSIENT';
  return isServerError(sdkError) ? 'SERVER_ERROR' : 'CLIENT_ERROR';
};
