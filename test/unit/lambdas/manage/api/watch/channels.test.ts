import { beforeEach, describe, expect, it } from 'vitest';
import { contactResponse } from '../../../../../../lambdas/manage/api/contacts.ts';
import { conversationResponse } from '../../../../../../lambdas/manage/api/conversations.ts';
import { ROUTES } from '../../../../../../lambdas/manage/api/routes.ts';
import { queuedSend, sendRequest, USER, wireMessage, wireStatus } from '../../../../../support/builders.ts';
import { testTables } from '../../../../../support/test-tables.ts';
import { outbound } from '../../../adapters/dynamodb/message-builders.ts';
import { createManagedStage, type ManagedStage } from '../../managed-stage.ts';

const tables = testTables();
let stage: ManagedStage;
beforeEach(async () => {
  stage = await createManagedStage(tables, { windowPer: 'channel' });
});

const NUMBER = '+5491100000099';

/** How events seen in practice name the business number. */
const PAYLOADS: readonly [string, Record<string, unknown>][] = [
  ['CHAT_CHANNEL_ID as a number', { CHAT_CHANNEL_ID: NUMBER }],
  ['CHAT_CHANNEL_ID as a number without a plus', { CHAT_CHANNEL_ID: '5491100000099' }],
  ['CHAT_CHANNEL_ID as digits', { CHAT_CHANNEL_ID: 5491100000099 }],
  ['a channel ID that ends in the number', { CHAT_CHANNEL_ID: 'BIZ-chat-5491100000099' }],
  ['a channel ID that ends in the number, and TO as me', { CHAT_CHANNEL_ID: 'BIZ-chat-5491100000099', TO: 'me' }],
  ['a channel ID with a plus', { CHAT_CHANNEL_ID: 'biz:chat:+5491100000099' }],
  ['TO alone', { TO: '5491100000099' }],
  ['TO beside a channel ID without a number', { CHAT_CHANNEL_ID: 'main', TO: '+54 9 11 0000-0099' }],
  ['TO beside a channel ID that ends in another one', { CHAT_CHANNEL_ID: 'queue-12345678', TO: '5491100000099' }],
];

const NAMES = [NUMBER, '5491100000099', '+541100000099', 'BIZ-chat-5491100000099'];

const windowOf = async (query: Record<string, string>) => {
  const { status, body } = await stage.call('getContact', { id: USER, query });
  return status === 200 ? contactResponse.parse(body).window.open : status;
};
const conversationOf = async (query: Record<string, string>) => {
  const { status, body } = await stage.call('getConversation', { id: USER, query });
  return status === 200
    ? conversationResponse.parse(body).messages.map(({ id, direction }) => `${id} ${direction}`)
    : status;
};

const isContact = (key: string) => key.startsWith('CONTACT#');

describe('a window per business number', () => {
  it.each(PAYLOADS)('is opened by an event with %s, and found by every name of the number', async (_case, fields) => {
    await stage.receive(wireMessage(fields));
    for (const chatChannelNumber of NAMES) {
      expect(await windowOf({ chatChannelNumber })).toBe(true);
      expect(await conversationOf({ chatChannelNumber })).toEqual(['message-1 inbound']);
    }
    expect(await windowOf({})).toBe(404);
    expect(await windowOf({ chatChannelNumber: '+5491100000001' })).toBe(404);
    const contacts = Object.keys(await stage.items()).filter((key) => key.startsWith('CONTACT#'));
    expect(contacts).toEqual(['CONTACT#chat#541100000099#541155550000 CONTACT']);
  });

  it.each(['main', '', 'web#1', 'a1b2c3d4e5f6a1b2c312345678', 'queue-123456'])(
    'is not opened by an event whose channel ID is %j',
    async (CHAT_CHANNEL_ID) => {
      await stage.receive(wireMessage({ CHAT_CHANNEL_ID }));
      expect(await windowOf({ chatChannelNumber: '*' })).toBe(404);
      expect(await conversationOf({ chatChannelNumber: '*' })).toEqual(['message-1 inbound']);
    },
  );
});

