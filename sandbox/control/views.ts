import type { Carrier, DeliveryAttempt } from '../carrier/carrier.ts';
import { parseJson } from '../http/read-body.ts';
import type { RunningService } from '../running-service.ts';
import type { SentMessage } from '../service/sent-message.ts';
import type { User } from '../service/users.ts';
import { isWindowOpen } from '../service/window.ts';

/** A user as the control API shows it. */
export const userView = (user: User, now: Date) => {
  const { conversations, ...settings } = user;
  const windows = [...conversations].map(([chatChannelNumber, conversation]) => ({
    chatChannelNumber,
    lastInboundAt: conversation.lastInboundAt.toISOString(),
    open: isWindowOpen(conversation, now),
  }));
  return { ...settings, windows };
};

export const outboxView = (messages: Iterable<SentMessage>) => ({
  messages: Array.from(messages, ({ id, endpoint, at, body, content, status }) => ({
    id,
    endpoint,
    at: at.toISOString(),
    body,
    content,
    status,
  })),
});

export const deliveriesView = (carrier: Carrier) => ({
  deliveries: carrier.attempts().map(deliveryView),
  pending: carrier.pending(),
});

export const stateView = ({ state, clock, carrier }: RunningService) => ({
  now: clock.now().toISOString(),
  chatPlatform: state.chatPlatform,
  chatChannelNumbers: state.chatChannelNumbers,
  credit: state.credit,
  users: Array.from(state.users.values(), (user) => userView(user, clock.now())),
  rules: [...state.rules.values()],
  pending: carrier.pending(),
});

const deliveryView = ({ message, attempt, at, status, error }: DeliveryAttempt) => ({
  messageId: message.messageId,
  event: eventView(message.body),
  attempt,
  status,
  at: at.toISOString(),
  ...(error === undefined ? {} : { error }),
});

/** The event's JSON, or its text when the bytes are no JSON. */
const eventView = (body: Uint8Array): unknown => {
  const text = new TextDecoder().decode(body);
  const value = parseJson(text);
  return value === undefined ? text : value;
};
