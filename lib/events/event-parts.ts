import type { AccountHeldDetail, ContactOptedInDetail } from './event-details.ts';

/** The user that an event is about. */
export type EventContact = ContactOptedInDetail['contact'];

/** The chat service account that an event is about. */
export type EventAccount = AccountHeldDetail['account'];
