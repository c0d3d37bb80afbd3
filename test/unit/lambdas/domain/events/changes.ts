import { type Consent, consentRegister } from '../../../../../lambdas/domain/consent.ts';
import type { ItemChange, ItemImage } from '../../../../../lambdas/domain/events/item-change.ts';
import { USER, wireMessage } from '../../../../support/builders.ts';

/** Builders of changes to table items, valid by default; each test breaks one thing. */
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

/** A user's message; `wire` changes the event it came as. */
export const inboundImage = (changes: ItemImage = {}, wire: Record<string, unknown> = {}): ItemImage => ({
  direction: 'inbound',
  contact: 'CONTACT#chat#*#541155550000',
  contactSort: 'MESSAGE#2026-11-20T11:00:00.000Z',
  createdAt: '2026-11-20T11:00:00.000Z',
  createdAtSource: 'event',
  body: JSON.stringify(wireMessage(wire)),
  ...changes,
});

export const echoImage = (changes: ItemImage = {}): ItemImage => ({
  direction: 'echo',
  contact: 'CONTACT#chat#*#541155550000',
  createdAt: '2026-11-20T11:00:01.000Z',
  createdAtSource: 'event',
  body: JSON.stringify(wireMessage({ FROM: 'me', TO: USER, MESSAGE: 'On its way.' })),
  ...changes,
});

export const echoChange = (after: ItemImage = echoImage(), before: ItemImage = {}): ItemChange =>
  change({ kind: 'echo', key: '["MESSAGE#message-1","ECHO"]', before, after });

export const outboundImage = (changes: ItemImage = {}): ItemImage => ({
  direction: 'outbound',
  requestId: 'request-1',
  createdAt: '2026-11-20T11:00:00.000Z',
  call: { endpoint: 'message/v3', body: { platformContactId: '5491155550000', messageText: 'Hi' } },
  ...changes,
});

export const sendImage = (changes: ItemImage = {}): ItemImage => ({
  state: 'accepted',
  acceptedAt: '2026-11-20T11:00:00.000Z',
  decision: 'The user wrote at 2026-11-20T10:00:00.000Z, so the window is open.',
  body: '{"requestId":"request-1","platformContactId":"+5491155550000","messageText":"Hi"}',
  messageId: 'message-1',
  call: { endpoint: 'message/v3', body: { platformContactId: '5491155550000', messageText: 'Hi' } },
  ...changes,
});

export const sendChange = (after: ItemImage, before: ItemImage = {}): ItemChange =>
  change({ kind: 'send', id: 'request-1', key: '["SEND#request-1","SEND"]', before, after });

export const consentChange = (after: ItemImage, before: ItemImage = {}): ItemChange =>
  change({
    kind: 'consent',
    id: 'chat#*#541155550000',
    key: '["CONTACT#chat#*#541155550000","CONSENT"]',
    before,
    after,
  });

export const handoverChange = (after: ItemImage, before: ItemImage = {}): ItemChange =>
  change({
    kind: 'handover',
    id: 'chat#*#541155550000',
    key: '["CONTACT#chat#*#541155550000","HANDOVER"]',
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

/** A consent's attributes. */
export const consentImage = (...consents: readonly Consent[]): ItemImage =>
  Object.fromEntries(
    consents.flatMap((consent) => {
      const names = consentRegister(consent);
      return [
        [names.at, consent.at],
        [names.source, consent.source],
        [names.recordedAt, consent.at],
      ];
    }),
  );
