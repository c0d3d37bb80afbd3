import * as z from './schema.ts';

const instant = z.optional(z.string());
const text = z.optional(z.string());

/** All that the table keeps of a contact, for whoever asks. Attributes that are not named here are left out. */
export const contactRecord = z.object({
  address: text,
  name: text,
  customerId: text,
  lastInboundAt: instant,
  windowDeniedAt: instant,
  optInAt: instant,
  optInSource: text,
  optOutAt: instant,
  optOutSource: text,
  /** When the chat service's contact check was last asked. */
  checkedAt: instant,
  /** What it said: the number's proper format; absent where it was not on the platform. */
  checkedAddress: text,
});

export type ContactRecord = z.output<typeof contactRecord>;

/** A contact's word on being written to. The latest one of each kind counts. */
export interface Consent {
  readonly kind: 'opt-in' | 'opt-out';
  readonly at: string;
  /** Where it was given: a form, an e-mail, a call. */
  readonly source: string;
}