describe('an echo where windows are per number', () => {
  const send = async () => {
    const request = sendRequest({ chatChannelNumber: NUMBER });
    const contact = { ...queuedSend(request).contact, channel: '541100000099' };
    const call = { endpoint: 'message/v3' as const, body: { messageText: 'Hi' } };
    await stage.messages.recordOutbound(outbound({ id: 'out', contact, call }));
  };
  const echo = (changes: Record<string, unknown>) => wireMessage({ _id_: 'out', FROM: 'me', TO: USER, ...changes });

  it.each([
    ['names the number in its channel ID', { CHAT_CHANNEL_ID: 'BIZ-chat-5491100000099' }],
    ['names no number', {}],
  ])('is listed once, as the message that Parley sent, if it %s', async (_case, fields) => {
    await send();
    await stage.receive(echo(fields));
    expect(await conversationOf({ chatChannelNumber: NUMBER })).toEqual(['out outbound']);
    expect(await conversationOf({ chatChannelNumber: '*' })).not.toContain('out echo');
  });

  it('of another message is listed with its number, beside a status or not', async () => {
    await stage.receive(echo({ _id_: 'operator', CHAT_CHANNEL_ID: 'BIZ-chat-5491100000099' }));
    await stage.receive(wireStatus({ _id_: 'bot', MESSAGE: 'Hi', CHAT_CHANNEL_ID: 'BIZ-chat-5491100000099' }));
    expect(await conversationOf({ chatChannelNumber: NUMBER })).toEqual(['bot echo', 'operator echo']);
  });
});

describe('a call that names a contact', () => {
  const CONSENT = { platformContactId: USER, source: 'form' };

  it.each(NAMES)('records a consent for the number named %s', async (chatChannelNumber) => {
    expect(await stage.call('optIn', { body: { ...CONSENT, chatChannelNumber } })).toMatchObject({ status: 200 });
    expect(await stage.items()).toMatchObject({ 'CONTACT#chat#541100000099#541155550000 CONSENT': {} });
    expect(Object.keys(await stage.items()).filter(isContact)).toHaveLength(1);
  });

  it.each(['BIZ-chat-5491100000099', '*'])('erases what belongs to every number, if it names %s', async (named) => {
    await stage.receive(wireMessage({ CHAT_CHANNEL_ID: 'BIZ-chat-5491100000099' }));
    await stage.receive(wireMessage({ _id_: 'message-2' }));
    const erasure = await stage.call('eraseContact', { id: USER, query: { chatChannelNumber: named } });
    expect(erasure).toMatchObject({ status: 202 });
    await stage.erase();
    const keys = Object.keys(await stage.items());
    expect(keys.filter((key) => !/^(AUDIT|CHANNELS|ERASURE)/.test(key))).toEqual([]);
  });

  it.each([
    ['getContact', { id: USER, query: { chatChannelNumber: 'main' } }],
    ['getConversation', { id: USER, query: { chatChannelNumber: '' } }],
    ['optIn', { body: { ...CONSENT, chatChannelNumber: '*' } }],
  ] as const)('is refused by %s if it names no number', async (route, call) => {
    expect(await stage.call(route, call)).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
  });

  it.each(Object.entries(ROUTES))('can name the number as well: %s', (_name, { route, query, body }) => {
    const fieldsOf = (schema: object): readonly string[] =>
      'shape' in schema && typeof schema.shape === 'object' ? Object.keys(schema.shape ?? {}) : [];
    const fields = [...fieldsOf(query), ...fieldsOf(body), ...(route.match(/\w+(?=\+?\})/g) ?? [])];
    const namesContact = fields.some((field) => /^(platformContactId|contacts?|customerId)$/.test(field));
    // An erasure of a customer concerns every number.
    const isOfEveryNumber = route.startsWith('DELETE /v1/customers/');
    expect(fields.includes('chatChannelNumber')).toBe(namesContact && !isOfEveryNumber);
  });
});
