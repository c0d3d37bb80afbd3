import { Command, Option } from '@commander-js/extra-typings';
import type { z } from 'zod';
import { LISTED_STATES } from '../../lambdas/domain/send-index.ts';
import { SEND_STATES } from '../../lambdas/domain/send-transitions.ts';
import { sendListResponse } from '../../lambdas/manage/api/send-lists.ts';
import { sendResponse } from '../../lambdas/manage/api/sends.ts';
import { type CommandContext, type CreateCommand, channelOption, examples, nextPage } from '../base/command.ts';
import { CliError, EXIT } from '../base/errors.ts';
import { describeTime } from '../base/human-time.ts';
import { fieldsFrom, queryFrom } from '../base/request-fields.ts';
import { stageTime } from '../base/stage-time.ts';
import type { ManagementClient } from '../operations/management-client.ts';
import { createRequeueCommand } from './send-requeue.ts';
import { REQUEST_ID, sendResult } from './sends.ts';

/** Creates `sends list` and `sends resolve`, and their earlier names `sends uncertain list` and `… resolve`. */
export const createSendsCommand: CreateCommand = (context) =>
  new Command('sends')
    .description('List sends, and resolve uncertain ones.')
    .addCommand(createListCommand(context))
    .addCommand(createResolveCommand(context, 'sends resolve'))
    .addCommand(createRequeueCommand(context))
    .addCommand(
      new Command('uncertain')
        .description('List and resolve uncertain sends.')
        .addCommand(createUncertainListCommand(context))
        .addCommand(createResolveCommand(context, 'sends uncertain resolve')),
    );

const DEFAULT_LIMIT = 100;
const MAX_PAGE_SIZE = 500;

const limitOption = () => new Option('--limit <n>', `Sends to show (default: ${DEFAULT_LIMIT})`).argParser(wholeNumber);
const allOption = () => new Option('--all', 'Show all of them').conflicts('limit');

const wholeNumber = (text: string): number => {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new CliError(EXIT.usage, `--limit ${text} is invalid. Use a whole number from 1 to 9999999.`);
};

const createListCommand = (context: CommandContext) =>
  new Command('list')
    .description(
      'List sends by state, contact, customer, or broadcast.\n\n' +
        `Without --contact, --customer, or --broadcast, --state must be ${LISTED_STATES.slice(0, -1).join(', ')}, or ` +
        `${LISTED_STATES.at(-1)}. Sends that have ended are listed newest first; sends that are still waiting, oldest ` +
        'first.',
    )
    .addOption(new Option('--state <state>', 'Only sends in this state').choices(SEND_STATES))
    .option('--contact <contact>', 'Only sends to this contact, newest first')
    .addOption(
      new Option('--customer <id>', 'Only sends to this customer, at any address, newest first').conflicts('contact'),
    )
    .addOption(channelOption())
    .option('--broadcast <id>', 'Only sends of this broadcast')
    .option('--code <code>', 'Only refusals, rejections, or failures with this code')
    .option(
      '--since <time>',
      'Only sends that entered their state since then; with --contact or --customer, created since then',
    )
    .addOption(limitOption())
    .addOption(allOption())
    .option('--cursor <cursor>', 'Show the next page')
    .addHelpText(
      'after',
      examples(
        'parley sends list --state refused --code OPTED_OUT --since 2026-11-20T00:00:00Z --stage prod',
        'parley sends list --broadcast summer-sale --state failed --all --stage prod',
        'parley sends list --contact +5491150000001 --stage prod',
        'parley sends list --customer 5f0c9a52 --stage prod',
      ),
    )
    .action(async ({ all, limit, cursor, ...filter }) => {
      const { state, contact, customer, broadcast } = filter;
      if ([state, contact, customer, broadcast].every((selection) => selection === undefined)) {
        const advice = 'Add --state, --contact, --customer, or --broadcast. See parley sends list --help.';
        throw new CliError(EXIT.usage, advice);
      }
      await listSends(context, filter, { limit: all ? Number.POSITIVE_INFINITY : limit, cursor });
    });

const createUncertainListCommand = (context: CommandContext) =>
  new Command('list')
    .description('The same as sends list --state uncertain.')
    .addOption(limitOption())
    .option('--cursor <cursor>', 'Show the next page')
    .addHelpText('after', examples('parley sends uncertain list --stage prod'))
    .action(({ limit, cursor }) => listSends(context, { state: 'uncertain' }, { limit, cursor }));

