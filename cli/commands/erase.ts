import { setTimeout as pause } from 'node:timers/promises';
import { Command } from '@commander-js/extra-typings';
import type { z } from 'zod';
import { erasureResponse } from '../../lambdas/manage/api/erasures.ts';
import {
  type CommandContext,
  type CreateCommand,
  channelOption,
  channelQuery,
  contactArgument,
  count,
  examples,
} from '../base/command.ts';
import { CliError, EXIT } from '../base/errors.ts';
import { type ManagementClient, ManagementError } from '../operations/management-client.ts';
import { resourcePath } from '../operations/resource-path.ts';

const ERASURE_POLL_MS = 1_000;

export const createEraseCommand: CreateCommand = ({ api, report, say, stop }) =>
  new Command('erase')
    .description(
      "Erase a contact's personal data.\n\n" +
        'Parley deletes the contact, its messages, and the content of its sends, and those of every other address of the ' +
        'same customer. This cannot be undone. ' +
        'Only a record of the erasure remains, without personal data. ' +
        'If the user writes again, Parley treats them as a new contact.',
    )
    .addArgument(contactArgument())
    .addOption(channelOption())
    .option('--yes', 'Confirm the erasure')
    .option('--no-wait', 'Return before the erasure is complete')
    .addHelpText('after', examples('parley erase +5491150000001 --yes --stage prod'))
    .action(async (contact, { yes, wait, channel }) => {
      if (!yes) {
        throw new CliError(EXIT.usage, `Erasing ${contact} cannot be undone. Add --yes to confirm.`);
      }
      const call = await api();
      const path = resourcePath('contacts', 'platformContactId', contact, channelQuery(channel));
      const isKnown = await isStored(call, path);
      const erasure = erasureResponse.parse(await call('DELETE', path));
      const { erasureId, otherAddresses = [] } = erasure;
      const others =
        otherAddresses.length === 0 ? '' : `, with ${count(otherAddresses.length, 'other address', 'other addresses')}`;
      if (!wait) {
        report({ lines: [`Erasure ${erasureId} started${others}.`], json: erasure });
        return;
      }
      const done: z.output<typeof erasureResponse>[] = [];
      // The contact's own erasure is the last that was started.
      for (const id of [...otherAddresses, erasureId]) done.push(await waitForErasure(call, id, { say, stop }));
      const sum = (name: 'messages' | 'sends' | 'deadLetters') => done.reduce((total, each) => total + each[name], 0);
      const [messages, sends, deadLetters] = [sum('messages'), sum('sends'), sum('deadLetters')];
      const letters = deadLetters > 0 ? `, and ${count(deadLetters, 'dead letter')}` : '';
      const text =
        isKnown || messages + sends + deadLetters > 0
          ? `${contact} is erased${others}: ${count(messages, 'message')} and ${count(sends, 'send')}${letters}`
          : `Nothing was stored about ${contact}`;
      const json = { ...done.at(-1), messages, sends, deadLetters, ...(others !== '' && { otherAddresses }) };
      report({ lines: [`${text} (erasure ${erasureId}).`], json });
    });

/** Waits until an erasure is done, and reports its progress. */
const waitForErasure = async (
  call: ManagementClient,
  erasureId: string,
  { say, stop }: Pick<CommandContext, 'say' | 'stop'>,
) => {
  for (let messages = 0; ; await pause(ERASURE_POLL_MS)) {
    const erasure = erasureResponse.parse(await call('GET', `/v1/erasures/${erasureId}`));
    if (erasure.messages !== messages) say(`${count(erasure.messages, 'message')} erased`);
    if (erasure.state === 'done') return erasure;
    messages = erasure.messages;
    if (stop.aborted) {
      throw new CliError(EXIT.interrupted, `Interrupted. Erasure ${erasureId} continues in the background.`);
    }
  }
};

/** Whether the contact itself is stored: an erasure counts only messages and sends. */
const isStored = async (call: ManagementClient, path: string): Promise<boolean> => {
  try {
    await call('GET', path);
    return true;
  } catch (error) {
    if (error instanceof ManagementError && error.code === 'CONTACT_NOT_FOUND') return false;
    throw error;
  }
};
