import type { Content } from './media.ts';

/** A message that the service accepted. */
export type SentMessage = {
  readonly id: string;
  readonly endpoint: 'message/v3' | 'intent/v2';
  readonly at: Date;
  /** The request's body as it came. */
  readonly body: unknown;
  /** The business's own number that it came from. */
  readonly chatChannelNumber: string;
  /** The key of the user's address. */
  readonly contactKey: string;
  readonly content: Content;
  /** The client's own reference, which comes back in the message's statuses. */
  readonly clientPayload?: string;
  /** As far as the service reported; stays `delivered` for a user who withholds read receipts. */
  status: 'accepted' | 'delivered' | 'read';
  /** Whether the user has read it, reported or not. */
  seen: boolean;
};
