import { Command, Option } from '@commander-js/extra-typings';
import { sendListResponse } from '../../lambdas/manage/send-lists.ts';
import { sendResponse } from '../../lambdas/manage/sends.ts';
import { type CommandContext, type CreateCommand, examples } from '../command.ts';
import { describeSend, sendResult } from './sends.ts';

/** Creates `sends uncertain list` and `sends uncertain resolve`. */
export const createSendsCommand: CreateCommand = (context) =>
  new Command('sends')
    .description('List and resolve uncertain sends.')
    .addCommand(
      new Command('uncertain')
        .description('List and resolve uncertain sends.')
        .addCommand(createListCommand(context))
        .addCommand(createResolveCommand(context)),
    );

const createListCommand = ({ api, report }: CommandContext) =>
  new Command('list')
    .description('List the sends whose outcome is unknown, oldest first.')
    .option('--limit <n>', 'Sends to show, up to 500 (default: 100)')
    .option('--cursor <cursor>', 'Show the next page')
    .addHelpText('after', examples('parley sends uncertain list --stage prod'))
    .action(async ({ limit, cursor }) => {
      const query = new URLSearchParams();
      if (limit !== undefined) query.set('limit', limit);
      if (cursor !== undefined) query.set('cursor', cursor);
      const call = await api();
      const page = sendListResponse.parse(await call('GET', `/v1/uncertain-sends?${query}`));
      const lines = page.sends.length > 0 ? page.sends.flatMap(describeSend) : ['No sends are uncertain.'];
      const next = page.cursor === undefined ? [] : [`Next page: --cursor ${page.cursor}`];
      report({ lines: [...lines, ...next], json: page });
    });

const createResolveCommand = ({ api, report }: CommandContext) =>
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
        'parley sends uncertain resolve order-17 --outcome accepted --message-id 8f1c0a --stage prod',
        'parley sends uncertain resolve order-17 --outcome resend --note "not in the console" --stage prod',
      ),
    )
    .action(async (requestId, { outcome, messageId, note }) => {
      const call = await api();
      const answer = await call('POST', '/v1/resolutions', { requestId, outcome, messageId, note });
      report(sendResult(sendResponse.parse(answer)));
    });
