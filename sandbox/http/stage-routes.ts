import { type Context, Hono } from 'hono';
import * as z from 'zod';
import type { StageChanged } from '../base/inspector.ts';
import { limitBody, readBody } from './read-request.ts';
import { refusedAnswer, type WithInspector } from './with-inspector.ts';

const note = z.string().min(1).max(1024);
const stop = z.strictObject({ note });
const optionalNote = z.strictObject({ note: note.optional() });

/** The routes for what makes requests wait: the circuit breaker, and a stop by an operator. */
export const stageRoutes = (withInspector: WithInspector): Hono =>
  new Hono()
    .get(
      '/stage',
      withInspector(async (context, inspector) => context.json(await inspector.stage())),
    )
    .post(
      '/circuit-breaker-closures',
      limitBody(),
      withInspector(async (context, inspector) => {
        const body = await readBody(context, optionalNote, { isOptional: true });
        if (body.kind === 'invalid') return body.answer;
        return changedAnswer(context, await inspector.closeCircuitBreaker(body.value.note));
      }),
    )
    .post(
      '/stops',
      limitBody(),
      withInspector(async (context, inspector) => {
        const body = await readBody(context, stop);
        if (body.kind === 'invalid') return body.answer;
        return changedAnswer(context, await inspector.stopSending(body.value.note));
      }),
    )
    .post(
      '/resumptions',
      limitBody(),
      withInspector(async (context, inspector) => {
        const body = await readBody(context, optionalNote, { isOptional: true });
        if (body.kind === 'invalid') return body.answer;
        return changedAnswer(context, await inspector.resumeSending(body.value.note));
      }),
    );

const changedAnswer = (context: Context, changed: StageChanged): Response =>
  changed.kind === 'refused' ? refusedAnswer(context, changed) : context.json(changed.stage);
