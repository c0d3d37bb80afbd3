import type { IncomingMessage, RequestListener } from 'node:http';
import { parseJson } from '../base/json.ts';
import type { ListeningServer } from '../base/listen-locally.ts';
import { messageOf } from '../base/local-error.ts';
import { serveLocally } from '../base/serve-locally.ts';

/** A request to an emulated AWS API. */
export interface AwsRequest {
  readonly method: string;
  readonly url: URL;
  /** The `x-amz-target` header, such as `AWSEvents.PutEvents`. Without the header, the method and the path. */
  readonly operation: string;
  /** The parsed body. Undefined if it is not JSON. */
  readonly input: unknown;
  /** Aborted when the client closes the connection. */
  readonly signal: AbortSignal;
}

export interface AwsResponse {
  readonly status: number;
  readonly body: object;
  /** The error code. */
  readonly errorType?: string;
  /** The error code in the query protocol. SDKs show this code if the API used that protocol first. */
  readonly queryErrorType?: string;
}

/** Returns an error response in the format that all AWS SDKs read. */
export const awsError = (errorType: string, message: string, status = 400): AwsResponse => ({
  status,
  errorType,
  body: { __type: errorType, message },
});

/** Returns the response for an operation that an emulator does not support. */
export const unknownOperation = (operation: string): AwsResponse =>
  awsError('UnknownOperationException', `The local run does not support ${operation}.`);

/**
 * Serves an emulated AWS API with a JSON protocol on the loopback interface.
 *
 * @param contentType `application/x-amz-json-1.x` for APIs with operations in a header, `application/json` for REST
 * APIs. Source: https://smithy.io/2.0/aws/protocols/aws-json-1_1-protocol.html
 */
export const startAwsJsonServer = (
  contentType: 'application/x-amz-json-1.0' | 'application/x-amz-json-1.1' | 'application/json',
  handle: (request: AwsRequest) => AwsResponse | Promise<AwsResponse>,
  port?: number,
): Promise<ListeningServer> => {
  const answer: RequestListener = async (incoming, outgoing) => {
    const closed = new AbortController();
    outgoing.once('close', () => closed.abort());
    const response = readAwsRequest(incoming, closed.signal).then(handle).catch(internalFailure);
    const { status, body, errorType, queryErrorType } = await response;
    outgoing.writeHead(status, {
      'content-type': contentType,
      ...(errorType !== undefined && { 'x-amzn-errortype': errorType }),
      ...(queryErrorType !== undefined && { 'x-amzn-query-error': `${queryErrorType};Sender` }),
    });
    outgoing.end(JSON.stringify(body));
  };
  return serveLocally(answer, { port });
};

/** Returns the response for an emulator's own error, which would otherwise end the local run. */
const internalFailure = (error: unknown): AwsResponse =>
  awsError('InternalFailure', `The local run failed: ${messageOf(error)}`, 500);

const readAwsRequest = async (request: IncomingMessage, signal: AbortSignal): Promise<AwsRequest> => {
  const method = request.method ?? '';
  const url = new URL(request.url ?? '/', `http://${request.headers.host ?? 'localhost'}`);
  const operation = String(request.headers['x-amz-target'] ?? `${method} ${url.pathname}`);
  return { method, url, operation, input: parseJson(await readBody(request)), signal };
};

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch {
    // The client closed the connection, so nobody reads the response.
    return '';
  }
  return Buffer.concat(chunks).toString();
};
