import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, it } from 'vitest';
import { bufferedText } from '../../../../lambdas/domain/buffered-request.ts';
import { contactRef, messageGroup } from '../../../../lambdas/domain/contact.ts';
import { type KeptQueue, subjectsOf } from '../../../../lambdas/domain/dead-letter.ts';
import { createIsAbout } from '../../../../lambdas/domain/dead-letter-subject.ts';
import type { QueuedErasure } from '../../../../lambdas/domain/erasure.ts';
import { addMs } from '../../../../lambdas/domain/instant.ts';
import { serializeRequest } from '../../../../lambdas/domain/serialized-request.ts';
import { NOW, sendRequest, USER, wireMessage } from '../../../support/builders.ts';

const isAboutContact = (address: string) =>
  createIsAbout({ contact: contactRef('chat', address), customerIds: [] }, NOW);
const isAbout = isAboutContact(USER);
const OTHER = '+5491155559999';

const CUSTOMER = { platform: 'chat', customerId: 'customer-1' };
const isAboutCustomer = createIsAbout({ customerIds: ['customer-1'] }, NOW);
const erasure = (changes: Partial<QueuedErasure>): QueuedErasure => ({
  erasureId: 'erasure-1',
  requestedAt: NOW,
  platform: 'chat',
  customers: [CUSTOMER],
  otherCustomers: [],
  ...changes,
});

const received = (body: string) => serializeRequest({ rawBody: Buffer.from(body), receivedAt: NOW }, 'a reason') ?? '';
const envelopeOf = (body: string) =>
  JSON.stringify({ message: { data: Buffer.from(body).toString('base64'), messageId: '7' } });
const wrapped = (event: unknown) => envelopeOf(JSON.stringify(event));
/** Fits into an SQS message only when it is compressed. */
const compressible = JSON.stringify(wireMessage({ STATUS: 7, MESSAGE: 'a'.repeat(2_000_000) }));
const withCard = (contactId: string) => ({
  v: '1.1',
  contactId,
  messages: [{ _id: '', contacts: [{ phones: [{ phone: USER, wa_id: '5491155550000' }] }] }],
});
const change = (item: Record<string, unknown>) =>
  JSON.stringify({ reason: 'REFUSED', record: { dynamodb: { NewImage: marshall(item) } } });

const unverified = (body: string, receivedAt = NOW) =>
  bufferedText({
    requestId: '',
    receivedAtMs: String(Date.parse(receivedAt)),
    chatChannelNumber: '',
    headers: '',
    body: Buffer.from(body).toString('base64'),
  });

/** The keys of the contacts under which a dead letter is kept. */
const keysOf = (body: string) =>
  subjectsOf({ queue: 'inbound', body }, 'chat').flatMap((subject) => ('key' in subject ? [subject.key] : []));

