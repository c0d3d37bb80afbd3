import { Hono } from 'hono';
import * as z from 'zod';
import { type Inspected, NO_BULK_LANE, refusedAnswer } from './inspected.ts';
import { jsonBody, limitBody } from './read-request.ts';

const redriveRequest = z.strictObject({
  /** Only this dead letter. */
  id: z.string().min(1).max(256).optional(),
});

/** The dead letters of each queue, and the actions on them. */
export const deadLetterRoutes = new Hono<Inspected>().use('/bulk/*', async (context, next) =>
  context.var.inspector.features.bulkLane ? next() : refusedAnswer(context, NO_BULK_LANE),
);
for (const queue of ['send', 'bulk', 'inbound'] as const) {
  deadLetterRoutes
    .get(`/${queue}`, async (context) => context.json({ messages: await context.var.inspector.deadLetters(queue) }))
    .post(`/${queue}/redrive`, limitBody(), jsonBody(redriveRequest, { isOptional: true }), async (context) => {
      const redriven = await context.var.inspector.redrive(queue, context.req.valid('json').id);
      if (redriven.kind === 'refused') return refusedAnswer(context, redriven);
      return context.json({ moved: redriven.moved });
    })
    .delete(`/${queue}/:id`, async (context) => {
      const discarded = await context.var.inspector.discard(queue, context.req.param('id') ?? '');
      return discarded.kind === 'refused' ? refusedAnswer(context, discarded) : context.json({ discarded: true });
    });
}
