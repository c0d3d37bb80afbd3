import { setTimeout as pause } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import * as z from 'zod';
import type { RunningService } from '../running-service.ts';
import { isValidToken } from '../service/account.ts';
import { checkContacts } from '../service/contact-check.ts';
import type { AnswerFault } from '../service/faults.ts';
import { type SendOutcome, sendIntent, sendMessage } from '../service/send.ts';
import { contactCheckRequest, intentRequest, messageRequest } from './contract-schemas.ts';
import { logCalls } from './log-calls.ts';
import { errorBody, limitBody, type ReadBody, readBody } from './read-request.ts';
import { refusalAnswer } from './refusals.ts';

/** The three endpoints of the contract ("Endpoints"), below their version. */
export const contractApi = (service: RunningService): Hono => {
  const app = new Hono();
  app.use(logCalls(service.callLog, service.clock));
  const headers = checkHeaders(service);

  /** Every call goes through here, so this is where faults apply. */
  const endpoint = <Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    answer: (context: Context, request: z.output<Schema>, raw: unknown) => Response,
  ) =>
    app.post(path, headers, limitBody(), async (context) => {
      const body = await readBody(context, schema);
      const properAnswer = async () => (body.kind === 'read' ? answer(context, body.value, body.raw) : body.answer);
      const fault = service.faults.takeForAnswer({ endpoint: path.slice(1), contact: contactOf(body) });
      return fault === undefined ? properAnswer() : faultyAnswer(context, fault, properAnswer);
    });

  endpoint('/message/v3', messageRequest, (context, request, raw) =>
    sendAnswer(
      context,
      service.apply((state, moment) => sendMessage(state, request, raw, moment)),
    ),
  );
  endpoint('/intent/v2', intentRequest, (context, request, raw) =>
    sendAnswer(
      context,
      service.apply((state, moment) => sendIntent(state, request, raw, moment)),
    ),
  );
  endpoint('/customer/checkChatContact', contactCheckRequest, (context, request) => {
    const outcome = checkContacts(service.state, request);
    if (outcome.kind === 'refused') return refusalAnswer(context, outcome.refusal);
    return context.json({ problems: null, result: outcome.result });
  });
  return app;
};

const sendAnswer = (context: Context, outcome: SendOutcome): Response =>
  outcome.kind === 'refused'
    ? refusalAnswer(context, outcome.refusal)
    : context.json({ id: outcome.id, problems: null });

/**
 * Checks the headers that every call carries (contract, "Endpoints"). A missing, unknown, expired or revoked token is
 * answered with plain text (field notes, "The API's answers").
 */
const checkHeaders =
  (service: RunningService): MiddlewareHandler =>
  async (context, next) => {
    const token = service.state.accessTokens.get(context.req.header('access-token') ?? '');
    if (token === undefined || !isValidToken(token, service.clock.now())) return context.text('Unauthorized', 401);
    if (!hasMediaType(context, 'content-type', 'application/json')) {
      return context.json(errorBody(415, 'Send the header Content-Type: application/json.'), 415);
    }
    if (!hasMediaType(context, 'accept', 'application/json')) {
      return context.json(errorBody(406, 'Send the header Accept: application/json.'), 406);
    }
    return next();
  };

const hasMediaType = (context: Context, header: string, mediaType: string): boolean =>
  (context.req.header(header) ?? '').split(',').some((part) => part.split(';')[0]?.trim().toLowerCase() === mediaType);

const addressed = z.object({ platformContactId: z.string() });

const contactOf = (body: ReadBody<unknown>): string | undefined => {
  const { data } = addressed.safeParse(body.kind === 'read' ? body.raw : undefined);
  return data?.platformContactId;
};

/**
 * Answers a call as a fault specifies.
 *
 * @param answer processes the call and returns its proper answer
 */
const faultyAnswer = async (
  context: Context,
  fault: AnswerFault,
  answer: () => Promise<Response>,
): Promise<Response> => {
  if (fault.reset === 'before') return resetConnection(context);
  const isReplaced = fault.status !== undefined || fault.body !== undefined;
  const isProcessed = fault.accept ?? !isReplaced;
  const proper = isProcessed ? await answer() : undefined;
  if (fault.delayMs !== undefined) await pause(fault.delayMs);
  if (fault.reset === 'after') return resetConnection(context);
  if (proper !== undefined && !isReplaced) return proper;
  const [text, type] = bodyText(fault.body);
  return new Response(text, {
    status: fault.status ?? 200,
    headers: { 'content-type': type, ...fault.headers },
  });
};

const bodyText = (body: AnswerFault['body']): [string | undefined, string] =>
  typeof body === 'string' || body === undefined ? [body, 'text/plain'] : [JSON.stringify(body), 'application/json'];

const resetConnection = (context: Context): Response => {
  const { incoming } = context.env as HttpBindings;
  incoming.socket.resetAndDestroy();
  return RESPONSE_ALREADY_SENT;
};
