import { type Context, Hono } from 'hono';
import * as z from 'zod';
import type { StageChanged } from '../base/inspector.ts';
import { type Inspected, refusedAnswer } from './inspected.ts';
import { jsonBody, limitBody } from './read-request.ts';

const note = z.string().min(1).max(1024);
const stop = z.strictObject({ note });
const optionalNote = z.strictObject({ note: note.optional() });

/** The routes for what makes requests wait: the circuit breaker, and a stop by an operator. */
export const stageRoutes = new Hono<Inspected>()
  .get('/stage', async (context) => context.json(await context.var.inspector.stage()))
  .post('/circuit-breaker-closures', limitBody(), jsonBody(optionalNote, { isOptional: true }), async (context) =>
    changedAnswer(context, await context.var.inspector.closeCircuitBreaker(context.req.valid('json').note)),
  )
  .post('/stops', limitBody(), jsonBody(stop), async (context) =>
    changedAnswer(context, await context.var.inspector.stopSending(context.req.valid('json').note)),
  )
  .post('/resumptions', limitBody(), jsonBody(optionalNote, { isOptional: true }), async (context) =>
    changedAnswer(context, await context.var.inspector.resumeSending(context.req.valid('json').note)),
  );

const changedAnswer = (context: Context, changed: StageChanged): Response =>
  changed.kind === 'refused' ? refusedAnswer(context, changed) : context.json(changed.stage);
