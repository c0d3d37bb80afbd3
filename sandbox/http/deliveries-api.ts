import { Hono } from 'hono';
import * as z from 'zod';
import type { WebhookSettings } from '../delivery/subscription.ts';
import { deliveryView, expiredView, webhookView } from '../delivery/views.ts';
import type { RunningService } from '../running/running-service.ts';
import { errorBody, httpUrl, isoTime, jsonBody, limitBody, parseJson, readLimit } from './read-request.ts';

/** The limit of an event, 10 MB. Source: https://cloud.google.com/pubsub/quotas#resource_limits */
const MAX_EVENT_BYTES = 10_000_000;

const text = z.string().min(1);
const webhookSecret = z
  .string()
  .regex(/^(whsec_)?[A-Za-z0-9+/]{4,}={0,2}$/, 'must be base64, with or without the prefix whsec_');

const webhookRequest = z.strictObject({
  url: httpUrl,
  auth: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('pubsub-jwt'),
      audience: text,
      serviceAccountEmail: text,
      issuer: text.optional(),
    }),
    z.strictObject({ kind: z.literal('standard-webhooks'), secrets: z.array(webhookSecret).min(1) }),
    z.strictObject({
      kind: z.literal('shared-token'),
      header: z.string().regex(/^[a-z0-9-]+$/i, 'must be a header name'),
      token: z.string().regex(/^[\x21-\x7e]+$/, 'must be visible ASCII characters'),
    }),
    z.strictObject({
      kind: z.literal('sns'),
      topicArn: text,
      signatureVersion: z.enum(['1', '2']).optional(),
      confirmed: z.boolean().optional(),
    }),
    z.strictObject({ kind: z.literal('none') }),
  ]),
  wrapped: z.boolean().optional(),
  writeMetadata: z.boolean().optional(),
}) satisfies z.ZodType<WebhookSettings>;

const redeliveryRequest = z.strictObject({ redelivers: z.boolean() });

const replayRequest = z.strictObject({ from: isoTime.optional(), messageIds: z.array(z.string()).optional() });

/** The control API's deliveries: the webhook, the attempts, replays, the signing key, and events of your own. */
export const deliveriesApi = (service: RunningService): Hono => {
  const app = new Hono();

  app.get('/deliveries', (context) => {
    const { delivery } = service;
    return context.json({
      deliveries: delivery
        .attempts()
        .slice(-(readLimit(context) ?? Number.POSITIVE_INFINITY))
        .map(deliveryView),
      pending: delivery.pending(),
      expired: delivery.expired().map(expiredView),
      retained: delivery.retained(),
    });
  });

  app.get('/webhook', (context) =>
    service.webhook === undefined
      ? context.json(errorBody(404, 'No webhook is set. Set one with PUT /sandbox/webhook.'), 404)
      : context.json(webhookView(service.webhook)),
  );

  app.put('/webhook', limitBody(), jsonBody(webhookRequest), (context) => {
    const body = context.req.valid('json');
    service.setWebhook(body);
    return context.json(webhookView(body));
  });

  app.post('/replay', limitBody(), jsonBody(replayRequest), (context) => {
    return context.json({ replayed: service.delivery.replay(context.req.valid('json')) });
  });

  app.post('/events', limitBody(MAX_EVENT_BYTES), async (context) => {
    const bytes = new Uint8Array(await context.req.arrayBuffer());
    if (context.req.query('raw') === undefined && parseJson(new TextDecoder().decode(bytes)) === undefined) {
      return context.json(errorBody(400, 'The body is not JSON; add ?raw to deliver these bytes anyway.'), 400);
    }
    return context.json({ messageId: service.delivery.publish(bytes) }, 202);
  });

  const redeliveryView = () => {
    const { redelivers, pausedUntil } = service.delivery.redelivery();
    return { redelivers, ...(pausedUntil && { pausedUntil: pausedUntil.toISOString() }) };
  };
  app.get('/redelivery', (context) => context.json(redeliveryView()));
  app.patch('/redelivery', limitBody(), jsonBody(redeliveryRequest), (context) => {
    service.delivery.setRedelivers(context.req.valid('json').redelivers);
    return context.json(redeliveryView());
  });

  app.post('/carrier/rotate-keys', async (context) => context.json({ kid: await service.keys.rotate() }));
  return app;
};

/** Where the key set of the signatures is. */
export const JWKS_PATH = '/carrier/certs';

/** What a webhook fetches, under `/carrier`: keys, SNS's certificate, and the confirmation of an SNS subscription. */
export const signingRoutes = (service: RunningService): Hono =>
  new Hono()
    .get('/certs', async (context) =>
      context.json(await service.keys.jwks(), 200, { 'Cache-Control': 'public, max-age=3600' }),
    )
    .get('/sns/certificate.pem', async (context) => context.text(await service.keys.certificate()))
    .get('/sns/confirm', (context) =>
      service.delivery.confirm(context.req.query('Token') ?? '')
        ? context.json({ confirmed: true })
        : context.json(errorBody(403, 'This token does not belong to the current subscription.'), 403),
    );
