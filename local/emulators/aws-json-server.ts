import { createServer, type IncomingMessage } from 'node:http';
import { parseJson } from '../json.ts';
import { type ListeningServer, listenLocally } from '../listen-locally.ts';
import { messageOf } from '../local-error.ts';

/** A request to an emulated AWS API. */
export interface AwsRequest {
  readonly method: string;
  readonly url: URL;
  /** The `x-amz-target` header, such as `AWSEvents.PutEvents`. Without the header, the method and the path. */
  readonly operation: string;
  /** The parsed body. Undefined if it is not JSON. */
  readonly input: unknown;
}

export interface AwsResponse {
  readonly status: number;
  readonly body: object;
  /** The error code. */
  readonly errorType?: string;
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
 * Serves an emulated AWS API with a JSON protocol, on a free port of the loopback interface.
 *
 * @param contentType `application/x-amz-json-1.1` for APIs with operations in a header, `application/json` for REST APIs.
 * Source: https://smithy.io/2.0/aws/protocols/aws-json-1_1-protocol.html
 */
export const startAwsJsonServer = (
  contentType: 'application/x-amz-json-1.1' | 'application/json',
  handle: (request: AwsRequest) => AwsResponse,
): Promise<ListeningServer> =>
  listenLocally(
    createServer((incoming, outgoing) => {
      void respond(incoming, handle).then(({ status, body, errorType }) => {
        outgoing.writeHead(status, {
          'content-type': contentType,
          ...(errorType !== undefined && { 'x-amzn-errortype': errorType }),
        });
        outgoing.end(JSON.stringify(body));
      });
    }),
  );

/** Handles a request. Whatever is wrong with it must not end the run. */
const respond = async (
  incoming: IncomingMessage,
  handle: (request: AwsRequest) => AwsResponse,
): Promise<AwsResponse> => {
  try {
    return handle(await readAwsRequest(incoming));
  } catch (error) {
    return awsError('InternalFailure', `The local run cannot handle this request: ${messageOf(error)}`, 500);
  }
};

const readAwsRequest = async (request: IncomingMessage): Promise<AwsRequest> => {
  const method = request.method ?? '';
  const url = new URL(request.url ?? '/', 'http://localhost');
  const operation = String(request.headers['x-amz-target'] ?? `${method} ${url.pathname}`);
  return { method, url, operation, input: parseJson(await readBody(request)) };
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
