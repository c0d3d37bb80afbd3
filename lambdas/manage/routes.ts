import { cancelSend } from './cancel-send.ts';
import { checkContacts } from './contact-checks.ts';
import { getContact, optIn, optOut } from './contacts.ts';
import { getConversation, getMessage } from './conversations.ts';
import { deleteDeadLetter, getDeadLetter, listDeadLetters } from './dead-letters.ts';
import { eraseContact, getErasure } from './erasures.ts';
import { resolveSend } from './resolve-send.ts';
import { enqueueSend, getSend, listUncertainSends } from './sends.ts';
import { getStage } from './stage.ts';

/** The routes of the management API, by operation id. */
export const ROUTES = {
  getContact,
  eraseContact,
  getConversation,
  getMessage,
  enqueueSend,
  getSend,
  listUncertainSends,
  resolveSend,
  cancelSend,
  optIn,
  optOut,
  checkContacts,
  getErasure,
  listDeadLetters,
  getDeadLetter,
  deleteDeadLetter,
  getStage,
} as const;

export type RouteName = keyof typeof ROUTES;
