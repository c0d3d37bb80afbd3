/** An event on its way to the webhook, or kept after it arrived. */
export type CarrierMessage = {
  /** The carrier's own id; the same at each redelivery. */
  readonly messageId: string;
  /** On the service's clock. */
  readonly publishedAt: Date;
  /** The event's bytes, which are never altered. */
  readonly body: Uint8Array;
  /** Only on the message by which SNS asks a subscriber to confirm. */
  readonly confirmationToken?: string;
  /** How often it was tried. */
  attempts: number;
  state: 'waiting' | 'acknowledged' | 'expired';
};

export type DeliveryAttempt = {
  messageId: string;
  /** What the attempt's log shows of the event's bytes: all of them, or the first of many. */
  shownBody: Uint8Array;
  /** From 1. */
  attempt: number;
  at: Date;
  /** The answer's HTTP status; null when none came. */
  status: number | null;
  /** Why no answer came. */
  error?: string;
};

const MAX_SHOWN_BYTES = 16_384;

/** A long body is cut, so that the log of attempts does not keep it alive. */
export const shownBody = ({ body }: CarrierMessage): Uint8Array =>
  body.byteLength <= MAX_SHOWN_BYTES ? body : body.slice(0, MAX_SHOWN_BYTES);
