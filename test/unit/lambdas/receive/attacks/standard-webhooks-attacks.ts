import { createHmac } from 'node:crypto';
import { type SignedRequest, STANDARD_SECRET, standardWebhooksRequest } from '../../../../support/signed-requests.ts';
import { type Attack, type AttackedKind, GENUINE, GENUINE_WITHOUT_TIME, INJECTED, pubsubPush } from './attack.ts';

const OTHER_SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const SECOND_SECRET = 'whsec_pH3kQm8vT1yW6rZc9xJd2nLb5sFg7uAe';

const at = (secondsFromNow: number) => new Date(Date.now() + secondsFromNow * 1000).toISOString();
const timestamp = (secondsFromNow = 0) => String(Math.floor(Date.now() / 1000) + secondsFromNow);
const signed = (body = GENUINE, options: Parameters<typeof standardWebhooksRequest>[1] = {}) =>
  standardWebhooksRequest(body, { at: at(0), ...options });
const sent = ({ headers, unverifiedBody }: SignedRequest) => ({ headers, body: unverifiedBody });

const SIGNATURE = 'invalid signature';
const NO_SIGNATURE = 'no v1 signature';
const NO_METADATA = 'no webhook-id or webhook-timestamp';
const MALFORMED_TIME = 'malformed webhook-timestamp';
const TIME = 'webhook-timestamp out of tolerance';

/** A genuine request of which the attacker changed headers. */
const header = (
  name: string,
  reason: string,
  change: (genuine: SignedRequest['headers']) => SignedRequest['headers'],
): Attack => ({
  name,
  reason,
  request: () => {
    const { headers, unverifiedBody } = signed();
    return { headers: { ...headers, ...change(headers) }, body: unverifiedBody };
  },
});
/** A genuine request of which the attacker changed the body. */
const body = (name: string, change: (genuine: Buffer) => Buffer | string): Attack => ({
  name,
  reason: SIGNATURE,
  request: () => {
    const { headers, unverifiedBody } = signed();
    return { headers, body: change(Buffer.from(unverifiedBody)) };
  },
});
/** An injected body with a signature that the attacker computed without the secret, or over something else. */
const signature = (name: string, reason: string, sign: (text: string) => string): Attack => ({
  name,
  reason,
  request: () => {
    const [id, time] = ['msg_1', timestamp()];
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': time,
      'webhook-signature': sign(`${id}.${time}.${INJECTED}`),
    };
    return { headers, body: INJECTED };
  },
});
const hmac = (algorithm: string, key: Buffer | string, text: string) =>
  createHmac(algorithm, key).update(text).digest('base64');
const KEY = Buffer.from(STANDARD_SECRET.replace('whsec_', ''), 'base64');
const flipped = (bytes: Buffer, index: number) => {
  bytes[index] = (bytes[index] ?? 0) ^ 1;
  return bytes;
};

