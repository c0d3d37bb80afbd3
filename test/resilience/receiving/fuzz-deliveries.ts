import { ms } from '../../../lambdas/domain/duration.ts';
import { type DeliveryFormat, deliveryFormat, type WebhookAuth } from '../../../lambdas/domain/webhook-auth.ts';
import type { Clock, WebhookVerifier } from '../../../lambdas/ports.ts';
import { createVerifier } from '../../../lambdas/receive/auth/create-verifier.ts';
import { createSnsVerifier } from '../../../lambdas/receive/auth/sns-verifier.ts';
import { AUDIENCE, SERVICE_ACCOUNT, startIssuer } from '../../support/issuer.ts';
import { selfSignedCertificate } from '../../support/self-signed-certificate.ts';
import {
  STANDARD_SECRET,
  signSns,
  snsNotification,
  standardWebhooksRequest,
  TOPIC,
} from '../../support/signed-requests.ts';
import { silentLog } from '../../support/telemetry.ts';

/** One kind of delivery: how the publish/subscribe system signs a body, and how a stage verifies it. */
export interface Delivery {
  readonly verifier: WebhookVerifier;
  readonly format: DeliveryFormat;
  /** The system delivers text: bytes that are not UTF-8 are replaced. */
  readonly isText?: true;
  sign(bytes: Buffer): { readonly bytes: Buffer; readonly headers: Readonly<Record<string, string | undefined>> };
}

const TOKEN = 'a-webhook-token-1';
const YEAR_MS = 365 * 24 * 3600 * 1000;

/** Starts every kind of delivery, with real keys. */
export const startDeliveries = async (clock: Clock) => {
  const nowMs = Date.parse(clock.now());
  const issuer = await startIssuer(() => Math.floor(nowMs / 1000));
  const authorization = `Bearer ${await issuer.sign({ exp: Math.floor(nowMs / 1000) + 36_000 })}`;
  const { pem, privateKey } = selfSignedCertificate(new Date(nowMs - YEAR_MS), new Date(nowMs + YEAR_MS));
  const contextWith = (secret: string) => ({
    clock,
    log: silentLog,
    fetchTimeoutMs: ms(5_000),
    openSecret: () => ({ read: async () => secret }),
  });
  const verifiedBy = (auth: WebhookAuth, secret = '') => ({
    verifier: createVerifier(auth, contextWith(secret)),
    format: deliveryFormat(auth),
  });
  const pubsub = verifiedBy({
    kind: 'pubsub-jwt',
    audience: AUDIENCE,
    serviceAccountEmail: SERVICE_ACCOUNT,
    jwksUrl: issuer.jwksUrl,
  });
  const sns = { kind: 'sns' as const, topicArn: TOPIC };
  const deliveries: readonly Delivery[] = [
    { ...pubsub, sign: (bytes) => ({ bytes, headers: { authorization } }) },
    {
      ...pubsub,
      sign: (bytes) => ({
        bytes: Buffer.from(JSON.stringify({ message: { data: bytes.toString('base64'), messageId: '7' } })),
        headers: { authorization },
      }),
    },
    {
      ...verifiedBy({ kind: 'standard-webhooks', envelope: 'none' }, STANDARD_SECRET),
      sign: (bytes) => ({ bytes, headers: standardWebhooksRequest(bytes, { at: clock.now() }).headers }),
    },
    {
      ...verifiedBy({ kind: 'shared-token', header: 'x-token', envelope: 'none' }, TOKEN),
      sign: (bytes) => ({ bytes, headers: { 'x-token': TOKEN } }),
    },
    {
      format: deliveryFormat(sns),
      isText: true,
      verifier: createSnsVerifier(sns, {
        get: async () => ({ text: pem, headers: {} }),
        clock,
        fetchTimeoutMs: ms(5_000),
      }),
      sign: (bytes) => {
        const notification = signSns(snsNotification({ Message: bytes.toString('utf8') }), privateKey);
        return { bytes: Buffer.from(JSON.stringify(notification)), headers: {} };
      },
    },
  ];
  return { deliveries, close: issuer.close };
};
