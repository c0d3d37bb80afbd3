/** An event on its way to the webhook, or retained after it was acknowledged. */
export interface PublishedMessage {
  /** The publish/subscribe system's own id; the same at each redelivery. */
  readonly messageId: string;
  /** On the service's clock. */
  readonly publishedAt: Date;
  /** The event's bytes, unchanged. */
  readonly body: Uint8Array;
  /** Set only on the message with which SNS asks a subscriber to confirm. */
  readonly confirmationToken?: string;
  /** How many times delivery was attempted. */
  attempts: number;
  state: 'waiting' | 'acknowledged' | 'expired';
}

export interface DeliveryAttempt {
  readonly messageId: string;
  /** The event's bytes, shortened if there are many. */
  readonly shownBody: Uint8Array;
  /** From 1. */
  readonly attempt: number;
  readonly at: Date;
  /** The answer's HTTP status; null if there was no answer. */
  readonly status: number | null;
  /** Why there was no answer. */
  readonly error?: string;
}

const MAX_SHOWN_BYTES = 16_384;

/** Shortens a long body, so that the attempt log does not retain it. */
export const shownBody = ({ body }: PublishedMessage): Uint8Array =>
  body.byteLength <= MAX_SHOWN_BYTES ? body : body.slice(0, MAX_SHOWN_BYTES);

/** The fields of every event format that hold a message's id. */
const NAMED_ID = /"(?:_id_?|messageId)"\s*:\s*("(?:[^"\\]|\\.)*")/g;

/** Returns the ids that an event names. Searches the text, because the shown part of a long body is not JSON. */
export const namedIds = (shownBody: Uint8Array): ReadonlySet<string> => {
  const text = Buffer.from(shownBody.buffer, shownBody.byteOffset, shownBody.byteLength).toString();
  return new Set(Array.from(text.matchAll(NAMED_ID), ([, literal = '""']) => unquoted(literal)));
};

const unquoted = (literal: string): string => {
  try {
    return String(JSON.parse(literal));
  } catch {
    return literal;
  }
};
