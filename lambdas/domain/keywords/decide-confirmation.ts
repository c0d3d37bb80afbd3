import type { AddressedRequest } from '../addressed-request.ts';
import { consentVerdict, standingOptOuts } from '../consent.ts';
import type { Contact } from '../contact.ts';
import { refuse, type SendDecision, type SendRules } from '../decision.ts';
import { describeOptOut } from '../opt-out-rule.ts';
import { freeFormCall } from '../send-call.ts';
import { optOutConfirmationId } from './opt-out-confirmation.ts';

/** Before the user writes again, only the confirmation of an opt-out that still stands may be sent. */
export const decideConfirmation = (
  request: AddressedRequest,
  contact: Contact,
  rules: SendRules,
  open: string,
): SendDecision => {
  const verdict = consentVerdict(contact.consents ?? []);
  if (verdict.state !== 'opted-out') {
    return refuse('SUPERSEDED', `${open} The user is not opted out, so there is no opt-out to confirm.`);
  }
  const { optOutConfirmation: messageText } = rules;
  const optedOut = describeOptOut(verdict);
  if (messageText === undefined) {
    return refuse('OPTED_OUT', `${open} ${optedOut}, and the stage does not confirm opt-outs.`);
  }
  // Meanwhile, an import can have opted the user out, too.
  const confirmed = standingOptOuts(contact.consents ?? []).flatMap(({ messageId }) => messageId ?? []);
  if (!confirmed.some((messageId) => request.requestId === optOutConfirmationId(messageId))) {
    return refuse(
      'OPTED_OUT',
      `${open} ${optedOut}, and this request is not the confirmation that Parley queued for it.`,
    );
  }
  const call = freeFormCall({ ...request, messageText }, contact, rules);
  return { kind: 'call', call, why: `${open} ${optedOut}, and this message confirms it.` };
};
