import { channelsResponse } from '../../lambdas/manage/channels.ts';
import { gapsResponse } from '../../lambdas/manage/gaps.ts';
import { type CommandFor, count } from '../command.ts';
import { describeTime } from '../human-time.ts';
import { type ManagementClient, ManagementError } from '../operations/management-client.ts';
import { nameChannel } from './channels.ts';
import type { Finding } from './finding.ts';
import { NO_ECHOES } from './gaps.ts';

const check = 'channels';

/** Checks whether users still write, and whether messages are missing. Says nothing in a stage that does not watch it. */
export const checkChannels = async (
  api: ManagementClient,
  commandFor: CommandFor,
  now: string,
): Promise<readonly Finding[]> => {
  const response = await api('GET', '/v1/channels').catch((error: unknown) => {
    // A stack of an earlier version, or a role that may not list channels.
    if (error instanceof ManagementError && [403, 404].includes(error.status)) return undefined;
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
  const { gaps, cursor } = gapsResponse.parse(await api('GET', `/v1/gaps?limit=${MAX_GAPS}`));
  if (gaps.length === 0) return { check, grade: 'ok', message: 'No messages are missing.' };
  return {
    check,
    grade: 'warning',
    message: `${cursor === undefined ? '' : 'At least '}${count(gaps.length, 'message')} never arrived, although statuses did.`,
    remedy:
      `List them with ${commandFor('parley gaps')}. Get the chat service's history of that time, and store what is missing ` +
      `with ${commandFor('parley import')}; see docs/importing.md.`,
  };
};
