import type { EventFormatName } from '../base/event-format-names.ts';

/*
 * The data that the chat service holds. A value is replaced, never mutated, so that a Collection sees every change.
 */

/** A credential of the API. */
export interface AccessToken {
  readonly accessToken: string;
  readonly issuedAt: Date;
  /** @default the token does not expire */
  readonly expiresAt?: Date;
  readonly revokedAt?: Date;
}

export interface Account {
  /** How many messages the account can pay for; each accepted message costs one. */
  readonly credit: number;
  /** False is sandbox mode: the business can answer users but cannot write first. */
  readonly approved: boolean;
  /** Whether the service itself refuses to write first to a user without an opt-in. */
  readonly optInRequired: boolean;
  /** How the webhook writes events. */
  readonly eventFormat: EventFormatName;
  /** What the answer to an accepted send has: the message's id, or, under either name, only the id of a job. */
  readonly answerId: 'id' | 'webhookNotificationId' | 'requestId';
  /** Whether what the business sends by the API comes back as an event. */
  readonly echoes: boolean;
  /** The approval request that awaits the operator's decision. */
  readonly application?: Application;
  readonly profile?: Profile;
}

/** A valid approval request. */
export interface Application {
  readonly businessAccountId: string;
  /** The numbers that the account gets once it is approved. */
  readonly numbers: readonly string[];
  readonly profile: Profile;
  readonly requestedAt: Date;
}

/** The account's profile. Source: contract, "Limits". */
export interface Profile {
  readonly about: string;
  readonly address: string;
  readonly businessDescription: string;
  readonly category: string;
  readonly contactEmail: string;
  readonly website: string;
  /** The image's bytes in base64. */
  readonly photo: string;
}

/** One of the business's own numbers. */
export interface Channel {
  readonly chatChannelNumber: string;
}

/** What a user can set, and what the platform knows about the user. */
export interface UserSettings {
  readonly name?: string;
  /** False: the user's privacy settings withhold Read (contract, "States and transitions"). */
  readonly readReceipts: boolean;
  readonly onPlatform: boolean;
  /** Whether the user allowed the business to write first (contract, "Rules of use" 2). */
  readonly optIn: boolean;
  /** While the device is off, Delivered is delayed. */
  readonly device: 'on' | 'off';
  /** The platform's code with which messages to the user fail instead of being delivered. */
  readonly failWith?: string;
}

export type User = UserSettings & {
  /** The user's address as first seen; a phone number without separators. */
  readonly contact: string;
  /** The service's own identifier of the user. */
  readonly customerId: string;
  readonly createdAt: Date;
  /** By the business's own number. */
  readonly conversations: ReadonlyMap<string, Conversation>;
  /** The last message of the earlier user of the address, and until when the address was theirs. @default none */
  readonly earlierUser?: { readonly lastMessageId: string; readonly until: Date };
};

/** The conversation between a user and one of the business's numbers. */
export interface Conversation {
  /** The latest time at which the user wrote. */
  readonly lastInboundAt: Date;
  /** When the current chat session started. */
  readonly sessionStartedAt: Date;
}

/**
 * The reasons for which a business may write first. Source: contract, "Rules of use" 3: account updates or alerts,
 * appointment information, news on a previously generated activity, payment, reservation, shipping, ticket, transport,
 * similar.
 */
export const CATEGORIES = [
  'account-update',
  'appointment',
  'activity',
  'payment',
  'reservation',
  'shipping-status',
  'ticket-change',
  'transport',
  'similar',
] as const;

export type Category = (typeof CATEGORIES)[number];

interface RuleContent {
  /** Variables are written `${name}`. */
  readonly text?: string;
  readonly audioURL?: string;
  readonly imageURL?: string;
  readonly fileURL?: string;
}

export type RuleSettings = RuleContent & {
  /** Only an approved rule can be sent outside the window. */
  readonly status: 'approved' | 'pending' | 'rejected';
  /** A rule without a category cannot open a conversation. */
  readonly category?: Category;
};

/** A pre-built rule, or a template, which "becomes a rule with its own name" (contract, "Rule activation request"). */
export type Rule = RuleSettings & { readonly id: string; readonly name: string };

/** A template as submitted: its category can be any string. */
export type TemplateSubmission = RuleContent & { readonly category: string };

