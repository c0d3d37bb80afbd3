import { sign } from 'node:crypto';
import {
  CERTIFICATE_URL,
  signSns,
  snsConfirmation,
  snsNotification,
  TOPIC,
} from '../../../../support/signed-requests.ts';
import {
  type Attack,
  type AttackedKind,
  GENUINE,
  GENUINE_WITHOUT_TIME,
  INJECTED,
  INJECTED_MARK,
  type Keys,
  pubsubPush,
} from './attack.ts';

type Message = Record<string, unknown>;

const genuine = ({ sns }: Keys, changes: Message = {}) =>
  signSns(snsNotification({ Message: GENUINE, Timestamp: new Date().toISOString(), ...changes }), sns);
const injected = ({ foreignSns }: Keys, changes: Message = {}) =>
  signSns(snsNotification({ Message: INJECTED, ...changes }), foreignSns);
const confirmation = ({ sns }: Keys, changes: Message = {}) => signSns(snsConfirmation(changes), sns);

const SIGNATURE = 'invalid signature';
const NOT_SNS = 'not an Amazon SNS message';
const TOPIC_REASON = 'wrong topic';
const URL_REASON = 'unexpected certificate URL';
const NO_CERTIFICATE = 'no such certificate';
const CONFIRMATION_URL = 'unexpected URL in the subscription confirmation';
const HEADERS = { 'content-type': 'text/plain; charset=UTF-8', 'x-amz-sns-message-type': 'Notification' };

const message = (name: string, reason: string, build: (keys: Keys) => Message): Attack => ({
  name,
  reason,
  request: (keys) => ({ headers: HEADERS, body: JSON.stringify(build(keys)) }),
});
const text = (name: string, reason: string, build: (keys: Keys) => string | Buffer): Attack => ({
  name,
  reason,
  request: (keys) => ({ headers: HEADERS, body: build(keys) }),
});
/** A message that the attacker signed, with the address of the attacker's certificate. */
const certificate = (SigningCertURL: string, reason = URL_REASON): Attack =>
  message(`a certificate at ${SigningCertURL.slice(0, 110)}`, reason, (keys) => injected(keys, { SigningCertURL }));
/** A genuine notification with something unsigned beside it, which must not be read. */
const beside = (name: string, build: (keys: Keys) => Message | string): Attack => ({
  name: `beside a genuine notification: ${name}`,
  outcome: 'genuine only',
  request: (keys) => {
    const body = build(keys);
    return { headers: HEADERS, body: typeof body === 'string' ? body : JSON.stringify(body) };
  },
});
/** A confirmation that is signed, whose SubscribeURL must not be visited. */
const subscribeUrl = (name: string, build: (url: string) => string): Attack =>
  message(`a signed confirmation ${name}`, CONFIRMATION_URL, (keys) =>
    confirmation(keys, { SubscribeURL: build(String(snsConfirmation().SubscribeURL)) }),
  );

const PEM = 'SimpleNotificationService-0123456789abcdef0123456789abcdef.pem';
const HOST = 'sns.eu-west-1.amazonaws.com';
const UNSIGNED_PUSH = JSON.parse(pubsubPush(INJECTED, INJECTED_MARK));
const fieldNames = [
  'Type',
  'MessageId',
  'TopicArn',
  'Message',
  'Timestamp',
  'SignatureVersion',
  'Signature',
  'SigningCertURL',
];
/** Puts a field before all others, so that JSON has the name twice. */
const firstAs = (json: string, field: string, value: string) =>
  `{${JSON.stringify(field)}:${JSON.stringify(value)},${json.slice(1)}`;
const lastAs = (json: string, field: string, value: string) =>
  `${json.slice(0, -1)},${JSON.stringify(field)}:${JSON.stringify(value)}}`;
/** Signs text that no builder would: what the attacker would have liked SNS to sign. */
const signText = (signed: string, key: Keys['sns']) => sign('RSA-SHA256', Buffer.from(signed), key).toString('base64');

