import { createHmac, randomUUID } from 'node:crypto';
import { decodeSigningSecret } from '../../lambdas/domain/signing-secret.ts';
import { PROBE_BODY } from '../../lambdas/domain/webhook-probe.ts';

export interface ProbeOptions {
  readonly webhookUrl: string;
  /** The kind of `webhook.auth`. */
  readonly kind: string;
  /** The header that has the token, for `shared-token`. */
  readonly header: string;
  /** The time of the stage, in ISO 8601. */
  readonly now: string;
}

const TIMEOUT_MS = 10_000;

/**
 * Posts a probe to the webhook, authenticated with a secret as the chat service authenticates its events. Parley stores
 * nothing of it.
 *
 * @returns the status of the response, or undefined without a response
 */
export const probeWebhook = async (secret: string, options: ProbeOptions): Promise<number | undefined> => {
  const response = await fetch(options.webhookUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...credentialsOf(secret, options) },
    body: PROBE_BODY,
    // The secret must not reach another server.
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => undefined);
  return response?.status;
};

const credentialsOf = (secret: string, { kind, header, now }: ProbeOptions): Record<string, string> =>
  kind === 'standard-webhooks' ? signatureOf(secret, now) : { [header]: secret };

/** Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
const signatureOf = (secret: string, now: string): Record<string, string> => {
  const id = `msg_parley-probe-${randomUUID()}`;
  const timestamp = String(Math.floor(Date.parse(now) / 1000));
  const key = decodeSigningSecret(secret) ?? Buffer.alloc(0);
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${PROBE_BODY}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
};
