import { addMs, type Instant } from '../../domain/instant.ts';
import {
  type ChannelRef,
  type ChannelState,
  historyDays,
  judgeChannel,
  NO_LINE,
} from '../../domain/watch/channel-rhythm.ts';
import { GAP_AFTER_MS, type GapCandidate } from '../../domain/watch/gap.ts';
import type {
  ChannelRepository,
  Clock,
  GapRepository,
  ListPosition,
  Log,
  Metrics,
  RegisteredChannel,
} from '../../ports.ts';
import { forEachConcurrently } from '../../runtime/concurrency.ts';

export interface WatchArrivalsPorts {
  readonly channels: Pick<ChannelRepository, 'list' | 'readDays' | 'recordWatch' | 'recordSilence' | 'endSilence'>;
  readonly gaps: Pick<GapRepository, 'listCandidates' | 'confirm' | 'close'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** How many messages with only statuses are read at once. */
const PAGE_SIZE = 500;

/** How many of them are written at once. */
const WRITE_CONCURRENCY = 10;

/**
 * Creates the function that looks for what did not arrive: channels that are silent, and messages of which only statuses
 * arrived. It can run at any time, and twice.
 *
 * @param hasTime whether the invocation has time for another page of messages. The next run continues.
 */
export const createWatchArrivals =
  (ports: WatchArrivalsPorts) =>
  async (hasTime: () => boolean): Promise<void> => {
    const now = ports.clock.now();
    const channels = await ports.channels.list();
    for (const channel of channels) await watchChannel(ports, channel, now);
    await watchGaps(ports, channels, { now, hasTime });
  };

/**
 * Judges a channel. Most of the time users wrote a moment ago, so it reads the older history only if today and yesterday
 * do not show that.
 */
export const judgeRegistered = async (
  channels: Pick<ChannelRepository, 'readDays'>,
  channel: RegisteredChannel,
  now: Instant,
): Promise<ChannelState> => {
  const watchedSince = continuesSince(channel, now);
  const [today, yesterday, ...older] = historyDays(now);
  const recent = await channels.readDays(
    channel,
    [today, yesterday].filter((day) => day !== undefined),
  );
  // Without older days nothing is improbable, so this shows only when users wrote last.
  const judged = judgeChannel({ ...channel, days: recent, silentSince: undefined }, now);
  const isRecent = 'lastMessageAt' in judged && (judged.lastMessageAt ?? '') >= addMs(now, -RECENT_MS);
  if (isRecent && channel.silentSince === undefined) return judged;
  const days = new Map([...recent, ...(await channels.readDays(channel, older))]);
  return judgeChannel({ ...channel, days, watchedSince }, now);
};

/** Three slots: too few to be improbable for any channel. */
const RECENT_MS = 15 * 60_000;

/** How often a run records that the stage still watches a channel, so that few runs write. */
const WATCH_RECORD_MS = 15 * 60_000;

/** After this time without a run, the setting was off, or the schedule stopped. */
const WATCH_BREAK_MS = 2 * 60 * 60_000;

/** Returns since when the channel has been watched without a break, if there was one: now if it ends with this run. */
const continuesSince = ({ watchedAt, watchedSince }: RegisteredChannel, now: Instant): Instant | undefined =>
  watchedAt !== undefined && watchedAt < addMs(now, -WATCH_BREAK_MS) ? now : watchedSince;

const watchChannel = async (
  { channels, log, metrics }: WatchArrivalsPorts,
  channel: RegisteredChannel,
  now: Instant,
): Promise<void> => {
  const { platform, line, silentSince, watchedAt = '' } = channel;
  if (watchedAt < addMs(now, -WATCH_RECORD_MS)) {
    await channels.recordWatch(channel, now, continuesSince(channel, now));
  }
  const judged = await judgeRegistered(channels, channel, now);
  if (judged.state === 'silent') {
    metrics.count('ChannelSilent');
    const isNew = await channels.recordSilence(channel, judged.since);
    if (isNew) log.error('channel silent', { platform, line, since: judged.since });
    return;
  }
  if (silentSince === undefined) return;
  const spokeAt = judged.state === 'inactive' ? undefined : judged.lastMessageAt;
  const hasEnded = await channels.endSilence(channel, silentSince, spokeAt);
  if (hasEnded) log.info('channel no longer silent', { platform, line, since: silentSince, state: judged.state });
};

/**
 * Whether the chat service reports the messages of bots and operators at all. If it does not, their statuses look like
 * those of messages that are missing.
 */
export const reportsEchoes = (channels: readonly RegisteredChannel[]): boolean =>
  channels.some(({ echoedAt }) => echoedAt !== undefined);

/**
 * Returns the function that tells whether the chat service reports the messages of bots and operators of a channel. It
 * can report them for some business numbers only. Of an event that names no number, any number can be meant.
 */
const echoedAmong = (channels: readonly RegisteredChannel[]) => {
  const echoed = new Set(channels.filter(({ echoedAt }) => echoedAt !== undefined).map(nameOf));
  const isAny = echoed.size > 0;
  return ({ channel }: GapCandidate): boolean => {
    if (channel === undefined || channel.line === NO_LINE) return isAny;
    return echoed.has(nameOf(channel)) || echoed.has(nameOf({ ...channel, line: NO_LINE }));
  };
};

const nameOf = ({ platform, line }: ChannelRef): string => `${platform} ${line}`;

const watchGaps = async (
  { gaps, log, metrics }: WatchArrivalsPorts,
  channels: readonly RegisteredChannel[],
  { now, hasTime }: { readonly now: Instant; readonly hasTime: () => boolean },
): Promise<void> => {
  const isEchoed = echoedAmong(channels);
  const before = addMs(now, -GAP_AFTER_MS);
  let after: ListPosition | undefined;
  do {
    const { candidates, next } = await gaps.listCandidates({ before, limit: PAGE_SIZE, after });
    await forEachConcurrently(WRITE_CONCURRENCY, candidates, async (candidate) => {
      if (candidate.hasArrived || !isEchoed(candidate)) await gaps.close(candidate.messageId, now);
      else if (await gaps.confirm(candidate)) {
        metrics.count('MessageMissing');
        log.warn('message missing: only its statuses arrived', { firstStatusAt: candidate.firstStatusAt });
      }
    });
    after = next;
  } while (after !== undefined && hasTime());
};
