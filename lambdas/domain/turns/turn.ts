import type { ContactRef } from '../contact.ts';
import type { Instant } from '../instant.ts';
import * as z from '../schema.ts';

/**
 * A contact's open turn as of one write: the messages that the user has written since the last turn ended. Later writes
 * only add messages.
 */
export const openTurn = z.object({
  contact: z.object({ platform: z.string(), channel: z.string(), key: z.string() }),
  /** The ID of the message that started the turn, which is in no other turn. */
  firstMessageId: z.string(),
  /** When it was stored, not when the user wrote it. */
  startedAt: z.string(),
  /** How many messages were added. One that is erased and received again counts twice. */
  messageCount: z.int().check(z.minimum(1)),
});

export type OpenTurn = z.output<typeof openTurn>;

/** A turn that has ended. */
export interface EndedTurn {
  readonly contact: ContactRef;
  readonly firstMessageId: string;
  readonly startedAt: Instant;
  readonly messageIds: readonly string[];
}

/** A message of a turn. */
export interface TurnMessage {
  readonly id: string;
  readonly createdAt: Instant;
  /** The event exactly as received. */
  readonly body: string;
  readonly traceparent?: string;
}

/** Far more than a person writes before a pause. This keeps a turn's item and event small. */
export const MAX_TURN_MESSAGES = 100;

/** Whether a turn ends without silence, because it has the maximum number of messages. */
export const isFull = ({ messageCount }: OpenTurn): boolean => messageCount >= MAX_TURN_MESSAGES;

/**
 * A full turn can get more messages before it ends. Above this number, they wait in the inbound queue, so that the item
 * stays below DynamoDB's 400 KB even if every ID has the maximum length.
 */
export const MAX_STORED_MESSAGES = 3 * MAX_TURN_MESSAGES;

/** Parses a message of the turn queue. Returns undefined for anything else. */
export const parseOpenTurn = (body: string): OpenTurn | undefined => z.safeParse(openTurn, z.parseJson(body)).data;
