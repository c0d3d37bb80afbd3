import { describe, expect, it } from 'vitest';
import { readEvent, type WebhookEvent } from '../../../../lambdas/domain/webhook-event.ts';
import { NOW, wireMessage, wireStatus } from '../../../support/builders.ts';

const read = (body: string) =>
  readEvent(body, { times: { receivedAt: NOW }, defaultPlatform: 'chat', windowPer: 'user' });
const readWire = (wire: unknown): WebhookEvent => {
  const result = read(JSON.stringify(wire));
  if (result.kind !== 'event') throw new Error(result.reason);
  return result.event;
};

describe('an inbound message', () => {
  it('is read with the fields of the contract, its body kept as it came', () => {
    const wire = wireMessage({ QUEUE: 'sales', TAGS: ['new'] });
    expect(readWire(wire)).toEqual({
      kind: 'message',
      opensWindow: true,
      id: 'message-1',
      text: 'Where is my parcel?',
      media: { images: [], audios: [], files: [], videos: [] },
      time: { at: '2026-11-20T11:00:00.000Z', source: 'event' },
      body: JSON.stringify(wire),
      contact: { platform: 'chat', channel: '*', key: '541155550000' },
      address: '5491155550000',
      name: 'Ana',
      customerId: 'customer-1',
    });
  });

  it('keeps media of all four kinds, and may have no text', () => {
    const wire = wireMessage({
      MESSAGE: undefined,
      IMAGES_URLS: ['https://media.example/1.jpg'],
      AUDIOS_URLS: ['https://media.example/2.ogg'],
      FILES_URLS: ['https://media.example/3.pdf'],
      VIDEOS_URLS: ['https://media.example/4.mp4'],
    });
    expect(readWire(wire)).toMatchObject({
      media: {
        images: ['https://media.example/1.jpg'],
        audios: ['https://media.example/2.ogg'],
        files: ['https://media.example/3.pdf'],
        videos: ['https://media.example/4.mp4'],
      },
    });
  });

  it('keeps JSON inside MESSAGE, a button press, as text', () => {
    expect(readWire(wireMessage({ MESSAGE: '{"button":"yes"}' }))).toMatchObject({ text: '{"button":"yes"}' });
  });

  it.each(['CO.1000123', '+54 9 11 5555-0000', 'web#1'])('keeps the id %s verbatim', (from) => {
    expect(readWire(wireMessage({ FROM: from }))).toMatchObject({ address: from });
  });

  it('takes the stage’s platform when it names none', () => {
    expect(readWire(wireMessage({ CHAT_PLATFORM_ID: '' }))).toMatchObject({ contact: { platform: 'chat' } });
  });

  it.each([undefined, null, 'yesterday', 1795168520757])('with the CREATION_TIME %s is read all the same', (time) => {
    expect(readWire(wireMessage({ CREATION_TIME: time }))).toMatchObject({ time: { at: NOW, source: 'arrival' } });
  });

  it('is a message, not a status, when STATUS is present and empty', () => {
    expect(readWire(wireMessage({ STATUS: '' })).kind).toBe('message');
  });

  it('is read when a field that we can do without has another type', () => {
    const wire = wireMessage({ FROM_NAME: 7, IMAGES_URLS: 'none', CUSTOMER_ID: null, FROM: 5491155550000 });
    expect(readWire(wire)).toMatchObject({
      kind: 'message',
      address: '5491155550000',
      name: undefined,
      media: { images: [] },
    });
  });
});

describe('an echo', () => {
  it.each(['me', 'ME'])('is a message from %s, and names no sender', (from) => {
    const echo = readWire(wireMessage({ FROM: from, TO: '5491155550000' }));
    expect(echo).toMatchObject({ kind: 'echo', contact: { key: '541155550000' } });
    expect(echo).not.toHaveProperty('address');
  });
});

describe('a status', () => {
  it.each([
    ['delivered', 'delivered'],
    ['READ', 'read'],
    ['sent', 'sent'],
    ['failed', 'failed'],
    ['Error', 'failed'],
    ['played', 'other'],
  ])('%s is read as %s, in either case', (literal, status) => {
    expect(readWire(wireStatus({ STATUS: literal }))).toMatchObject({ kind: 'status', id: 'message-1', status });
  });

  it.each([undefined, '', {}])('needs no FROM, whatever stands there: %j', (FROM) => {
    expect(readWire(wireStatus({ FROM }))).toMatchObject({ kind: 'status', at: '2026-11-20T11:00:05.000Z' });
  });
});

describe('what is no event', () => {
  it.each([
    ['not JSON', 'hello', 'not JSON'],
    ['an array', '[]', 'expected object'],
    ['null', 'null', 'expected object'],
    ['without _id_', JSON.stringify(wireMessage({ _id_: undefined })), '_id_'],
    ['with an empty _id_', JSON.stringify(wireMessage({ _id_: '' })), '_id_ is empty'],
    ['with an _id_ too long for a key', JSON.stringify(wireMessage({ _id_: 'x'.repeat(1025) })), '_id_ is longer'],
    ['with an _id_ of a lone surrogate', '{"_id_":"\\ud800","FROM":"1234567"}', '_id_ is not well-formed'],
    ['with neither STATUS nor FROM', JSON.stringify(wireMessage({ FROM: undefined })), 'neither STATUS nor FROM'],
    ['with a STATUS that is no text', JSON.stringify(wireStatus({ STATUS: { code: 1 } })), 'STATUS'],
  ])('is unreadable when it is %s, and the reason names why', (_case, body, reason) => {
    expect(read(body)).toEqual({ kind: 'unreadable', reason: expect.stringContaining(reason) });
  });
});

describe('the business number of an event, where windows are kept by it', () => {
  const channelOf = (wire: unknown, chatChannelNumber?: string) => {
    const context = { times: { receivedAt: NOW }, defaultPlatform: 'chat', chatChannelNumber };
    const result = readEvent(JSON.stringify(wire), { ...context, windowPer: 'channel' });
    if (result.kind !== 'event' || result.event.kind !== 'message') throw new Error('This is no message.');
    return [result.event.contact.channel, result.event.opensWindow];
  };

  it.each([
    [
      'the path’s, before all others',
      { CHAT_CHANNEL_ID: '5491100000001', TO: '5491100000002' },
      '+5491100000000',
      '541100000000',
    ],
    ['CHAT_CHANNEL_ID', { CHAT_CHANNEL_ID: 5491100000001, TO: '5491100000002' }, undefined, '541100000001'],
    [
      'TO, where CHAT_CHANNEL_ID is no number',
      { CHAT_CHANNEL_ID: 'main', TO: '5491100000002' },
      undefined,
      '541100000002',
    ],
  ])('is %s', (_case, fields, path, channel) => {
    expect(channelOf(wireMessage(fields), path)).toEqual([channel, true]);
  });

  it.each([{}, { CHAT_CHANNEL_ID: 'main', TO: { is: 'odd' } }])('is none in %j: it opens no window', (fields) => {
    expect(channelOf(wireMessage(fields))).toEqual(['*', false]);
  });

  it('is not TO in an echo, where that is the user', () => {
    const context = { times: { receivedAt: NOW }, defaultPlatform: 'chat', windowPer: 'channel' as const };
    const wire = wireMessage({ FROM: 'me', TO: '5491155550000', CHAT_CHANNEL_ID: '5491100000001' });
    expect(readEvent(JSON.stringify(wire), context)).toMatchObject({
      event: { kind: 'echo', contact: { channel: '541100000001', key: '541155550000' } },
    });
  });
});
