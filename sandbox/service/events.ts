import type { ChatMessage, SentMessage, Status, User, UserContent } from './model.ts';

/** A user's message, or a message from the business that comes back to the customer. */
export interface MessageEvent {
  readonly user: User;
  readonly message: ChatMessage;
  /** Fields of an operator's message besides those of every event, such as the operator's name. @default none */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** A status of a sent message. */
export interface StatusEvent {
  readonly user: User;
  readonly message: SentMessage;
  readonly status: Status;
  readonly at: Date;
}

/** An event for the customer's webhook (contract, "Events"). The account's event format determines its body. */
export type ChatEvent =
  /** Messages of one user and one of the business's numbers, which are delivered together. */
  { kind: 'messages'; messages: readonly [MessageEvent, ...MessageEvent[]] } | ({ kind: 'status' } & StatusEvent);

/** How a webhook writes events. Real services have several formats, and a webhook keeps the one it was created with. */
export interface EventFormat {
  /** Why the format cannot carry a user's message, such as `has no location`; undefined if it can. */
  explainUnsupported(content: UserContent): string | undefined;
  /** Returns the body for messages of one user that are delivered together. */
  writeMessages(chatPlatform: string, messages: readonly [MessageEvent, ...MessageEvent[]]): unknown;
  writeStatus(chatPlatform: string, status: StatusEvent): unknown;
}

/** Who wrote a message. */
export const authorOf = (message: ChatMessage): 'user' | 'bot' | 'agent' => {
  if (message.direction === 'in') return 'user';
  return message.endpoint === 'operator-console' ? 'agent' : 'bot';
};

/** Returns the platform's error code as real services write it: as if it were a float. */
export const writtenCode = (code: string): string => `${code}.0`;
