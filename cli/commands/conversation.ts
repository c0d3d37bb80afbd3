import type { z } from 'zod';
import { contactResponse, conversationResponse } from '../../lambdas/manage/responses.ts';
import type { CommandDefinition } from '../command.ts';

export const conversation: CommandDefinition = {
  name: 'conversation',
  what: 'Show a contact, its window, and its latest messages',
  positionals: [{ name: 'CONTACT', what: 'the user, such as +5491150000001' }],
  options: [
    { name: 'limit', value: 'N', what: 'messages to show, up to 500 (default: 20)' },
    { name: 'cursor', value: 'CURSOR', what: 'go on where a page before ended' },
  ],
  examples: ['parley conversation +5491150000001 --limit 50 --stage prod'],
  async run(call) {
    const asked = encodeURIComponent(call.positional('CONTACT'));
    const query = new URLSearchParams({ limit: call.option('limit') ?? '20' });
    const cursor = call.option('cursor');
    if (cursor !== undefined) query.set('cursor', cursor);
    const api = await call.api();
    const page = conversationResponse.parse(await api('GET', `/v1/conversations/${asked}?${query}`));
    const contact = contactResponse.parse(await api('GET', `/v1/contacts/${asked}`));
    const more = page.cursor === undefined ? [] : [`More: --cursor ${page.cursor}`];
    return {
      text: [...describeContact(contact), '', ...page.messages.map(describeMessage), ...more].join('\n'),
      json: { contact, ...page },
    };
  },
};

const describeContact = (contact: z.output<typeof contactResponse>): string[] => {
  const { platformContactId, chatPlatform, name, window, optIn, optOut, check } = contact;
  const state = window.open
    ? `open until ${window.closesAt}`
    : `closed (last wrote: ${window.lastInboundAt ?? 'never'})`;
  return [
    `${platformContactId} on ${chatPlatform}${name === undefined ? '' : `, ${name}`}`,
    `  window: ${state}`,
    ...(optIn ? [`  opted in at ${optIn.at}, by ${optIn.source ?? 'unknown'}`] : []),
    ...(optOut ? [`  opted out at ${optOut.at}, by ${optOut.source ?? 'unknown'}`] : []),
    ...(check ? [`  ${check.onPlatform ? 'on' : 'not on'} the platform, checked at ${check.at}`] : []),
  ];
};

const describeMessage = (message: z.output<typeof conversationResponse>['messages'][number]): string => {
  const { createdAt, direction, text, media, ruleNameOrId, requestId, failedAt, readAt, deliveredAt } = message;
  const files = Object.values(media ?? {}).flat();
  const what = [text && JSON.stringify(text), ruleNameOrId && `template ${ruleNameOrId}`, ...files].filter(Boolean);
  const state = failedAt ? ', failed' : readAt ? ', read' : deliveredAt ? ', delivered' : '';
  const from = { inbound: 'user', outbound: 'we', echo: 'operator' }[direction ?? 'echo'];
  return `${createdAt}  ${from.padEnd(8)}  ${what.join(', ')}${requestId ? ` (${requestId}${state})` : ''}`;
};
