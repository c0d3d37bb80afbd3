import { Hono } from 'hono';
import * as z from 'zod';
import type { Inspector } from '../base/inspector.ts';
import { contactRoutes } from './contact-routes.ts';
import { deadLetterRoutes } from './dead-letter-routes.ts';
import { streamEvents } from './event-stream.ts';
import { findInspector, type Inspected, inspectorFailed, NO_BULK_LANE, refusedAnswer } from './inspected.ts';
import { errorBody, jsonBody, limitBody } from './read-request.ts';
import { stageRoutes } from './stage-routes.ts';

const enqueueRequest = z.strictObject({
  /** A string is queued unchanged, anything else as JSON. */
  body: z.union([z.string(), z.record(z.string(), z.unknown())]),
  groupId: z.string().min(1).max(128),
  deduplicationId: z.string().min(1).max(128),
  /** @default send */
  queue: z.enum(['send', 'bulk']).optional(),
});

const resolution = z
  .strictObject({
    outcome: z.enum(['accepted', 'failed', 'resend']),
    /** The chat service's ID of the message. */
    messageId: z.string().min(1).max(256).optional(),
    note: z.string().min(1).max(1024).optional(),
  })
  .refine(({ outcome, messageId }) => (outcome === 'accepted') === (messageId !== undefined), {
    path: ['messageId'],
    error: 'is required with the outcome accepted and not allowed with any other',
  });

/** The inspector over HTTP, for the console; 404 without an inspector. */
export const inspectorRoutes = (getInspector: () => Inspector | undefined) =>
  new Hono<Inspected>()
    .onError(inspectorFailed)
    .use(findInspector(getInspector))
    .get('/depths', async (context) => context.json(await context.var.inspector.depths()))
    .get('/sends', async (context) => {
      const { contact, state, since, text } = context.req.query();
      const { sendStates } = context.var.inspector;
      if (state && !sendStates.includes(state)) {
        return context.json(errorBody(400, `"${state}" is not a state; use one of ${sendStates.join(', ')}.`), 400);
      }
      return context.json(await context.var.inspector.sends({ contact, state, since, text }));
    })
    .get('/messages/:id', async (context) =>
      context.json(await context.var.inspector.trace({ messageId: context.req.param('id') })),
    )
    .get('/requests/:id', async (context) =>
      context.json(await context.var.inspector.trace({ requestId: context.req.param('id') })),
    )
    .post('/requests', limitBody(), jsonBody(enqueueRequest), async (context) => {
      const { inspector } = context.var;
      const { body, groupId, deduplicationId, queue = 'send' } = context.req.valid('json');
      if (queue === 'bulk' && !inspector.features.bulkLane) return refusedAnswer(context, NO_BULK_LANE);
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      await inspector.enqueue(text, { groupId, id: deduplicationId }, queue);
      return context.json({ deduplicationId }, 202);
    })
    .post('/requests/:id/resolution', limitBody(), jsonBody(resolution), async (context) => {
      const resolved = await context.var.inspector.resolve(context.req.param('id'), context.req.valid('json'));
      if (resolved.kind === 'refused') return refusedAnswer(context, resolved);
      return context.json({ state: resolved.state });
    })
    .route('/dead-letters', deadLetterRoutes)
    .route('/', stageRoutes)
    .route('/', contactRoutes)
    .get('/feed', (context) =>
      streamEvents(context, (send) =>
        context.var.inspector.watch(({ kind, ...data }) => send({ event: kind, data: JSON.stringify(data) })),
      ),
    )
    .all('*', (context) =>
      context.json(errorBody(404, `The inspector has no ${context.req.method} ${context.req.path}.`), 404),
    );
