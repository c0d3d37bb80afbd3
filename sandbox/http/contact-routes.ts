import { type Context, Hono } from 'hono';
import * as z from 'zod';
import type { ContactChanged } from '../base/inspector.ts';
import { type Inspected, refusedAnswer } from './inspected.ts';
import { jsonBody, limitBody } from './read-request.ts';

const dryRunRequest = z.strictObject({ request: z.record(z.string(), z.unknown()) });

/** The routes for dry runs, for what the customer's side has recorded about a user, and for handovers. */
export const contactRoutes = new Hono<Inspected>()
  // A refusal is not an error of this call: the page shows what would happen to the request.
  .post('/dry-runs', limitBody(), jsonBody(dryRunRequest), async (context) =>
    context.json(await context.var.inspector.dryRun(context.req.valid('json').request)),
  )
  .get('/contacts/:contact', async (context) =>
    context.json({
      contact:
        (await context.var.inspector.contact(context.req.param('contact'), context.req.query('customerId'))) ?? null,
    }),
  )
  .get('/customers/:id/messages', async (context) =>
    context.json({ messages: await context.var.inspector.customerMessages(context.req.param('id')) }),
  )
  .post('/contacts/:contact/handover', async (context) =>
    changedAnswer(context, await context.var.inspector.handOver(context.req.param('contact'))),
  )
  .post('/contacts/:contact/handback', async (context) =>
    changedAnswer(context, await context.var.inspector.handBack(context.req.param('contact'))),
  );

const changedAnswer = (context: Context, changed: ContactChanged): Response =>
  changed.kind === 'refused' ? refusedAnswer(context, changed) : context.json({ contact: changed.contact });
