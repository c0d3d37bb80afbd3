import type { Message } from '../state/api.ts';

/** Summarizes what a user's message has instead of text and media: a location, contacts, or an error. */
export const otherContent = (message: Message): string | undefined => {
  if (!('receivedAt' in message)) return undefined;
  const { location, contacts, error } = message;
  if (location !== undefined) {
    const { name, address, latitude, longitude } = location;
    return [name, address, `${latitude}, ${longitude}`].filter(Boolean).join('\n');
  }
  if (contacts !== undefined) return JSON.stringify(contacts);
  return error;
};
