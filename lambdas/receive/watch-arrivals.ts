import { type ChannelRef, SLOT_MS } from '../domain/channel-rhythm.ts';
import { GAP_AFTER_MS } from '../domain/gap.ts';
import { type Instant, msBetween } from '../domain/instant.ts';
import type { Echo, WebhookEvent } from '../domain/webhook-event.ts';
import type { ChannelRepository, GapRepository } from '../ports.ts';

/** What is written besides an event, for a stage that watches what arrives. */
export type WatchWrite = (abortSignal: AbortSignal) => Promise<void>;

/** Returns what to write besides an event, or undefined if there is nothing. */
export type WatchArrivals = (event: WebhookEvent, receivedAt: Instant) => WatchWrite | undefined;

export interface ArrivalRepositories {
  readonly channels: Pick<ChannelRepository, 'register' | 'noteMessage' | 'noteEcho'>;
  readonly gaps: Pick<GapRepository, 'close'>;
}

export interface WatchArrivalsOptions {
  readonly open: (abortSignal: AbortSignal) => ArrivalRepositories;
}

/** Whether the chat service reports echoes at all changes rarely. */
const ECHO_INTERVAL_MS = 24 * 60 * 60_000;

/** More than a business has. Any others are noted with each message. */
const MAX_CHANNELS = 100;

/** What this process has noted of a channel. */
interface Noted {
  isRegistered: boolean;
  /** The number of the latest slot, from the epoch. */
  slot: number;
  echoAt: Instant;
}

/**
 * Creates the function that notes which channels users write to: once per channel and slot of five minutes in each
 * process, whatever the number of messages. A note that fails is made again with the next message. An echo that comes
 * late, for example from an import, also closes the gap that its statuses had shown.
 */
export const createWatchArrivals = ({ open }: WatchArrivalsOptions): WatchArrivals => {
  const notedOf = new Map<string, Noted>();

  const noteOf = (event: WebhookEvent, channel: ChannelRef, receivedAt: Instant): WatchWrite | undefined => {
    const name = `${channel.platform} ${channel.line}`;
    const noted = notedOf.get(name) ?? { isRegistered: false, slot: -1, echoAt: EPOCH };
    if (notedOf.size < MAX_CHANNELS) notedOf.set(name, noted);
    const isEcho = event.kind === 'echo';
    const slot = Math.floor(Date.parse(receivedAt) / SLOT_MS);
    if (isEcho ? msBetween(noted.echoAt, receivedAt) < ECHO_INTERVAL_MS : slot === noted.slot) return undefined;
    const before = { ...noted };
    // Before the write, so that concurrent events do not repeat it.
    if (isEcho) noted.echoAt = receivedAt;
    else noted.slot = slot;
    return async (abortSignal) => {
      try {
        const { channels } = open(abortSignal);
        if (!noted.isRegistered) await channels.register(channel, receivedAt);
        noted.isRegistered = true;
        await (isEcho ? channels.noteEcho(channel, receivedAt) : channels.noteMessage(channel, receivedAt));
      } catch (error) {
        Object.assign(noted, isEcho ? { echoAt: before.echoAt } : { slot: before.slot });
        throw error;
      }
    };
  };

  return (event, receivedAt) => {
    const channel = isNoted(event) ? event.channel : undefined;
    const note = channel && noteOf(event, channel, receivedAt);
    const isLate = event.kind === 'echo' && isLateEcho(event, receivedAt);
    if (!isLate) return note;
    return async (abortSignal) => {
      const { gaps } = open(abortSignal);
      await Promise.all([note?.(abortSignal), gaps.close(event.id, receivedAt)]);
    };
  };
};

const EPOCH = '1970-01-01T00:00:00.000Z';

/** A message that a status carries is not the user's, or arrives on its own as well. */
const isNoted = ({ kind, isFromStatus }: WebhookEvent): boolean =>
  (kind === 'echo' || kind === 'message') && isFromStatus === undefined;

/** Gaps are looked for only after this time, when an echo in time has arrived. */
const isLateEcho = ({ time }: Echo, receivedAt: Instant): boolean => msBetween(time.at, receivedAt) >= GAP_AFTER_MS;
