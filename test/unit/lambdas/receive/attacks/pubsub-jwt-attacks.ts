import { constants, createHmac, createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { AUDIENCE, SERVICE_ACCOUNT } from '../../../../support/issuer.ts';
import {
  type Attack,
  type AttackedKind,
  GENUINE,
  GENUINE_WITHOUT_TIME,
  INJECTED,
  type Keys,
  pubsubPush,
} from './attack.ts';

const HOUR_SECONDS = 3600;
const nowSeconds = () => Math.floor(Date.now() / 1000);
const encode = (part: unknown) =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');

const validClaims = () => ({
  aud: AUDIENCE,
  iss: 'https://accounts.google.com',
  email: SERVICE_ACCOUNT,
  email_verified: true,
  iat: nowSeconds(),
  exp: nowSeconds() + HOUR_SECONDS,
});

type Sign = (text: string) => string;
const rs256 =
  (key: KeyObject): Sign =>
  (text) =>
    sign('sha256', Buffer.from(text), key).toString('base64url');
const hs256 =
  (secret: string): Sign =>
  (text) =>
    createHmac('sha256', secret).update(text).digest('base64url');

const tokenOf = (header: Record<string, unknown>, claims: Record<string, unknown>, signText: Sign): string => {
  const text = `${encode(header)}.${encode(claims)}`;
  return `${text}.${signText(text)}`;
};

const HEADER = { alg: 'RS256', kid: 'key-0', typ: 'JWT' };
const bearer = (authorization: string | undefined) => ({ headers: { authorization }, body: pubsubPush(INJECTED) });

/** A token of the genuine issuer, as any of its customers can get, with other claims than the stage requires. */
const claims = (name: string, reason: string, changes: () => Record<string, unknown>): Attack => ({
  name,
  reason,
  request: async ({ issuer }) => bearer(`Bearer ${await issuer.sign(changes())}`),
});
/** A token with every claim right, with another header or signature. */
const token = (name: string, reason: string, build: (keys: Keys) => string | Promise<string>): Attack => ({
  name,
  reason,
  request: async (keys) => bearer(`Bearer ${await build(keys)}`),
});
/** Another Authorization header, made from a genuine token. */
const authorization = (
  name: string,
  reason: string,
  build: (genuine: string, injected: string) => string | undefined,
): Attack => ({
  name,
  reason,
  request: async ({ issuer, foreignIssuer }) => bearer(build(await issuer.sign(), await foreignIssuer.sign())),
});

const jwkOf = (key: KeyObject) =>
  createPrivateKey(key.export({ type: 'pkcs8', format: 'pem' })).export({ format: 'jwk' });
const publicJwk = (key: KeyObject) => {
  const { kty, n, e } = jwkOf(key);
  return { kty, n, e, kid: 'key-0', alg: 'RS256', use: 'sig' };
};
const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const INVALID = 'ERR_JWS_INVALID';
const WRONG_SIGNATURE = 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED';
const ALGORITHM = 'ERR_JOSE_ALG_NOT_ALLOWED';
const NO_KEY = 'ERR_JWKS_NO_MATCHING_KEY';
const NO_TOKEN = 'no bearer token';

export const pubsubJwtAttacks = (jwksUrl: string): AttackedKind => ({
  auth: { kind: 'pubsub-jwt', audience: AUDIENCE, serviceAccountEmail: SERVICE_ACCOUNT, jwksUrl },
  honest: [
    {
      name: 'a wrapped push',
      request: async ({ issuer }) => ({
        headers: { authorization: `Bearer ${await issuer.sign()}` },
        body: pubsubPush(GENUINE),
      }),
    },
    {
      name: 'an unwrapped push',
      request: async ({ issuer }) => ({ headers: { authorization: `Bearer ${await issuer.sign()}` }, body: GENUINE }),
    },
    {
      name: 'the short form of the issuer',
      request: async ({ issuer }) => ({
        headers: { authorization: `Bearer ${await issuer.sign({ iss: 'accounts.google.com' })}` },
        body: GENUINE,
      }),
    },
    {
      name: 'a scheme in lower case (RFC 9110, 11.1)',
      request: async ({ issuer }) => ({ headers: { authorization: `bearer ${await issuer.sign()}` }, body: GENUINE }),
    },
  ],
  attacks: [
    authorization('no Authorization header', NO_TOKEN, () => undefined),
    authorization('an empty Authorization header', NO_TOKEN, () => ''),
    authorization('a scheme without a token', NO_TOKEN, () => 'Bearer'),
    authorization('a scheme with a space only', NO_TOKEN, () => 'Bearer '),
    authorization('a token without its scheme', NO_TOKEN, (genuine) => genuine),
    authorization('a token of another scheme', NO_TOKEN, (genuine) => `Basic ${genuine}`),
    authorization('a scheme that starts with Bearer', NO_TOKEN, (genuine) => `BearerX ${genuine}`),
    authorization('two tokens after one scheme', NO_TOKEN, (genuine, injected) => `Bearer ${injected} ${genuine}`),
    authorization('two tokens without a space', INVALID, (genuine, injected) => `Bearer ${injected},${genuine}`),
    authorization(
      'two headers, the injected one first',
      NO_TOKEN,
      (genuine, injected) => `Bearer ${injected},Bearer ${genuine}`,
    ),
    authorization(
      'two headers, the genuine one first',
      NO_TOKEN,
      (genuine, injected) => `Bearer ${genuine},Bearer ${injected}`,
    ),
    authorization('a tab after the scheme', NO_TOKEN, (genuine) => `Bearer\t${genuine}`),
    authorization('a line break after the token', NO_TOKEN, (genuine) => `Bearer ${genuine}\n`),
    authorization('a token in lower case', INVALID, (genuine) => `Bearer ${genuine.toLowerCase()}`),
    authorization('a token in quotes', INVALID, (genuine) => `Bearer "${genuine}"`),
    authorization('a token of 8 KB of letters', INVALID, () => `Bearer ${'a'.repeat(8_192)}`),
    authorization('a token of 1 MB of dots', INVALID, () => `Bearer ${'.'.repeat(1_048_576)}`),
    authorization('a token of five parts, as of encryption', INVALID, (genuine) => `Bearer ${genuine}.a.b`),
    authorization(
      'a token without its signature',
      INVALID,
      (genuine) => `Bearer ${genuine.split('.').slice(0, 2).join('.')}`,
    ),
    authorization(
      'a token with an empty signature',
      WRONG_SIGNATURE,
      (genuine) => `Bearer ${genuine.split('.').slice(0, 2).join('.')}.`,
    ),
    authorization('a truncated signature', WRONG_SIGNATURE, (genuine) => `Bearer ${genuine.slice(0, -8)}`),
    authorization(
      'a signature with other last bytes',
      WRONG_SIGNATURE,
      (genuine) => `Bearer ${genuine.slice(0, -8)}AAAAAAAA`,
    ),
    authorization('three dots', INVALID, () => 'Bearer ...'),
    ...['x-authorization', 'proxy-authorization', 'x-forwarded-authorization', 'cookie', 'Authorization'].map(
      (header): Attack => ({
        name: `a genuine token in the header ${header}`,
        reason: NO_TOKEN,
        request: async ({ issuer }) => ({
          headers: { [header]: `Bearer ${await issuer.sign()}` },
          body: pubsubPush(INJECTED),
        }),
      }),
    ),
    {
      name: 'a genuine token in the body',
      reason: NO_TOKEN,
      request: async ({ issuer }) => ({
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: `access_token=${await issuer.sign()}&event=${encodeURIComponent(INJECTED)}`,
      }),
    },

    ...['none', 'None', 'NONE', 'nOnE'].map((alg) =>
      token(`the algorithm ${alg}`, alg === 'none' ? ALGORITHM : ALGORITHM, () =>
        tokenOf({ ...HEADER, alg }, validClaims(), () => ''),
      ),
    ),
    token('no algorithm', INVALID, ({ issuer }) =>
      tokenOf({ kid: 'key-0' }, validClaims(), rs256(issuer.privateKey())),
    ),
    token('HS256 with the public key in PEM as the secret', ALGORITHM, async ({ issuer }) =>
      tokenOf({ ...HEADER, alg: 'HS256' }, validClaims(), hs256(await issuer.publicKey())),
    ),
    token('HS256 with the public key as a JWK as the secret', ALGORITHM, ({ issuer }) =>
      tokenOf({ ...HEADER, alg: 'HS256' }, validClaims(), hs256(JSON.stringify(publicJwk(issuer.privateKey())))),
    ),
    token('HS256 with an empty secret', ALGORITHM, () =>
      tokenOf({ ...HEADER, alg: 'HS256' }, validClaims(), hs256('')),
    ),
    ...(['RS384', 'RS512'] as const).map((alg) =>
      token(`${alg} with the issuer's key`, ALGORITHM, ({ issuer }) =>
        tokenOf({ ...HEADER, alg }, validClaims(), (text) =>
          sign(`sha${alg.slice(2)}`, Buffer.from(text), issuer.privateKey()).toString('base64url'),
        ),
      ),
    ),
    token("PS256 with the issuer's key", ALGORITHM, ({ issuer }) =>
      tokenOf({ ...HEADER, alg: 'PS256' }, validClaims(), (text) =>
        sign('sha256', Buffer.from(text), {
          key: issuer.privateKey(),
          padding: constants.RSA_PKCS1_PSS_PADDING,
          saltLength: 32,
        }).toString('base64url'),
      ),
    ),
    token("ES256 with the attacker's key in the header", ALGORITHM, () =>
      tokenOf({ ...HEADER, alg: 'ES256', jwk: elliptic.publicKey.export({ format: 'jwk' }) }, validClaims(), (text) =>
        sign('sha256', Buffer.from(text), { key: elliptic.privateKey, dsaEncoding: 'ieee-p1363' }).toString(
          'base64url',
        ),
      ),
    ),
    token("the attacker's key under the issuer's key id", WRONG_SIGNATURE, ({ foreignIssuer }) => foreignIssuer.sign()),
    token("the attacker's key under an unknown key id", NO_KEY, ({ foreignIssuer }) =>
      foreignIssuer.sign({}, { kid: 'unknown' }),
    ),
    token("the attacker's key without a key id", WRONG_SIGNATURE, ({ foreignIssuer }) =>
      foreignIssuer.sign({}, { kid: undefined }),
    ),
    ...['', '__proto__', 'constructor', '../../dev/null', "' OR 1=1 --", 'k'.repeat(4_096)].map((kid) =>
      token(`the key id ${kid.slice(0, 20)}`, NO_KEY, ({ foreignIssuer }) => foreignIssuer.sign({}, { kid })),
    ),
    token('a key in the header (jwk)', WRONG_SIGNATURE, ({ foreignIssuer }) =>
      foreignIssuer.sign({}, { jwk: publicJwk(foreignIssuer.privateKey()) }),
    ),
    token('the address of keys in the header (jku)', WRONG_SIGNATURE, ({ foreignIssuer }) =>
      foreignIssuer.sign({}, { jku: foreignIssuer.jwksUrl }),
    ),
    token('the address of keys in the header, with an unknown key id', NO_KEY, ({ foreignIssuer }) =>
      foreignIssuer.sign({}, { jku: foreignIssuer.jwksUrl, kid: 'unknown' }),
    ),
    token('the address of a certificate in the header (x5u)', WRONG_SIGNATURE, ({ foreignIssuer }) =>
      foreignIssuer.sign({}, { x5u: foreignIssuer.jwksUrl }),
    ),
    token('a certificate in the header (x5c)', WRONG_SIGNATURE, async ({ foreignIssuer }) =>
      foreignIssuer.sign({}, { x5c: [(await foreignIssuer.publicKey()).replace(/-----[^-]+-----|\n/g, '')] }),
    ),
    token('an unencoded payload (b64, crit)', 'ERR_JWT_INVALID', ({ issuer }) =>
      tokenOf({ ...HEADER, b64: false, crit: ['b64'] }, validClaims(), rs256(issuer.privateKey())),
    ),
    token('a critical extension that is not supported', 'ERR_JOSE_NOT_SUPPORTED', ({ issuer }) =>
      tokenOf({ ...HEADER, crit: ['exp'], exp: 1 }, validClaims(), rs256(issuer.privateKey())),
    ),
    token('claims that were changed after signing', WRONG_SIGNATURE, async ({ issuer }) => {
      const [header, , signature] = (await issuer.sign({ aud: 'another' })).split('.');
      return `${header}.${encode(validClaims())}.${signature}`;
    }),
    token('a header that was changed after signing', WRONG_SIGNATURE, async ({ issuer }) => {
      const [, payload, signature] = (await issuer.sign()).split('.');
      return `${encode({ ...HEADER, typ: 'at+jwt' })}.${payload}.${signature}`;
    }),
    token('claims that are not an object', 'ERR_JWT_INVALID', ({ issuer }) => {
      const text = `${encode(HEADER)}.${encode('"claims"')}`;
      return `${text}.${rs256(issuer.privateKey())(text)}`;
    }),
    token('claims that are not JSON', 'ERR_JWT_INVALID', ({ issuer }) => {
      const text = `${encode(HEADER)}.${encode('claims')}`;
      return `${text}.${rs256(issuer.privateKey())(text)}`;
    }),

    claims('another audience', 'claim aud', () => ({ aud: 'another' })),
    claims('a list of other audiences', 'claim aud', () => ({ aud: ['another', `${AUDIENCE}/`] })),
    claims('an audience that starts like the right one', 'claim aud', () => ({ aud: `${AUDIENCE}-2` })),
    claims('an audience in upper case', 'claim aud', () => ({ aud: AUDIENCE.toUpperCase() })),
    claims('no audience', 'claim aud', () => ({ aud: undefined })),
    claims('an empty audience', 'claim aud', () => ({ aud: '' })),
    claims('another issuer', 'claim iss', () => ({ iss: 'https://issuer.example' })),
    claims('an issuer with a slash', 'claim iss', () => ({ iss: 'https://accounts.google.com/' })),
    claims('an issuer with another host behind it', 'claim iss', () => ({
      iss: 'https://accounts.google.com.example',
    })),
    claims('an issuer without TLS', 'claim iss', () => ({ iss: 'http://accounts.google.com' })),
    claims('a list of issuers', 'claim iss', () => ({ iss: ['https://accounts.google.com'] })),
    claims('no issuer', 'claim iss', () => ({ iss: undefined })),
    claims('another service account', 'wrong service account', () => ({
      email: 'other@project.iam.gserviceaccount.com',
    })),
    claims('a service account in upper case', 'wrong service account', () => ({
      email: SERVICE_ACCOUNT.toUpperCase(),
    })),
    claims('a service account with a suffix', 'wrong service account', () => ({ email: `${SERVICE_ACCOUNT}.example` })),
    claims('a list of service accounts', 'wrong service account', () => ({ email: [SERVICE_ACCOUNT] })),
    claims('a service account in another claim', 'wrong service account', () => ({
      email: undefined,
      sub: SERVICE_ACCOUNT,
    })),
    claims('an email that is not verified', 'email not verified', () => ({ email_verified: false })),
    claims('a verified email as text', 'email not verified', () => ({ email_verified: 'true' })),
    claims('a verified email as a number', 'email not verified', () => ({ email_verified: 1 })),
    claims('an email without a word on whether it is verified', 'email not verified', () => ({
      email_verified: undefined,
    })),
    claims('a token that expired', 'ERR_JWT_EXPIRED', () => ({ exp: nowSeconds() - 60 })),
    claims('a token that expired a year ago', 'ERR_JWT_EXPIRED', () => ({
      iat: 1,
      exp: nowSeconds() - 365 * 24 * HOUR_SECONDS,
    })),
    claims('no expiry', 'claim exp', () => ({ exp: undefined })),
    claims('an expiry as text', 'claim exp', () => ({ exp: String(nowSeconds() + HOUR_SECONDS) })),
    claims('no time of issue', 'claim iat', () => ({ iat: undefined })),
    claims('a time of issue as text', 'claim iat', () => ({ iat: String(nowSeconds()) })),
    claims('a time of issue ten minutes from now', 'claim iat', () => ({ iat: nowSeconds() + 600 })),
    claims('a token that is not valid yet', 'claim nbf', () => ({ nbf: nowSeconds() + 600 })),

    {
      name: 'a replay of the same push, with the same token',
      outcome: 'nothing new',
      request: async ({ issuer }) => ({
        headers: { authorization: `Bearer ${await issuer.sign()}` },
        body: pubsubPush(GENUINE),
      }),
    },
    {
      name: "headers that claim another id and time than the push's own",
      outcome: 'genuine only',
      request: async ({ issuer }) => ({
        headers: {
          authorization: `Bearer ${await issuer.sign()}`,
          'x-goog-pubsub-message-id': INJECTED,
          'x-goog-pubsub-publish-time': '2001-01-01T00:00:00Z',
        },
        body: pubsubPush(GENUINE_WITHOUT_TIME),
      }),
    },
    {
      name: 'an SNS notification beside the push',
      outcome: 'genuine only',
      request: async ({ issuer }) => ({
        headers: { authorization: `Bearer ${await issuer.sign()}` },
        body: JSON.stringify({
          ...JSON.parse(pubsubPush(GENUINE)),
          Type: 'Notification',
          TopicArn: 'arn:aws:sns:eu-west-1:111122223333:chat-events',
          MessageId: INJECTED,
          Message: INJECTED,
        }),
      }),
    },
  ],
});
