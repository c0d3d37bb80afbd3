import { ItemBusyError } from '../../domain/errors.ts';
import { subjectName } from '../../table/keys.ts';
import type { ItemUpdate } from './item-update.ts';
import { isOfUser, type NamedUser } from './message-user.ts';
import { readByWriting } from './read-by-writing.ts';
import type { ConversationTable, WriteOutcome } from './table.ts';

/**
 * Updates the item of a message, which belongs to one user for good: message IDs may be unique only per business number.
 * An update that names the address in the item costs one write. Another address can belong to the same user.
 *
 * @returns `other-user` if the item belongs to another user, and is unchanged
 * @throws ItemBusyError if other calls keep changing the contact in the item
 */
export const updateOwn = async (
  table: Pick<ConversationTable, 'update'>,
  user: NamedUser,
  update: ItemUpdate,
  options?: { readonly returnItem: boolean },
): Promise<WriteOutcome | 'other-user'> => {
  let owner = user.subject && subjectName(user.subject);
  if (owner === undefined) return table.update(update, options);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const result = await table.update(ofOwner(update, owner), options);
    const stored = result.item?.contact;
    if (result.kind === 'written' || typeof stored !== 'string' || stored === owner) return result;
    if (!(await isOfUser((key) => readByWriting(table, key), result.item ?? {}, user))) return 'other-user';
    owner = stored;
  }
  throw new ItemBusyError('Other calls keep changing the contact of the message.');
};

/** More than the times that the contact in an item can change. Each change costs one more attempt. */
const MAX_ATTEMPTS = 5;

/** Returns an update that fails if its item names another contact. */
export const ofOwner = ({ condition, values, ...update }: ItemUpdate, owner: string): ItemUpdate => ({
  ...update,
  values: { ...values, owner },
  condition: [IS_OF_OWNER, ...(condition === undefined ? [] : [`(${condition})`])].join(' AND '),
});

const IS_OF_OWNER = '(attribute_not_exists(#contact) OR #contact = :owner)';
