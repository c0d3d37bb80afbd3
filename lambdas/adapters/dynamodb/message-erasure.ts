import type { ErasableItem } from '../../ports.ts';
import type { Item } from '../../table/item.ts';
import { CUSTOMER_PREFIX, echoKey, type ItemKey, messageKey, versionKey } from '../../table/keys.ts';
import { EMPTIED_MESSAGE } from '../../table/message-item.ts';
import type { ConversationTable } from './table.ts';

const NAMES_NO_OTHER_CONTACT =
  'attribute_not_exists(#contact) OR begins_with(#contact, :customers) OR ' +
  '(#contact = :contact AND attribute_not_exists(#createdAt))';

/**
 * Deletes a message, an echo, or the statuses of an unknown message, and what has the same id but names no contact: the
 * statuses of an echoed message, or an echo. These are in no index, so they are deleted first: otherwise, an erasure
 * that is interrupted could not find them again. The item of a message that is marked as erased is emptied, but keeps
 * the mark.
 */
export const eraseMessage = async (
  table: ConversationTable,
  { kind, id, isErased = false, versions = [] }: ErasableItem,
  contact: string,
): Promise<'erased' | 'gone'> => {
  const remove = async (key: ItemKey, condition: string, values: Item): Promise<boolean> => {
    if (!isErased || key.sk !== messageKey(id).sk) {
      const all = `attribute_not_exists(#erasedAt) AND (${condition})`;
      return table.delete(key, all, values);
    }
    const all = `attribute_exists(#erasedAt) AND (${condition})`;
    return (await table.update({ key, set: EMPTIED_MESSAGE, values, condition: all })).kind === 'written';
  };
  // These are in no index either. The others are listed on their own.
  for (const digest of versions) await table.delete(versionKey(id, digest), 'attribute_not_exists(#contact)', {});
  const [listed, unlisted] = kind === 'echo' ? [echoKey(id), messageKey(id)] : [messageKey(id), echoKey(id)];
  await remove(unlisted, NAMES_NO_OTHER_CONTACT, { contact, customers: CUSTOMER_PREFIX });
  // The message of a status may have arrived meanwhile. It is then listed as a message, if it is old enough.
  const condition = `#contact = :contact${kind === 'status' ? ' AND attribute_not_exists(#createdAt)' : ''}`;
  return (await remove(listed, condition, { contact })) ? 'erased' : 'gone';
};

/**
 * Deletes an earlier version. If its message is kept, because it is another contact's with the same id, the message no
 * longer lists it.
 */
export const eraseVersion = async (
  table: ConversationTable,
  { id, versions = [] }: ErasableItem,
  contact: string,
): Promise<'erased' | 'gone'> => {
  let result: 'erased' | 'gone' = 'gone';
  for (const digest of versions) {
    for (const key of [messageKey(id), echoKey(id)]) {
      await table.update({
        key,
        drop: { versions: new Set([digest]) },
        values: { digest },
        condition: 'contains(#versions, :digest)',
      });
    }
    if (await table.delete(versionKey(id, digest), '#contact = :contact', { contact })) result = 'erased';
  }
  return result;
};
