import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { z } from 'zod';
import { CLOCK_OFFSET_HEADER } from '../base/clock.ts';
import type { ListeningServer } from '../base/listen-locally.ts';
import { serveLocally } from '../base/serve-locally.ts';
import { type InvocationError, type InvocationResult, PAYLOAD_LIMIT } from './invocation.ts';

/** An event for an execution environment. */
export interface Invocation {
  readonly requestId: string;
  readonly event: string;
  readonly functionArn: string;
  /** When the function times out, on the run's clock. */
  readonly deadline: Date;
  readonly clockOffsetMs: number;
  readonly traceId: string;
}

/** The Lambda Runtime API of one execution environment. */
export interface RuntimeApi extends ListeningServer {
  /** Passes the event to the runtime when it asks for the next one. */
  readonly offer: (invocation: Invocation) => void;
}

/** Receives what the runtime reports. */
export interface RuntimeApiListener {
  /** The runtime received the event. */
  readonly started: (requestId: string) => void;
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
  let polling: ServerResponse | undefined;

  const passOn = (): void => {
    if (!offered || !polling) return;
    const { requestId, event, functionArn, deadline, clockOffsetMs, traceId } = offered;
    polling.writeHead(200, {
      'Content-Type': 'application/json',
      'Lambda-Runtime-Aws-Request-Id': requestId,
      'Lambda-Runtime-Deadline-Ms': String(deadline.getTime()),
      'Lambda-Runtime-Invoked-Function-Arn': functionArn,
      'Lambda-Runtime-Trace-Id': traceId,
      [CLOCK_OFFSET_HEADER]: String(clockOffsetMs),
    });
    polling.end(event);
    offered = undefined;
    polling = undefined;
    listener.started(requestId);
  };

  const answer: RequestListener = (request, response) => {
    const path = request.url ?? '';
    if (request.method === 'GET' && path === '/2018-06-01/runtime/invocation/next') {
      polling = response;
      passOn();
      return;
    }
    const [, requestId, outcome] = /^\/2018-06-01\/runtime\/invocation\/([^/]+)\/(response|error)$/.exec(path) ?? [];
    if (request.method === 'POST' && requestId !== undefined) {
      void readBody(request).then((body) => {
        const bytes = Buffer.byteLength(body);
        if (outcome === 'response' && bytes > PAYLOAD_LIMIT) {
          listener.ended(requestId, { ok: false, error: responseTooLarge(bytes) });
          return respond(response, 413, {
            errorType: 'RequestEntityTooLarge',
            errorMessage: 'Exceeded maximum payload size',
          });
        }
        const isError = outcome === 'error';
        listener.ended(requestId, isError ? { ok: false, error: readError(body) } : { ok: true, payload: body });
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
      errorMessage: `The local Runtime API does not support ${request.method} ${path}`,
    });
  };
  // A runtime may wait for its next event indefinitely.
  const listening = await serveLocally(answer, { requestTimeout: 0 });
  return {
    ...listening,
    offer(invocation) {
      offered = invocation;
      passOn();
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
    // The process died while writing. The invocation fails when the process exits.
  }
  return Buffer.concat(chunks).toString();
};

const invocationError = z.object({
  errorType: z.string().default('Error'),
  errorMessage: z.string().default(''),
  trace: z.array(z.string()).optional(),
});

const readError = (body: string): InvocationError => {
  try {
    return invocationError.parse(JSON.parse(body));
  } catch {
    return { errorType: 'Runtime.Unknown', errorMessage: body };
  }
};

const responseTooLarge = (bytes: number): InvocationError => ({
  errorType: 'Function.ResponseSizeTooLarge',
  errorMessage: `Response payload size (${bytes} bytes) exceeded maximum allowed payload size (${PAYLOAD_LIMIT} bytes).`,
});
