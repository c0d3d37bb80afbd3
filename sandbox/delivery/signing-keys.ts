import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject, randomUUID, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { exportJWK, type JSONWebKeySet, type JWTPayload, SignJWT } from 'jose';

const TOKEN_SECONDS = 60 * 60;

/** The key that signs webhook requests, and the key set with its public half. */
export interface SigningKeys {
  jwks(): Promise<JSONWebKeySet>;
  /** Replaces the key. Resolves to the new key's id. */
  rotate(): Promise<string>;
  /** Signs a token that is valid for an hour from `now`. */
  sign(claims: JWTPayload, now: Date): Promise<string>;
  /** Signs `text` with the key of {@link SigningKeys.certificate}. Resolves to base64. */
  signText(hash: 'sha1' | 'sha256', text: string): Promise<string>;
  /** Returns a certificate of the current key, in PEM. */
  certificate(): Promise<string>;
}

/** A private key as a data file stores it. */
export interface StoredKey {
  readonly kid: string;
  readonly pem: string;
}

/** @param persistence where the key is loaded from and saved to, so that a restart signs with the same key */
export const createSigningKeys = (
  persistence: { stored?: StoredKey; save?: (key: StoredKey) => void } = {},
): SigningKeys => {
  // Generated at its first use, since generating a key takes longer than the rest of a start.
  let current = persistence.stored === undefined ? undefined : Promise.resolve(readKey(persistence.stored));
  const currentKey = () => {
    current ??= generateKey(persistence.save);
    return current;
  };
  return {
    jwks: async () => {
      const { kid, privateKey } = await currentKey();
      return { keys: [{ ...(await exportJWK(createPublicKey(privateKey))), kid, alg: 'RS256', use: 'sig' }] };
    },
    rotate: async () => {
      current = generateKey(persistence.save);
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

interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
}

const readKey = ({ kid, pem }: StoredKey): SigningKey => ({ kid, privateKey: createPrivateKey(pem) });

const generateKey = async (save: ((key: StoredKey) => void) | undefined): Promise<SigningKey> => {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const kid = randomUUID();
  save?.({ kid, pem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() });
  return { kid, privateKey };
};

/**
 * Returns a self-signed certificate for an RSA key, in PEM: X.509 version 1, without extensions. Node.js cannot create
 * certificates, and only the sandbox's own consumers rely on this one.
 *
 * Source: RFC 5280, section 4.1; encoding: X.690 (DER)
 */
const selfSignedCertificate = (privateKey: KeyObject): string => {
  const name = sequence(set(sequence(objectId('550403'), der(0x0c, Buffer.from('sandbox of the chat service')))));
  const algorithm = sequence(objectId('2a864886f70d01010b'), der(0x05, Buffer.alloc(0)));
  const validity = sequence(utcTime('200101000000Z'), utcTime('491231235959Z'));
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  const serial = der(0x02, Buffer.from([1]));
  const toBeSigned = sequence(serial, algorithm, name, validity, name, publicKey);
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', toBeSigned, privateKey)]));
  const lines =
    sequence(toBeSigned, algorithm, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
};

const der = (tag: number, content: Buffer): Buffer => {
  const length = content.byteLength;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const bytes = Buffer.from(length.toString(16).padStart(length > 0xff ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Buffer.from([tag, 0x80 | bytes.byteLength]), bytes, content]);
};

const sequence = (...parts: Buffer[]) => der(0x30, Buffer.concat(parts));
const set = (...parts: Buffer[]) => der(0x31, Buffer.concat(parts));
const objectId = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const utcTime = (text: string) => der(0x17, Buffer.from(text));
