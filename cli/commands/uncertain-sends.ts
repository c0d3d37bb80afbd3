import { sendResponse, uncertainResponse } from '../../lambdas/manage/responses.ts';
import type { CommandDefinition } from '../command.ts';
import { describeSend } from './status.ts';

export const listUncertain: CommandDefinition = {
  name: 'sends uncertain list',
  what: 'List the sends of which nobody knows whether they went out, oldest first',
  options: [
    { name: 'limit', value: 'N', what: 'sends to show, up to 500 (default: 100)' },
    { name: 'cursor', value: 'CURSOR', what: 'go on where a page before ended' },
  ],
  examples: ['parley sends uncertain list --stage prod'],
  async run(call) {
    const query = new URLSearchParams();
    for (const name of ['limit', 'cursor']) {
      const value = call.option(name);
      if (value !== undefined) query.set(name, value);
    }
    const api = await call.api();
    const page = uncertainResponse.parse(await api('GET', `/v1/uncertain-sends?${query}`));
    const lines = page.sends.flatMap(describeSend);
    const end = page.cursor === undefined ? [] : [`More: --cursor ${page.cursor}`];
    return { text: [...(lines.length > 0 ? lines : ['No send is uncertain.']), ...end].join('\n'), json: page };
  },
};

export const settle: CommandDefinition = {
  name: 'sends uncertain settle',
  what: 'Say what became of an uncertain send, or have it sent again',
  note: 'Look into the chat service’s console first: resend sends it a second time if it had gone out.',
  positionals: [{ name: 'REQUEST', what: 'the request id' }],
  options: [
    {
      name: 'outcome',
      value: 'accepted|failed|resend',
      what: 'it went out; it did not and shall not; send it again',
      required: true,
    },
    { name: 'message-id', value: 'ID', what: 'with accepted: the chat service’s id of the message' },
    { name: 'note', value: 'TEXT', what: 'how it was found out, for whoever asks later' },
  ],
  examples: [
    'parley sends uncertain settle order-17 --outcome accepted --message-id 8f1c… --stage prod',
    'parley sends uncertain settle order-17 --outcome resend --note "not in the console" --stage prod',
  ],
  async run(call) {
    const body = {
      requestId: call.positional('REQUEST'),
      outcome: call.option('outcome'),
      messageId: call.option('message-id'),
      note: call.option('note'),
    };
    const api = await call.api();
    const send = sendResponse.parse(await api('POST', '/v1/settlements', body));
    return { text: describeSend(send).join('\n'), json: send };
  },
};