describe('a dead letter is about a contact', () => {
  it.each([
    ['a request', JSON.stringify(sendRequest())],
    ['a request to a variant of its number', JSON.stringify(sendRequest({ platformContactId: '541155550000' }))],
    ['an event', received(JSON.stringify(wireMessage({ STATUS: 7 })))],
    ['an event that was never verified', unverified(JSON.stringify(wireMessage()))],
    ['an event in an envelope that was never verified', unverified(wrapped(wireMessage()))],
    ['a body that was never verified and is not JSON', unverified(`FROM=${USER}&MESSAGE=Hello`)],
    ['an event in an envelope', received(wrapped(wireMessage({ _id_: '' })))],
    ['an event that had to be compressed', received(compressible)],
    ['an event that names nobody in a known field', received(JSON.stringify({ _id_: '1', CONTACT: USER }))],
    ['an event that is neither JSON nor looks like it', received(`FROM=${USER}&MESSAGE=Hello`)],
    ['an echo of nobody that mentions it', received(JSON.stringify({ FROM: 'me', PHONE: USER }))],
    ['an echo', received(JSON.stringify(wireMessage({ FROM: 'me', TO: USER, _id_: '' })))],
    ['an echo of a bot', received(JSON.stringify(wireMessage({ FROM: 'bot', TO: USER, _id_: '' })))],
    ['an echo of a bot to nobody that mentions it', received(JSON.stringify({ FROM: 'Bot', PHONE: USER }))],
    ['an event in the format camelCase', received(JSON.stringify({ contactId: USER, message: 'Hello' }))],
    ['an event in the format v1.1', received(JSON.stringify({ v: '1.1', contactId: USER, messages: [{ _id: '' }] }))],
    ['an event in the format code-action', received(JSON.stringify({ context: { message: { FROM: USER } } }))],
    ['a post with several events', received(JSON.stringify([{ contactId: OTHER }, { contactId: USER }]))],
    ['an event that is not JSON', received(JSON.stringify(wireMessage()).slice(0, -1))],
    ['an event in an envelope that is not JSON', received(envelopeOf(`{"FROM":"${USER}","MESSAGE":"sec`))],
    ['an event in the format v1.1 that is not JSON', received(`{"v":"1.1","contactId":"${USER}","mess`)],
    ['an event that was never verified and is quarantined', received(unverified(JSON.stringify(wireMessage())))],
    ['a message of unknown origin', `call me at ${USER}!`],
    ['the call of a schedule', JSON.stringify({ MessageGroupId: USER, MessageBody: '{"scheduledRequestId":"1"}' })],
    ['a change to a message', change({ pk: 'MESSAGE#1', contact: 'CONTACT#chat#*#541155550000' })],
    ['a change to a contact', change({ pk: 'CONTACT#chat#541100000000#541155550000', name: 'Ana' })],
    ['a published event', JSON.stringify({ detail: { contact: { channel: '*', key: '541155550000' } } })],
  ])('%s, so an erasure finds it and deletes it', (_case, body) => {
    expect(isAbout({ body })).toBe(true);
    expect(keysOf(body)).toContain('541155550000');
  });

  it('if it is in its message group', () => {
    expect(isAbout({ body: 'MALFORMED', groupId: USER })).toBe(true);
    expect(isAbout({ body: 'MALFORMED', groupId: OTHER })).toBe(false);
  });

  it('if its message group is the hash of an id that SQS does not accept', () => {
    const groupId = messageGroup('señora-nº-0');
    const call = JSON.stringify({ MessageGroupId: groupId, MessageBody: '{"scheduledRequestId":"1"}' });
    const isAboutUser = isAboutContact('señora-nº-0');
    expect(isAboutUser({ body: 'MALFORMED', groupId })).toBe(true);
    expect(isAboutUser({ body: call })).toBe(true);
    expect(isAboutContact('señora-nº-1')({ body: call, groupId })).toBe(false);
  });
});

it('a request to a customer is about that customer, and not about a number that it mentions', () => {
  const { platformContactId: _contact, ...fields } = sendRequest({ messageText: `Call ${USER}.` });
  const body = JSON.stringify({ ...fields, customerId: 'customer-1' });

  expect(subjectsOf({ queue: 'send', body }, 'chat')).toContainEqual({ platform: 'chat', customerId: 'customer-1' });
  expect(isAbout({ body })).toBe(false);
  expect(createIsAbout({ customerIds: ['customer-1'] }, NOW)({ body })).toBe(true);
});

