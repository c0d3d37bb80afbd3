import { KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from 'jose';
import { listenLocally } from '../../local/base/listen-locally.ts';

/** Issues bearer tokens as Google does for Pub/Sub: a real key pair, served over HTTP. */
export interface Issuer extends AsyncDisposable {
  readonly jwksUrl: string;
  /** How often the keys were fetched. */
  fetches(): number;
  /** Replaces the key; the old one is no longer served. */
  rotate(): Promise<void>;
  /** Sets for how long the keys may be cached. It is an hour at first. */
  cacheFor(seconds: number): void;
  /** Makes the issuer answer 500, or as before. */
  fail(isFailing: boolean): void;
  /** Signs a token that is valid by default. */
  sign(claims?: Record<string, unknown>, header?: Record<string, unknown>): Promise<string>;
  /** Returns the public key in PEM, which an algorithm confusion attack uses as a secret. */
  publicKey(): Promise<string>;
  /** Returns the private key, for tokens that no library would sign. */
  privateKey(): KeyObject;
  close(): Promise<void>;
}

export const AUDIENCE = 'parley-test';
export const SERVICE_ACCOUNT = 'chat-events@example-project.iam.gserviceaccount.com';

export const startIssuer = async (nowSeconds: () => number): Promise<Issuer> => {
  let generation = 0;
  let keys = await generateKeyPair('RS256', { extractable: true });
  let fetches = 0;
  let isFailing = false;
  let maxAgeSeconds = 3600;
  const server = createServer(async (_request, response) => {
    fetches += 1;
    response.statusCode = isFailing ? 500 : 200;
    response.setHeader('cache-control', `public, max-age=${maxAgeSeconds}`);
    const key = { ...(await exportJWK(keys.publicKey)), kid: `key-${generation}`, alg: 'RS256', use: 'sig' };
    response.end(JSON.stringify({ keys: [key] }));
  });
  const { url, close } = await listenLocally(server);

  return {
    jwksUrl: `${url}/certs`,
    fetches: () => fetches,
    async rotate() {
      keys = await generateKeyPair('RS256', { extractable: true });
      generation += 1;
    },
    cacheFor: (seconds) => {
      maxAgeSeconds = seconds;
    },
    fail: (value) => {
      isFailing = value;
    },
    sign: (claims = {}, header = {}) => {
      const payload = {
        aud: AUDIENCE,
        iss: 'https://accounts.google.com',
        email: SERVICE_ACCOUNT,
        email_verified: true,
        iat: nowSeconds(),
        exp: nowSeconds() + 3600,
        ...claims,
      };
      return new SignJWT(payload)
        .setProtectedHeader({ alg: 'RS256', kid: `key-${generation}`, ...header })
        .sign(keys.privateKey);
    },
    publicKey: () => exportSPKI(keys.publicKey),
    privateKey: () => KeyObject.from(keys.privateKey),
    close,
    [Symbol.asyncDispose]: close,
  };
};
