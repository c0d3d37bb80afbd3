/** The minimum of the Standard Webhooks specification, "Signature scheme". Its maximum does not matter: a longer key is no weaker. */
export const MIN_SIGNING_BYTES = 24;

/** The prefix of a signing secret, which may be missing. */
export const SIGNING_PREFIX = 'whsec_';

/**
 * Decodes a signing secret: base64 after an optional prefix. Returns undefined if it is not base64. The key can be
 * shorter than {@link MIN_SIGNING_BYTES}.
 * Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const decodeSigningSecret = (line: string): Buffer | undefined => {
  const encoded = line.startsWith(SIGNING_PREFIX) ? line.slice(SIGNING_PREFIX.length) : line;
  const key = Buffer.from(encoded, 'base64');
  // Node.js skips characters that are not base64. An empty or shortened key would let others sign requests.
  return key.toString('base64').replace(/=+$/, '') === encoded.replace(/=+$/, '') ? key : undefined;
};
