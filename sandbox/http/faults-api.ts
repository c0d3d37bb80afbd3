import { Hono } from 'hono';
import * as z from 'zod';
import type { RunningService } from '../running/running-service.ts';
import { replaceTokens } from '../service/account.ts';
import { type AnswerFault, type DeliveryFault, ENDPOINTS } from '../service/faults.ts';
import { jsonBody, limitBody } from './read-request.ts';

const count = z.int().min(1).max(1_000_000).default(1);
const milliseconds = z.int().min(0).max(600_000);

const answerFault = z
  .strictObject({
    count,
    endpoint: z.enum(ENDPOINTS).optional(),
    contact: z.string().min(1).optional(),
    status: z.int().min(200).max(599).optional(),
    body: z.json().optional(),
    headers: z.record(z.string(), z.string()).optional(),
    delayMs: milliseconds.optional(),
    reset: z.enum(['before', 'after']).optional(),
    accept: z.boolean().optional(),
  })
  .refine(
    ({ status, body, delayMs, reset }) => [status, body, delayMs, reset].some((fault) => fault !== undefined),
    'provide status, body, delayMs, or reset',
  )
  .refine(
    ({ reset, accept, status, body }) => reset === undefined || (accept ?? status ?? body) === undefined,
    'reset cannot be combined with accept, status, or body',
  ) satisfies z.ZodType<AnswerFault>;

const deliveryFault = z
  .strictObject({
    count,
    double: z.literal(true).optional(),
    holdMs: milliseconds.optional(),
    reverse: z.literal(true).optional(),
  })
  .refine(
    ({ double, holdMs, reverse }) => [double, holdMs, reverse].filter((fault) => fault !== undefined).length === 1,
    'provide exactly one of double, holdMs, and reverse',
  )
  // Ten deliveries run concurrently; more could never wait for each other.
  .refine(
    ({ reverse, count: many }) => reverse === undefined || many <= 10,
    'with reverse, count is at most 10',
  ) satisfies z.ZodType<DeliveryFault>;

const faultsRequest = z
  .strictObject({ answers: answerFault.optional(), deliveries: deliveryFault.optional() })
  .refine(({ answers, deliveries }) => (answers ?? deliveries) !== undefined, 'provide answers or deliveries');

const tokensRequest = z.strictObject({ accessTokens: z.array(z.string().min(1)) });

/** The control API's faults: failing answers, misbehaving deliveries, and replaced tokens. */
export const faultsApi = (service: RunningService): Hono => {
  const app = new Hono();
  const { faults } = service;

  app.post('/faults', limitBody(), jsonBody(faultsRequest), (context) => {
    faults.add(context.req.valid('json'));
    return context.json(faults.list());
  });
  app.get('/faults', (context) => context.json(faults.list()));
  app.delete('/faults', (context) => {
    faults.clear();
    return context.json(faults.list());
  });

  app.put('/tokens', limitBody(), jsonBody(tokensRequest), (context) => {
    const { accessTokens } = context.req.valid('json');
    const valid = service.apply((state, moment) => replaceTokens(state, accessTokens, moment));
    return context.json({ accessTokens: valid.length });
  });
  return app;
};
