import { describe, expect, it } from 'vitest';
import { readServiceEvent } from '../../../../../lambdas/domain/webhook-formats/formats.ts';
import { webhookSample } from '../../../../support/webhook-samples.ts';

const sample = (title: string) => readServiceEvent(webhookSample('camelCase', title));
const read = (fields: object) => readServiceEvent(JSON.stringify({ _id_: '1', contactId: '5491150000001', ...fields }));
const NO_MEDIA = { images: [], audios: [], files: [], videos: [] };

describe('an event in the format camelCase', () => {
  it('has the fields of its documents', () => {
    expect(sample('A text')).toEqual({
      id: 'MSGC0000000000000001',
      idField: '_id_',
      chatPlatform: 'whatsapp',
      user: '5491150000001',
      lines: ['5491100000000'],
      customerId: 'CUST0000000000000001',
      name: 'Ana',
      time: '2026-11-20T12:00:01.000Z',
      message: { sender: 'user', content: { text: 'Hola', media: NO_MEDIA, button: undefined } },
    });
  });

  it.each([
    [true, 'user'],
    [false, 'business'],
    [undefined, 'unknown'],
    [null, 'unknown'],
    ['true', 'unknown'],
    [1, 'unknown'],
    [{}, 'unknown'],
  ])('with fromCustomer %j is of the sender %s', (fromCustomer, sender) => {
    expect(read({ fromCustomer, fromName: 'Ana' })?.message?.sender).toBe(sender);
  });

  it('names the user, not the sender, in what the business wrote', () => {
    expect(sample('An echo')).toMatchObject({ user: '5491150000001', message: { sender: 'business' } });
  });

  it.each([
    ['An image with a caption', { text: 'La puerta', media: { ...NO_MEDIA, images: ['https://media.example/i.png'] } }],
    ['A voice message', { media: { ...NO_MEDIA, audios: ['https://media.example/a.ogg'] } }],
    ['A video', { media: { ...NO_MEDIA, videos: ['https://media.example/v.mp4'] } }],
    ['A file with a caption', { text: 'El contrato', media: { ...NO_MEDIA, files: ['https://media.example/c.pdf'] } }],
    ['A location', { location: { name: 'Plaza', address: 'Calle 1', latitude: -34.6, longitude: -58.4 } }],
    ['A contact card', { contactCards: [{ name: 'Juan P', phones: ['+54 9 11 5000-0002'] }] }],
    ['A kind that is not passed on', { text: undefined, media: NO_MEDIA, unsupported: 'Unsupported message' }],
  ])('has content: %s', (title, content) => {
    expect(sample(title)?.message?.content).toMatchObject(content);
  });

  it('has the text before the caption, and media as one URL or several', () => {
    expect(read({ message: 'Hola', caption: 'La puerta' })?.message?.content.text).toBe('Hola');
    expect(read({ image: ['https://media.example/1.png', 7] })?.message?.content.media.images).toEqual([
      'https://media.example/1.png',
    ]);
  });

  it('leaves out what is of another type in a location and in contact cards', () => {
    const { content } = read({
      location: { name: 7, latitude: '-34.6', longitude: -58.4 },
      contacts: ['Juan', { name: { first_name: 'Juan', last_name: 'P' }, phones: [{ wa_id: '5491150000002' }, {}, 1] }],
    })?.message ?? { content: undefined };

    expect(content).toMatchObject({
      location: { name: undefined, address: undefined, latitude: undefined, longitude: -58.4 },
      contactCards: [{ name: 'Juan P', phones: ['5491150000002'] }],
    });
  });
});
