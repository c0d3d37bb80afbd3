import { Command } from '@commander-js/extra-typings';
import type { z } from 'zod';
import { type ContactResponse, contactResponse } from '../../lambdas/manage/api/contacts.ts';
import { conversationResponse } from '../../lambdas/manage/api/conversations.ts';
import {
  type CreateCommand,
  channelOption,
  channelQuery,
  contactArgument,
  examples,
  nextPage,
} from '../base/command.ts';
import { describeTime } from '../base/human-time.ts';
import { stageTime } from '../base/stage-time.ts';
import { resourcePath } from '../operations/resource-path.ts';
import { describeConsent, describeHandover } from './contacts.ts';

export const createConversationCommand: CreateCommand = ({ api, report, commandFor, target }) =>
  new Command('conversation')
    .description('Show a contact, its conversation window, and its latest messages.')
    .addArgument(contactArgument())
    .addOption(channelOption())
    .option('--limit <n>', 'Messages to show, up to 500', '20')
    .option('--cursor <cursor>', 'Show the next page')
    .addHelpText('after', examples('parley conversation +5491150000001 --limit 50 --stage prod'))
    .action(async (contactId, { limit, cursor, channel }) => {
      const query = new URLSearchParams({ limit });
      if (cursor !== undefined) query.set('cursor', cursor);
      if (channel !== undefined) query.set('chatChannelNumber', channel);
      const call = await api();
      const pathOf = (collection: string, parameters?: URLSearchParams) =>
        resourcePath(collection, 'platformContactId', contactId, parameters);
      const page = conversationResponse.parse(await call('GET', pathOf('conversations', query)));
      const contact = contactResponse.parse(await call('GET', pathOf('contacts', channelQuery(channel))));
      const next = nextPage(commandFor, ['conversation', contactId], { limit, channel, cursor: page.cursor });
      report({
        lines: [
          ...describeContact(contact, await stageTime({ target })),
          '',
          ...page.messages.map(describeMessage),
          ...next,
        ],
        json: { contact, ...page },
      });
    });

const describeContact = (contact: ContactResponse, now: string): string[] => {
  const { platformContactId, chatPlatform, name, window, consent, handover, check } = contact;
  const state = window.open
    ? `open until ${describeTime(window.closesAt ?? '', now)}`
    : `closed; last message from the user: ${describeTime(window.lastInboundAt ?? 'none', now)}`;
  return [
    `${platformContactId} on ${chatPlatform}${name === undefined ? '' : `, ${name}`}`,
    `  window: ${state}`,
    `  consent: ${describeConsent(consent)}`,
    ...(handover ? [`  handover: ${describeHandover(handover)}`] : []),
    ...(check ? [`  contact check: ${check.onPlatform ? '' : 'not '}on the platform at ${check.at}`] : []),
  ];
};

type Message = z.output<typeof conversationResponse>['messages'][number];

/** Describes a message in one line: when, by whom, what, and its latest status. */
export const describeMessage = (message: Message): string => {
  const { createdAt, requestId, editedAt } = message;
  const fate = [requestId, editedAt && 'edited', statusOf(message)].filter(Boolean).join(', ');
  const content = contentOf(message).filter(Boolean).join(', ');
  return `${createdAt}  ${senderOf(message).padEnd(8)}  ${content}${fate === '' ? '' : ` (${fate})`}`;
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
