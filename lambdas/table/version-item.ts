import { type MessageVersion, versionCreatedAt } from '../domain/message-version.ts';
import * as z from '../domain/schema.ts';
import { contactSort } from './indexes.ts';
import { parseItem } from './item.ts';

const versionItem = z.object({ body: z.string(), modifiedAt: z.string() });

/**
 * Returns the attributes of an earlier version, which never change.
 *
 * @param message `contact` is the name of the contact or the customer that the version is stored under
 */
export const versionAttributes = (
  version: MessageVersion,
  { direction, contact }: { readonly direction: 'inbound' | 'echo'; readonly contact: string | undefined },
) => {
  const { body, modifiedAt } = version;
  const createdAt = versionCreatedAt(version);
  return {
    direction,
    ...(contact !== undefined && { contact, contactSort: contactSort('VERSION', createdAt) }),
    createdAt,
    modifiedAt,
    body,
  };
};

/** @throws DamagedItemError if the item does not have the form of an earlier version. */
export const parseVersion = (item: unknown): MessageVersion => parseItem(versionItem, item);
