import { describe, expect, it } from 'vitest';
import { eventTime } from '../../../../lambdas/domain/parse-events.ts';
import { startTrace } from '../../../../lambdas/domain/trace-context.ts';
import type { WebhookEvent } from '../../../../lambdas/domain/webhook-event.ts';
import { NOW, wireMessage, wireStatus } from '../../../support/builders.ts';
import { parseEvent } from '../../../support/single-event.ts';

const parse = (body: string) =>
  parseEvent(body, { times: { receivedAt: NOW }, chatPlatform: 'chat', windowPer: 'user' });

const parseWire = (wire: unknown): WebhookEvent => {
  const parsed = parse(JSON.stringify(wire));
  if (parsed.kind !== 'event') throw new Error(parsed.reason);
  return parsed.event;
};

describe('parseEvent with an inbound message', () => {
  it('returns the fields of the contract and the body as received', () => {
    const wire = wireMessage({ QUEUE: 'sales', TAGS: ['new'] });
    expect(parseWire(wire)).toEqual({
      kind: 'message',
      opensWindow: true,
      id: 'message-1',
      time: { at: '2026-11-20T11:00:00.000Z', source: 'event' },
      modified: { at: NOW, source: 'arrival' },
      body: JSON.stringify(wire),
      traceparent: startTrace('message', 'message-1'),
      contact: { platform: 'chat', channel: '*', key: '541155550000' },
      address: '5491155550000',
      name: 'Ana',
      customerId: 'customer-1',
    });
  });

  it.each(['CO.1000123', '+54 9 11 5555-0000', 'web#1'])('keeps the id %s verbatim', (from) => {
    expect(parseWire(wireMessage({ FROM: from }))).toMatchObject({ address: from });
  });

  it("uses the stage's platform when the event names none", () => {
    expect(parseWire(wireMessage({ CHAT_PLATFORM_ID: '' }))).toMatchObject({ contact: { platform: 'chat' } });
  });

  it.each([undefined, null, 'yesterday', 1_795])('accepts the CREATION_TIME %s', (time) => {
    expect(parseWire(wireMessage({ CREATION_TIME: time }))).toMatchObject({ time: { at: NOW, source: 'arrival' } });
  });

  it('ignores optional fields of another type', () => {
    const wire = wireMessage({ FROM_NAME: 7, IMAGES_URLS: 'none', CUSTOMER_ID: null, FROM: 5491155550000 });
    const event = parseWire(wire);
    expect(event).toMatchObject({ kind: 'message', address: '5491155550000', name: undefined });
    expect(event).not.toHaveProperty('customerId');
  });
});

describe('parseEvent with a status', () => {
  it.each([
    ['delivered', 'delivered'],
    ['READ', 'read'],
    ['sent', 'sent'],
    ['failed', 'failed'],
    ['Error', 'failed'],
    ['played', 'other'],
  ])('parses %s as %s, in either case', (literal, status) => {
    expect(parseWire(wireStatus({ STATUS: literal }))).toMatchObject({
      kind: 'status',
      id: 'message-1',
      status,
      literal: literal.toLowerCase(),
    });
  });

  it.each([undefined, '', {}])('does not need FROM: %j', (FROM) => {
    expect(parseWire(wireStatus({ FROM }))).toMatchObject({
      kind: 'status',
      time: { at: '2026-11-20T11:00:05.000Z', source: 'event' },
    });
  });

  it('returns the request id that the chat service returns, and ignores what cannot be one', () => {
    expect(parseWire(wireStatus({ CLIENT_PAYLOAD: 'request-1' }))).toMatchObject({ requestId: 'request-1' });
    for (const CLIENT_PAYLOAD of [undefined, '', 'a b', 'x'.repeat(129), { id: 1 }]) {
      expect(parseWire(wireStatus({ CLIENT_PAYLOAD }))).not.toHaveProperty('requestId');
    }
  });
});

