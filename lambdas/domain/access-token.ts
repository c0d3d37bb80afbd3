import { addMs, type Instant, parseInstant, toInstant } from './instant.ts';
import * as z from './schema.ts';

/** How long before it expires an access token should be replaced: enough time to get one from the console. */
export const EXPIRES_SOON_DAYS = 30;

const DAY_MS = 24 * 60 * 60 * 1000;

/** Longer tokens are not read, because a secret may hold anything. */
const MAX_TOKEN_CHARACTERS = 16 * 1024;

const claims = z.object({ exp: z.number() });

/**
 * Returns when an access token expires, if it is a JSON Web Token that says so. Nothing but what operators see depends
 * on it: the signature cannot be verified, and only the chat service knows whether it still accepts the token.
 *
 * Source: RFC 7519, section 4.1.4: seconds since the epoch, possibly with a fraction
 */
export const accessTokenExpiry = (token: string): Instant | undefined => {
  if (token.length > MAX_TOKEN_CHARACTERS) return undefined;
  const [, payload = '', ...others] = token.trim().split('.');
  if (others.length !== 1) return undefined;
  const { data } = z.safeParse(claims, z.parseJson(Buffer.from(payload, 'base64url').toString()));
  const time = new Date((data?.exp ?? Number.NaN) * 1000);
  return Number.isNaN(time.getTime()) ? undefined : parseInstant(toInstant(time));
};

/** Whether an access token should be replaced, or has expired already. */
export const expiresSoon = (expiresAt: Instant, now: Instant): boolean =>
  expiresAt <= addMs(now, EXPIRES_SOON_DAYS * DAY_MS);
