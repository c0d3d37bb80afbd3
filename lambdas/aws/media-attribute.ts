import type { Media } from '../domain/webhook-event.ts';

/** A message's media as the table keeps them: the kinds that there are; undefined for none. */
export const presentMedia = (media: Partial<Media>): Partial<Media> | undefined => {
  const kinds = Object.entries(media).filter(([, addresses]) => addresses.length > 0);
  return kinds.length === 0 ? undefined : Object.fromEntries(kinds);
};
