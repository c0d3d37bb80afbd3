import { Hono } from 'hono';
import * as z from 'zod';
import type { InspectedQueue } from '../base/inspector.ts';
import { limitBody, readBody } from './read-request.ts';
import { NO_BULK_LANE, refusedAnswer, type WithInspector } from './with-inspector.ts';

const QUEUES: readonly InspectedQueue[] = ['send', 'bulk', 'inbound'];

const redriveRequest = z.strictObject({
  /** Only this dead letter. */
  id: z.string().min(1).max(256).optional(),
});

/** The dead letters of each queue, and the actions on them. */
export const deadLetterRoutes = (withInspector: WithInspector): Hono => {
  const app = new Hono();
  for (const queue of QUEUES) {
    const withQueue: WithInspector = (answer) =>
      withInspector((context, inspector) =>
        queue === 'bulk' && !inspector.features.bulkLane
          ? refusedAnswer(context, NO_BULK_LANE)
          : answer(context, inspector),
      );
    app.get(
      `/${queue}`,
      withQueue(async (context, inspector) => context.json({ messages: await inspector.deadLetters(queue) })),
    );
    app.post(
      `/${queue}/redrive`,
      limitBody(),
      withQueue(async (context, inspector) => {
        const body = await readBody(context, redriveRequest, { isOptional: true });
        if (body.kind === 'invalid') return body.answer;
        const redriven = await inspector.redrive(queue, body.value.id);
        if (redriven.kind === 'refused') return refusedAnswer(context, redriven);
        return context.json({ moved: redriven.moved });
      }),
    );
    app.delete(
      `/${queue}/:id`,
      withQueue(async (context, inspector) => {
        const discarded = await inspector.discard(queue, context.req.param('id') ?? '');
        return discarded.kind === 'refused' ? refusedAnswer(context, discarded) : context.json({ discarded: true });
      }),
    );
  }
  return app;
};
