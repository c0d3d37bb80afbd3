import { describe, expect, it } from 'vitest';
import { describeFailure, parseFailure } from '../../../../../lambdas/domain/failure.ts';
import { readServiceEvent } from '../../../../../lambdas/domain/webhook-formats/formats.ts';
import { webhookSample } from '../../../../support/webhook-samples.ts';

const sample = (title: string) => readServiceEvent(webhookSample('v1.1', title));
const ENVELOPE = { v: '1.1', type: 'message', contactId: '+5491150000001' };
const readEntry = (entry: object, envelope: object = {}) =>
  readServiceEvent(JSON.stringify({ ...ENVELOPE, ...envelope, messages: [{ _id: '1', ...entry }] }));
const readStatus = (fields: object) =>
  readServiceEvent(JSON.stringify({ ...ENVELOPE, type: 'status', messageId: '1', status: 'error', ...fields }));
const NO_MEDIA = { images: [], audios: [], files: [], videos: [] };

describe('a message in the format v1.1', () => {
  it('has the fields of its envelope and of its entry', () => {
    expect(sample('A text')).toEqual({
      id: 'MSGV0000000000000001',
      idField: 'messages._id',
      chatPlatform: 'whatsapp',
      user: '+5491150000001',
      lines: ['+5491100000000', 'acme-whatsapp-5491100000000'],
      customerId: 'CUST0000000000000001',
      name: 'Ana Díaz',
      time: '2026-11-20T12:00:01.000Z',
      transactionId: undefined,
      message: { sender: 'user', senderName: 'user', content: { text: 'Hola', media: NO_MEDIA, button: undefined } },
    });
  });

  it.each([
    ['An image', { media: { ...NO_MEDIA, images: ['https://media.example/i.png'] } }],
    ['A tap on a list row', { text: 'Mañana', button: { text: 'Mañana', payload: 'slot-2' } }],
    ['A pressed button', { button: { text: 'Sí', payload: 'I1' } }],
    ['A voice message', { media: { ...NO_MEDIA, audios: ['https://media.example/a.ogg'] } }],
    ['A video with a caption', { text: 'La puerta', media: { ...NO_MEDIA, videos: ['https://media.example/v.mp4'] } }],
    ['A file with a caption', { text: 'El contrato', media: { ...NO_MEDIA, files: ['https://media.example/c.pdf'] } }],
    ['A location', { location: { name: 'Plaza', address: 'Calle 1', latitude: -34.6, longitude: -58.4 } }],
    ['A contact card', { contactCards: [{ name: 'Juan P', phones: ['+54 9 11 5000-0002'] }] }],
    ['A kind that is not passed on', { unsupported: 'Unsupported message' }],
  ])('has content: %s', (title, content) => {
    expect(sample(title)?.message?.content).toMatchObject(content);
  });

  it.each([
    [{ from: 'user' }, 'user'],
    [{ from: 'User' }, 'user'],
    [{ from: 'bot' }, 'bot'],
    [{ from: 'agent' }, 'operator'],
    [{ from: 'operator' }, 'unknown'],
    [{ from: 'customer' }, 'unknown'],
    [{ from: '' }, 'unknown'],
    [{ from: 7 }, 'unknown'],
    [{ from: ['user'] }, 'unknown'],
    [{}, 'unknown'],
    [{ fromName: 'Ana' }, 'unknown'],
    [{ from: null }, 'unknown'],
    [{ fromCustomer: true }, 'user'],
    [{ from: null, fromCustomer: true }, 'user'],
    [{ fromCustomer: false }, 'business'],
    [{ fromCustomer: 'true' }, 'unknown'],
    [{ from: 'user', fromCustomer: true }, 'user'],
    [{ from: 'bot', fromCustomer: false }, 'bot'],
    [{ from: 'agent', fromCustomer: false }, 'operator'],
    [{ from: 'user', fromCustomer: false }, 'unknown'],
    [{ from: 'bot', fromCustomer: true }, 'unknown'],
    [{ from: 'agent', fromCustomer: true }, 'unknown'],
    [{ from: 'customer', fromCustomer: true }, 'unknown'],
    [{ from: 7, fromCustomer: true }, 'unknown'],
  ])('with %j is of the sender %s', (entry, sender) => {
    expect(readEntry(entry)?.message?.sender).toBe(sender);
  });

  it("is not the user's by the envelope's own fields", () => {
    expect(readEntry({}, { from: 'user', fromCustomer: true })?.message?.sender).toBe('unknown');
  });

  it('never takes the business number for the user', () => {
    expect(
      readEntry({ from: 'user' }, { contactId: undefined, whatsappNumber: '+5491100000000' })?.user,
    ).toBeUndefined();
  });

  it.each([
    [{ _id: 'a', _id_: 'b', id: 'c' }, 'a'],
    [{ _id: undefined, _id_: 'b', id: 'c' }, 'b'],
    [{ _id: undefined, id: 'c' }, 'c'],
    [{ _id: undefined }, undefined],
  ])('with the IDs %j has the ID %s', (entry, id) => {
    expect(readEntry(entry)?.id).toBe(id);
  });

  it.each([
    [{ firstName: 'Ana', lastName: 'Díaz', whatsappNickName: 'anita' }, 'Ana Díaz'],
    [{ firstName: 'Ana', lastName: '' }, 'Ana'],
    [{ lastName: null, whatsappNickName: 'anita' }, 'anita'],
    [{}, undefined],
  ])('with %j has the name %s', (envelope, name) => {
    expect(readEntry({}, envelope)?.name).toBe(name);
  });

  it('names the transaction of its send', () => {
    expect(sample('An echo of a template')?.transactionId).toBe('TX000000000000000001');
  });

  it('needs no type', () => {
    expect(readEntry({ from: 'user' }, { type: undefined })?.message?.sender).toBe('user');
  });
});

