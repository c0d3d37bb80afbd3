import { sendResponse } from '../../lambdas/manage/responses.ts';
import type { CommandDefinition } from '../command.ts';
import { describeSend } from './status.ts';

export const cancel: CommandDefinition = {
  name: 'cancel',
  what: 'Cancel a send that waits for its time (sendAt)',
  positionals: [{ name: 'REQUEST', what: 'the request id' }],
  examples: ['parley cancel order-17 --stage prod'],
  async run(call) {
    const api = await call.api();
    const send = sendResponse.parse(await api('POST', '/v1/cancellations', { requestId: call.positional('REQUEST') }));
    return { text: describeSend(send).join('\n'), json: send };
  },
};
