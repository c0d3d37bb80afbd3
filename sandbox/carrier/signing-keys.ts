import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject, randomUUID, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { exportJWK, type JSONWebKeySet, type JWTPayload, SignJWT } from 'jose';
import { selfSignedCertificate } from './self-signed-certificate.ts';

const TOKEN_SECONDS = 60 * 60;

/** The carrier's signing key, and the key set in which a consumer finds its public half. */
export type SigningKeys = {
  jwks(): Promise<JSONWebKeySet>;
  /** A new key, which is the only one from now on; the result is its id. */
  rotate(): Promise<string>;
  /** A signed token that is valid from `now` for an hour. */
  sign(claims: JWTPayload, now: Date): Promise<string>;
  /** A signature over `text` in base64, made with the key of {@link SigningKeys.certificate}. */
  signText(hash: 'sha1' | 'sha256', text: string): Promise<string>;
  /** A certificate of the present key in PEM. */
  certificate(): Promise<string>;
};

/** A private key as a data file keeps it. */
export type KeptKey = { kid: string; pem: string };

/** @param keeping Where the key comes from and goes to, so that a restart signs as before. */
export const createSigningKeys = (keeping: { kept?: KeptKey; keep?: (key: KeptKey) => void } = {}): SigningKeys => {
  // Made when it is first needed, since a key costs more than all the rest of a start.
  let current = keeping.kept === undefined ? undefined : Promise.resolve(readKey(keeping.kept));
  const currentKey = () => {
    current ??= generateKey(keeping.keep);
    return current;
  };
  return {
    jwks: async () => {
      const { kid, privateKey } = await currentKey();
      return { keys: [{ ...(await exportJWK(createPublicKey(privateKey))), kid, alg: 'RS256', use: 'sig' }] };
    },
    rotate: async () => {
      current = generateKey(keeping.keep);
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
    signText: async (hash, text) => sign(hash, Buffer.from(text), (await currentKey()).privateKey).toString('base64'),
    certificate: async () => selfSignedCertificate((await currentKey()).privateKey),
  };
};

type SigningKey = { kid: string; privateKey: KeyObject };

const readKey = ({ kid, pem }: KeptKey): SigningKey => ({ kid, privateKey: createPrivateKey(pem) });

const generateKey = async (keep: ((key: KeptKey) => void) | undefined): Promise<SigningKey> => {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const kid = randomUUID();
  keep?.({ kid, pem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() });
  return { kid, privateKey };
};
