import { erasureRecord } from '../domain/erasure.ts';
import { messageRecord } from '../domain/message-record.ts';
import * as z from '../domain/schema.ts';
import { SEND_STATES } from '../domain/send-state.ts';

const instant = z.string();
const consent = z.object({ at: instant, source: z.optional(z.string()) });

export const contactResponse = z.object({
  /** The user's id as last seen, which is what is sent to; else as it was asked for. */
  platformContactId: z.string(),
  chatPlatform: z.string(),
  name: z.optional(z.string()),
  customerId: z.optional(z.string()),
  window: z.object({
    /** Whether a free-form message would be sent now. */
    open: z.boolean(),
    lastInboundAt: z.optional(instant),
    closesAt: z.optional(instant),
  }),
  optIn: z.optional(consent),
  optOut: z.optional(consent),
  check: z.optional(z.object({ at: instant, onPlatform: z.boolean(), platformContactId: z.optional(z.string()) })),
});

export const conversationResponse = z.object({
  /** Newest first. */
  messages: z.array(messageRecord),
  /** Asks for the next page; absent on the last one. */
  cursor: z.optional(z.string()),
});

export const messageResponse = z.object({
  ...messageRecord.shape,
  /** The event as the chat service delivered it. */
  body: z.optional(z.string()),
});

export const sendResponse = z.object({
  requestId: z.string(),
  state: z.enum(['queued', ...SEND_STATES]),
  /** Why it was refused: a code, and a sentence. */
  code: z.optional(z.string()),
  why: z.optional(z.string()),
  /** The request as it was queued; absent once its contact is erased. */
  request: z.optional(z.unknown()),
  endpoint: z.optional(z.string()),
  messageId: z.optional(z.string()),
  attempts: z.number(),
  /** When a scheduled one is to go out. */
  sendAt: z.optional(instant),
  queuedAt: z.optional(instant),
  scheduledAt: z.optional(instant),
  cancelledAt: z.optional(instant),
  claimedAt: z.optional(instant),
  waitingAt: z.optional(instant),
  acceptedAt: z.optional(instant),
  refusedAt: z.optional(instant),
  rejectedAt: z.optional(instant),
  expiredAt: z.optional(instant),
  uncertainAt: z.optional(instant),
  erasedAt: z.optional(instant),
  /** Of an accepted one, what the chat service told of its message. */
  deliveredAt: z.optional(instant),
  readAt: z.optional(instant),
  failedAt: z.optional(instant),
});

export const uncertainResponse = z.object({ sends: z.array(sendResponse), cursor: z.optional(z.string()) });

export const acceptedResponse = z.object({ requestId: z.string(), state: z.string() });

export const checkResponse = z.object({
  contacts: z.array(
    z.object({
      /** As it was asked for. */
      contact: z.string(),
      at: instant,
      onPlatform: z.boolean(),
      /** In the format that the chat service calls proper. */
      platformContactId: z.optional(z.string()),
    }),
  ),
});

export const erasureResponse = erasureRecord;

export const stageResponse = z.object({
  chatPlatform: z.string(),
  chatChannelNumber: z.string(),
  chatServiceUrl: z.string(),
  windowMarginSeconds: z.number(),
  windowPer: z.enum(['user', 'channel']),
  retentionDays: z.number(),
  /** Whether requests go out, or one probe at a time. */
  account: z.object({
    state: z.enum(['open', 'held']),
    why: z.optional(z.string()),
    heldAt: z.optional(instant),
    nextProbeAt: z.optional(instant),
  }),
});

export const problemResponse = z.object({
  code: z.string(),
  /** In a sentence: what is wrong and what to do. */
  message: z.string(),
});
