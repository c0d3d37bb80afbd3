import type { ItemChange, ItemImage } from '../../../../../lambdas/domain/telling/item-change.ts';

/** Builders are valid by default; a test breaks one thing. */
export const change = (changes: Partial<ItemChange> = {}): ItemChange => ({
  kind: 'message',
  id: 'message-1',
  key: '["MESSAGE#message-1","MESSAGE"]',
  writtenAt: '2026-11-20T12:00:00.000Z',
  contact: { platform: 'chat', channel: '*', key: '541155550000' },
  before: {},
  after: inboundImage(),
  ...changes,
});

export const inboundImage = (changes: ItemImage = {}): ItemImage => ({
  direction: 'inbound',
  contact: 'CONTACT#chat#*#541155550000',
  text: 'Where is my parcel?',
  createdAt: '2026-11-20T11:00:00.000Z',
  createdAtSource: 'event',
  body: '{"_id_":"message-1","FROM":"5491155550000"}',
  ...changes,
});

export const outboundImage = (changes: ItemImage = {}): ItemImage => ({
  direction: 'outbound',
  requestId: 'request-1',
  createdAt: '2026-11-20T11:00:00.000Z',
  ...changes,
});

export const sendImage = (changes: ItemImage = {}): ItemImage => ({
  state: 'accepted',
  acceptedAt: '2026-11-20T11:00:00.000Z',
  why: 'The user wrote at 2026-11-20T10:00:00.000Z: the window is open.',
  body: '{"requestId":"request-1","platformContactId":"+5491155550000","messageText":"Hi"}',
  messageId: 'message-1',
  call: { endpoint: 'message/v3', body: { platformContactId: '5491155550000', messageText: 'Hi' } },
  ...changes,
});

export const sendChange = (after: ItemImage, before: ItemImage = {}): ItemChange =>
  change({ kind: 'send', id: 'request-1', key: '["SEND#request-1","SEND"]', before, after });

export const contactChange = (after: ItemImage, before: ItemImage = {}): ItemChange =>
  change({
    kind: 'contact',
    id: 'chat#*#541155550000',
    key: '["CONTACT#chat#*#541155550000","CONTACT"]',
    before,
    after,
  });

export const accountChange = (after: ItemImage, before: ItemImage = {}): ItemChange =>
  change({
    kind: 'account',
    id: 'chat#+5491100000000',
    key: '["ACCOUNT#chat#+5491100000000","ACCOUNT"]',
    before,
    after: { platform: 'chat', channel: '+5491100000000', ...after },
  });
