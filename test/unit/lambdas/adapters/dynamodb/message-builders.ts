import { contactRef } from '../../../../../lambdas/domain/contact.ts';
import type { OutboundMessage } from '../../../../../lambdas/domain/message.ts';
import { USER, wireMessage } from '../../../../support/builders.ts';

export const contact = contactRef('chat', USER);

/** The contact's name in the table. */
export const CONTACT = 'CONTACT#chat#*#541155550000';

export const wireEcho = (changes: Record<string, unknown> = {}) =>
  wireMessage({ FROM: 'me', TO: USER, MESSAGE: 'On its way.', CREATION_TIME: '2026-11-20T11:00:02.000Z', ...changes });

export const outbound = (changes: Partial<OutboundMessage> = {}): OutboundMessage => ({
  id: 'message-1',
  requestId: 'request-1',
  contact,
  call: { endpoint: 'message/v3', body: { platformContactId: USER, messageText: 'On its way.' } },
  claimedAt: '2026-11-20T11:00:00.000Z',
  attempt: 1,
  ...changes,
});
