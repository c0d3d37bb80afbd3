import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, type JSONWebKeySet, type JWTPayload, SignJWT } from 'jose';

const TOKEN_SECONDS = 60 * 60;

/** The carrier's signing key, and the key set in which a consumer finds its public half. */
export type SigningKeys = {
  jwks(): Promise<JSONWebKeySet>;
  /** A new key, which is the only one from now on; the result is its id. */
  rotate(): Promise<string>;
  /** A signed token that is valid from `now` for an hour. */
  sign(claims: JWTPayload, now: Date): Promise<string>;
};

export const createSigningKeys = (): SigningKeys => {
  // Made when it is first needed, since a key costs more than all the rest of a start.
  let current: ReturnType<typeof generateKey> | undefined;
  const currentKey = () => {
    current ??= generateKey();
    return current;
  };
  return {
    jwks: async () => ({ keys: [(await currentKey()).publicJwk] }),
    rotate: async () => {
      current = generateKey();
      return (await current).kid;
    },
    sign: async (claims, now) => {
      const { kid, privateKey } = await currentKey();
      const issuedAt = Math.floor(now.getTime() / 1000);
      return new SignJWT(claims)
        .setProtectedHeader({ alg: 'RS256', kid, typ: 'JWT' })
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + TOKEN_SECONDS)
        .sign(privateKey);
    },
  };
};

const generateKey = async () => {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const kid = randomUUID();
  const publicJwk = { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' };
  return { kid, privateKey, publicJwk };
};
