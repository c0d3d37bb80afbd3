import { findChannel } from './channels.ts';
import type { Conversation } from './model.ts';
import type { ServiceState } from './state.ts';
import { findUser } from './users.ts';

// The sandbox's own reading of the contract; Parley's is lambdas/domain/window.ts.

/**
 * How long after the user's last message a free-form message may be sent.
 * Source: contract, "Limits": User conversation window, 24 hours since the user's last message.
 */
export const WINDOW_MS = 24 * 60 * 60 * 1000;

export const isWindowOpen = (conversation: Conversation | undefined, now: Date): boolean =>
  conversation !== undefined && now.getTime() - conversation.lastInboundAt.getTime() < WINDOW_MS;

/** Whether the window between a user and one of the business's numbers is open. */
export const hasOpenWindow = (
  state: ServiceState,
  { chatChannelNumber, platformContactId }: { chatChannelNumber: string; platformContactId: string },
  now: Date,
): boolean => {
  const channel = findChannel(state, chatChannelNumber);
  const user = findUser(state, platformContactId);
  return channel !== undefined && isWindowOpen(user?.conversations.get(channel), now);
};

/** Returns the conversation after the user wrote at `writtenAt`; a late message never moves it backwards. */
export const withInbound = (conversation: Conversation | undefined, writtenAt: Date, now: Date): Conversation => {
  // A message that claims to be from the future would otherwise keep the window open for more than 24 hours.
  const at = writtenAt < now ? writtenAt : now;
  if (conversation === undefined) return { lastInboundAt: at, sessionStartedAt: at };
  if (at <= conversation.lastInboundAt) return conversation;
  return {
    lastInboundAt: at,
    sessionStartedAt: isWindowOpen(conversation, at) ? conversation.sessionStartedAt : at,
  };
};
