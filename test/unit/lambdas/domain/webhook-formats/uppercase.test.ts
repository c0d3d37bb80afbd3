import { describe, expect, it } from 'vitest';
import { readServiceEvent } from '../../../../../lambdas/domain/webhook-formats/formats.ts';
import { webhookSample } from '../../../../support/webhook-samples.ts';

const sample = (title: string) => readServiceEvent(webhookSample('uppercase', title));
const read = (fields: object) => readServiceEvent(JSON.stringify({ _id_: '1', FROM: '5491150000001', ...fields }));
const NO_MEDIA = { images: [], audios: [], files: [], videos: [] };

describe('an event in the format uppercase', () => {
  it('has the fields of the contract', () => {
    expect(sample('A text')).toEqual({
      id: 'MSGU0000000000000001',
      idField: '_id_',
      chatPlatform: 'whatsapp',
      user: '5491150000001',
      lines: [undefined, undefined],
      customerId: 'CUST0000000000000001',
      name: 'Ana',
      time: '2026-11-20T12:00:01.000Z',
      requestId: undefined,
      message: {
        sender: 'user',
        senderName: '5491150000001',
        content: { text: 'Hola', media: NO_MEDIA, button: undefined },
      },
    });
  });

  it('names the business number by CHAT_CHANNEL_ID and, in what the user wrote, TO', () => {
    expect(sample('A text with more fields')?.lines).toEqual(['acme-whatsapp-5491100000000', 'me']);
    expect(read({ FROM: 'me', TO: '5491150000001', CHAT_CHANNEL_ID: 'c-5491100000000' })?.lines).toEqual([
      'c-5491100000000',
    ]);
  });

  it.each([
    ['An image', { text: '', media: { ...NO_MEDIA, images: ['https://media.example/i.png'] } }],
    ['A voice message', { text: undefined, media: { ...NO_MEDIA, audios: ['https://media.example/a.ogg'] } }],
    ['A file with a caption', { text: 'El contrato', media: { ...NO_MEDIA, files: ['https://media.example/c.pdf'] } }],
    ['A video', { text: undefined, media: { ...NO_MEDIA, videos: ['https://media.example/v.mp4'] } }],
    ['A pressed button', { button: { text: 'Sí', payload: 'I1' } }],
  ])('has content: %s', (title, content) => {
    expect(sample(title)?.message?.content).toMatchObject(content);
  });

  it('has reactions only if there are any', () => {
    expect(read({ REACTIONS: ['👍', 7] })?.message?.content.reactions).toEqual(['👍']);
    expect(read({ REACTIONS: [] })?.message?.content).not.toHaveProperty('reactions');
  });

  it.each([
    ['me', 'business'],
    ['Me', 'business'],
    ['bot', 'bot'],
    ['BOT', 'bot'],
    ['5491150000001', 'user'],
    ['CO.1000000000000001', 'user'],
    ['bot-7', 'user'],
  ])('from %s is of the sender %s', (FROM, sender) => {
    const event = read({ FROM, TO: '5491150000002' });

    expect(event?.message?.sender).toBe(sender);
    expect(event?.user).toBe(sender === 'user' ? FROM : '5491150000002');
  });

  it('without a usable FROM has no message', () => {
    for (const FROM of ['', null, {}, true, 'x'.repeat(1_025)]) {
      expect(read({ FROM, STATUS: 'read', MESSAGE: 'Hola' })).not.toHaveProperty('message');
    }
  });

  it.each([
    ['Delivered', { literal: 'delivered', failure: undefined }],
    ['Failed', { literal: 'error', failure: { code: '131049', reason: undefined } }],
    ['A status that Parley does not know', { literal: 'played', failure: undefined }],
  ])('has a status: %s', (title, status) => {
    expect(sample(title)?.status).toEqual(status);
    expect(sample(title)).not.toHaveProperty('message');
  });

  it('with a status has a message only if it has content', () => {
    expect(sample('A status with its message')?.message?.content.text).toBe('Su pedido llega hoy');
    expect(read({ STATUS: 'read', STICKER_URL: 'https://media.example/s.webp' })).toHaveProperty('message');
    for (const empty of [{ MESSAGE: '' }, { MESSAGE: null }, { IMAGES_URLS: [] }, { FROM_NAME: 'Ana' }]) {
      expect(read({ STATUS: 'read', ...empty })).not.toHaveProperty('message');
    }
  });

  it('with an empty STATUS is a message, and with one of another type is faulty', () => {
    expect(read({ STATUS: '', MESSAGE: 'Hola' })).not.toHaveProperty('status');
    expect(read({ STATUS: { code: 1 } })?.fault).toBe('STATUS: is not a string');
  });

  it('returns the ID of the request, and an ID that is a number', () => {
    expect(sample('Delivered, with the ID of the request')?.requestId).toBe('order-17');
    expect(read({ _id_: 42 })?.id).toBe('42');
    for (const _id_ of [4.2, 2 ** 60, true, ['1']]) expect(read({ _id_ })?.id).toBeUndefined();
  });
});

describe('an event in the format code-action', () => {
  it('is the event in its context', () => {
    const body = webhookSample('code-action', 'A text');
    const { context } = JSON.parse(body);

    expect(readServiceEvent(body)).toEqual(readServiceEvent(JSON.stringify(context.message)));
    expect(readServiceEvent(body)).toMatchObject({ id: 'MSGA0000000000000001', message: { sender: 'user' } });
  });
});
