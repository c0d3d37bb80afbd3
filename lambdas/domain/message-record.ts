import * as z from './schema.ts';

const text = z.optional(z.string());
const instant = z.optional(z.string());
const urls = z.optional(z.array(z.string()));

/** All that the table keeps of a message. Of one that only a status is known of, there are no more than its times. */
export const messageRecord = z.object({
  id: z.string(),
  direction: z.optional(z.enum(['inbound', 'outbound', 'echo'])),
  createdAt: instant,
  text,
  media: z.optional(z.object({ images: urls, audios: urls, files: urls, videos: urls })),
  /** Of a message that Parley sent. */
  requestId: text,
  endpoint: text,
  ruleNameOrId: text,
  params: z.optional(z.record(z.string(), z.string())),
  sentAt: instant,
  deliveredAt: instant,
  readAt: instant,
  failedAt: instant,
});

export type MessageRecord = z.output<typeof messageRecord>;

/** A page of a conversation, newest first. */
export interface ConversationPage {
  readonly messages: readonly MessageRecord[];
  /** Where the next page begins; absent on the last one. */
  readonly next?: PagePosition;
}

/** The message after which a page begins. */
export interface PagePosition {
  readonly pk: string;
  readonly sk: string;
  readonly createdAt: string;
}