export const snsAttacks: AttackedKind = {
  auth: { kind: 'sns', topicArn: TOPIC },
  honest: [
    { name: 'a notification', request: (keys) => ({ headers: HEADERS, body: JSON.stringify(genuine(keys)) }) },
    {
      name: 'a notification with signature version 1',
      request: (keys) => ({ headers: HEADERS, body: JSON.stringify(genuine(keys, { SignatureVersion: '1' })) }),
    },
    {
      name: 'a notification with a subject',
      request: (keys) => ({ headers: HEADERS, body: JSON.stringify(genuine(keys, { Subject: 'An event' })) }),
    },
  ],
  attacks: [
    text('an event without an envelope', NOT_SNS, () => INJECTED),
    text('an event, as raw message delivery sends it, with the headers of Amazon SNS', NOT_SNS, () => INJECTED),
    text('a Pub/Sub push', NOT_SNS, () => pubsubPush(INJECTED)),
    text('an empty body', NOT_SNS, () => ''),
    text('an empty object', NOT_SNS, () => '{}'),
    text('a list with a genuine notification', NOT_SNS, (keys) => JSON.stringify([genuine(keys)])),
    text('a genuine notification in a string', NOT_SNS, (keys) => JSON.stringify(JSON.stringify(genuine(keys)))),
    text('two genuine notifications, one after the other', NOT_SNS, (keys) => JSON.stringify(genuine(keys)).repeat(2)),
    text('a genuine notification that is cut off', NOT_SNS, (keys) => JSON.stringify(genuine(keys)).slice(0, -1)),
    ...fieldNames.map((field) => message(`no ${field}`, NOT_SNS, (keys) => ({ ...genuine(keys), [field]: undefined }))),
    ...fieldNames.map((field) =>
      message(`${field} as a list`, NOT_SNS, (keys) => ({ ...genuine(keys), [field]: [genuine(keys)[field]] })),
    ),
    ...fieldNames
      .filter((field) => field !== 'Message')
      .map((field) =>
        message(`${field} as an object`, NOT_SNS, (keys) => ({ ...genuine(keys), [field]: { toString: 'x' } })),
      ),

    message('another topic, with a valid signature', TOPIC_REASON, (keys) => genuine(keys, { TopicArn: `${TOPIC}-2` })),
    message('a topic of the same name in another account', TOPIC_REASON, (keys) =>
      genuine(keys, { TopicArn: TOPIC.replace('111122223333', '444455556666') }),
    ),
    message('a topic of the same name in another region', TOPIC_REASON, (keys) =>
      genuine(keys, { TopicArn: TOPIC.replace('eu-west-1', 'us-east-1') }),
    ),
    message('the topic in upper case', TOPIC_REASON, (keys) => genuine(keys, { TopicArn: TOPIC.toUpperCase() })),
    message('the topic with a space', TOPIC_REASON, (keys) => genuine(keys, { TopicArn: `${TOPIC} ` })),
    message('the topic of the stage on a message of another topic', SIGNATURE, (keys) => ({
      ...genuine(keys, { TopicArn: `${TOPIC}-2` }),
      TopicArn: TOPIC,
    })),

    message("a signature with the attacker's key, and the genuine certificate", SIGNATURE, (keys) => injected(keys)),
    message('another message', SIGNATURE, (keys) => ({ ...genuine(keys), Message: INJECTED })),
    message('the message with a space after it', SIGNATURE, (keys) => ({ ...genuine(keys), Message: `${GENUINE} ` })),
    message('an empty message', SIGNATURE, (keys) => ({ ...genuine(keys), Message: '' })),
    message('another message id', SIGNATURE, (keys) => ({ ...genuine(keys), MessageId: 'other' })),
    message('another timestamp', SIGNATURE, (keys) => ({ ...genuine(keys), Timestamp: '2026-11-20T11:59:00.001Z' })),
    message('an empty signature', SIGNATURE, (keys) => ({ ...genuine(keys), Signature: '' })),
    message('a truncated signature', SIGNATURE, (keys) => ({
      ...genuine(keys),
      Signature: String(genuine(keys).Signature).slice(0, -8),
    })),
    message('a signature of zeros', SIGNATURE, (keys) => ({
      ...genuine(keys),
      Signature: Buffer.alloc(256).toString('base64'),
    })),
    message('a signature of 1 MB', SIGNATURE, (keys) => ({ ...genuine(keys), Signature: 'A'.repeat(1_048_576) })),
    message('the signature of another message', SIGNATURE, (keys) => ({
      ...genuine(keys),
      Signature: genuine(keys, { MessageId: 'other' }).Signature,
    })),
    message('a signature of version 2 that claims to be of version 1', SIGNATURE, (keys) => ({
      ...genuine(keys),
      SignatureVersion: '1',
    })),
    message('a signature of version 1 that claims to be of version 2', SIGNATURE, (keys) => ({
      ...genuine(keys, { SignatureVersion: '1' }),
      SignatureVersion: '2',
    })),
    ...['3', '0', '', '01', '1.0', ' 1', 'toString'].map((version) =>
      message(`the signature version ${JSON.stringify(version)}`, NOT_SNS, (keys) => ({
        ...genuine(keys),
        SignatureVersion: version,
      })),
    ),
    message('a signature version that is a number', NOT_SNS, (keys) => ({ ...genuine(keys), SignatureVersion: 2 })),
    message('a signature in another field', NOT_SNS, (keys) => ({
      ...genuine(keys),
      Signature: undefined,
      signature: genuine(keys).Signature,
    })),

    message('a subject that was not signed', SIGNATURE, (keys) => ({ ...genuine(keys), Subject: 'added' })),
    message('an empty subject that was not signed', SIGNATURE, (keys) => ({ ...genuine(keys), Subject: '' })),
    message('no subject, although one was signed', SIGNATURE, (keys) => ({
      ...genuine(keys, { Subject: 'An event' }),
      Subject: undefined,
    })),
    message('a subject of null, although one was signed', SIGNATURE, (keys) => ({
      ...genuine(keys, { Subject: 'An event' }),
      Subject: null,
    })),
    message('a signed subject moved into the message id by line breaks', NOT_SNS, (keys) => {
      const signed = genuine(keys, { Subject: 'An event' });
      return { ...signed, MessageId: `${signed.MessageId}\nSubject\nAn event`, Subject: undefined };
    }),
    message('a part of the message moved into the message id by line breaks', NOT_SNS, ({ sns }) => {
      const signed = snsNotification({ Message: `${INJECTED}\nMessageId\nother`, MessageId: 'id' });
      return { ...signSns(signed, sns), Message: INJECTED, MessageId: 'other\nMessageId\nid' };
    }),
    message('a topic and a type moved into the timestamp by line breaks', NOT_SNS, (keys) => ({
      ...genuine(keys),
      Timestamp: `2026-11-20T11:59:00.000Z\nTopicArn\n${TOPIC}\nType\nNotification`,
    })),
    message('fields in another order than they are signed in', SIGNATURE, ({ sns }) => {
      const { Message, MessageId, Timestamp, TopicArn, Type, ...rest } = snsNotification({ Message: INJECTED });
      const signed = `Type\n${Type}\nTopicArn\n${TopicArn}\nTimestamp\n${Timestamp}\nMessageId\n${MessageId}\nMessage\n${Message}\n`;
      return { Message, MessageId, Timestamp, TopicArn, Type, ...rest, Signature: signText(signed, sns) };
    }),
    message('a signature over fewer fields', SIGNATURE, ({ sns }) => ({
      ...snsNotification({ Message: INJECTED }),
      Signature: signText(`Message\n${INJECTED}\n`, sns),
    })),

    message('a notification as a subscription confirmation', NOT_SNS, (keys) => ({
      ...genuine(keys),
      Type: 'SubscriptionConfirmation',
    })),
    message('a notification as a subscription confirmation, with unsigned fields', SIGNATURE, (keys) => ({
      ...snsConfirmation(),
      ...genuine(keys),
      Type: 'SubscriptionConfirmation',
    })),
    message('a subscription confirmation as a notification', SIGNATURE, (keys) => ({
      ...confirmation(keys),
      Type: 'Notification',
    })),
    message('a subscription confirmation as an unsubscribe confirmation', SIGNATURE, (keys) => ({
      ...confirmation(keys),
      Type: 'UnsubscribeConfirmation',
    })),
    message('an unsubscribe confirmation as a subscription confirmation', SIGNATURE, (keys) => ({
      ...confirmation(keys, { Type: 'UnsubscribeConfirmation' }),
      Type: 'SubscriptionConfirmation',
    })),
    message('an unsubscribe confirmation as a notification', SIGNATURE, (keys) => ({
      ...confirmation(keys, { Type: 'UnsubscribeConfirmation' }),
      Type: 'Notification',
    })),
    ...['notification', 'NOTIFICATION', ' Notification', 'Other', '__proto__'].map((Type) =>
      message(`the type ${JSON.stringify(Type)}`, NOT_SNS, (keys) => genuine(keys, { Type })),
    ),

    message("a signed confirmation with the attacker's key", SIGNATURE, ({ foreignSns }) =>
      signSns(snsConfirmation(), foreignSns),
    ),
    message('a signed confirmation of another topic', TOPIC_REASON, (keys) =>
      confirmation(keys, { TopicArn: `${TOPIC}-2` }),
    ),
    subscribeUrl('with a URL at another host', (url) => url.replace('amazonaws.com', 'attacker.example')),
    subscribeUrl('with a URL in another region', (url) => url.replace('eu-west-1', 'us-east-1')),
    subscribeUrl('with a URL at the metadata service', () => 'http://169.254.169.254/latest/meta-data/'),
    subscribeUrl('with a plain http URL', (url) => url.replace('https', 'http')),
    subscribeUrl('with a port in the URL', (url) => url.replace('amazonaws.com', 'amazonaws.com:8443')),
    subscribeUrl('with a user in the URL', (url) => url.replace('https://', 'https://user@')),
    subscribeUrl('with a password in the URL', (url) => url.replace('https://', 'https://:password@')),
    subscribeUrl('with a path in the URL', (url) => url.replace('/?', '/path?')),
    subscribeUrl('with a URL of another action', (url) => url.replace('ConfirmSubscription', 'DeleteTopic')),
    subscribeUrl('with a URL of two actions', (url) => `${url}&Action=DeleteTopic`),
    subscribeUrl('with a URL that names another topic', (url) => url.replace(TOPIC, `${TOPIC}-2`)),
    subscribeUrl('with a URL that names two topics', (url) => `${url}&TopicArn=${TOPIC}-2`),
    subscribeUrl('with a URL that is none', () => 'not a URL'),

    certificate(`http://${HOST}/${PEM}`),
    certificate(`HTTPS://${HOST}/${PEM}`),
    certificate(`ftp://${HOST}/${PEM}`),
    certificate(`//${HOST}/${PEM}`),
    certificate(`https:/${HOST}/${PEM}`),
    certificate(`https:\\\\${HOST}\\${PEM}`),
    certificate(`https://${HOST}:443/${PEM}`),
    certificate(`https://${HOST}:8443/${PEM}`),
    certificate(`https://${HOST}./${PEM}`),
    certificate(`https://${HOST.toUpperCase()}/${PEM}`),
    certificate(`https://${HOST}.attacker.example/${PEM}`),
    certificate(`https://${HOST}attacker.example/${PEM}`),
    certificate(`https://${HOST}@attacker.example/${PEM}`),
    certificate(`https://user:password@${HOST}/${PEM}`),
    certificate(`https://attacker.example/${HOST}/${PEM}`),
    certificate(`https://attacker.example/?https://${HOST}/${PEM}`),
    certificate(`https://attacker.example#https://${HOST}/${PEM}`),
    certificate(`https://attacker.example\\@${HOST}/${PEM}`),
    certificate(`https://attacker-${HOST}/${PEM}`),
    certificate(`https://attacker.${HOST}/${PEM}`),
    certificate(`https://sns.us-east-1.amazonaws.com/${PEM}`),
    certificate(`https://sns.amazonaws.com/${PEM}`),
    certificate(`https://sns.eu-west-1.amazonaws.com.cn/${PEM}`),
    certificate(`https://sns.eu-west-1.amazonaws.co/${PEM}`),
    certificate(`https://sns-eu-west-1.amazonaws.com/${PEM}`),
    certificate(`https://snsXeu-west-1.amazonaws.com/${PEM}`),
    certificate(`https://sns.eu-west-1.amaz\u043enaws.com/${PEM}`),
    certificate(`https://sns.eu-west-1.xn--amaznaws-fjg.com/${PEM}`),
    certificate(`https://sns.eu-west-1\u3002amazonaws.com/${PEM}`),
    certificate(`https://\uff53ns.eu-west-1.amazonaws.com/${PEM}`),
    certificate(`https://sns%2Eeu-west-1.amazonaws.com/${PEM}`),
    certificate(`https://127.0.0.1/${PEM}`),
    certificate(`https://[::1]/${PEM}`),
    certificate(`http://169.254.169.254/${PEM}`),
    certificate(`https://s3.amazonaws.com/bucket/${PEM}`),
    certificate(`https://s3.eu-west-1.amazonaws.com/sns/${PEM}`),
    certificate(`https://sns.eu-west-1.amazonaws.com.s3.amazonaws.com/${PEM}`),
    certificate(`https://sns.s3.eu-west-1.amazonaws.com/${PEM}`),
    certificate(`https://sns.eu-west-1.s3-website.amazonaws.com/${PEM}`),
    certificate(`https://sns.execute-api.eu-west-1.amazonaws.com/${PEM}`),
    certificate(`https://${HOST}//${PEM}`),
    certificate(`https://${HOST}/path/${PEM}`),
    certificate(`https://${HOST}/path/../${PEM}`),
    certificate(`https://${HOST}/%2e%2e/${PEM}`),
    certificate(`https://${HOST}/./${PEM}`),
    certificate(`https://${HOST}/${PEM}?query`),
    certificate(`https://${HOST}/${PEM}#fragment`),
    certificate(`https://${HOST}/${PEM}/..`),
    certificate(`https://${HOST}/${PEM}\n`),
    certificate(`https://${HOST}/${PEM}%00.txt`),
    certificate(`https://${HOST}/?Action=GetObject&Key=${PEM}`),
    certificate(`https://${HOST}/SimpleNotificationService-.pem`),
    certificate(`https://${HOST}/SimpleNotificationService-xyz.pem`),
    certificate(`https://${HOST}/SimpleNotificationService-0123456789ABCDEF.pem`),
    certificate(`https://${HOST}/SimpleNotificationService-${'0'.repeat(65)}.pem`),
    certificate(`https://${HOST}/simplenotificationservice-0123456789abcdef.pem`),
    certificate(` https://${HOST}/${PEM}`),
    certificate(`\thttps://${HOST}/${PEM}`),
    certificate(''),
    certificate('file:///etc/ssl/cert.pem'),
    certificate('data:application/x-pem-file,x'),
    certificate(`https://${HOST}/${PEM}`, NO_CERTIFICATE),

    text('the message twice, the injected one last', SIGNATURE, (keys) =>
      lastAs(JSON.stringify(genuine(keys)), 'Message', INJECTED),
    ),
    text('the certificate URL twice, the injected one last', URL_REASON, (keys) =>
      lastAs(JSON.stringify(genuine(keys)), 'SigningCertURL', `https://attacker.example/${PEM}`),
    ),
    text('the topic twice, the genuine one last', SIGNATURE, (keys) =>
      lastAs(JSON.stringify(genuine(keys, { TopicArn: `${TOPIC}-2` })), 'TopicArn', TOPIC),
    ),
    text(
      'the message under an escaped name',
      SIGNATURE,
      (keys) => `${JSON.stringify(genuine(keys)).slice(0, -1)},"\\u004dessage":${JSON.stringify(INJECTED)}}`,
    ),
    text('the genuine fields in __proto__', NOT_SNS, (keys) => `{"__proto__":${JSON.stringify(genuine(keys))}}`),

    beside('a Pub/Sub push', (keys) => ({ ...genuine(keys), ...UNSIGNED_PUSH })),
    beside('an event', (keys) => ({ ...JSON.parse(INJECTED), ...genuine(keys) })),
    beside('a status', (keys) => ({
      ...genuine(keys),
      _id_: INJECTED_MARK,
      STATUS: 'delivered',
      CLIENT_PAYLOAD: 'order-1',
    })),
    beside('message attributes', (keys) => ({
      ...genuine(keys),
      MessageAttributes: { id: { Type: 'String', Value: INJECTED } },
    })),
    beside('another URL to unsubscribe', (keys) => ({
      ...genuine(keys),
      UnsubscribeURL: `https://attacker.example/${INJECTED_MARK}`,
    })),
    beside('the fields of a confirmation', (keys) => ({
      ...snsConfirmation(),
      ...genuine(keys),
      Token: INJECTED_MARK,
    })),
    beside('a message in lower case', (keys) => ({ ...genuine(keys), message: INJECTED })),
    beside('the message twice, the genuine one last', (keys) =>
      firstAs(JSON.stringify(genuine(keys)), 'Message', INJECTED),
    ),
    beside(
      'an object in __proto__',
      (keys) => `${JSON.stringify(genuine(keys)).slice(0, -1)},"__proto__":${JSON.stringify(UNSIGNED_PUSH)}}`,
    ),
    {
      name: 'beside a genuine notification: headers that claim another id, time, and topic',
      outcome: 'genuine only',
      request: (keys) => ({
        headers: {
          'x-amz-sns-message-id': INJECTED_MARK,
          'x-amz-sns-topic-arn': `${TOPIC}-2`,
          'x-goog-pubsub-message-id': INJECTED_MARK,
          'x-goog-pubsub-publish-time': '2001-01-01T00:00:00Z',
        },
        body: JSON.stringify(genuine(keys, { Message: GENUINE_WITHOUT_TIME })),
      }),
    },
    ...(
      [
        ['a Pub/Sub push', UNSIGNED_PUSH],
        ['an event', JSON.parse(INJECTED)],
        ['a notification', { Message: INJECTED, MessageAttributes: UNSIGNED_PUSH }],
      ] as const
    ).map(
      ([name, unsigned]): Attack => ({
        name: `beside a signed unsubscribe confirmation: ${name}`,
        outcome: 'handshake',
        request: (keys) => ({
          headers: HEADERS,
          body: JSON.stringify({ ...unsigned, ...confirmation(keys, { Type: 'UnsubscribeConfirmation' }) }),
        }),
      }),
    ),
    {
      name: 'a replay of a notification that is half a year old',
      outcome: 'nothing new',
      request: (keys) => ({
        headers: HEADERS,
        body: JSON.stringify(genuine(keys, { Timestamp: new Date(Date.now() - 180 * 24 * 3_600_000).toISOString() })),
      }),
    },
  ],
};

/** The only address from which anything may be fetched. */
export const GENUINE_CERTIFICATE_URL = CERTIFICATE_URL;
/** The address on the genuine host that no certificate has. */
export const ABSENT_CERTIFICATE_URL = `https://${HOST}/${PEM}`;