describe('a dead letter is not about a contact', () => {
  it.each([
    ["another user's request", JSON.stringify(sendRequest({ platformContactId: OTHER }))],
    [
      "another user's request that mentions it",
      JSON.stringify(sendRequest({ platformContactId: OTHER, messageText: USER })),
    ],
    ["another user's event that mentions it", received(wrapped(wireMessage({ FROM: OTHER, MESSAGE: `Call ${USER}` })))],
    [
      "another user's event that mentions it in JSON",
      received(JSON.stringify({ FROM: OTHER, MESSAGE: '{"tel":"5491155550000"}' })),
    ],
    ["another user's event with its contact card", received(JSON.stringify(withCard(OTHER)))],
    [
      "another user's event in the format code-action that mentions it",
      received(JSON.stringify({ context: { message: { FROM: OTHER, MESSAGE: `Call ${USER}` } } })),
    ],
    ["a change to another user's message", change({ pk: 'MESSAGE#1', contact: 'CONTACT#chat#*#541155559999' })],
    ['a position in the stream', JSON.stringify({ DDBStreamBatchInfo: { shardId: 'shard-1', batchSize: 3 } })],
    ['nothing', ''],
  ])('%s', (_case, body) => {
    expect(isAbout({ body })).toBe(false);
    expect(keysOf(body)).not.toContain('541155550000');
  });
});

it('a webhook request that was received after the erasure was requested is about a new contact', () => {
  const body = JSON.stringify(wireMessage({ _id_: '' }));
  const receivedAt = (instant: string) => serializeRequest({ rawBody: Buffer.from(body), receivedAt: instant }) ?? '';

  expect(isAbout({ body: receivedAt(NOW) })).toBe(true);
  expect(isAbout({ body: receivedAt(addMs(NOW, 1)) })).toBe(false);
});

describe('a dead letter that was never verified', () => {
  it('is not about a contact if it names another one, or arrived later', () => {
    expect(isAbout({ body: unverified(JSON.stringify(wireMessage({ FROM: OTHER }))) })).toBe(false);
    expect(isAbout({ body: unverified(JSON.stringify(wireMessage()), addMs(NOW, 1)) })).toBe(false);
  });

  it('is kept under the customer and the contact that it names, in any envelope', () => {
    for (const body of [JSON.stringify(wireMessage()), wrapped(wireMessage())]) {
      expect(subjectsOf({ queue: 'inbound', body: unverified(body) }, 'chat')).toEqual([
        CUSTOMER,
        contactRef('chat', USER),
      ]);
    }
  });
});

