import { randomUUID } from 'node:crypto';
import { acceptedResponse } from '../../lambdas/manage/responses.ts';
import type { CommandDefinition } from '../command.ts';
import { MESSAGE_OPTIONS, messageFields } from '../message-options.ts';

export const send: CommandDefinition = {
  name: 'send',
  what: 'Put a send request on the queue',
  note: 'It goes out free-form while the user’s window is open, else by the template.',
  positionals: [{ name: 'CONTACT', what: 'the user, such as +5491150000001' }],
  options: [
    { name: 'request-id', value: 'ID', what: 'the idempotency key; the same id is sent once (default: a new one)' },
    ...MESSAGE_OPTIONS,
  ],
  examples: [
    'parley send +5491150000001 --text "Your parcel is on its way." --stage prod',
    'parley send +5491150000001 --template parcel_update --param name=Ana --reason shipping-status --local',
  ],
  async run(call) {
    const request = {
      requestId: call.option('request-id') ?? randomUUID(),
      platformContactId: call.positional('CONTACT'),
      ...messageFields(call),
    };
    const api = await call.api();
    const { requestId, state } = acceptedResponse.parse(await api('POST', '/v1/sends', request));
    const known = state === 'queued' ? 'is queued' : `came before and is ${state}`;
    return { text: `The request ${requestId} ${known}; see parley status ${requestId}.`, json: { requestId, state } };
  },
};
