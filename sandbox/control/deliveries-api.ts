import { Hono } from 'hono';
import { errorForm } from '../http/error-form.ts';
import { limitBody, parseJson, readBody } from '../http/read-body.ts';
import type { RunningService } from '../running-service.ts';
import { readLimit } from './page.ts';
import { replayRequest, webhookRequest } from './requests.ts';
import { deliveriesView, webhookView } from './views.ts';

/** What one event may hold: 10 MB, as Google Cloud Pub/Sub's quota for a message is. */
const MAX_EVENT_BYTES = 10_000_000;

/** The carrier: where it delivers to, what it delivered, and what it shall deliver. */
export const deliveriesApi = (service: RunningService): Hono => {
  const app = new Hono();

  app.get('/deliveries', (context) => context.json(deliveriesView(service.carrier, readLimit(context))));

  app.get('/webhook', (context) =>
    service.webhook === undefined
      ? context.json(errorForm(404, 'There is no webhook yet; PUT /sandbox/webhook sets one.'), 404)
      : context.json(webhookView(service.webhook)),
  );

  app.put('/webhook', limitBody(), async (context) => {
    const body = await readBody(context, webhookRequest);
    if (body.kind === 'invalid') return body.answer;
    service.setWebhook(body.value);
    return context.json(webhookView(body.value));
  });

  app.post('/replay', limitBody(), async (context) => {
    const body = await readBody(context, replayRequest);
    if (body.kind === 'invalid') return body.answer;
    return context.json({ replayed: service.carrier.replay(body.value) });
  });

  app.post('/events', limitBody(MAX_EVENT_BYTES), async (context) => {
    const bytes = new Uint8Array(await context.req.arrayBuffer());
    if (context.req.query('raw') === undefined && parseJson(new TextDecoder().decode(bytes)) === undefined) {
      return context.json(errorForm(400, 'The body is not JSON; add ?raw to deliver these bytes all the same.'), 400);
    }
    return context.json({ messageId: service.carrier.publish(bytes) }, 202);
  });

  return app;
};
