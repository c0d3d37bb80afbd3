import type { DeliveryFormat } from '../domain/webhook-auth.ts';
import type { Metrics } from '../ports.ts';
import { isLikelyEvent } from './likely-event.ts';

/** What is logged of a request that is not authentic. */
export interface RefusedFields extends Record<string, unknown> {
  /** The check that failed, as the verdict names it. */
  readonly reason: string;
  readonly likelyEvent?: true;
  readonly likelyCause?: string;
}

/**
 * Counts a request that is not authentic, and returns what to log. One that looks like an event of the chat service is
 * counted a second time, with its likely cause: a service that delivers each event once has lost it, and stops
 * delivering after many.
 */
export const countRefused = (
  { format, metrics }: { readonly format: DeliveryFormat; readonly metrics: Pick<Metrics, 'count'> },
  unverifiedBody: Buffer,
  reason: string,
): RefusedFields => {
  metrics.count('WebhookUnauthenticated');
  if (!isLikelyEvent(unverifiedBody, format.envelope)) return { reason };
  metrics.count('LikelyEventRefused');
  return { reason, likelyEvent: true, likelyCause: likelyCauseOf(reason) };
};

/** Returns what most likely makes the chat service's requests fail a check, and what to compare. */
export const likelyCauseOf = (reason: string): string => LIKELY_CAUSES[reason] ?? OTHER_CAUSE;

const NO_CREDENTIALS =
  'the request has no credentials: the chat service has no token or secret for this webhook, sends it in another ' +
  'header than webhook.auth names, or something in front of the webhook removes the header';
const WRONG_SECRET =
  'the secret of the chat service and the webhook secret differ: an old one was removed too early, or one was replaced ' +
  'on one side only; compare them with parley webhook-secret list';
const CLOCK =
  'the request is older than allowed: a clock is wrong, the request was delayed, or someone replayed a captured request';
const KEYS = 'the token is not signed with a key from webhook.auth.jwksUrl';
const ISSUER = "the token's issuer is not Google";

const LIKELY_CAUSES: Readonly<Record<string, string>> = {
  'no token': NO_CREDENTIALS,
  'no bearer token': NO_CREDENTIALS,
  'no webhook-id or webhook-timestamp': NO_CREDENTIALS,
  'no v1 signature': NO_CREDENTIALS,
  'wrong token': WRONG_SECRET,
  'webhook-timestamp out of tolerance': CLOCK,
  ERR_JWT_EXPIRED: CLOCK,
  'claim iat': CLOCK,
  'claim nbf': CLOCK,
  'claim aud': "wrong audience: the push subscription's audience differs from webhook.auth.audience",
  'claim iss': ISSUER,
  'wrong service account': "the push subscription's service account differs from webhook.auth.serviceAccountEmail",
  ERR_JWKS_NO_MATCHING_KEY: KEYS,
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: KEYS,
  'not an Amazon SNS message':
    'the request is not a signed Amazon SNS message: raw message delivery is enabled, or the chat service posts here itself',
  'wrong topic': 'another topic than webhook.auth.topicArn is subscribed to the webhook',
  'invalid signature':
    'something changes the body on its way, or the secret of the chat service and the webhook secret differ: an old one ' +
    'was removed too early, or one was replaced on one side only',
};

const OTHER_CAUSE = 'the request is not authenticated as webhook.auth says';
