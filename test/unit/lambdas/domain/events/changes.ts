import type { Consent } from '../../../../../lambdas/domain/consent.ts';
import type { ItemChange, ItemKind } from '../../../../../lambdas/domain/events/item-change.ts';
import { consentRegister } from '../../../../../lambdas/table/consent-item.ts';
import { changeOf } from '../../../../../lambdas/table/item-changes.ts';
import {
  accountKey,
  channelKey,
  consentKeyOf,
  contactName,
  echoKey,
  handoverKeyOf,
  type ItemKey,
  messageKey,
  sendKey,
  turnKeyOf,
} from '../../../../../lambdas/table/keys.ts';
import { USER, wireMessage } from '../../../../support/builders.ts';

/** An item's attributes. */
export type ItemImage = Readonly<Record<string, unknown>>;

/** A write to an item of a kind. Without `after`, it deletes the item. */
export interface Write {
  readonly kind?: ItemKind;
  readonly id?: string;
  readonly before?: ItemImage | undefined;
  readonly after?: ItemImage | undefined;
}

const CONTACT = { platform: 'chat', channel: '*', key: '541155550000' };
const ACCOUNT = { platform: 'chat', channel: '+5491100000000' };

const keyOf = (kind: ItemKind, id: string): ItemKey => {
  const keys: Readonly<Record<ItemKind, ItemKey>> = {
    message: messageKey(id),
    echo: echoKey(id),
    send: sendKey(id),
    consent: consentKeyOf(CONTACT),
    handover: handoverKeyOf(CONTACT),
    turn: turnKeyOf(CONTACT),
    account: accountKey(ACCOUNT),
    channel: channelKey({ platform: 'chat', line: '5491100000000' }),
  };
  return keys[kind];
};

/** Builders of changes to table items, valid by default; each test breaks one thing. */
export const changeBy = ({ kind = 'message', id = 'message-1', before, after }: Write): ItemChange => {
  const contact = { contact: contactName(CONTACT) };
  const change = changeOf({
    key: keyOf(kind, id),
    before: before && { ...contact, ...before },
    after: after && { ...contact, ...after },
    writtenAt: '2026-11-20T12:00:00.000Z',
  });
  if (change === undefined) throw new Error('The change is not published.');
  return change;
};

export const change = (write: Write = {}): ItemChange => changeBy({ after: inboundImage(), ...write });

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
  change({ kind: 'echo', before, after });

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
  change({ kind: 'send', id: 'request-1', before, after });

export const consentChange = (after: ItemImage, before: ItemImage = {}): ItemChange =>
  change({ kind: 'consent', before, after });

export const handoverChange = (after: ItemImage, before: ItemImage = {}): ItemChange =>
  change({ kind: 'handover', before, after });

export const accountChange = (after: ItemImage, before: ItemImage = {}): ItemChange =>
  change({ kind: 'account', before, after: { ...ACCOUNT, ...after } });

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
