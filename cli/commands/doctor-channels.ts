import { channelsResponse } from '../../lambdas/manage/api/watch/channels.ts';
import { gapsResponse } from '../../lambdas/manage/api/watch/gaps.ts';
import type { CommandFor } from '../base/command.ts';
import { describeTime } from '../base/human-time.ts';
import { type ManagementClient, ManagementError } from '../operations/management-client.ts';
import { nameChannel } from './channels.ts';
import type { Finding } from './finding.ts';
import { describeCount, NO_ECHOES } from './gaps.ts';

const check = 'channels';

/** Checks whether users still write, and whether there are gaps. Says nothing in a stage that does not watch it. */
export const checkChannels = async (
  api: ManagementClient,
  commandFor: CommandFor,
  now: string,
): Promise<readonly Finding[]> => {
  const response = await api('GET', '/v1/channels').catch((error: unknown) => {
    // A role that may not list channels.
    if (error instanceof ManagementError && error.status === 403) return undefined;
    throw error;
  });
  if (response === undefined) return [];
  const { watches, echoes, channels } = channelsResponse.parse(response);
  if (!watches) return [];
  const states = channels.map((channel): Finding => {
    const name = nameChannel(channel);
    const last = channel.lastMessageAt && describeTime(channel.lastMessageAt, now);
    if (channel.state === 'silent') {
      return {
        check,
        grade: 'failing',
        message: `${name} is silent: users last wrote at ${last}, which is unusual at this time of the week.`,
        remedy: 'See whether its webhook is still on in the chat service. See docs/runbook.md, ChannelsSilent.',
      };
    }
    const message =
      last === undefined ? `${name}: nobody has written for four weeks.` : `${name}: last message ${last}.`;
    return { check, grade: 'ok', message };
  });
  return [...states, echoes ? await checkGaps(api, commandFor) : { check, grade: 'ok', message: NO_ECHOES }];
};

const MAX_GAPS = 500;

const checkGaps = async (api: ManagementClient, commandFor: CommandFor): Promise<Finding> => {
  const readPage = async (query: Readonly<Record<string, string>>) =>
    gapsResponse.parse(await api('GET', `/v1/gaps?${new URLSearchParams({ limit: String(MAX_GAPS), ...query })}`));
  let page = await readPage({});
  // A page can be empty although others follow.
  while (page.gaps.length === 0 && page.cursor !== undefined) page = await readPage({ cursor: page.cursor });
  const { gaps, cursor } = page;
  if (gaps.length === 0) return { check, grade: 'ok', message: 'There are no gaps.' };
  return {
    check,
    grade: 'warning',
    message: `${cursor === undefined ? '' : 'At least '}${describeCount(gaps.length)}`,
    remedy:
      `List them with ${commandFor('parley gaps')}. Import the missed events from the chat service's history: ` +
      `${commandFor('parley import history.json --dry-run')}, then again without --dry-run. See docs/importing.md.`,
  };
};
