import { setTimeout as pause } from 'node:timers/promises';
import { erasureResponse } from '../../lambdas/manage/responses.ts';
import { CliError } from '../cli-error.ts';
import type { CommandDefinition } from '../command.ts';
import { EXIT } from '../exit-codes.ts';

const POLL_MS = 1_000;

export const erase: CommandDefinition = {
  name: 'erase',
  what: 'Erase a contact: every message, and of its sends all but that they were sent',
  note: 'It cannot be undone. What stays is a record of the erasure without personal data. A later message of the user’s starts afresh.',
  positionals: [{ name: 'CONTACT', what: 'the user, such as +5491150000001' }],
  options: [
    { name: 'yes', what: 'yes, erase it' },
    { name: 'no-wait', what: 'do not wait for the end' },
  ],
  examples: ['parley erase +5491150000001 --yes --stage prod'],
  async run(call) {
    const contact = call.positional('CONTACT');
    if (!call.isSet('yes')) {
      throw new CliError(EXIT.usage, `Erasing ${contact} cannot be undone; give --yes to do it.`);
    }
    const api = await call.api();
    let erasure = erasureResponse.parse(await api('DELETE', `/v1/contacts/${encodeURIComponent(contact)}`));
    const { erasureId } = erasure;
    if (call.isSet('no-wait')) return { text: `The erasure ${erasureId} has begun.`, json: erasure };
    while (erasure.state !== 'done') {
      if (call.stop.aborted) {
        throw new CliError(EXIT.stopped, `The erasure ${erasureId} goes on by itself; it is only no longer watched.`);
      }
      await pause(POLL_MS);
      const before = erasure.messages;
      erasure = erasureResponse.parse(await api('GET', `/v1/erasures/${erasureId}`));
      if (erasure.messages !== before) call.say(`${erasure.messages} messages erased`);
    }
    const { messages, sends } = erasure;
    return { text: `${contact} is erased: ${messages} messages, ${sends} sends. Erasure ${erasureId}.`, json: erasure };
  },
};
