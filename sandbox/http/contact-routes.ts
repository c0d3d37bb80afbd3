import { type Context, Hono } from 'hono';
import * as z from 'zod';
import type { ContactChanged } from '../base/inspector.ts';
import { limitBody, readBody } from './read-request.ts';
import { refusedAnswer, type WithInspector } from './with-inspector.ts';

const dryRunRequest = z.strictObject({ request: z.record(z.string(), z.unknown()) });

/** The routes for dry runs, for what the customer's side has recorded about a user, and for handovers. */
export const contactRoutes = (withInspector: WithInspector): Hono =>
  new Hono()
    .post(
      '/dry-runs',
      limitBody(),
      withInspector(async (context, inspector) => {
        const body = await readBody(context, dryRunRequest);
        if (body.kind === 'invalid') return body.answer;
        // A refusal is not an error of this call: the page shows what would happen to the request.
        return context.json(await inspector.dryRun(body.value.request));
      }),
    )
    .get(
      '/contacts/:contact',
      withInspector(async (context, inspector) =>
        context.json({ contact: (await inspector.contact(context.req.param('contact') ?? '')) ?? null }),
      ),
    )
    .post(
      '/contacts/:contact/handover',
      withInspector(async (context, inspector) =>
        changedAnswer(context, await inspector.handOver(context.req.param('contact') ?? '')),
      ),
    )
    .post(
      '/contacts/:contact/handback',
      withInspector(async (context, inspector) =>
        changedAnswer(context, await inspector.handBack(context.req.param('contact') ?? '')),
      ),
    );

const changedAnswer = (context: Context, changed: ContactChanged): Response =>
  changed.kind === 'refused' ? refusedAnswer(context, changed) : context.json({ contact: changed.contact });
