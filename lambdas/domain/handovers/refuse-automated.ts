import type { Contact } from '../contact.ts';
import { refuse, type SendDecision } from '../decision.ts';
import type { Instant } from '../instant.ts';
import type { SendRequest } from '../send-request.ts';
import { handoverOf } from './handover.ts';

/** An automated request is not sent to a contact who was handed over to people. */
export const refuseAutomated = (
  { automated }: SendRequest,
  contact: Contact,
  now: Instant,
): SendDecision | undefined => {
  const handover = automated === true ? handoverOf(contact, now) : undefined;
  if (handover?.state !== 'people') return undefined;
  const end = handover.until === undefined ? 'until it is handed back' : `until ${handover.until}`;
  return refuse('HANDED_OVER', `The contact was handed over to people at ${handover.since}, ${end}.`);
};
