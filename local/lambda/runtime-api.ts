import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type ListeningServer, listenLocally } from '../listen-locally.ts';
import { CLOCK_OFFSET_HEADER } from './clock-offset-header.ts';
import { type InvocationError, type InvocationResult, PAYLOAD_LIMIT } from './function-declaration.ts';
import { invocationErrorSchema } from './invocation-error-schema.ts';

/** An event on its way into an execution environment. */
export interface Invocation {
  readonly requestId: string;
  readonly event: string;
  readonly functionArn: string;
  /** Until when the function may run, on the run's clock. */
  readonly deadline: Date;
  readonly clockOffsetMs: number;
  readonly traceId: string;
}

/** The side of Lambda that one execution environment talks to. */
export interface RuntimeApi extends ListeningServer {
  /** Hands the event over once the runtime asks for one. */
  readonly offer: (invocation: Invocation) => void;
}

/** What the runtime reports. */
export interface RuntimeApiListener {
  /** The runtime has taken the offered event. */
  readonly taken: (requestId: string) => void;
  readonly ended: (requestId: string, result: InvocationResult) => void;
  readonly initFailed: (error: InvocationError) => void;
}

/**
 * Serves the Lambda Runtime API to one execution environment.
 *
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
 */
export const startRuntimeApi = async (listener: RuntimeApiListener): Promise<RuntimeApi> => {
  let offered: Invocation | undefined;
  let asking: ServerResponse | undefined;

  const handOver = (): void => {
    if (!offered || !asking) return;
    const { requestId, event, functionArn, deadline, clockOffsetMs, traceId } = offered;
    asking.writeHead(200, {
      'Content-Type': 'application/json',
      'Lambda-Runtime-Aws-Request-Id': requestId,
      'Lambda-Runtime-Deadline-Ms': String(deadline.getTime()),
      'Lambda-Runtime-Invoked-Function-Arn': functionArn,
      'Lambda-Runtime-Trace-Id': traceId,
      [CLOCK_OFFSET_HEADER]: String(clockOffsetMs),
    });
    asking.end(event);
    offered = undefined;
    asking = undefined;
    listener.taken(requestId);
  };

  const server = createServer((request, response) => {
    const path = request.url ?? '';
    if (request.method === 'GET' && path === '/2018-06-01/runtime/invocation/next') {
      asking = response;
      handOver();
      return;
    }
    const [, requestId, outcome] = /^\/2018-06-01\/runtime\/invocation\/([^/]+)\/(response|error)$/.exec(path) ?? [];
    if (request.method === 'POST' && requestId !== undefined) {
      void readBody(request).then((body) => {
        if (outcome === 'error') listener.ended(requestId, { ok: false, error: readError(body) });
        else if (Buffer.byteLength(body) > PAYLOAD_LIMIT) {
          listener.ended(requestId, { ok: false, error: answerTooLarge(Buffer.byteLength(body)) });
          return respond(response, 413, {
            errorType: 'RequestEntityTooLarge',
            errorMessage: 'Exceeded maximum payload size',
          });
        } else listener.ended(requestId, { ok: true, payload: body });
        respond(response, 202, { status: 'OK' });
      });
      return;
    }
    if (request.method === 'POST' && path === '/2018-06-01/runtime/init/error') {
      void readBody(request).then((body) => {
        listener.initFailed(readError(body));
        respond(response, 202, { status: 'OK' });
      });
      return;
    }
    respond(response, 404, {
      errorType: 'UnknownPath',
      errorMessage: `The Runtime API here has no ${request.method} ${path}`,
    });
  });
  // A runtime waits for its next event for as long as it takes.
  server.requestTimeout = 0;
  const listening = await listenLocally(server);
  return {
    ...listening,
    offer(invocation) {
      offered = invocation;
      handOver();
    },
  };
};

const respond = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
};

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch {
    // The process died while it wrote; its end is what counts, and that is seen elsewhere.
  }
  return Buffer.concat(chunks).toString();
};

const readError = (body: string): InvocationError => {
  try {
    return invocationErrorSchema.parse(JSON.parse(body));
  } catch {
    return { errorType: 'Runtime.Unknown', errorMessage: body };
  }
};

const answerTooLarge = (bytes: number): InvocationError => ({
  errorType: 'Function.ResponseSizeTooLarge',
  errorMessage: `Response payload size (${bytes} bytes) exceeded maximum allowed payload size (${PAYLOAD_LIMIT} bytes).`,
});
