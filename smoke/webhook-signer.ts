import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { readSecrets } from '../cli/operations/webhook-secrets.ts';
import type { StageSettings } from '../lib/settings/stage-settings.ts';
import { SmokeError } from './smoke-options.ts';
import type { SmokeStage } from './smoke-stage.ts';

type WebhookAuth = StageSettings['webhook']['auth'];

/** Checks before anything is deployed that events can be signed as the stage requires. @throws SmokeError */
export const checkCanSign = (auth: WebhookAuth, chatServiceUrl: string): void => {
  if (auth.kind === 'sns') {
    throw new SmokeError(
      'The stage\'s webhook.auth is "sns", whose signatures only Amazon SNS can make. Use a stage with ' +
        '"standard-webhooks" or "shared-token".',
    );
  }
  if (auth.kind === 'pubsub-jwt' && URL.parse(auth.jwksUrl)?.origin !== URL.parse(chatServiceUrl)?.origin) {
    throw new SmokeError(
      `The stage's webhook.auth is "pubsub-jwt", and only the owner of the keys at ${auth.jwksUrl} can sign its tokens. ` +
        'Use a stage with "standard-webhooks" or "shared-token", or one whose webhook.auth.jwksUrl is the one that the ' +
        'sandbox prints, and start the sandbox with --webhook-url.',
    );
  }
};

/** Delivers an event to the webhook, signed as the stage requires. @returns the status and who signed it */
export const postEvent = async (stage: SmokeStage, event: object): Promise<{ status: number; signed: string }> => {
  const { auth } = stage.settings.webhook;
  switch (auth.kind) {
    case 'standard-webhooks':
    case 'shared-token':
    case 'insecure-none':
      return { status: await postSigned(stage, auth, event), signed: auth.kind };
    case 'pubsub-jwt':
      return { status: await deliverFromSandbox(stage, event), signed: `${auth.kind}, by the sandbox` };
    case 'sns':
      throw new SmokeError('Only Amazon SNS can sign events for the webhook.auth "sns".');
  }
};

const TIMEOUT_MS = 10_000;

const postSigned = async (
  { target: { addresses, secretsManager }, now }: SmokeStage,
  auth: Extract<WebhookAuth, { envelope: unknown }>,
  event: object,
): Promise<number> => {
  const id = randomUUID();
  const at = now();
  const body = auth.envelope === 'pubsub' ? pubsubPush(event, id, at) : JSON.stringify(event);
  const { webhookSecretId } = addresses;
  const secret = webhookSecretId === undefined ? '' : (await readSecrets(secretsManager, webhookSecretId)).lines[0];
  const headers = { 'content-type': 'application/json', ...headersOf(auth, { id, at, body, secret: secret ?? '' }) };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  return (await fetch(addresses.webhookUrl, { method: 'POST', headers, body, signal })).status;
};

/**
 * Returns the headers that make any bytes an authentic request. Returns undefined if this test cannot sign them, or if
 * requests have an envelope.
 */
export const signBytes = async (stage: SmokeStage, body: Buffer): Promise<Record<string, string> | undefined> => {
  const { auth } = stage.settings.webhook;
  if (!('envelope' in auth) || auth.envelope !== 'none') return undefined;
  const { addresses, secretsManager } = stage.target;
  const { webhookSecretId } = addresses;
  const secret = webhookSecretId === undefined ? '' : (await readSecrets(secretsManager, webhookSecretId)).lines[0];
  return headersOf(auth, { id: randomUUID(), at: stage.now(), body, secret: secret ?? '' });
};

const headersOf = (
  auth: Extract<WebhookAuth, { envelope: unknown }>,
  {
    id,
    at,
    body,
    secret,
  }: { readonly id: string; readonly at: Date; readonly body: string | Buffer; readonly secret: string },
): Record<string, string> => {
  switch (auth.kind) {
    case 'standard-webhooks':
      return {
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature':
          typeof body === 'string' ? new Webhook(secret).sign(id, at, body) : signBuffer(secret, id, at, body),
      };
    case 'shared-token':
      return { [auth.header]: secret };
    case 'insecure-none':
      return {};
  }
};

/** The library signs only text. Source: https://github.com/standard-webhooks/standard-webhooks */
const signBuffer = (secret: string, id: string, at: Date, body: Buffer): string => {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = createHmac('sha256', key)
    .update(`${id}.${Math.floor(at.getTime() / 1000)}.`)
    .update(body);
  return `v1,${signed.digest('base64')}`;
};

/** Source: https://cloud.google.com/pubsub/docs/push#receive_push */
const pubsubPush = (event: object, messageId: string, at: Date): string =>
  JSON.stringify({
    message: {
      data: Buffer.from(JSON.stringify(event)).toString('base64'),
      messageId,
      publishTime: at.toISOString(),
    },
    subscription: 'projects/smoke/subscriptions/chat-events',
  });

const delivered = z.object({ messageId: z.string() });
const deliveries = z.object({
  deliveries: z.array(z.object({ messageId: z.string(), status: z.int().nullish() })),
});

/** Lets the sandbox sign and deliver the event. @returns the webhook's answer, or 0 without one */
const deliverFromSandbox = async ({ chatServiceUrl, patienceMs }: SmokeStage, event: object): Promise<number> => {
  const { messageId } = delivered.parse(await callSandbox(chatServiceUrl, 'POST', '/events', event));
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const attempts = deliveries.parse(await callSandbox(chatServiceUrl, 'GET', '/deliveries')).deliveries;
    const status = attempts.find((attempt) => attempt.messageId === messageId && attempt.status != null)?.status;
    if (status != null) return status;
    if (performance.now() > deadline) return 0;
    await pause(100);
  }
};

/** Calls the sandbox's control API. @throws SmokeError if the response is not 2xx. */
export const callSandbox = async (url: string, method: string, path: string, body?: unknown): Promise<unknown> => {
  const response = await fetch(`${url}/sandbox${path}`, {
    method,
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => undefined);
  if (response?.ok) return response.json();
  throw new SmokeError(
    response === undefined
      ? `The sandbox at ${url} does not respond.`
      : `The sandbox responds to ${method} /sandbox${path} with ${response.status}: ${(await response.text()).slice(0, 200)}`,
  );
};
