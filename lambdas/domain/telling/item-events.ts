import { accountEvents } from './account-events.ts';
import { contactEvents } from './contact-events.ts';
import type { ItemChange } from './item-change.ts';
import { messageEvents } from './message-events.ts';
import { sendEvents } from './send-events.ts';
import type { ToldEvent } from './told-details.ts';

/** The events that a write to the table is worth; none for a write that changed nothing of what is told. */
export const itemEvents = (change: ItemChange): readonly ToldEvent[] => {
  switch (change.kind) {
    case 'message':
    case 'echo':
      return messageEvents(change);
    case 'send':
      return sendEvents(change);
    case 'contact':
      return contactEvents(change);
    case 'account':
      return accountEvents(change);
  }
};
