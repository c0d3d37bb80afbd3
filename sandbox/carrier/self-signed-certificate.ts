import { createPublicKey, type KeyObject, sign } from 'node:crypto';

/**
 * A certificate in PEM that an RSA key signs for itself: the least that X.509 allows, version 1 without extensions.
 * node has no maker of certificates, and this one proves nothing to anybody but the sandbox's own consumers.
 *
 * Source: RFC 5280, section 4.1; encoding: X.690 (DER)
 */
export const selfSignedCertificate = (privateKey: KeyObject): string => {
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
