import type { Item } from '../../table/item.ts';
import type { ItemKey } from '../../table/keys.ts';
import type { ConversationTable } from './table.ts';

/** No item has this attribute, so removing it changes nothing. */
const NO_ATTRIBUTE = 'nothing';

/** Reads an item with a write that changes nothing, because functions that store events are only allowed to write. */
export const readByWriting = async (
  table: Pick<ConversationTable, 'update'>,
  key: ItemKey,
): Promise<Item | undefined> => {
  const { kind, item } = await table.update(
    { key, set: { [NO_ATTRIBUTE]: undefined }, condition: 'attribute_exists(#pk)' },
    { returnItem: true },
  );
  return kind === 'conflict' ? undefined : item;
};