describe('a status in the format v1.1', () => {
  it.each([
    ['Sent', 'sent'],
    ['Delivered', 'delivered'],
    ['Read', 'read'],
    ['Answered', 'answered'],
  ])('%s is of the message that it names', (title, literal) => {
    expect(sample(title)).toMatchObject({ id: 'MSGV0000000000000018', status: { literal, failure: undefined } });
    expect(sample(title)).not.toHaveProperty('message');
  });

  it('names its transaction and its request', () => {
    expect(sample('Delivered')?.transactionId).toBe('TX000000000000000001');
    expect(readStatus({ clientPayload: 'order-17' })?.requestId).toBe('order-17');
    expect(readStatus({ webhookPayload: 'order-17' })?.requestId).toBe('order-17');
  });

  it('has the time of its change, if it names one', () => {
    expect(sample('With a time')?.time).toBe('2026-11-20T12:00:30.000Z');
    expect(readStatus({ date: '2026-11-20T12:00:31.000Z' })?.time).toBe('2026-11-20T12:00:31.000Z');
    expect(sample('Sent')?.time).toBeUndefined();
  });

  /** The failure as it is stored, and read again. */
  const failureOf = (fields: object) => {
    const failure = readStatus(fields)?.status?.failure;
    return failure && parseFailure(describeFailure(failure));
  };

  it.each([
    [{ reason: '131049.0' }, { code: '131049' }],
    [{ reason: '131049' }, { code: '131049' }],
    [{ reason: ' 131049. ' }, { code: '131049' }],
    [{ reason: 131026 }, { code: '131026' }],
    [{ error: '470.00' }, { code: '470' }],
    [{ error: { code: 131026, message: 'Undeliverable' } }, { code: '131026', reason: 'Undeliverable' }],
    [{ error: { code: '131026.0', title: 'Undeliverable' } }, { code: '131026', reason: 'Undeliverable' }],
    [
      { error: 'Undeliverable', reason: '131026.0' },
      { code: '131026', reason: 'Undeliverable' },
    ],
    [
      { error: '131026.0', reason: 'Undeliverable' },
      { code: '131026', reason: 'Undeliverable' },
    ],
    [{ reason: '131049.0', error: '131026.0' }, { code: '131049' }],
    [{ reason: 'Template 7 not found' }, { reason: 'Template 7 not found' }],
    [{ reason: '131049.5' }, { reason: expect.any(String) }],
  ])('%j fails with %j', (fields, failure) => {
    expect(failureOf(fields)).toEqual(failure);
  });

  it.each([
    [{}],
    [{ reason: '' }],
    [{ reason: '  ' }],
    [{ reason: null, error: false }],
    [{ error: {} }],
    [{ error: [] }],
  ])('%j fails without a reason', (fields) => {
    expect(failureOf(fields)).toBeUndefined();
  });

  it.each([[{ reason: '5491150000001' }], [{ reason: 5491150000001 }], [{ reason: '12345678.0' }]])(
    'takes no long number for a code: %j',
    (fields) => {
      expect(failureOf(fields)?.code).toBeUndefined();
    },
  );

  it('keeps no phone number of the reason, and no more than 200 characters', () => {
    const failure = failureOf({ reason: `The number +5491150000001 is unknown. ${'x'.repeat(1_000)}` });

    expect(failure?.reason).toMatch(/^The number \S*\*+01 is unknown\. x+$/);
    expect(failure?.reason).toHaveLength(200);
  });
});

describe('an event in the format v1.1 that Parley does not know', () => {
  it.each([
    ['An event', 'event'],
    ['Another type', 'conversation-close'],
    ['A status without a message', 'incomplete-status'],
  ])('%s has the name %s', (title, unknown) => {
    expect(sample(title)).toMatchObject({ user: '+5491150000001', unknown });
    expect(sample(title)).not.toHaveProperty('message');
  });

  it.each([
    [{ type: 'message' }, 'incomplete-message'],
    [{ type: 'message', messages: [] }, 'incomplete-message'],
    [{ type: 'message', messages: ['Hola'] }, 'incomplete-message'],
    [{ type: 'status', messageId: '1', status: '' }, 'incomplete-status'],
    [{ type: 7 }, 'untyped'],
    [{ type: 'typing', messages: [{ _id: '1', from: 'user' }] }, 'typing'],
  ])('%j has the name %s', (fields, unknown) => {
    expect(readServiceEvent(JSON.stringify({ v: '1.1', ...fields }))).toMatchObject({ unknown });
  });
});