/** What narrows a list of sends. */
interface SendListFilter {
  readonly state?: string;
  readonly contact?: string;
  readonly customer?: string;
  readonly channel?: string;
  readonly broadcast?: string;
  readonly code?: string;
  readonly since?: string;
}

const LIST_SOURCES = {
  state: 'state',
  contact: 'contact',
  customerId: 'customer',
  chatChannelNumber: 'channel',
  broadcast: 'broadcast',
  code: 'code',
  since: 'since',
} as const;

interface ListRange {
  readonly limit?: number;
  readonly cursor?: string;
}

const listSends = async (context: CommandContext, filter: SendListFilter, range: ListRange): Promise<void> => {
  const page = await readSends(await context.api({ ...LIST_SOURCES, cursor: 'cursor' }), filter, range);
  const now = await stageTime(context);
  const lines =
    page.sends.length > 0 ? page.sends.flatMap((send) => describeListed(send, now)) : ['There are no such sends.'];
  const limit = range.limit === undefined ? undefined : String(range.limit);
  const next = nextPage(context.commandFor, ['sends', 'list'], {
    ...filter,
    limit,
    cursor: page.cursor,
  });
  context.report({ lines: [...lines, ...next], json: page });
};

type SendList = z.output<typeof sendListResponse>;

/** Reads pages until there are enough sends. A filter can leave a page empty although others follow. */
const readSends = async (
  call: ManagementClient,
  filter: SendListFilter,
  { limit = DEFAULT_LIMIT, cursor: start }: ListRange,
): Promise<SendList> => {
  const sends: SendList['sends'] = [];
  let cursor = start;
  do {
    const query = queryFrom(filter, LIST_SOURCES);
    query.set('limit', String(Math.min(limit - sends.length, MAX_PAGE_SIZE)));
    if (cursor !== undefined) query.set('cursor', cursor);
    const page = sendListResponse.parse(await call('GET', `/v1/sends?${query}`));
    sends.push(...page.sends);
    cursor = page.cursor;
  } while (cursor !== undefined && sends.length < limit);
  return { sends, ...(cursor !== undefined && { cursor }) };
};

/** Describes a send in two lines: when it entered its state and to whom it goes, and why. */
const describeListed = (send: SendList['sends'][number], now: string): readonly string[] => {
  const { requestId, state, code, decision, outcome, outcomeDetails, sendAt, request } = send;
  const at = state === 'scheduled' ? sendAt : send[`${state}At`];
  const contact =
    typeof request === 'object' && request !== null ? Reflect.get(request, 'platformContactId') : undefined;
  const why = [outcome ?? decision, outcomeDetails].filter((text) => text !== undefined).join(' ');
  return [
    [
      at === undefined ? '' : describeTime(at, now),
      `${state}${code === undefined ? '' : ` (${code})`}`,
      requestId,
      contact ?? '',
    ]
      .join('  ')
      .trimEnd(),
    ...(why === '' ? [] : [`  ${why}`]),
  ];
};

const RESOLUTION_SOURCES = { ...REQUEST_ID, outcome: 'outcome', messageId: 'messageId', note: 'note' } as const;

const createResolveCommand = (context: CommandContext, name: string) =>
  new Command('resolve')
    .description(
      'Record the outcome of an uncertain send, or resend an uncertain or rejected one.\n\n' +
        "Look for the message in the chat service's console first. If it was sent, resend sends it a second time.",
    )
    .argument('<request-id>', 'ID of the send request')
    .addOption(
      new Option('--outcome <outcome>', 'accepted: it was sent; failed: give up on it; resend: send it again')
        .choices(['accepted', 'failed', 'resend'])
        .makeOptionMandatory(),
    )
    .option('--message-id <id>', "The chat service's ID of the message (with --outcome accepted)")
    .option('--note <text>', 'How you found out; stored with the send')
    .addHelpText(
      'after',
      examples(
        `parley ${name} order-17 --outcome accepted --message-id 8f1c0a --stage prod`,
        `parley ${name} order-17 --outcome resend --note "not in the console" --stage prod`,
      ),
    )
    .action(async (requestId, options) => {
      const call = await context.api(RESOLUTION_SOURCES);
      const resolution = fieldsFrom({ ...options, '<request-id>': requestId }, RESOLUTION_SOURCES);
      const answer = await call('POST', '/v1/resolutions', resolution);
      context.report(await sendResult(context, sendResponse.parse(answer)));
    });
