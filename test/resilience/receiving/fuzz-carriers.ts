import type { Clock, WebhookVerifier } from '../../../lambdas/ports.ts';
import { createVerifier } from '../../../lambdas/receive/auth/create-verifier.ts';
import { createSnsVerifier } from '../../../lambdas/receive/auth/sns-verifier.ts';
import { AUDIENCE, SERVICE_ACCOUNT, startIssuer } from '../../unit/lambdas/receive/issuer.ts';
import { selfSignedCertificate } from '../../unit/lambdas/receive/self-signed-certificate.ts';
import {
  STANDARD_SECRET,
  signSns,
  snsNotification,
  standardWebhooksPost,
  TOPIC,
} from '../../unit/lambdas/receive/signed-posts.ts';

/** A carrier of one kind: signs a body as its own, and the verifier that a stage with that kind has. */
export interface FuzzCarrier {
  readonly verifier: WebhookVerifier;
  sign(bytes: Buffer): { readonly bytes: Buffer; readonly headers: Readonly<Record<string, string | undefined>> };
}

const TOKEN = 'a-token-of-the-carrier';

/** Every kind of carrier, with real keys. */
export const startFuzzCarriers = async (clock: Clock) => {
  const now = new Date(clock.now());
  const issuer = await startIssuer(() => Math.floor(now.getTime() / 1000));
  const authorization = `Bearer ${await issuer.sign({ exp: Math.floor(now.getTime() / 1000) + 36_000 })}`;
  const year = 365 * 24 * 3600 * 1000;
  const { pem, privateKey } = selfSignedCertificate(new Date(now.getTime() - year), new Date(now.getTime() + year));
  const surroundings = (secret: string) => ({
    clock,
    fetchTimeoutMs: 5_000,
    openSecret: () => ({ read: async () => secret }),
  });
  const pubsub = createVerifier(
    {
      kind: 'pubsub-jwt',
      audience: AUDIENCE,
      serviceAccountEmail: SERVICE_ACCOUNT,
      issuers: ['https://accounts.google.com'],
      jwksUrl: issuer.jwksUrl,
    },
    surroundings(''),
  );
  const carriers: readonly FuzzCarrier[] = [
    { verifier: pubsub, sign: (bytes) => ({ bytes, headers: { authorization } }) },
    {
      verifier: pubsub,
      sign: (bytes) => ({
        bytes: Buffer.from(JSON.stringify({ message: { data: bytes.toString('base64'), messageId: '7' } })),
        headers: { authorization },
      }),
    },
    {
      verifier: createVerifier({ kind: 'standard-webhooks', toleranceSeconds: 300 }, surroundings(STANDARD_SECRET)),
      sign: (bytes) => ({ bytes, headers: standardWebhooksPost(bytes, { at: clock.now() }).headers }),
    },
    {
      verifier: createVerifier({ kind: 'shared-token', header: 'x-token' }, surroundings(TOKEN)),
      sign: (bytes) => ({ bytes, headers: { 'x-token': TOKEN } }),
    },
    {
      verifier: createSnsVerifier(
        { kind: 'sns', topicArn: TOPIC },
        { get: async () => ({ text: pem, headers: new Headers() }), clock, fetchTimeoutMs: 5_000 },
      ),
      sign: (bytes) => {
        const notification = signSns(snsNotification({ Message: bytes.toString('utf8') }), privateKey);
        return { bytes: Buffer.from(JSON.stringify(notification)), headers: {} };
      },
    },
  ];
  return { carriers, close: issuer.close };
};
