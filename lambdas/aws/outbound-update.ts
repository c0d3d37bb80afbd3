import type { OutboundMessage } from '../domain/send-state.ts';
import { presentMedia } from './media-attribute.ts';
import { messageItem } from './table-keys.ts';
import { expiryOf, type ItemUpdate } from './update-item.ts';

const addresses = (value: unknown): readonly string[] => (typeof value === 'string' ? [value] : []);

/**
 * An accepted send as a message of the conversation. It says the same each time, so it needs no condition.
 *
 * @param contact the contact's name in the index
 */
export const outboundUpdate = (
  { id, requestId, call, claimedAt }: Omit<OutboundMessage, 'contact'>,
  contact: string,
  retentionDays: number,
): ItemUpdate => {
  const { messageText, imageURL, audioURL, fileURL, ruleNameOrId, params } = call.body;
  return {
    key: messageItem(id),
    set: {
      direction: 'outbound',
      contact,
      requestId,
      endpoint: call.endpoint,
      text: messageText,
      media: presentMedia({ images: addresses(imageURL), audios: addresses(audioURL), files: addresses(fileURL) }),
      ruleNameOrId,
      params,
      createdAt: claimedAt,
      expiresAt: expiryOf(claimedAt, retentionDays),
    },
  };
};