/** A submitted template. Approval creates a rule with the same name. */
export type Template = TemplateSubmission & {
  readonly name: string;
  readonly status: 'pending' | 'approved' | 'rejected';
  /** Why it was rejected. */
  readonly why?: string;
  readonly submittedAt: Date;
};

/** What a message shows to the user, in the field names of the message endpoint. */
export interface Content {
  readonly messageText?: string;
  readonly audioURL?: string;
  readonly imageURL?: string;
  readonly fileURL?: string;
}

interface MessageBase {
  readonly id: string;
  /** The time of the message on the service's clock. */
  readonly at: Date;
  /** The business's own number that the message came from or went to. */
  readonly chatChannelNumber: string;
  /** The key of the user's address. */
  readonly contactKey: string;
}

/** The statuses that real services report; the contract shows `delivered` and `read`. */
export const STATUSES = ['sent', 'delivered', 'read', 'answered', 'failed', 'error'] as const;
export type Status = (typeof STATUSES)[number];

/** A message from the business: one that the service accepted, or one that an operator wrote in its console. */
export type SentMessage = MessageBase & {
  readonly direction: 'out';
  readonly endpoint: 'message/v3' | 'intent/v2' | 'operator-console';
  /** The request's body, unchanged; undefined for an operator's message. */
  readonly body: unknown;
  readonly content: Content;
  /** The rule that the content comes from. */
  readonly ruleName?: string;
  /** The client's own reference, returned in the message's status notifications. */
  readonly clientPayload?: string;
  /** The id of the job that sent it, if there was one; every rule or template is sent by one. */
  readonly txId?: string;
  /** The latest reported status; stays `delivered` for a user who withholds read receipts. */
  readonly status: 'accepted' | Status;
  /** The platform's code of a failure, such as 131049. */
  readonly code?: string;
  readonly deliveredAt?: Date;
  /** When the user read it, whether or not that was reported. */
  readonly seenAt?: Date;
};

/** What a user wrote. A location, contacts, and an error stand alone. */
export interface UserContent {
  /** The caption if there is media, and the label of a pressed button. */
  readonly text?: string;
  readonly imageUrls: readonly string[];
  readonly audioUrls: readonly string[];
  readonly fileUrls: readonly string[];
  readonly videoUrls?: readonly string[];
  readonly location?: Location;
  /** Contact cards, in the platform's own format. */
  readonly contacts?: readonly Readonly<Record<string, unknown>>[];
  /** The id of the button or list row that the user tapped. */
  readonly buttonPayload?: string;
  /** Why the platform does not pass the message on, such as `Unsupported message`. */
  readonly error?: string;
}

export interface Location {
  readonly name?: string;
  readonly address?: string;
  readonly latitude: number;
  readonly longitude: number;
}

/** A message that a user wrote. */
export type ReceivedMessage = MessageBase &
  UserContent & {
    readonly direction: 'in';
    /** When the service received it; later than `at` for a late message. */
    readonly receivedAt: Date;
    readonly sessionStartedAt: Date;
    /** When the user edited it, earliest first. @default never */
    readonly edits?: readonly Date[];
  };

export type ChatMessage = SentMessage | ReceivedMessage;

export const isSent = (message: ChatMessage): message is SentMessage => message.direction === 'out';

/** Why the service refuses a well-formed request. */
export type Refusal =
  | { readonly reason: 'INVALID_CHANNEL'; readonly chatPlatform?: string; readonly chatChannelNumber: string }
  | { readonly reason: 'UNKNOWN_RULE'; readonly ruleNameOrId: string }
  | { readonly reason: 'MISSING_VARIABLE'; readonly names: readonly string[] }
  | { readonly reason: 'MEDIA_UNSUPPORTED'; readonly url: string }
  | { readonly reason: 'NOT_ON_PLATFORM'; readonly contact: string }
  | { readonly reason: 'INSUFFICIENT_CREDIT' }
  | { readonly reason: 'RULE_NOT_APPROVED'; readonly ruleName: string }
  | { readonly reason: 'NO_APPROVED_REASON'; readonly ruleName: string }
  | { readonly reason: 'ACCOUNT_NOT_APPROVED' }
  | { readonly reason: 'NO_OPT_IN'; readonly contact: string }
  | { readonly reason: 'WINDOW_CLOSED' };
