import { addMs, type Instant, msBetween } from '../../domain/instant.ts';
import { type ChannelRef, SLOT_MS } from '../../domain/watch/channel-rhythm.ts';
import { GAP_AFTER_MS } from '../../domain/watch/gap.ts';
import type { Echo, WebhookEvent } from '../../domain/webhook-event.ts';
import type { ChannelRepository, Clock, GapRepository } from '../../ports.ts';

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
  readonly clock: Clock;
}

/** Whether the chat service reports echoes at all changes rarely. */
const ECHO_INTERVAL_MS = 24 * 60 * 60_000;

/** More than a business has. Any others are recorded with each message. */
const MAX_CHANNELS = 100;

/** A day of them: the messages of a backlog come from many slots, in any order. */
const MAX_SLOTS = 288;

/** How long nothing is recorded after a write has failed, so that it costs a table in trouble little. */
const RETRY_AFTER_MS = 10_000;

/** What this process has recorded of a channel. */
interface Recorded {
  isRegistered: boolean;
  /** The numbers of slots, from the epoch; the one that was recorded last comes last. */
  readonly slots: Set<number>;
  echoAt: Instant;
}

/**
 * Creates the function that records which channels users write to: once per channel and slot of five minutes in each
 * process, whatever the number of messages and their order. A write that fails is made again with a message some seconds
 * later. An echo that is stored late, for example from a queue, also closes the gap that its statuses had shown.
 */
export const createWatchArrivals = ({ open, clock }: WatchArrivalsOptions): WatchArrivals => {
  const recordedOf = new Map<string, Recorded>();
  let pausedUntil = EPOCH;

  const recordOf = (
    event: WebhookEvent,
    channel: ChannelRef,
    { receivedAt, now }: { readonly receivedAt: Instant; readonly now: Instant },
  ): WatchWrite | undefined => {
    if (now < pausedUntil) return undefined;
    const name = `${channel.platform} ${channel.line}`;
    const recorded = recordedOf.get(name) ?? { isRegistered: false, slots: new Set(), echoAt: EPOCH };
    if (recordedOf.size < MAX_CHANNELS) recordedOf.set(name, recorded);
    const isEcho = event.kind === 'echo';
    const slot = Math.floor(Date.parse(receivedAt) / SLOT_MS);
    const isKnown = isEcho ? msBetween(recorded.echoAt, receivedAt) < ECHO_INTERVAL_MS : recorded.slots.has(slot);
    if (isKnown) return undefined;
    const { echoAt } = recorded;
    // Before the write, so that concurrent events do not repeat it.
    if (isEcho) recorded.echoAt = receivedAt;
    else addSlot(recorded.slots, slot);
    return async (abortSignal) => {
      try {
        const { channels } = open(abortSignal);
        if (!recorded.isRegistered) await channels.register(channel, receivedAt);
        recorded.isRegistered = true;
        await (isEcho ? channels.noteEcho(channel, receivedAt) : channels.noteMessage(channel, receivedAt));
      } catch (error) {
        if (isEcho) recorded.echoAt = echoAt;
        else recorded.slots.delete(slot);
        pausedUntil = addMs(clock.now(), RETRY_AFTER_MS);
        throw error;
      }
    };
  };

  return (event, receivedAt) => {
    const now = clock.now();
    const channel = isRecorded(event) ? event.channel : undefined;
    const record = channel && recordOf(event, channel, { receivedAt, now });
    const isLate = event.kind === 'echo' && isLateEcho(event, now);
    if (!isLate) return record;
    return async (abortSignal) => {
      const { gaps } = open(abortSignal);
      await Promise.all([record?.(abortSignal), gaps.close(event.id, now)]);
    };
  };
};

const addSlot = (slots: Set<number>, slot: number): void => {
  slots.add(slot);
  const [oldest] = slots;
  if (slots.size > MAX_SLOTS && oldest !== undefined) slots.delete(oldest);
};

const EPOCH = '1970-01-01T00:00:00.000Z';

/** A message that a status carries is not the user's, or arrives on its own as well. */
const isRecorded = ({ kind, isFromStatus }: WebhookEvent): boolean =>
  (kind === 'echo' || kind === 'message') && isFromStatus === undefined;

/** A status becomes a gap only this long after it was stored, which is not before the message's own time. */
const isLateEcho = ({ time }: Echo, now: Instant): boolean => msBetween(time.at, now) >= GAP_AFTER_MS;