describe('a dead letter is about a customer', () => {
  it.each<[string, KeptQueue, string]>([
    ['an event', 'inbound', received(JSON.stringify({ CUSTOMER_ID: 'customer-1', STATUS: 7 }))],
    ['an event in an envelope', 'inbound', received(wrapped({ CUSTOMER_ID: 'customer-1', STATUS: 7 }))],
    ['an event of an address', 'inbound', received(JSON.stringify(wireMessage({ STATUS: 7 })))],
    ['an event in the format camelCase', 'inbound', received(JSON.stringify({ customerId: 'customer-1', date: 7 }))],
    ['an event that was never verified', 'inbound', unverified(JSON.stringify({ CUSTOMER_ID: 'customer-1' }))],
    ['an event that is not JSON', 'inbound', received('{"CUSTOMER_ID":"customer-1","MESSAGE":"sec')],
    ['a request', 'send', '{"requestId":"order-17","customerId":"customer-1","messageText":7}'],
    ['a request of the bulk lane', 'bulk', '{"requestId":"order-17","customerId":"customer-1"}'],
    ['a schedule', 'schedules', JSON.stringify({ MessageBody: '{"x":1}', customerId: 'customer-1' })],
    ['an erasure', 'erasures', JSON.stringify(erasure({}))],
  ])('%s, so an erasure finds it and deletes it', (_case, queue, body) => {
    expect(isAboutCustomer({ body })).toBe(true);
    expect(createIsAbout({ customerIds: ['customer-2'] }, NOW)({ body })).toBe(false);
    expect(subjectsOf({ queue, body }, 'chat')).toContainEqual(CUSTOMER);
  });

  it('whose ID is a number', () => {
    const body = received('{"CUSTOMER_ID":771,"STATUS":7,"MESSAGE":"9771"}');
    expect(createIsAbout({ customerIds: ['771'] }, NOW)({ body })).toBe(true);
    expect(createIsAbout({ customerIds: ['977'] }, NOW)({ body })).toBe(false);
    expect(subjectsOf({ queue: 'inbound', body }, 'chat')).toContainEqual({ platform: 'chat', customerId: '771' });
  });

  it('if it is not JSON, names nobody, and contains the whole ID', () => {
    expect(isAboutCustomer({ body: 'CUSTOMER_ID=customer-1&MESSAGE=Hi' })).toBe(true);
    expect(isAboutCustomer({ body: 'CUSTOMER_ID=customer-11&MESSAGE=Hi' })).toBe(false);
    expect(createIsAbout({ customerIds: ['17'] }, NOW)({ body: 'of order 17' })).toBe(false);
  });

  it.each([
    [
      'a request that names nobody',
      'send',
      '{"requestId":"order-17","customer":"ana","messageText":"Hi"',
      'customer-1',
    ],
    ['a request that became due', 'send', '{"scheduledRequestId":"order-17"}', 'customer-1'],
    ['the call of a schedule', 'schedules', '{"MessageBody":"{\\"x\\":1}","MessageGroupId":"customer-1"}', undefined],
    ['a request to an ID that no message group can be', 'send', '{"messageText":"Hi"', messageGroup('cliente ñ')],
  ] as const)('if only its message group is the customer: %s', (_what, queue, body, groupId) => {
    const customerId = body === '{"messageText":"Hi"' ? 'cliente ñ' : 'customer-1';
    expect(createIsAbout({ customerIds: [customerId] }, NOW)({ body, ...(groupId && { groupId }) })).toBe(true);
    expect(createIsAbout({ customerIds: ['customer-2'] }, NOW)({ body, ...(groupId && { groupId }) })).toBe(false);
    const subjects = subjectsOf({ queue, body, ...(groupId && { groupId }) }, 'chat');
    expect(subjects).toContainEqual({ platform: 'chat', customerId: messageGroup(customerId) });
  });

  it('but not a request to an address that is the same as the ID of the customer', () => {
    const [body, groupId] = [JSON.stringify(sendRequest()), USER];
    expect(createIsAbout({ customerIds: [USER] }, NOW)({ body, groupId })).toBe(false);
    expect(subjectsOf({ queue: 'send', body, groupId }, 'chat')).toEqual([contactRef('chat', USER)]);
  });

  it('if it is a change to the item of the customer', () => {
    expect(isAboutCustomer({ body: change({ pk: 'CUSTOMER#chat#customer-1', sk: 'CUSTOMER#*' }) })).toBe(true);
    expect(isAboutCustomer({ body: change({ pk: 'CUSTOMER#chat#customer-2', sk: 'CUSTOMER#*' }) })).toBe(false);
  });

  it('but not if it only mentions the customer, or names an address that an operator separated', () => {
    const mention = { FROM: OTHER, CUSTOMER_ID: 'customer-2', MESSAGE: 'customer-1' };
    expect(isAboutCustomer({ body: received(JSON.stringify(mention)) })).toBe(false);
    const separatedKeys = [contactRef('chat', USER).key];
    const isAbout = createIsAbout({ customerIds: ['customer-1'], separatedKeys }, NOW);
    expect(isAbout({ body: received(JSON.stringify(wireMessage({ STATUS: 7 }))) })).toBe(false);
    expect(isAbout({ body: received(JSON.stringify(wireMessage({ STATUS: 7, FROM: OTHER }))) })).toBe(true);
  });

  it('but not an erasure that only leaves the customer', () => {
    const contact = contactRef('chat', OTHER);
    const others = [{ platform: 'chat', customerId: 'customer-1' }];
    for (const changes of [
      { contact, customers: [], otherCustomers: others },
      { contact, customers: others },
    ]) {
      const body = JSON.stringify(erasure(changes));
      expect(isAboutCustomer({ body })).toBe(false);
      expect(subjectsOf({ queue: 'erasures', body }, 'chat')).toEqual([{ ...contact, channel: '*' }]);
    }
  });
});
