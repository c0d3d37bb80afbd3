import { type ChannelState, historyDays, judgeChannel } from '../domain/channel-rhythm.ts';
import { GAP_AFTER_MS } from '../domain/gap.ts';
import { addMs, type Instant } from '../domain/instant.ts';
import type { ChannelRepository, Clock, GapRepository, Log, Metrics, RegisteredChannel } from '../ports.ts';

export interface WatchArrivalsPorts {
  readonly channels: Pick<ChannelRepository, 'list' | 'readDays' | 'recordSilence' | 'endSilence'>;
  readonly gaps: Pick<GapRepository, 'listCandidates' | 'confirm' | 'close'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** How many messages with only statuses one run looks at. The next run continues. */
const MAX_CANDIDATES = 500;

/**
 * Creates the function that looks for what did not arrive: channels that are silent, and messages of which only statuses
 * arrived. It can run at any time, and twice.
 */
export const createWatchArrivals = (ports: WatchArrivalsPorts) => async (): Promise<void> => {
  const now = ports.clock.now();
  const channels = await ports.channels.list();
  for (const channel of channels) await watchChannel(ports, channel, now);
  await watchGaps(ports, reportsEchoes(channels), now);
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
  return judgeChannel({ ...channel, days }, now);
};

/** Three slots: too few to be improbable for any channel. */
const RECENT_MS = 15 * 60_000;

const watchChannel = async (
  { channels, log, metrics }: WatchArrivalsPorts,
  channel: RegisteredChannel,
  now: Instant,
): Promise<void> => {
  const { platform, line, silentSince } = channel;
  const judged = await judgeRegistered(channels, channel, now);
  if (judged.state === 'silent') {
    metrics.count('ChannelSilent');
    const isNew = await channels.recordSilence(channel, judged.since);
    if (isNew) log.error('channel silent', { platform, line, since: judged.since });
    return;
  }
  if (silentSince === undefined) return;
  const spokeAt = judged.state === 'ended' ? undefined : judged.lastMessageAt;
  const hasEnded = await channels.endSilence(channel, silentSince, spokeAt);
  if (hasEnded) log.info('channel no longer silent', { platform, line, since: silentSince, state: judged.state });
};

/**
 * Whether the chat service reports the messages of bots and operators at all. If it does not, their statuses look like
 * those of messages that are missing.
 */
export const reportsEchoes = (channels: readonly RegisteredChannel[]): boolean =>
  channels.some(({ echoedAt }) => echoedAt !== undefined);

const watchGaps = async (
  { gaps, log, metrics }: WatchArrivalsPorts,
  areEchoesReported: boolean,
  now: Instant,
): Promise<void> => {
  const candidates = await gaps.listCandidates(addMs(now, -GAP_AFTER_MS), MAX_CANDIDATES);
  for (const candidate of candidates) {
    if (candidate.hasArrived || !areEchoesReported) await gaps.close(candidate.messageId, now);
    else if (await gaps.confirm(candidate)) {
      metrics.count('MessageMissing');
      log.warn('message missing: only its statuses arrived', { firstStatusAt: candidate.firstStatusAt });
    }
  }
};
