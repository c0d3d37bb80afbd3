import { NO_LINE } from '../channel-rhythm.ts';
import { parseInstant } from '../instant.ts';
import type { BusEvent } from './event-details.ts';
import { eventId, type ItemChange, type ItemImage, stringOf } from './item-change.ts';

/** Returns the event of a write to a channel's item: the start of a silence, or that a user wrote again, once each. */
export const channelEvents = (change: ItemChange): readonly BusEvent[] => {
  const { before, after } = change;
  const [was, is] = [stringOf(before, 'silentSince'), stringOf(after, 'silentSince')];
  if (was === is) return [];
  const name = is === undefined ? 'ChannelResumed' : 'ChannelSilent';
  // Without a time, the channel is no longer in use.
  const at = parseInstant(is ?? after.spokeAt);
  // The start of the silence distinguishes one silence from the next.
  const id = eventId(name, change, is ?? was);
  return at === undefined ? [] : [{ name, detail: { id, channel: channelOf(after), at } }];
};

const channelOf = (after: ItemImage) => {
  const line = stringOf(after, 'line') ?? NO_LINE;
  return { platform: stringOf(after, 'platform') ?? '', ...(line !== NO_LINE && { number: `+${line}` }) };
};
