import type { BusEvent } from '../events/event-details.ts';
import { type ChannelImage, eventId, type ItemChangeOf } from '../events/item-change.ts';
import { NO_LINE } from './channel-rhythm.ts';

/** Returns the event of a write to a channel's item: the start of a silence, or that a user wrote again, once each. */
export const channelEvents = (change: ItemChangeOf<'channel'>): readonly BusEvent[] => {
  const { before, after } = change;
  const [was, is] = [before.silentSince, after.silentSince];
  if (was === is) return [];
  const name = is === undefined ? 'ChannelResumed' : 'ChannelSilent';
  // Without a time, the channel is no longer in use.
  const at = is ?? after.spokeAt;
  // The start of the silence distinguishes one silence from the next.
  const id = eventId(name, change, is ?? was);
  return at === undefined ? [] : [{ name, detail: { id, channel: channelOf(after), at } }];
};

const channelOf = ({ platform, line }: ChannelImage) => ({
  platform,
  ...(line !== NO_LINE && { number: `+${line}` }),
});
