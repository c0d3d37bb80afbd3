import { randomUUID } from 'node:crypto';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { MiddlewareHandler } from 'hono';
import type { SandboxClock } from '../base/clock.ts';
import type { CallLog } from '../service/call-log.ts';
import { parseJson } from './read-request.ts';

/** The header of a response that is not sent, because the connection was reset. */
const [ALREADY_SENT = ''] = RESPONSE_ALREADY_SENT.headers.keys();

/** How much of a body the log keeps. */
const MAX_BODY_CHARACTERS = 16_384;

/** Adds every call to the log, whether it succeeds or fails. */
export const logCalls =
  (callLog: CallLog, clock: SandboxClock): MiddlewareHandler =>
  async (context, next) => {
    const at = clock.now().toISOString();
    await next();
    const bodyText: unknown = context.get('bodyText');
    const request = typeof bodyText === 'string' ? shownBody(bodyText) : null;
    const answer = shownBody(await context.res.clone().text());
    const status = context.res.headers.has(ALREADY_SENT) ? null : context.res.status;
    callLog.add({
      id: randomUUID(),
      at,
      method: context.req.method,
      path: context.req.path,
      request,
      contact: stringField(request, 'platformContactId'),
      traceparent: context.req.header('traceparent') ?? null,
      status,
      answer,
      messageId: status === 200 ? stringField(answer, 'id') : null,
    });
  };

/** Returns the body's JSON, or a string if the body is not JSON or too long. */
const shownBody = (text: string): unknown => {
  if (text.length > MAX_BODY_CHARACTERS) return `${text.slice(0, MAX_BODY_CHARACTERS)}…`;
  const value = parseJson(text);
  return value === undefined ? text : value;
};

const stringField = (value: unknown, name: string): string | null => {
  const found = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return typeof found === 'string' ? found : null;
};
