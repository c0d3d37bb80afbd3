import * as z from '../../../domain/schema.ts';
import { NO_LINE } from '../../../domain/watch/channel-rhythm.ts';
import type { ChannelRepository, Clock } from '../../../ports.ts';
import { judgeRegistered, reportsEchoes } from '../../watch/watch-arrivals.ts';
import { ok, problemResponse } from '../answer.ts';
import { defineRoute, noBody, noQuery } from '../define-route.ts';

export interface ChannelPorts {
  readonly channels: Pick<ChannelRepository, 'list' | 'readDays'>;
  /** Whether the stage watches what arrives. */
  readonly watches: boolean;
  readonly clock: Clock;
}

const optionalTime = z.optional(z.string());

export const channelsResponse = z.object({
  /** Whether the stage sets `webhook.watch`. If not, channels are not recorded. */
  watches: z.boolean(),
  /** Whether the chat service has reported a message of a bot or an operator. If not, gaps are not counted. */
  echoes: z.boolean(),
  channels: z.array(
    z.object({
      chatPlatform: z.string(),
      /** The business number; absent for messages that name none. */
      chatChannelNumber: z.optional(z.string()),
      /**
       * `learning`: users have written for less than two weeks; `active`; `silent`: nobody has written for unusually
       * long, compared with the same hours of the past four weeks; `inactive`: nobody has written for four weeks.
       */
      state: z.enum(['learning', 'active', 'silent', 'inactive']),
      firstSeenAt: z.string(),
      /** The start of the five minutes in which a user last wrote. */
      lastMessageAt: optionalTime,
      silentSince: optionalTime,
    }),
  ),
});

export const listChannels = defineRoute({
  route: 'GET /v1/channels',
  summary: 'List the channels that users write to, and whether they are silent',
  description: 'Channels are recorded only in a stage with webhook.watch.',
  query: noQuery,
  body: noBody,
  responses: { 200: channelsResponse, 400: problemResponse },
  async handle({ channels, watches, clock }: ChannelPorts) {
    const now = clock.now();
    const registered = await channels.list();
    const views = await Promise.all(
      registered.map(async (channel) => {
        const { platform, line, firstSeenAt } = channel;
        const judged = await judgeRegistered(channels, channel, now);
        return {
          chatPlatform: platform,
          ...(line !== NO_LINE && { chatChannelNumber: `+${line}` }),
          state: judged.state,
          firstSeenAt,
          ...('lastMessageAt' in judged && { lastMessageAt: judged.lastMessageAt }),
          ...(judged.state === 'silent' && { silentSince: judged.since }),
        };
      }),
    );
    return ok({ watches, echoes: reportsEchoes(registered), channels: views });
  },
});
