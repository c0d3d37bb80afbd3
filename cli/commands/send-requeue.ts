import { Command } from '@commander-js/extra-typings';
import { sendResponse } from '../../lambdas/manage/api/sends.ts';
import { type CommandContext, examples, quote } from '../base/command.ts';
import { REQUEST_ID, sendResult } from './sends.ts';

/** Creates `sends requeue`. */
export const createRequeueCommand = (context: CommandContext) =>
  new Command('requeue')
    .description(
      'Queue a scheduled send that is overdue.\n\n' +
        'For a send that is past its --send-at but still scheduled, because its schedule was deleted or is late. If the ' +
        'schedule is only late, the message is still sent once.',
    )
    .argument('<request-id>', 'ID of the send request')
    .addHelpText('after', examples('parley sends requeue order-17 --stage prod'))
    .action(async (requestId) => {
      const call = await context.api(REQUEST_ID);
      const send = sendResponse.parse(await call('POST', '/v1/requeues', { requestId }));
      const { lines, json } = await sendResult(context, send);
      const status = context.commandFor(`parley status ${quote(requestId)}`);
      const queued = `Request ${requestId} is queued. Check its status: ${status}`;
      // Otherwise, it was no longer scheduled, so nothing was queued.
      context.report({ lines: send.state === 'scheduled' ? [queued] : lines, json });
    });
