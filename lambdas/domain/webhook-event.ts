import type { ContactRef, CustomerRef, DataSubject } from './contact.ts';
import type { Instant } from './instant.ts';
import type { Traceparent } from './trace-context.ts';
import type { ChannelRef } from './watch/channel-rhythm.ts';
import type { Sender } from './webhook-formats/webhook-format.ts';

/** An event's time, and where it comes from. */
export interface EventTime {
  readonly at: Instant;
  readonly source: 'event' | 'publish-time' | 'arrival';
  /** The event's own time if it is later than `at`, because the chat service's clock is ahead. */
  readonly own?: Instant;
  /** The event states a time that Parley cannot read, and its delivery states none. It can be days older than `at`. */
  readonly isUnreadable?: true;
}

/** When the publish/subscribe system accepted the event, if it says so, and when the event reached Parley. */
export interface DeliveryTimes {
  readonly publishedAt?: Instant;
  readonly receivedAt: Instant;
}

/** What every event has. */
export interface EventBase {
  /** The chat service's ID of the message. */
  readonly id: string;
  readonly time: EventTime;
  /** When its message was last modified, or else when the event was delivered. @default `time` */
  readonly modified?: EventTime;
  /** The event's JSON exactly as received. */
  readonly body: string;
  /** The trace that the event belongs to. */
  readonly traceparent: Traceparent;
  /** The chat service's ID of the user. */
  readonly customerId?: string;
  /** What the user wrote to, or was answered from, in a stage that watches what arrives. */
  readonly channel?: ChannelRef;
  /** The event is a status that also carries this message. An event that is only the message takes precedence. */
  readonly isFromStatus?: true;
  /** The event is from the chat service's history. An event that the service delivered takes precedence. */
  readonly isImported?: true;
}

/** A message that a user wrote. */
export interface InboundMessage extends EventBase {
  readonly kind: 'message';
  readonly contact: ContactRef;
  /**
   * False if windows are per business number and the event names none, or if its time cannot be read: the message is then
   * only stored.
   */
  readonly opensWindow: boolean;
  /** The user's address, verbatim: replies are sent to it. */
  readonly address: string;
  /** The business number that the user wrote to, in international format, if windows are per number. */
  readonly chatChannelNumber?: string;
  readonly name?: string;
  /**
   * The user wrote to a number other than the stage's, and windows are per user. A service can give a user a different ID
   * at each number, so this ID does not show that the address has a new user.
   */
  readonly isOfOtherNumber?: true;
}

/**
 * A message from a bot or an operator, which the chat service reports back, or from an unknown sender. It opens no
 * window.
 */
export interface Echo extends EventBase {
  readonly kind: 'echo';
  readonly sender: Exclude<Sender, 'user'>;
  /** The sender as the chat service names it. */
  readonly senderName?: string;
  /** The chat service's id of the send that produced the message. */
  readonly transactionId?: string;
  /** The user it was sent to, if the event names one. */
  readonly contact?: ContactRef;
  /** The user if the event names no address, so that an erasure finds it. */
  readonly customer?: CustomerRef;
}

/** What a status notification says about a message. `other` stands for a value that Parley does not know. */
export type StatusKind = 'sent' | 'delivered' | 'read' | 'answered' | 'failed' | 'other';

/** A status notification. Two statuses of one message share its id. */
export interface StatusChange extends EventBase {
  readonly kind: 'status';
  readonly status: StatusKind;
  /** The status as received, in lower case. */
  readonly literal: string;
  /** The user, so that an erasure finds the status of a message that never arrives. */
  readonly subject?: DataSubject;
  /** The request id that the send carried as `clientPayload`, if the chat service returns it. */
  readonly requestId?: string;
  /** The chat service's id of the send that produced the message. */
  readonly transactionId?: string;
  /** Why the message failed, as `describeFailure` describes it. */
  readonly failure?: string;
  /** The message that the event carries in addition to its status. */
  readonly message?: InboundMessage | Echo;
}

/** An event in a known format, but of a kind that Parley does not know. It is stored and published. */
export interface UnknownEvent extends EventBase {
  readonly kind: 'unknown';
  /** What the chat service calls it. */
  readonly name: string;
  readonly contact?: ContactRef;
  readonly customer?: CustomerRef;
}

export type WebhookEvent = InboundMessage | Echo | StatusChange | UnknownEvent;

/**
 * A status shares its message's item: whatever their order, the message must fit in as well, and there can be many
 * statuses.
 */
export const MAX_STATUS_BYTES = 16 * 1024;
