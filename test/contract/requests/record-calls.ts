/**
 * Preloaded into the processes of tests: records every signed call of an AWS service, with its answer, as a line of JSON in
 * a file of the folder that the environment variable names.
 */
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { ClientRequest, IncomingMessage, type OutgoingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { isMainThread, threadId } from 'node:worker_threads';
import { CALLS_FOLDER, type RecordedCall } from './recorded-call.ts';

const folder = process.env[CALLS_FOLDER];

/** Keeps the body of a message while it is read. */
const bodyRead = (message: IncomingMessage, onEnd: (body: string) => void): void => {
  const chunks: Buffer[] = [];
  const push = message.push.bind(message);
  message.push = (chunk: unknown, encoding) => {
    if (Buffer.isBuffer(chunk)) chunks.push(chunk);
    if (chunk === null) onEnd(Buffer.concat(chunks).toString());
    return push(chunk, encoding);
  };
};

/** Keeps the body of a message while it is written. Returns what was written so far. */
const bodyWritten = (message: OutgoingMessage): (() => string) => {
  const chunks: Buffer[] = [];
  const keep = (chunk: unknown): void => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  for (const method of ['write', 'end'] as const) {
    const original = message[method];
    Object.defineProperty(message, method, {
      value: (...args: readonly unknown[]) => {
        keep(args[0]);
        return Reflect.apply(original, message, args);
      },
    });
  }
  return () => Buffer.concat(chunks).toString();
};

const known = new Set<string>();

const record = ({
  authorization,
  ...call
}: Omit<RecordedCall, 'service'> & { readonly authorization: unknown }): void => {
  const [, service] = /^AWS4-HMAC-SHA256 Credential=[^/]+\/\d+\/[^/]+\/([^/]+)\//.exec(String(authorization)) ?? [];
  if (folder === undefined || service === undefined || service === 'execute-api') return;
  const line = JSON.stringify({ service, ...call } satisfies RecordedCall);
  if (known.has(line)) return;
  known.add(line);
  appendFileSync(join(folder, `${process.pid}-${isMainThread ? 0 : threadId}.jsonl`), `${line}\n`);
};

// Calls over `node:http`, also to other processes.
subscribe('http.client.request.created', (message) => {
  const { request } = Object(message);
  if (!(request instanceof ClientRequest)) return;
  const body = bodyWritten(request);
  request.once('response', (response) => {
    bodyRead(response, (answer) =>
      record({
        authorization: request.getHeader('authorization'),
        method: request.method,
        path: request.path,
        target: String(request.getHeader('x-amz-target') ?? ''),
        isSdk: request.hasHeader('x-amz-user-agent') || request.hasHeader('user-agent'),
        body: body(),
        status: response.statusCode ?? 0,
        answer,
      }),
    );
  });
});

// Calls over `fetch`, and those of child processes, where a server of this process answers them.
subscribe('http.server.request.start', (message) => {
  const { request, response } = Object(message);
  if (!(request instanceof IncomingMessage) || !(response instanceof ServerResponse)) return;
  let body = '';
  bodyRead(request, (text) => {
    body = text;
  });
  const answer = bodyWritten(response);
  response.once('finish', () => {
    // The server did not read the body; the client's side of the call is recorded.
    if (body === '' && Number(request.headers['content-length'] ?? 0) > 0) return;
    const { authorization, 'x-amz-target': target = '', 'user-agent': agent = '' } = request.headers;
    record({
      authorization,
      method: request.method ?? '',
      path: request.url ?? '',
      target: String(target),
      isSdk: agent.includes('aws-sdk') || request.headers['x-amz-user-agent'] !== undefined,
      body,
      status: response.statusCode,
      answer: answer(),
    });
  });
});
