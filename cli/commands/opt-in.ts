import { contactResponse } from '../../lambdas/manage/responses.ts';
import type { CommandDefinition } from '../command.ts';

const command = (name: 'opt-in' | 'opt-out', what: string, source: string): CommandDefinition => ({
  name,
  what,
  note: 'The latest of each kind counts, so it may be repeated.',
  positionals: [{ name: 'CONTACT', what: 'the user, such as +5491150000001' }],
  options: [
    { name: 'source', value: 'TEXT', what: 'where the user said so, for whoever has to show it later', required: true },
    { name: 'at', value: 'TIME', what: 'when, such as 2026-11-20T12:00:00Z (default: now)' },
  ],
  examples: [`parley ${name} +5491150000001 --source "${source}" --stage prod`],
  async run(call) {
    const body = {
      platformContactId: call.positional('CONTACT'),
      source: call.option('source'),
      at: call.option('at'),
    };
    const api = await call.api();
    const contact = contactResponse.parse(await api('POST', `/v1/${name}s`, body));
    const consent = name === 'opt-in' ? contact.optIn : contact.optOut;
    return { text: `${contact.platformContactId}: ${name} at ${consent?.at}, by ${consent?.source}.`, json: contact };
  },
});

export const optIn = command('opt-in', 'Record that a user agreed to be written to', 'registration form');
export const optOut = command('opt-out', 'Record that a user does not want to be written to', 'phone call');
