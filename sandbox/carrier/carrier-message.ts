/** An event on its way to the webhook. */
export type CarrierMessage = {
  /** The carrier's own id; the same at each redelivery. */
  readonly messageId: string;
  /** On the service's clock. */
  readonly publishedAt: Date;
  /** The event's bytes, which are never altered. */
  readonly body: Uint8Array;
  /** How often it was tried. */
  attempts: number;
};
