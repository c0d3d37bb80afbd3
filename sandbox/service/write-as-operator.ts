import { chatChannelNumbers } from './channels.ts';
import type { MessageEvent } from './events.ts';
import type { Refusal, SentMessage } from './model.ts';
import type { Change, Moment, ServiceState } from './state.ts';
import { deliver } from './statuses.ts';
import { contactKey, findUser } from './users.ts';
import { hasOpenWindow } from './window.ts';

export interface OperatorMessage {
  readonly text: string;
  /** Fields that the event has besides those of every event, such as the operator's name. @default none */
  readonly fields?: MessageEvent['fields'];
}

export type OperatorMessageOutcome =
  | { readonly kind: 'accepted'; readonly id: string }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/**
 * Sends a message that an operator writes in the service's own console, from the first of the business's numbers. It
 * comes back to the customer as an event (field notes, "Inbound events"), but its statuses are not reported.
 */
export const writeAsOperator = (
  state: ServiceState,
  contact: string,
  { text, fields }: OperatorMessage,
  moment: Moment,
): Change<OperatorMessageOutcome> => {
  const [chatChannelNumber = ''] = chatChannelNumbers(state);
  const user = findUser(state, contact);
  if (user?.onPlatform === false) return refused({ reason: 'NOT_ON_PLATFORM', contact });
  // Contract, "States and transitions": a free-form message needs an open window, whoever writes it.
  if (user === undefined || !hasOpenWindow(state, { chatChannelNumber, platformContactId: contact }, moment.now)) {
    return refused({ reason: 'WINDOW_CLOSED' });
  }
  const message: SentMessage = {
    direction: 'out',
    endpoint: 'operator-console',
    body: undefined,
    id: moment.newId(),
    at: moment.now,
    chatChannelNumber,
    contactKey: contactKey(contact),
    content: { messageText: text },
    status: 'accepted',
  };
  state.messages.set(message.id, message);
  return {
    result: { kind: 'accepted', id: message.id },
    events: [{ kind: 'messages', messages: [{ user, message, fields }] }, ...deliver(state, user, message, moment.now)],
  };
};

const refused = (refusal: Refusal): Change<OperatorMessageOutcome> => ({
  result: { kind: 'refused', refusal },
  events: [],
});
