import type { Content } from './media.ts';

type Common = {
  readonly id: string;
  /** The time of the message on the service's clock. */
  readonly at: Date;
  /** The business's own number that it came from or went to. */
  readonly chatChannelNumber: string;
  /** The key of the user's address. */
  readonly contactKey: string;
};

/** A message that the service accepted from the business. */
export type SentMessage = Common & {
  readonly direction: 'out';
  readonly endpoint: 'message/v3' | 'intent/v2';
  /** The request's body as it came. */
  readonly body: unknown;
  readonly content: Content;
  /** The name of the rule that it was made from. */
  readonly ruleName?: string;
  /** The client's own reference, which comes back in the message's statuses. */
  readonly clientPayload?: string;
  /** As far as the service reported; stays `delivered` for a user who withholds read receipts. */
  readonly status: 'accepted' | 'delivered' | 'read';
  readonly deliveredAt?: Date;
  /** When the user read it, reported or not. */
  readonly seenAt?: Date;
};

/** A message that a user wrote. */
export type ReceivedMessage = Common & {
  readonly direction: 'in';
  /** When the service got it; later than `at` for a message that was late. */
  readonly receivedAt: Date;
  readonly sessionStartedAt: Date;
  readonly text?: string;
  readonly imageUrls: readonly string[];
  readonly audioUrls: readonly string[];
  readonly fileUrls: readonly string[];
};

export type ChatMessage = SentMessage | ReceivedMessage;

export const isSent = (message: ChatMessage): message is SentMessage => message.direction === 'out';
