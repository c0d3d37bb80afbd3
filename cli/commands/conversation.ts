import { Command } from '@commander-js/extra-typings';
import type { z } from 'zod';
import { type ContactResponse, contactResponse } from '../../lambdas/manage/api/contacts.ts';
import { conversationResponse } from '../../lambdas/manage/api/conversations.ts';
import { customerResponse } from '../../lambdas/manage/api/customers.ts';
import { type CreateCommand, channelOption, channelQuery, examples, nextPage } from '../base/command.ts';
import { describeTime, describeWindowEnd } from '../base/human-time.ts';
import { contactOrCustomerArgument, customerOption, type NamedUser, nameUser } from '../base/named-user.ts';
import { stageTime } from '../base/stage-time.ts';
import { customerPath, resourcePath } from '../operations/resource-path.ts';
import { describeConsent, describeHandover } from './contacts.ts';

const SOURCES = {
  platformContactId: '[contact]',
  customerId: 'customer',
  chatChannelNumber: 'channel',
  limit: 'limit',
  cursor: 'cursor',
} as const;

export const createConversationCommand: CreateCommand = ({ api, report, commandFor, target }) =>
  new Command('conversation')
    .description(
      'Show a contact, its conversation window, and its latest messages.\n\n' +
        'With --customer, shows all addresses of a customer, and their messages in one order, each with its address.',
    )
    .addArgument(contactOrCustomerArgument())
    .addOption(customerOption())
    .addOption(channelOption())
    .option('--limit <n>', 'Messages to show, up to 500', '20')
    .option('--cursor <cursor>', 'Show the next page')
    .addHelpText(
      'after',
      examples(
        'parley conversation +5491150000001 --limit 50 --stage prod',
        'parley conversation --customer 5f0c9a52 --stage prod',
      ),
    )
    .action(async (contactId, { customer, limit, cursor, channel }) => {
      const { words, messagesPath, contactsPath, describe } = viewOf(nameUser(contactId, customer));
      const query = channelQuery(channel);
      query.set('limit', limit);
      if (cursor !== undefined) query.set('cursor', cursor);
      const call = await api(SOURCES);
      const page = conversationResponse.parse(await call('GET', messagesPath(query)));
      const { head, json, messages } = describe(await call('GET', contactsPath(channelQuery(channel))), page.messages);
      const now = await stageTime({ target });
      const next = nextPage(commandFor, ['conversation', ...words], { customer, limit, channel, cursor: page.cursor });
      report({
        lines: [...head(now), '', ...messages.map(describeMessage), ...next],
        json: { ...json, ...page },
      });
    });

/** How a conversation is read and shown. */
interface ConversationView {
  /** The arguments of the command. */
  readonly words: readonly string[];
  readonly messagesPath: (query: URLSearchParams) => string;
  readonly contactsPath: (query: URLSearchParams) => string;
  readonly describe: (
    answer: unknown,
    messages: readonly Message[],
  ) => {
    readonly head: (now: string) => readonly string[];
    readonly json: object;
    readonly messages: readonly Message[];
  };
}

const viewOf = (user: NamedUser): ConversationView =>
  'contact' in user ? viewOfContact(user.contact) : viewOfCustomer(user.customer);

const viewOfContact = (id: string): ConversationView => ({
  words: [id],
  messagesPath: (query) => resourcePath('conversations', 'platformContactId', id, query),
  contactsPath: (query) => resourcePath('contacts', 'platformContactId', id, query),
  describe(answer, messages) {
    const contact = contactResponse.parse(answer);
    return { head: (now) => describeContact(contact, now), json: { contact }, messages };
  },
});

const viewOfCustomer = (customerId: string): ConversationView => ({
  words: [],
  messagesPath: (query) => customerPath('conversations', customerId, query),
  contactsPath: (query) => customerPath('contacts', customerId, query),
  describe(answer, messages) {
    const customer = customerResponse.parse(answer);
    return {
      head: (now) => customer.contacts.flatMap((contact) => describeContact(contact, now)),
      json: { customer },
      messages: messages.map((message) => ({ platformContactId: 'no address', ...message })),
    };
  },
});

const describeContact = (contact: ContactResponse & { readonly linkedBy?: string }, now: string): string[] => {
  const { platformContactId, chatPlatform, name, window, consent, handover, check, linkedBy } = contact;
  const state = window.open
    ? describeWindowEnd(window.closesAt ?? '', now, window.marginSeconds)
    : `closed; last message from the user: ${describeTime(window.lastInboundAt ?? 'none', now)}`;
  const why = linkedBy && `linked by a ${linkedBy}`;
  return [
    [`${platformContactId} on ${chatPlatform}`, name, why].filter((part) => part !== undefined).join(', '),
    `  window: ${state}`,
    `  consent: ${describeConsent(consent)}`,
    ...(handover ? [`  handover: ${describeHandover(handover)}`] : []),
    ...(check ? [`  contact check: ${check.onPlatform ? '' : 'not '}on the platform at ${check.at}`] : []),
  ];
};

type Message = z.output<typeof conversationResponse>['messages'][number];

/** Describes a message in one line: when, at which address of a customer, by whom, what, and its latest status. */
export const describeMessage = (message: Message): string => {
  const { createdAt, requestId, editedAt, platformContactId } = message;
  const fate = [requestId, editedAt && 'edited', statusOf(message)].filter(Boolean).join(', ');
  const content = contentOf(message).filter(Boolean).join(', ');
  const who = [createdAt, platformContactId, senderOf(message).padEnd(8)].filter(Boolean).join('  ');
  return `${who}  ${content}${fate === '' ? '' : ` (${fate})`}`;
};

const senderOf = ({ direction, sender }: Message): string => {
  switch (direction) {
    case 'inbound':
      return 'user';
    case 'unknown':
      return 'service';
    default:
      return sender ?? 'business';
  }
};

const contentOf = (message: Message): readonly (string | undefined)[] => {
  const { text, media, location, contactCards, button, reactions, unsupported, ruleNameOrId, eventName } = message;
  return [
    // The text of a button can be JSON, which the button is read from.
    button ? describeButton(button) : text && JSON.stringify(text),
    ruleNameOrId && `template ${ruleNameOrId}`,
    ...Object.values(media ?? {}).flat(),
    location && describeLocation(location),
    contactCards && `contacts: ${contactCards.map(({ name, phones }) => name ?? phones.join(', ')).join(', ')}`,
    reactions && `reaction: ${reactions.join(' ')}`,
    unsupported && `unsupported: ${unsupported}`,
    eventName && `[${eventName}]`,
  ];
};

const describeButton = ({ text, payload }: NonNullable<Message['button']>): string =>
  text !== undefined && payload !== undefined ? `tapped: ${text} (${payload})` : `tapped: ${text ?? payload}`;

const describeLocation = ({ name, address, latitude, longitude }: NonNullable<Message['location']>): string =>
  `location: ${[name, address, latitude, longitude].filter((part) => part !== undefined).join(', ')}`;

/** The latest status, whatever the order in which the statuses arrived. */
const statusOf = (message: Message): string | undefined => {
  const { failedAt, failureCode, failureReason, answeredAt, readAt, deliveredAt } = message;
  if (failedAt !== undefined) {
    const why = [failureCode, failureReason].filter(Boolean).join(' ');
    return why === '' ? 'failed' : `failed: ${why}`;
  }
  if (answeredAt !== undefined) return 'answered';
  return readAt !== undefined ? 'read' : deliveredAt && 'delivered';
};
