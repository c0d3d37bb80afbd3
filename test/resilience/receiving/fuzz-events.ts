import fc from 'fast-check';
import { MAX_POST_EVENTS } from '../../../lambdas/domain/webhook-formats/split-post.ts';
import { wireMessage, wireStatus } from '../../support/builders.ts';

export const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary-ascii' }),
);

/** JSON as text and not as values, so that JSON is possible which no serializer writes. */
export const odd: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('1e400', '-1e400', '1e-400', '-0', '9007199254740993', `${'9'.repeat(2000)}`, 'null', 'true', '""'),
  fc.constantFrom(
    '"\\ud800"',
    '"\\udfff\\ud800"',
    '"a\\u0000b"',
    '"\\uffff"',
    '"\uffff"',
    '"\ufeff"',
    '[]',
    '{}',
    '[null]',
  ),
  fc.constantFrom(
    '"me"',
    '"+5491155550000"',
    '5491155550000',
    '"CO.1000"',
    '"9999-12-31T23:59:59-01:00"',
    '"0000-01-01T00:00Z"',
  ),
  fc.constantFrom(
    '{"__proto__":{"polluted":1}}',
    '{"constructor":{"prototype":{"polluted":1}}}',
    '["\\ud800"]',
    '{"toString":1}',
  ),
  anyText.map((text) => JSON.stringify(text)),
  fc.json({ maxDepth: 4 }),
  fc.integer({ min: 1, max: 5_000 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  fc.integer({ min: 1, max: 1200 }).map((length) => JSON.stringify('x'.repeat(length))),
);

/** An object as the texts of its fields. A name can be repeated. */
type Members = readonly (readonly [name: string, value: string])[];
/** A field to set, to repeat, or, without a value, to delete. */
type Change = readonly [name: string, value: string | undefined, isRepeated: boolean];

const membersOf = (wire: Readonly<Record<string, unknown>>): Members =>
  Object.entries(wire).map(([name, value]) => [name, JSON.stringify(value)]);
const textOf = (members: Members): string =>
  `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
const applyChange = (members: Members, [name, value, isRepeated]: Change): Members => {
  const others = isRepeated ? members : members.filter(([other]) => other !== name);
  return value === undefined ? others : [...others, [name, value]];
};
const applyChanges = (members: Members, changes: readonly Change[]): Members => changes.reduce(applyChange, members);

/** The fields that say who wrote a message, in any format, and what can be in them. */
const SENDER_FIELDS = ['from', 'fromCustomer', 'FROM', 'STATUS', 'TO', 'contactId', 'type', 'v'];
const sender = fc.oneof(
  fc.constantFrom(
    '"user"',
    '"USER"',
    '"bot"',
    '"agent"',
    '"operator"',
    '"client"',
    '" user"',
    '["user"]',
    '"us\\u0065r"',
  ),
  fc.constantFrom('"me"', '"Me"', '"BOT"', '"me "', 'true', 'false', '"true"', '1', 'null', '"5491155550001"', '""'),
  fc.constantFrom('"delivered"', '"READ"', '"seen"', '"message"', '"status"', '"event"', '"1.1"'),
);
const OTHER_FIELDS = [
  ...['_id_', '_id', 'id', 'messageId', 'MESSAGE', 'message', 'messages', 'context', 'status', 'reason', 'error'],
  ...['CREATION_TIME', 'date', 'CHAT_PLATFORM_ID', 'chatPlatform', 'CHAT_CHANNEL_ID', 'whatsappNumber', 'FROM_NAME'],
  ...['CUSTOMER_ID', 'customerId', 'IMAGES_URLS', 'FILES_URLS', 'image', 'location', 'contacts', 'buttonPayload'],
  ...['txId', 'intentTxId', 'CLIENT_PAYLOAD', 'webhookPayload', 'TAGS', '__proto__', 'constructor', 'toString'],
];
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(fc.constantFrom(...SENDER_FIELDS), fc.option(sender, { nil: undefined }), fc.boolean()),
  fc.tuple(
    fc.oneof(fc.constantFrom(...SENDER_FIELDS, ...OTHER_FIELDS), anyText),
    fc.option(odd, { nil: undefined }),
    fc.boolean(),
  ),
);
const changes = fc.oneof(fc.constant([]), fc.array(change, { minLength: 1, maxLength: 4 }));

/** An id that no other event has, so that stored events can be counted, and a user of its own. */
const identity = fc
  .uuid()
  .map((id) => ({ id, user: `54911${String(Number.parseInt(id.replaceAll('-', ''), 16) % 1e8).padStart(8, '0')}` }));
const TIME = '2026-11-20T11:00:00.000Z';
const words = fc.constantFrom('Where is my parcel?', 'ALTA', 'BAJA', '', '{"button":"ALTA","intent":"I1"}');

const uppercase = fc
  .tuple(identity, words, fc.constantFrom('user', 'me', 'bot', 'status'))
  .map(([{ id, user }, text, kind]) =>
    membersOf(
      kind === 'status'
        ? wireStatus({ _id_: id, FROM: user })
        : wireMessage({
            _id_: id,
            FROM: kind === 'user' ? user : kind,
            MESSAGE: text,
            ...(kind !== 'user' && { TO: user }),
          }),
    ),
  );
const content = fc.oneof(
  words.map((message) => ({ message })),
  fc.constantFrom(
    { image: 'https://media.example/i.png', caption: 'The door' },
    { location: { name: 'Plaza', latitude: -34.6, longitude: -58.4 } },
    { contacts: [{ name: { formatted_name: 'Juan' }, phones: [{ phone: '+54 9 11 5555-0002' }] }] },
    { error: 'Unsupported message' },
  ),
);
const camelCase = fc.tuple(identity, content, fc.boolean()).map(([{ id, user }, parts, fromCustomer]) =>
  membersOf({
    date: TIME,
    chatPlatform: 'chat',
    contactId: user,
    customerId: `c-${id}`,
    _id_: id,
    ...parts,
    fromCustomer,
  }),
);
const entry = fc
  .tuple(
    identity,
    content,
    fc.constantFrom('user', 'USER', 'bot', 'agent', 'other', undefined),
    fc.constantFrom(true, false, undefined),
    changes,
  )
  .map(([{ id }, parts, from, fromCustomer, changed]) =>
    textOf(
      applyChanges(
        membersOf({
          _id: id,
          date: TIME,
          ...parts,
          ...(from && { from }),
          ...(fromCustomer !== undefined && { fromCustomer }),
        }),
        changed,
      ),
    ),
  );
const entries = fc.oneof(
  { weight: 3, arbitrary: fc.array(entry, { minLength: 1, maxLength: 1 }) },
  {
    weight: 3,
    arbitrary: fc.array(fc.oneof({ weight: 9, arbitrary: entry }, { weight: 1, arbitrary: odd }), { maxLength: 6 }),
  },
);
const v11 = fc
  .tuple(identity, entries, fc.constantFrom('message', 'message', 'message', 'status', 'event'))
  .map(([{ id, user }, messages, type]): Members => {
    const envelope = {
      v: '1.1',
      type,
      chatPlatform: 'chat',
      contactId: `+${user}`,
      customerId: `c-${id}`,
      txId: `t-${id}`,
    };
    if (type === 'status') return membersOf({ ...envelope, messageId: id, status: 'error', reason: '131049.0' });
    return type === 'event' ? membersOf(envelope) : [...membersOf(envelope), ['messages', `[${messages.join(',')}]`]];
  });

/** An event in any format with up to four fields changed, also to those of other formats. */
const bareEvent = fc
  .tuple(fc.oneof(uppercase, camelCase, v11), changes)
  .map(([members, changed]) => textOf(applyChanges(members, changed)));
const codeAction = fc
  .tuple(fc.oneof({ weight: 4, arbitrary: fc.tuple(uppercase, changes) }, fc.tuple(v11, changes)), changes)
  .map(([[members, inner], outer]) =>
    textOf(
      applyChanges(
        [['context', `{"userData":{},"message":${textOf(applyChanges(members, inner))},"params":{}}`]],
        outer,
      ),
    ),
  );
export const mutatedEvent: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: bareEvent },
  { weight: 1, arbitrary: codeAction },
);

/** A post with a list of events, in any mixture of formats. */
export const batch: fc.Arbitrary<string> = fc
  .array(fc.oneof({ weight: 12, arbitrary: mutatedEvent }, { weight: 1, arbitrary: odd }), { maxLength: 6 })
  .map((events) => `[${events.join(' , ')}]`);

/** A post with around as many messages as Parley reads in one. */
export const longPost: fc.Arbitrary<string> = fc
  .tuple(fc.integer({ min: MAX_POST_EVENTS - 5, max: MAX_POST_EVENTS + 5 }), v11, identity, fc.boolean())
  .map(([count, envelope, { id }, isList]) => {
    const texts = Array.from(
      { length: count },
      (_, index) => `{"_id":"${id}-${index}","from":"${index % 2 ? 'user' : 'bot'}"}`,
    );
    const members = applyChange(envelope, ['messages', `[${texts.join()}]`, false]);
    return isList ? `[${textOf(members)},${textOf(envelope)}]` : textOf(members);
  });
