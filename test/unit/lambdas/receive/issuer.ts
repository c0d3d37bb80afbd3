import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from 'jose';

/** Who signs the carrier's posts: a real key pair behind a real address, that counts how often it is asked. */
export interface Issuer {
  readonly jwksUrl: string;
  fetches(): number;
  /** Signs with a new key from now on; the old one is not served any more. */
  rotate(): Promise<void>;
  /** Answers 500, or as before. */
  fail(failing: boolean): void;
  /** A token that is valid by default. */
  sign(claims?: Record<string, unknown>, header?: Record<string, unknown>): Promise<string>;
  /** The public key as text: what an algorithm confusion uses as a secret. */
  publicKey(): Promise<string>;
  close(): Promise<void>;
}

export const AUDIENCE = 'parley-test';
export const SERVICE_ACCOUNT = 'chat-events@example-project.iam.gserviceaccount.com';

export const startIssuer = async (nowSeconds: () => number): Promise<Issuer> => {
  let kid = 0;
  let keys = await generateKeyPair('RS256', { extractable: true });
  let fetches = 0;
  let failing = false;
  const server = createServer(async (_request, response) => {
    fetches += 1;
    response.statusCode = failing ? 500 : 200;
    response.setHeader('cache-control', 'public, max-age=3600');
    response.end(
      JSON.stringify({ keys: [{ ...(await exportJWK(keys.publicKey)), kid: `key-${kid}`, alg: 'RS256', use: 'sig' }] }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    jwksUrl: `http://127.0.0.1:${port}/certs`,
    fetches: () => fetches,
    async rotate() {
      keys = await generateKeyPair('RS256', { extractable: true });
      kid += 1;
    },
    fail: (value) => {
      failing = value;
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
        .setProtectedHeader({ alg: 'RS256', kid: `key-${kid}`, ...header })
        .sign(keys.privateKey);
    },
    publicKey: () => exportSPKI(keys.publicKey),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