describe('parseEvent with anything else', () => {
  it.each([
    ['not JSON', 'hello', 'not JSON'],
    ['an empty list', '[]', 'empty list'],
    ['null', 'null', 'not a JSON object'],
    ['without _id_', JSON.stringify(wireMessage({ _id_: undefined })), 'Its fields: CHAT_PLATFORM_ID, MESSAGE'],
    ['with an empty _id_', JSON.stringify(wireMessage({ _id_: '' })), '_id_: is empty'],
    ['with an _id_ too long for a key', JSON.stringify(wireMessage({ _id_: 'x'.repeat(1025) })), '_id_: is longer'],
    ['with a lone surrogate in _id_', '{"_id_":"\\ud800","FROM":"1234567"}', '_id_: is not well-formed'],
    [
      'with neither STATUS nor FROM',
      JSON.stringify(wireMessage({ FROM: undefined })),
      'in none of the formats uppercase, camelCase, v1.1, code-action',
    ],
    ['with a STATUS that is not a string', JSON.stringify(wireStatus({ STATUS: { code: 1 } })), 'STATUS'],
  ])('explains why a body is unreadable that is %s', (_case, body, reason) => {
    expect(parse(body)).toEqual({ kind: 'unreadable', body, reason: expect.stringContaining(reason) });
  });
});

it.each([
  ['an object without a text', '{"toString":1}'],
  ['nested too deeply for a text', `${'['.repeat(5000)}${']'.repeat(5000)}`],
  ['a list', '["message"]'],
])('an event whose type is %s is not known', (_case, type) => {
  expect(parse(`{"contactId":"5491155550000","type":${type}}`)).toMatchObject({ kind: 'unreadable' });
});

it.each(['ENQUEUED', 'played', 'received'])('a message beside the STATUS %s opens no window', (STATUS) => {
  const parsed = parse(JSON.stringify(wireMessage({ STATUS })));
  expect(parsed).toMatchObject({ event: { kind: 'status', message: { kind: 'message', opensWindow: false } } });
});

describe("a message from the business's own number", () => {
  const fields = { FROM: '5491100000000', TO: '5491155550000', MESSAGE: 'STOP' };
  const context = { times: { receivedAt: NOW }, chatPlatform: 'chat', windowPer: 'user' as const };
  const parsed = (wire: object, chatChannelNumber?: string) =>
    parseEvent(JSON.stringify(wireMessage({ ...fields, ...wire })), { ...context, chatChannelNumber });

  it.each([
    ["the event's channel", { CHAT_CHANNEL_ID: 'acme-chat-5491100000000' }, undefined],
    ["the webhook's path", {}, '+5491100000000'],
  ])('is an echo in the conversation of the user: %s', (_case, wire, path) => {
    expect(parsed(wire, path)).toMatchObject({
      event: { kind: 'echo', sender: 'business', contact: { key: '541155550000' } },
    });
  });

  it.each(['+5491100000000', '541100000000', 5491100000000])('is an echo in any spelling: %j', (FROM) => {
    expect(parsed({ FROM, CHAT_CHANNEL_ID: '5491100000000' })).toMatchObject({ event: { kind: 'echo' } });
  });

  it('is an echo without a contact in a format that names only the user', () => {
    const wire = { _id_: '1', contactId: '5491100000000', fromCustomer: true, WHATSAPP_NUMBER: '+5491100000000' };
    const { event } = { event: undefined, ...parseEvent(JSON.stringify(wire), context) };
    expect(event).toMatchObject({ kind: 'echo', sender: 'business' });
    expect(event).not.toHaveProperty('contact');
  });

  it('is not a message from any other number', () => {
    expect(parsed({ FROM: '5491155550001', TO: 'me' }, '+5491100000000')).toMatchObject({ event: { kind: 'message' } });
  });
});

