import { Command } from '@commander-js/extra-typings';
import type { z } from 'zod';
import { channelsResponse } from '../../lambdas/manage/api/watch/channels.ts';
import { type CreateCommand, examples } from '../base/command.ts';
import { EXIT } from '../base/errors.ts';
import { describeTime } from '../base/human-time.ts';
import { stageTime } from '../base/stage-time.ts';

type Channels = z.output<typeof channelsResponse>;
type Channel = Channels['channels'][number];

export const NOT_WATCHED = 'The stage does not watch what arrives: set webhook.watch to true and deploy.';

/** Creates `channels`. */
export const createChannelsCommand: CreateCommand = ({ target, api, report }) =>
  new Command('channels')
    .description(
      'List the business numbers that users write to, and whether they are silent.\n\n' +
        'A channel is silent if nobody has written for unusually long, compared with the same hours of the past four ' +
        'weeks. The exit code is 6 if one is. The stage must set webhook.watch.',
    )
    .addHelpText('after', examples('parley channels --stage prod'))
    .action(async () => {
      const call = await api();
      const response = channelsResponse.parse(await call('GET', '/v1/channels'));
      const now = await stageTime({ target });
      const { watches, channels } = response;
      report({
        lines: [
          ...(watches ? [] : [NOT_WATCHED]),
          ...(watches && channels.length === 0 ? ['No user has written yet.'] : []),
          ...channels.map((channel) => describeChannel(channel, now)),
        ],
        json: response,
        exitCode: channels.some(({ state }) => state === 'silent') ? EXIT.partial : EXIT.done,
      });
    });

/** Names a channel, such as `+5491100000000 on chat`. */
export const nameChannel = ({ chatPlatform, chatChannelNumber }: Channel): string =>
  `${chatChannelNumber ?? 'messages without a business number'} on ${chatPlatform}`;

const describeChannel = (channel: Channel, now: string): string => {
  const { state, lastMessageAt, silentSince } = channel;
  const last = lastMessageAt === undefined ? '' : `, last message ${describeTime(lastMessageAt, now)}`;
  const since = silentSince === undefined ? '' : ` since ${describeTime(silentSince, now)}`;
  return `${nameChannel(channel)}: ${STATES[state]}${since}${last}`;
};

const STATES: Readonly<Record<Channel['state'], string>> = {
  learning: 'learning, because users have written for less than two weeks',
  active: 'active',
  silent: 'silent',
  inactive: 'inactive, because nobody has written for four weeks',
};
