/**
 * How long a free-form message may follow the user's last one.
 * Source: contract, "Limits": User conversation window, 24 hours since the user's last message.
 */
export const WINDOW_MS = 24 * 60 * 60 * 1000;

/** What a user and one of the business's numbers have between them. */
export type Conversation = {
  /** The latest time at which the user wrote. */
  readonly lastInboundAt: Date;
  /** When the present chat session began. */
  readonly sessionStartedAt: Date;
};

export const isWindowOpen = (conversation: Conversation | undefined, now: Date): boolean =>
  conversation !== undefined && now.getTime() - conversation.lastInboundAt.getTime() < WINDOW_MS;

/** The conversation after the user wrote at `writtenAt`; a message that comes late never moves it backwards. */
export const withInbound = (conversation: Conversation | undefined, writtenAt: Date, now: Date): Conversation => {
  // A message that claims to come from the future would otherwise keep the window open for longer than 24 hours.
  const at = writtenAt < now ? writtenAt : now;
  if (conversation === undefined) return { lastInboundAt: at, sessionStartedAt: at };
  if (at <= conversation.lastInboundAt) return conversation;
  return {
    lastInboundAt: at,
    sessionStartedAt: isWindowOpen(conversation, at) ? conversation.sessionStartedAt : at,
  };
};
