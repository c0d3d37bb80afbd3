import { createHash } from 'node:crypto';
import type { Consent } from '../consent.ts';
import type { ContactRef } from '../contact.ts';
import type { HandoverTimes } from '../handovers/handover.ts';
import type { Instant } from '../instant.ts';
import type { STATUS_TIMES } from '../message-status.ts';
import type { SendCall } from '../send-call.ts';
import type { EventName } from './event-names.ts';

/** The kinds of table items whose changes are published. */
export const ITEM_KINDS = ['message', 'echo', 'send', 'consent', 'handover', 'turn', 'account', 'channel'] as const;
export type ItemKind = (typeof ITEM_KINDS)[number];

/**
 * One write to the table: its item before and after, as far as events depend on it. Without an item, the image has no
 * attributes.
 */
export type ItemChange =
  | ChangeOf<'message' | 'echo', MessageImage>
  | ChangeOf<'send', SendImage>
  | ChangeOf<'consent', readonly Consent[]>
  | ChangeOf<'handover', HandoverTimes>
  /** Undefined if there is no turn. Of all deletions, only those of turns are published. */
  | ChangeOf<'turn', TurnImage | undefined>
  | ChangeOf<'account', AccountImage>
  | ChangeOf<'channel', ChannelImage>;

interface ChangeOf<Kind extends ItemKind, Image> {
  readonly kind: Kind;
  /** The message, request, or account id. */
  readonly id: string;
  /** The item's key as one string, from which event ids are derived. */
  readonly key: string;
  /** When the table recorded the write. */
  readonly writtenAt: Instant;
  readonly contact?: ContactRef | undefined;
  readonly before: Image;
  readonly after: Image;
}

/** A change of an item of one kind. */
export type ItemChangeOf<Kind extends ItemKind> = Extract<ItemChange, { readonly kind: Kind }>;

/** What events need of the item of a message or an echo. */
export interface MessageImage extends Partial<Record<(typeof STATUS_TIMES)[number], Instant>> {
  readonly direction?: string | undefined;
  readonly createdAt?: Instant | undefined;
  /** The event exactly as received. */
  readonly body?: string | undefined;
  /** When the event's message was last modified. Known if there are earlier versions. */
  readonly modifiedAt?: Instant | undefined;
  /** The digests of the earlier versions. */
  readonly versions: readonly string[];
  readonly isImported: boolean;
  readonly traceparent?: string | undefined;
  readonly requestId?: string | undefined;
  /** Why it failed, as `describeFailure` describes it, and the status that said so. */
  readonly failure?: string | undefined;
  readonly failedBody?: string | undefined;
  /** Statuses that Parley does not know, each as `literal time`. */
  readonly otherStatuses: readonly string[];
  readonly missingSince?: Instant | undefined;
}

/** What events need of the item of a send. */
export interface SendImage {
  readonly state?: string | undefined;
  /** When it entered this state. */
  readonly since?: Instant | undefined;
  readonly traceparent?: string | undefined;
  /** The request as queued. */
  readonly body?: string | undefined;
  readonly code?: string | undefined;
  readonly decision?: string | undefined;
  readonly outcome?: string | undefined;
  readonly outcomeDetails?: string | undefined;
  readonly messageId?: string | undefined;
  readonly failure?: string | undefined;
  /** The call that its state is about. */
  readonly call?: Partial<SendCall> | undefined;
}

/** What events need of the item of a turn. */
export interface TurnImage {
  readonly firstMessageId?: string | undefined;
  readonly startedAt?: Instant | undefined;
  readonly messageIds: readonly string[];
  readonly messageCount?: number | undefined;
}

/** What events need of the item of an account: its circuit breaker and an operator's stop. */
export interface AccountImage {
  readonly platform: string;
  readonly channel: string;
  readonly isOpen: boolean;
  readonly openedAt?: Instant | undefined;
  readonly closedAt?: Instant | undefined;
  readonly reason?: string | undefined;
  readonly why?: string | undefined;
  readonly stoppedAt?: Instant | undefined;
  readonly stopNote?: string | undefined;
  readonly resumedAt?: Instant | undefined;
}

/** What events need of the item of a channel. */
export interface ChannelImage {
  readonly platform: string;
  readonly line: string;
  readonly silentSince?: Instant | undefined;
  /** When a user wrote again. */
  readonly spokeAt?: Instant | undefined;
}

/**
 * Derives an event's id from what it reports, so that a repeated stream record or a second delivery results in the same
 * id.
 *
 * @param occurrence what distinguishes this event from others of the same name and item; empty if it happens only once
 */
export const eventId = (name: EventName, { key }: Pick<ItemChange, 'key'>, occurrence = ''): string =>
  createHash('sha256')
    .update(JSON.stringify([name, key, occurrence]))
    .digest('base64url')
    .slice(0, 32);