describe('the business number of an event where windows are per number', () => {
  const context = { times: { receivedAt: NOW }, chatPlatform: 'chat', windowPer: 'channel' as const };

  const channelOf = (wire: unknown, chatChannelNumber?: string) => {
    const parsed = parseEvent(JSON.stringify(wire), { ...context, chatChannelNumber });
    if (parsed.kind !== 'event' || parsed.event.kind !== 'message') throw new Error('This is not a message.');
    return [parsed.event.contact.channel, parsed.event.opensWindow];
  };

  it.each([
    [
      "the path's, before all others",
      { CHAT_CHANNEL_ID: '5491100000001', TO: '5491100000002' },
      '+5491100000000',
      '541100000000',
    ],
    ['CHAT_CHANNEL_ID', { CHAT_CHANNEL_ID: 5491100000001, TO: '5491100000002' }, undefined, '541100000001'],
    [
      'TO, if CHAT_CHANNEL_ID is not a number',
      { CHAT_CHANNEL_ID: 'main', TO: '5491100000002' },
      undefined,
      '541100000002',
    ],
  ])('is %s', (_case, fields, path, channel) => {
    expect(channelOf(wireMessage(fields), path)).toEqual([channel, true]);
  });

  it.each([{}, { CHAT_CHANNEL_ID: 'main', TO: { is: 'odd' } }])('is missing in %j, which opens no window', (fields) => {
    expect(channelOf(wireMessage(fields))).toEqual(['*', false]);
  });

  it('is not TO in an echo, where that is the user', () => {
    const wire = wireMessage({ FROM: 'me', TO: '5491155550000', CHAT_CHANNEL_ID: '5491100000001' });
    expect(parseEvent(JSON.stringify(wire), context)).toMatchObject({
      event: { kind: 'echo', contact: { channel: '541100000001', key: '541155550000' } },
    });
  });
});

describe('eventTime', () => {
  const times = { publishedAt: '2026-11-20T11:59:58.000Z', receivedAt: '2026-11-20T12:00:00.000Z' };

  it('returns CREATION_TIME, however late the event arrives', () => {
    expect(eventTime('2026-11-14T12:00:00.000Z', times)).toEqual({ at: '2026-11-14T12:00:00.000Z', source: 'event' });
  });

  it('converts a CREATION_TIME with an offset to UTC', () => {
    expect(eventTime('2026-11-20T08:30:00.5-03:00', times).at).toBe('2026-11-20T11:30:00.500Z');
  });

  it.each([
    ['missing', undefined],
    ['null', null],
    ['a number that is no time', 1_795],
    ['not a time', 'yesterday'],
    ['not a day of the calendar', '2026-02-30T11:00:00.000Z'],
    ['without an offset', '2026-11-20T11:00:00.000'],
    ['in a year of five digits in UTC', '9999-12-31T23:59:59-01:00'],
    ['before the year 0 in UTC', '0000-01-01T00:00:00+01:00'],
    ['in the future', '2026-11-20T12:00:00.001Z'],
  ])('returns the publish time when CREATION_TIME is %s', (_case, creationTime) => {
    expect(eventTime(creationTime, times)).toMatchObject({ at: times.publishedAt, source: 'publish-time' });
  });

  it('returns the arrival time when there is no publish time either', () => {
    expect(eventTime(undefined, { receivedAt: times.receivedAt })).toEqual({ at: times.receivedAt, source: 'arrival' });
  });

  it('is the same when the event is delivered again, even after a time that was in the future', () => {
    const again = { ...times, receivedAt: '2026-11-20T12:00:10.000Z' };
    expect(eventTime('2026-11-20T12:00:05.000Z', again)).toEqual(eventTime('2026-11-20T12:00:05.000Z', times));
    expect(eventTime('2026-11-20T11:59:59.000Z', again).source).toBe('publish-time');
  });

  it('returns the arrival time when the publish time is in the future too', () => {
    const ahead = { ...times, publishedAt: '2026-11-21T00:00:00.000Z' };
    expect(eventTime('2027-01-01T00:00:00Z', ahead)).toEqual({
      at: times.receivedAt,
      source: 'arrival',
      own: '2027-01-01T00:00:00.000Z',
    });
  });
});
