import { type ContactRef, contactRef, type WindowPer } from '../domain/contact.ts';

/** The stage's part in naming a contact. */
export interface ContactNaming {
  /** The platform and the business's own number of a call that names none. */
  readonly chatPlatform: string;
  readonly chatChannelNumber: string;
  /** Whether a contact is a user, or a user and one of the business's numbers. */
  readonly windowPer: WindowPer;
}

/** How a call names a contact. */
export interface AskedContact {
  readonly platformContactId: string;
  readonly chatPlatform?: string;
  readonly chatChannelNumber?: string;
}

/** The contact that a call means. */
export const contactOf = (naming: ContactNaming, asked: AskedContact): ContactRef =>
  contactRef(
    asked.chatPlatform ?? naming.chatPlatform,
    asked.platformContactId,
    naming.windowPer === 'channel' ? (asked.chatChannelNumber ?? naming.chatChannelNumber) : undefined,
  );