export const standardWebhooksAttacks: AttackedKind = {
  auth: { kind: 'standard-webhooks' },
  secret: `${STANDARD_SECRET}\n${SECOND_SECRET}`,
  honest: [
    { name: 'a signed event', request: () => sent(signed()) },
    { name: 'an event signed with the second secret', request: () => sent(signed(GENUINE, { secret: SECOND_SECRET })) },
    {
      name: 'several signatures, the right one last',
      request: () => {
        const { headers, unverifiedBody } = signed();
        const wrong = signed(GENUINE, { secret: OTHER_SECRET }).headers['webhook-signature'];
        return {
          headers: { ...headers, 'webhook-signature': `v1a,AAAA ${wrong} ${headers['webhook-signature']}` },
          body: unverifiedBody,
        };
      },
    },
  ],
  attacks: [
    { name: 'no headers', reason: NO_METADATA, request: () => ({ headers: {}, body: INJECTED }) },
    ...['webhook-id', 'webhook-timestamp'].flatMap((name) => [
      header(`no ${name}`, NO_METADATA, () => ({ [name]: undefined })),
      header(`an empty ${name}`, NO_METADATA, () => ({ [name]: '' })),
    ]),
    header('no webhook-signature', NO_SIGNATURE, () => ({ 'webhook-signature': undefined })),
    header('an empty webhook-signature', NO_SIGNATURE, () => ({ 'webhook-signature': '' })),
    {
      name: 'the headers of another product (svix-id, svix-timestamp, svix-signature)',
      reason: NO_METADATA,
      request: () => {
        const { headers, unverifiedBody } = signed();
        const renamed = Object.entries(headers).map(([name, value]) => [name.replace('webhook', 'svix'), value]);
        return { headers: Object.fromEntries(renamed), body: unverifiedBody };
      },
    },

    ...[-301, 301, -3_600, 3_600, -365 * 24 * 3_600].map(
      (seconds): Attack => ({
        name: `a genuine request ${Math.abs(seconds)} seconds ${seconds < 0 ? 'old' : 'from now'}`,
        reason: TIME,
        request: () => sent(signed(GENUINE, { at: at(seconds) })),
      }),
    ),
    header('a timestamp of zero', TIME, () => ({ 'webhook-timestamp': '0' })),
    header('a timestamp in milliseconds', MALFORMED_TIME, () => ({ 'webhook-timestamp': String(Date.now()) })),
    ...[
      'now',
      'NaN',
      'Infinity',
      '1e9',
      '0x6920',
      '-1700000000',
      '+1700000000',
      '1700000000.0',
      ' 1700000000',
      '1700000000 ',
    ].map((given) =>
      header(`the timestamp ${JSON.stringify(given)}`, MALFORMED_TIME, () => ({ 'webhook-timestamp': given })),
    ),
    header('a timestamp in other digits', MALFORMED_TIME, () => ({ 'webhook-timestamp': '\u0661\u0667\u0660' })),
    header('two timestamps', MALFORMED_TIME, ({ 'webhook-timestamp': time }) => ({
      'webhook-timestamp': `${time},${time}`,
    })),
    header('a timestamp with a leading zero', SIGNATURE, ({ 'webhook-timestamp': time }) => ({
      'webhook-timestamp': `0${time}`,
    })),
    header('a timestamp one second later', SIGNATURE, () => ({ 'webhook-timestamp': timestamp(1) })),
    {
      name: 'an old request with a new timestamp',
      reason: SIGNATURE,
      request: () => {
        const { headers, unverifiedBody } = signed(GENUINE, { at: at(-3_600) });
        return { headers: { ...headers, 'webhook-timestamp': timestamp() }, body: unverifiedBody };
      },
    },

    header('another id', SIGNATURE, () => ({ 'webhook-id': 'msg_2' })),
    header('the id in upper case', SIGNATURE, () => ({ 'webhook-id': 'MSG_1' })),
    header('the id twice', SIGNATURE, () => ({ 'webhook-id': 'msg_1,msg_1' })),
    header('a space after the id', SIGNATURE, () => ({ 'webhook-id': 'msg_1 ' })),
    {
      name: 'an id and a timestamp with the dot moved between them',
      reason: SIGNATURE,
      request: () => {
        const { headers, unverifiedBody } = signed();
        const time = headers['webhook-timestamp'] ?? '';
        return {
          headers: { ...headers, 'webhook-id': `msg_1.${time}`, 'webhook-timestamp': time },
          body: unverifiedBody,
        };
      },
    },

    ...[0, 1, 20].map((index) =>
      body(`a body with one bit of byte ${index} changed`, (genuine) => flipped(genuine, index)),
    ),
    body('a body with one bit of the last byte changed', (genuine) => flipped(genuine, genuine.length - 1)),
    body('a line break after the body', (genuine) => `${genuine}\n`),
    body('a space before the body', (genuine) => ` ${genuine}`),
    body('a byte order mark before the body', (genuine) => `\ufeff${genuine}`),
    body('a body without its last byte', (genuine) => genuine.subarray(0, -1)),
    body('an empty body', () => ''),
    body('a body formatted in another way', (genuine) => JSON.stringify(JSON.parse(String(genuine)), null, 2)),
    body('another body', () => INJECTED),
    body('the body twice', (genuine) => Buffer.concat([genuine, genuine])),
    body('a field after the body', (genuine) => `${String(genuine).slice(0, -1)},"MESSAGE":"injected"}`),
    body('the body in base64', (genuine) => genuine.toString('base64')),
    body('the body in a Pub/Sub push', (genuine) => pubsubPush(String(genuine))),

    header('a signature of version v1a', NO_SIGNATURE, ({ 'webhook-signature': one }) => ({
      'webhook-signature': one?.replace('v1,', 'v1a,'),
    })),
    header('a signature of version v2', NO_SIGNATURE, ({ 'webhook-signature': one }) => ({
      'webhook-signature': one?.replace('v1,', 'v2,'),
    })),
    header('a signature of version V1', NO_SIGNATURE, ({ 'webhook-signature': one }) => ({
      'webhook-signature': one?.replace('v1,', 'V1,'),
    })),
    header('a signature with an equals sign after its version', NO_SIGNATURE, ({ 'webhook-signature': one }) => ({
      'webhook-signature': one?.replace('v1,', 'v1='),
    })),
    header('a signature without a version', NO_SIGNATURE, ({ 'webhook-signature': one }) => ({
      'webhook-signature': one?.replace('v1,', ''),
    })),
    header('a version without a signature', NO_SIGNATURE, () => ({ 'webhook-signature': 'v1,' })),
    header('a truncated signature', NO_SIGNATURE, ({ 'webhook-signature': one }) => ({
      'webhook-signature': one?.slice(0, -8),
    })),
    header('the first byte of a signature', NO_SIGNATURE, ({ 'webhook-signature': one }) => ({
      'webhook-signature': one?.slice(0, 5),
    })),
    header('a signature with a byte more', NO_SIGNATURE, ({ 'webhook-signature': one }) => ({
      'webhook-signature': `v1,${Buffer.concat([Buffer.from(one?.slice(3) ?? '', 'base64'), Buffer.alloc(1)]).toString('base64')}`,
    })),
    header('a signature in lower case', SIGNATURE, ({ 'webhook-signature': one }) => ({
      'webhook-signature': one?.toLowerCase(),
    })),
    header('a signature of zeros', SIGNATURE, () => ({
      'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}`,
    })),
    header('200 wrong signatures, as many as fit', SIGNATURE, () => ({
      'webhook-signature': Array.from(
        { length: 200 },
        (_, index) => `v1,${Buffer.alloc(32, index).toString('base64')}`,
      ).join(' '),
    })),
    header('50,000 empty signatures', NO_SIGNATURE, () => ({ 'webhook-signature': 'v1, '.repeat(50_000) })),
    header('the signature of another request', SIGNATURE, () => ({
      'webhook-signature': signed(GENUINE, { id: 'msg_other' }).headers['webhook-signature'],
    })),
    signature(
      'a signature with another secret',
      SIGNATURE,
      (text) => `v1,${hmac('sha256', Buffer.from(OTHER_SECRET.slice(6), 'base64'), text)}`,
    ),
    signature('a signature with an empty secret', SIGNATURE, (text) => `v1,${hmac('sha256', '', text)}`),
    signature(
      'a signature with the text of the prefix as the secret',
      SIGNATURE,
      (text) => `v1,${hmac('sha256', 'whsec_', text)}`,
    ),
    signature(
      'a signature with the secret that was not decoded',
      SIGNATURE,
      (text) => `v1,${hmac('sha256', STANDARD_SECRET, text)}`,
    ),
    signature('a digest instead of a signature', SIGNATURE, (text) => `v1,${hmac('sha256', Buffer.alloc(64), text)}`),
    signature('a signature over the body alone', SIGNATURE, () => `v1,${hmac('sha256', KEY, INJECTED)}`),
    signature(
      'a signature over id and timestamp alone',
      SIGNATURE,
      (text) => `v1,${hmac('sha256', KEY, text.replace(INJECTED, ''))}`,
    ),
    signature(
      'a signature without the dots',
      SIGNATURE,
      (text) => `v1,${hmac('sha256', KEY, text.replaceAll('.', ''))}`,
    ),
    signature('a signature by SHA-1', NO_SIGNATURE, (text) => `v1,${hmac('sha1', KEY, text)}`),
    signature('a signature by SHA-512', NO_SIGNATURE, (text) => `v1,${hmac('sha512', KEY, text)}`),
    signature('a signature by another digest of 32 bytes', SIGNATURE, (text) => `v1,${hmac('sha512-256', KEY, text)}`),
    signature(
      'a signature in hexadecimal',
      NO_SIGNATURE,
      (text) => `v1,${createHmac('sha256', KEY).update(text).digest('hex')}`,
    ),

    {
      name: 'a replay within the tolerance',
      outcome: 'nothing new',
      request: () => sent(signed(GENUINE, { at: at(-60) })),
    },
    {
      name: 'headers that claim another id and time than the signed ones',
      outcome: 'genuine only',
      request: () => {
        const { headers, unverifiedBody } = signed(GENUINE_WITHOUT_TIME);
        return {
          headers: {
            ...headers,
            'x-goog-pubsub-message-id': INJECTED,
            'x-goog-pubsub-publish-time': '2001-01-01T00:00:00Z',
          },
          body: unverifiedBody,
        };
      },
    },
  ],
};
