import { type Consent, consentVerdict, isLater, standingOptOuts } from './consent.ts';
import type { Contact } from './contact.ts';
import { refuse, type SendDecision, type SendRules } from './decision.ts';
import type { SendEndpoint } from './send-outcome.ts';
import type { SendRequest } from './send-request.ts';

/** Describes an opt-out, as the beginning of a sentence. */
export const describeOptOut = ({ at, origin, customerId }: Pick<Consent, 'at' | 'origin' | 'customerId'>): string =>
  [
    origin === 'user' ? `The user opted out at ${at}` : `An import opted the user out at ${at}`,
    ...(customerId === undefined ? [] : ['at another address']),
  ].join(' ');

/**
 * An opt-out blocks every template until an opt-in overrides it, and free-form messages until the user writes again.
 * The stage can exempt reasons.
 */
export const refuseAfterOptOut = (
  { reason }: SendRequest,
  contact: Contact,
  { optOutExemptReasons = [] }: SendRules,
  endpoint: SendEndpoint,
  window: string,
): SendDecision | undefined => {
  const verdict = consentVerdict(contact.consents ?? []);
  if (verdict.state !== 'opted-out') return undefined;
  if (reason !== undefined && optOutExemptReasons.includes(reason)) return undefined;
  const optedOut = describeOptOut(verdict);
  if (endpoint === 'intent/v2') {
    return refuse('OPTED_OUT', `${window} ${optedOut}, and no opt-in has overridden that.`);
  }
  if (hasWrittenSinceOptOut(contact)) return undefined;
  return refuse('OPTED_OUT', `${window} ${optedOut}, and the user has not written since.`);
};

const hasWrittenSinceOptOut = ({ lastInboundAt, lastInboundOwnAt = lastInboundAt, consents = [] }: Contact): boolean =>
  lastInboundAt !== undefined &&
  standingOptOuts(consents).every((optOut) => isLater({ at: lastInboundAt, ownAt: lastInboundOwnAt }, optOut));
