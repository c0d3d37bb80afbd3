import { contactKey, numberOfChannel } from '../../lambdas/domain/contact.ts';
import { conversationResponse } from '../../lambdas/manage/api/conversations.ts';
import { channelsResponse } from '../../lambdas/manage/api/watch/channels.ts';
import { count } from '../base/command.ts';
import type { ManagementClient } from '../operations/management-client.ts';
import { resourcePath } from '../operations/resource-path.ts';
import type { ImportPlan } from './plan-import.ts';

interface Imported {
  readonly plan: ImportPlan;
  readonly call: ManagementClient;
  readonly targetName: string;
  /** The stage's business number. */
  readonly chatChannelNumber: string;
  /** How many of the events are stored. */
  readonly existing: number;
  /** Counts the requests on the inbound queue. */
  readonly countWaiting: () => Promise<number>;
}

/**
 * Returns what suggests that the history should not be imported now, or not into this stage. What cannot be found out,
 * for example because the operator may not read the queues, is left out.
 */
export const findImportWarnings = async (imported: Imported): Promise<readonly string[]> => {
  const checks = [warnOfNumbers, warnOfOtherIds, warnOfBacklog].map((check) => check(imported).catch(() => undefined));
  return (await Promise.all(checks)).flatMap((warning) => (warning === undefined ? [] : [`Warning: ${warning}`]));
};

const keyOf = (number: string): string => contactKey(numberOfChannel(number) ?? number);

const warnOfNumbers = async ({ plan, call, targetName, chatChannelNumber }: Imported): Promise<string | undefined> => {
  const isOf = (numbers: readonly string[]) => (number: string) =>
    numbers.some((each) => keyOf(each) === keyOf(number));
  const others = plan.numbers.filter((number) => !isOf([chatChannelNumber])(number));
  if (others.length === 0) return undefined;
  const { channels } = await call('GET', '/v1/channels')
    .then((answer) => channelsResponse.parse(answer))
    .catch(() => NO_CHANNELS);
  const known = channels.flatMap((channel) => channel.chatChannelNumber ?? []);
  const foreign = others.filter((number) => !isOf(known)(number));
  if (foreign.length === 0) return undefined;
  return (
    `the history has messages of ${listed(foreign)}, but the number of ${targetName} is ${chatChannelNumber}. Import ` +
    'it only if this stage has these numbers too.'
  );
};

const NO_CHANNELS = { watches: false, echoes: false, channels: [] };

const MAX_LISTED = 5;

/** Lists business numbers, or the first ones of many. */
export const listed = (numbers: readonly string[]): string =>
  numbers.length > MAX_LISTED
    ? `${numbers.slice(0, MAX_LISTED).join(', ')}, and ${numbers.length - MAX_LISTED} more`
    : numbers.join(', ');

/** A message has one ID in each format, as far as is known. If it had others, each message would be stored twice. */
const warnOfOtherIds = async ({ plan, call, existing }: Imported): Promise<string | undefined> => {
  const { earliest, latest } = plan;
  if (existing > 0 || earliest === undefined || latest === undefined) return undefined;
  for (const { platform, channel, key } of plan.someContacts) {
    const query = new URLSearchParams({ chatPlatform: platform, chatChannelNumber: channel, limit: '500' });
    const path = resourcePath('conversations', 'platformContactId', key, query);
    const conversation = await call('GET', path).catch(() => undefined);
    if (conversation === undefined) continue;
    const { messages } = conversationResponse.parse(conversation);
    const stored = messages.find(({ createdAt = '' }) => createdAt >= earliest && createdAt <= latest);
    if (stored === undefined) continue;
    return (
      'none of the history is stored, but other messages of the same users in the same period are, such as ' +
      `${stored.id} of ${stored.createdAt}. If the history has these under other IDs, the import stores them twice. ` +
      'Compare their IDs first.'
    );
  }
  return undefined;
};

const warnOfBacklog = async ({ countWaiting }: Imported): Promise<string | undefined> => {
  const waiting = await countWaiting();
  if (waiting === 0) return undefined;
  return (
    `${count(waiting, 'request waits', 'requests wait')} on the inbound queue. Its messages that are in the history too ` +
    'are imported first, and published once more when they are delivered. To avoid that, import when the queue is empty.'
  );
};
