import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import * as z from 'zod';
import type { RunningService } from '../running/running-service.ts';
import { getAccount, isValidToken } from '../service/account.ts';
import { chatChannelNumbers } from '../service/channels.ts';
import { type ContactCheckRequest, checkContacts } from '../service/contact-check.ts';
import type { AnswerFault, Endpoint } from '../service/faults.ts';
import { HISTORY_MS, type HistoryCursor, readHistory } from '../service/history.ts';
import type { Account } from '../service/model.ts';
import { type SendOutcome, sendIntent, sendMessage } from '../service/send.ts';
import { contactCheckRequest, historyRequest, intentRequest, messageRequest } from './contract-schemas.ts';
import { logCalls } from './log-calls.ts';
import { errorBody, limitBody, type ReadBody, readBody } from './read-request.ts';
import { invalidChannelProblems, refusalAnswer } from './service-errors.ts';

/** The three endpoints of the contract ("Endpoints"), below their version, the history, and the account's credentials. */
export const contractApi = (service: RunningService, contactCheckPath: string): Hono => {
  const app = new Hono();
  app.use(compressAnswers);
  app.use(logCalls(service.callLog, service.clock));
  const token = checkToken(service);

  /** Every call goes through here, so this is where faults apply. */
  const endpoint = <Schema extends z.ZodType>(
    name: Endpoint,
    schema: Schema,
    answer: (context: Context, request: z.output<Schema>, raw: unknown) => Response,
    path: string = name,
  ) =>
    app.post(`/${path}`, token, checkContentType, limitBody(), async (context) => {
      const body = await readBody(context, schema);
      const properAnswer = async () => (body.kind === 'read' ? answer(context, body.value, body.raw) : body.answer);
      const fault = service.faults.takeForAnswer({ endpoint: name, contact: contactOf(body) });
      return fault === undefined ? properAnswer() : faultyAnswer(context, fault, properAnswer);
    });

  endpoint('message/v3', messageRequest, (context, request, raw) =>
    sendAnswer(
      context,
      service.apply((state, moment) => sendMessage(state, request, raw, moment)),
      getAccount(service.state),
    ),
  );
  endpoint('intent/v2', intentRequest, (context, request, raw) =>
    sendAnswer(
      context,
      service.apply((state, moment) => sendIntent(state, request, raw, moment)),
      getAccount(service.state),
    ),
  );
  const answerCheck = (context: Context, request: ContactCheckRequest) => {
    const result = checkContacts(service.state, request);
    return context.json(
      result === undefined
        ? { problems: invalidChannelProblems(chatChannelNumbers(service.state)), result: {} }
        : { problems: null, result },
    );
  };
  for (const path of new Set([CONTACT_CHECK_PATH, contactCheckPath])) {
    endpoint('customer/checkChatContact', contactCheckRequest, answerCheck, path);
  }
  /** By token. Real services keep the cursor too, so an answer that is lost is not repeated. */
  const cursors = new Map<string, HistoryCursor | undefined>();
  app.post('/message/download', token, checkContentType, limitBody(), async (context) => {
    const body = await readBody(context, historyRequest);
    if (body.kind !== 'read') return body.answer;
    const { fromDate } = body.value;
    if (fromDate.getTime() < service.clock.now().getTime() - HISTORY_MS) {
      return context.json(
        errorBody(400, 'fromDate: must be at most a week ago; the history goes no further back.'),
        400,
      );
    }
    const name = context.req.header('access-token') ?? '';
    const { page, next } = readHistory(service.state, fromDate, cursors.get(name));
    cursors.set(name, next);
    return context.json(page);
  });
  app.get('/auth/credentials', token, (context) =>
    context.json({ ...CREDENTIALS, accessToken: context.req.header('access-token') }),
  );
  return app;
};

const sendAnswer = (context: Context, outcome: SendOutcome, { answerId }: Account): Response => {
  if (outcome.kind === 'refused') return refusalAnswer(context, outcome.refusal);
  const { id, jobId } = outcome;
  return jobId === undefined ? context.json({ id, problems: null }) : context.json({ [answerId]: jobId }, 202);
};

/** Compresses even short answers if the client offers gzip, as real services do. */
const compressAnswers: MiddlewareHandler = async (context, next) => {
  await next();
  const { res } = context;
  // The rest of a body that is too long is not read, so its answer must not be delayed.
  if (res.body === null || res.status === 413 || !/\bgzip\b/i.test(context.req.header('accept-encoding') ?? '')) return;
  const headers = new Headers(res.headers);
  headers.set('Content-Encoding', 'gzip');
  context.res = new Response(gzipSync(await res.arrayBuffer()), { status: res.status, headers });
};

/** The segment carries the platform's name, and the contract puts a neutral word in its place. */
const CONTACT_CHECK_PATH = 'customer/:check{check[A-Za-z]+Contact}';

/** What a service's credentials have besides the access token. The sandbox's calls need none of them. */
const CREDENTIALS = {
  clientId: 'sandbox-client',
  secretId: 'sandbox-secret',
  refreshToken: 'sandbox-refresh-token',
};

/** Refuses a missing, unknown, expired or revoked token as real services do: not in the contract's error format. */
const checkToken =
  (service: RunningService): MiddlewareHandler =>
  async (context, next) => {
    const token = service.state.accessTokens.get(context.req.header('access-token') ?? '');
    if (token !== undefined && isValidToken(token, service.clock.now())) return next();
    return context.body('401 - Unauthorized', 401, {
      'Content-Type': 'text/html;charset=utf-8',
      'Reason-Phrase': 'The access token is missing, unknown, expired or revoked',
    });
  };

/** Checks one header of the contract's "Endpoints". Any Accept will do: real services do not look at it. */
const checkContentType: MiddlewareHandler = async (context, next) => {
  const [mediaType = ''] = (context.req.header('content-type') ?? '').split(';');
  if (mediaType.trim().toLowerCase() === 'application/json') return next();
  return context.json(errorBody(415, 'Send the header Content-Type: application/json.'), 415);
};

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
