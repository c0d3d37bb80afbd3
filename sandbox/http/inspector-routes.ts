import { Hono } from 'hono';
import * as z from 'zod';
import type { Inspector } from '../base/inspector.ts';
import { contactRoutes } from './contact-routes.ts';
import { deadLetterRoutes } from './dead-letter-routes.ts';
import { streamEvents } from './event-stream.ts';
import { errorBody, limitBody, readBody } from './read-request.ts';
import { stageRoutes } from './stage-routes.ts';
import { createWithInspector, NO_BULK_LANE, refusedAnswer } from './with-inspector.ts';

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
export const inspectorRoutes = (getInspector: () => Inspector | undefined): Hono => {
  const app = new Hono();

  const withInspector = createWithInspector(getInspector);

  app.get(
    '/depths',
    withInspector(async (context, inspector) => context.json(await inspector.depths())),
  );
  app.get(
    '/sends',
    withInspector(async (context, inspector) => {
      const { contact, state, text } = context.req.query();
      const { sendStates } = inspector;
      if (state && !sendStates.includes(state)) {
        return context.json(errorBody(400, `"${state}" is not a state; use one of ${sendStates.join(', ')}.`), 400);
      }
      return context.json(await inspector.sends({ contact, state, text }));
    }),
  );
  app.get(
    '/messages/:id',
    withInspector(async (context, inspector) =>
      context.json(await inspector.trace({ messageId: context.req.param('id') ?? '' })),
    ),
  );
  app.get(
    '/requests/:id',
    withInspector(async (context, inspector) =>
      context.json(await inspector.trace({ requestId: context.req.param('id') ?? '' })),
    ),
  );
  app.post(
    '/requests',
    limitBody(),
    withInspector(async (context, inspector) => {
      const body = await readBody(context, enqueueRequest);
      if (body.kind === 'invalid') return body.answer;
      const { body: message, groupId, deduplicationId, queue = 'send' } = body.value;
      if (queue === 'bulk' && !inspector.features.bulkLane) return refusedAnswer(context, NO_BULK_LANE);
      const text = typeof message === 'string' ? message : JSON.stringify(message);
      await inspector.enqueue(text, { groupId, id: deduplicationId }, queue);
      return context.json({ deduplicationId }, 202);
    }),
  );
  app.post(
    '/requests/:id/resolution',
    limitBody(),
    withInspector(async (context, inspector) => {
      const body = await readBody(context, resolution);
      if (body.kind === 'invalid') return body.answer;
      const resolved = await inspector.resolve(context.req.param('id') ?? '', body.value);
      if (resolved.kind === 'refused') return refusedAnswer(context, resolved);
      return context.json({ state: resolved.state });
    }),
  );
  app.route('/dead-letters', deadLetterRoutes(withInspector));
  app.route('/', stageRoutes(withInspector));
  app.route('/', contactRoutes(withInspector));
  app.get(
    '/feed',
    withInspector((context, inspector) =>
      streamEvents(context, (send) =>
        inspector.watch(({ kind, ...data }) => send({ event: kind, data: JSON.stringify(data) })),
      ),
    ),
  );
  app.all('*', (context) =>
    context.json(errorBody(404, `The inspector has no ${context.req.method} ${context.req.path}.`), 404),
  );
  return app;
};
