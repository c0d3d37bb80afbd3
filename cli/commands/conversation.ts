import { Command } from '@commander-js/extra-typings';
import type { z } from 'zod';
import { type ContactResponse, contactResponse } from '../../lambdas/manage/contacts.ts';
import { conversationResponse } from '../../lambdas/manage/conversations.ts';
import { type CreateCommand, channelOption, channelQuery, contactArgument, examples, nextPage } from '../command.ts';
import { describeTime } from '../human-time.ts';
import { resourcePath } from '../operations/resource-path.ts';
import { stageTime } from '../stage-time.ts';
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

const SENDERS = { inbound: 'user', outbound: 'business', echo: 'operator', unknown: 'service' };

const describeMessage = (message: z.output<typeof conversationResponse>['messages'][number]): string => {
  const { createdAt, direction, text, media, ruleNameOrId, requestId, failedAt, readAt, deliveredAt } = message;
  const urls = Object.values(media ?? {}).flat();
  const content = [text && JSON.stringify(text), ruleNameOrId && `template ${ruleNameOrId}`, ...urls].filter(Boolean);
  const state = failedAt ? ', failed' : readAt ? ', read' : deliveredAt ? ', delivered' : '';
  const sender = SENDERS[direction ?? 'echo'].padEnd(8);
  return `${createdAt}  ${sender}  ${content.join(', ')}${requestId ? ` (${requestId}${state})` : ''}`;
};
