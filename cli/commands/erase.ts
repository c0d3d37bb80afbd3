import { setTimeout as pause } from 'node:timers/promises';
import { Command } from '@commander-js/extra-typings';
import type { z } from 'zod';
import { contactResponse } from '../../lambdas/manage/api/contacts.ts';
import { customerResponse } from '../../lambdas/manage/api/customers.ts';
import { erasureResponse } from '../../lambdas/manage/api/erasures.ts';
import {
  type CommandContext,
  type CreateCommand,
  channelOption,
  channelQuery,
  count,
  examples,
  quote,
} from '../base/command.ts';
import { CliError, EXIT } from '../base/errors.ts';
import { contactOrCustomerArgument, customerOption, type NamedUser, nameUser } from '../base/named-user.ts';
import { type ManagementClient, ManagementError } from '../operations/management-client.ts';
import { customerPath, resourcePath } from '../operations/resource-path.ts';

const ERASURE_POLL_MS = 1_000;

type Erasure = z.output<typeof erasureResponse>;

const SOURCES = { platformContactId: '[contact]', customerId: 'customer', chatChannelNumber: 'channel' } as const;

export const createEraseCommand: CreateCommand = ({ api, report, say, stop, commandFor }) =>
  new Command('erase')
    .description(
      "Erase a user's personal data.\n\n" +
        'Parley deletes the contact, its messages, and the content of its sends, and those of every other address of the ' +
        'same customer. Use --customer if you know only the customer ID. This cannot be undone. ' +
        'Only a record of the erasure remains, without personal data. ' +
        'If the user writes again, Parley treats them as a new contact.',
    )
    .addArgument(contactOrCustomerArgument())
    .addOption(customerOption())
    .addOption(channelOption())
    .option('--yes', 'Confirm the erasure')
    .option('--no-wait', 'Return before the erasure is complete')
    .addHelpText(
      'after',
      examples('parley erase +5491150000001 --yes --stage prod', 'parley erase --customer 5f0c9a52 --yes --stage prod'),
    )
    .action(async (contactId, { customer, yes, wait, channel }) => {
      const user = nameUser(contactId, customer);
      const name = 'contact' in user ? user.contact : `customer ${user.customer}`;
      if ('customer' in user && channel !== undefined) {
        throw new CliError(EXIT.usage, 'Remove --channel: --customer erases the customer at every business number.');
      }
      if (!yes) throw new CliError(EXIT.usage, `Erasing ${name} cannot be undone. Add --yes to confirm.`);
      const call = await api(SOURCES);
      const stored = await readStored(call, user, channelQuery(channel));
      const erasure = erasureResponse.parse(await call('DELETE', erasedPath(user, channelQuery(channel))));
      const { erasureId, otherAddresses = [], sharedCustomerIds = [] } = erasure;
      const others =
        otherAddresses.length === 0 ? '' : `, with ${count(otherAddresses.length, 'other address', 'other addresses')}`;
      const left = sharedCustomerIds.map(
        (id) => `Not erased: events that name only customer ID ${id} and no address, because many users share it.`,
      );
      if (!wait) {
        report({ lines: [`Erasure ${erasureId} started${others}.`, ...left], json: erasure });
        return;
      }
      const done: Erasure[] = [];
      // The user's own erasure is the last that was started.
      for (const id of [...otherAddresses, erasureId]) done.push(await waitForErasure(call, id, { say, stop }));
      const sum = (name: 'messages' | 'sends' | 'deadLetters') => done.reduce((total, each) => total + each[name], 0);
      const [messages, sends, deadLetters] = [sum('messages'), sum('sends'), sum('deadLetters')];
      const letters = deadLetters > 0 ? `, and ${count(deadLetters, 'dead letter')}` : '';
      const isFound = stored !== undefined || messages + sends + deadLetters > 0;
      const text = isFound
        ? `${capitalize(name)} is erased${others}: ${count(messages, 'message')} and ${count(sends, 'send')}${letters}`
        : `Nothing was stored about ${name}`;
      const scanned = scannedIds(user, stored).join(' ');
      report({
        lines: [
          `${text} (erasure ${erasureId}).`,
          ...left,
          ...(isFound ? [`Search for what is left: ${commandFor(`parley erasure-scan ${scanned}`)}`] : []),
        ],
        json: { ...done.at(-1), messages, sends, deadLetters, ...pick(erasure) },
      });
    });

const capitalize = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** What only the answer to the call has. */
const pick = ({ otherAddresses, sharedCustomerIds }: Erasure) => ({
  ...(otherAddresses && { otherAddresses }),
  ...(sharedCustomerIds && { sharedCustomerIds }),
});

const erasedPath = (user: NamedUser, query: URLSearchParams): string =>
  'contact' in user
    ? resourcePath('contacts', 'platformContactId', user.contact, query)
    : resourcePath('customers', 'customerId', user.customer);

/** What is stored about a user before the erasure: after it, nothing leads from one address to the others. */
interface StoredUser {
  readonly addresses: readonly string[];
  readonly customerId?: string | undefined;
}

/** Returns undefined if no address of the user is stored. */
const readStored = async (
  call: ManagementClient,
  user: NamedUser,
  query: URLSearchParams,
): Promise<StoredUser | undefined> => {
  if ('customer' in user) return readCustomer(call, user.customer, query);
  const contact = await orNothing(call('GET', resourcePath('contacts', 'platformContactId', user.contact, query)));
  if (contact === undefined) return undefined;
  const { customerId } = contactResponse.parse(contact);
  const customer = customerId === undefined ? undefined : await readCustomer(call, customerId, query);
  return { addresses: [user.contact], ...customer };
};

const readCustomer = async (
  call: ManagementClient,
  customerId: string,
  query: URLSearchParams,
): Promise<StoredUser | undefined> => {
  const customer = await orNothing(call('GET', customerPath('contacts', customerId, query)));
  if (customer === undefined) return undefined;
  const { contacts } = customerResponse.parse(customer);
  return { addresses: contacts.map(({ platformContactId }) => platformContactId), customerId };
};

/** Returns undefined if there is no such contact or customer, or if many users share the customer's ID. */
const orNothing = async (answer: Promise<unknown>): Promise<unknown> => {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ManagementError && NOTHING.includes(error.code)) return undefined;
    throw error;
  }
};

const NOTHING = ['CONTACT_NOT_FOUND', 'CUSTOMER_NOT_FOUND', 'CUSTOMER_SHARED'];

/** Returns the arguments of a scan for what is left of a user. */
const scannedIds = (user: NamedUser, { addresses, customerId }: StoredUser = { addresses: [] }): readonly string[] => {
  const contacts = new Set('contact' in user ? [user.contact, ...addresses] : addresses);
  const customer = 'customer' in user ? user.customer : customerId;
  return [...[...contacts].map(quote), ...(customer === undefined ? [] : ['--customer', quote(customer)])];
};

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
