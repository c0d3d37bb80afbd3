import { ITEM_KINDS, type ItemKind } from '../domain/events/item-change.ts';

/** The start of an item's partition key, and its sort key. No other kind of item has the same sort key. */
export interface KindOfKey {
  readonly pkPrefix: string;
  readonly sk: string;
}

/** The keys of the items whose changes are published. The stream's filter and its reader both follow from them. */
export const PUBLISHED_ITEMS: Readonly<Record<ItemKind, KindOfKey>> = {
  message: { pkPrefix: 'MESSAGE#', sk: 'MESSAGE' },
  echo: { pkPrefix: 'MESSAGE#', sk: 'ECHO' },
  send: { pkPrefix: 'SEND#', sk: 'SEND' },
  consent: { pkPrefix: 'CONTACT#', sk: 'CONSENT' },
  handover: { pkPrefix: 'CONTACT#', sk: 'HANDOVER' },
  turn: { pkPrefix: 'CONTACT#', sk: 'TURN' },
  account: { pkPrefix: 'ACCOUNT#', sk: 'ACCOUNT' },
  channel: { pkPrefix: 'CHANNEL#', sk: 'CHANNEL' },
};

/** Returns the kind of the item with this key. Returns undefined if changes of the item are never published. */
export const publishedKind = (pk: string, sk: string): ItemKind | undefined =>
  KINDS[`${pk.slice(0, pk.indexOf('#') + 1)} ${sk}`];

const KINDS: Readonly<Record<string, ItemKind>> = Object.fromEntries(
  ITEM_KINDS.map((kind) => {
    const { pkPrefix, sk } = PUBLISHED_ITEMS[kind];
    return [`${pkPrefix} ${sk}`, kind];
  }),
);
