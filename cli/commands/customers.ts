import { Command } from '@commander-js/extra-typings';
import { contactResponse } from '../../lambdas/manage/api/contacts.ts';
import { customerResponse } from '../../lambdas/manage/api/customers.ts';
import {
  type CommandContext,
  type CreateCommand,
  channelOption,
  channelQuery,
  contactArgument,
  examples,
} from '../base/command.ts';
import { fieldsFrom } from '../base/request-fields.ts';
import { customerPath } from '../operations/resource-path.ts';
import { describeConsent } from './contacts.ts';

const CUSTOMER_SOURCES = { customerId: 'customer', chatChannelNumber: 'channel' } as const;
const SEPARATION_SOURCES = { platformContactId: '<contact>', ...CUSTOMER_SOURCES, note: 'note' } as const;

/** Creates `contacts list`. */
export const createListCommand = ({ api, report }: CommandContext) =>
  new Command('list')
    .description('List the addresses of a customer.\n\nThe one that the customer wrote from last is first.')
    .requiredOption('--customer <id>', "The chat service's ID of the user")
    .addOption(channelOption())
    .addHelpText('after', examples('parley contacts list --customer 5f0c9a52 --stage prod'))
    .action(async ({ customer: customerId, channel }) => {
      const call = await api(CUSTOMER_SOURCES);
      const path = customerPath('contacts', customerId, channelQuery(channel));
      const customer = customerResponse.parse(await call('GET', path));
      const lines = customer.contacts.map(
        ({ platformContactId, window, consent, linkedBy }) =>
          `${platformContactId}  linked by a ${linkedBy}, window ${window.open ? 'open' : 'closed'}, ${describeConsent(consent)}`,
      );
      const separated = customer.separated.map(({ platformContactId }) => `${platformContactId}  separated`);
      report({ lines: [...lines, ...separated], json: customer });
    });

export const createSeparateCommand: CreateCommand = ({ api, report }) =>
  new Command('separate')
    .description(
      'Separate an address from a customer.\n\nUse this if the chat service names the address of another user with the ID ' +
        'of this customer. Opt-outs and erasures of one then no longer apply to the other, and requests to the ' +
        'customer no longer go to the address.',
    )
    .addArgument(contactArgument())
    .requiredOption('--customer <id>', "The chat service's ID of the user")
    .option('--undo', 'Reverse an earlier separation')
    .addOption(channelOption())
    .option('--note <text>', 'Why, for the audit trail; numbers are masked')
    .addHelpText('after', examples('parley separate +5491150000001 --customer 5f0c9a52 --stage prod'))
    .action(async (platformContactId, options) => {
      const { customer: customerId, undo } = options;
      const path = undo ? '/v1/separation-reversals' : '/v1/separations';
      const call = await api(SEPARATION_SOURCES);
      const body = fieldsFrom({ ...options, '<contact>': platformContactId }, SEPARATION_SOURCES);
      const contact = contactResponse.parse(await call('POST', path, body));
      const result = contact.separatedCustomerIds?.includes(customerId) ? 'separated from' : 'not separated from';
      report({ lines: [`${contact.platformContactId}: ${result} customer ${customerId}.`], json: contact });
    });
