import { contactKey } from '../../../lambdas/domain/contact.ts';
import type { IdentityFacts } from './identity-facts.ts';
import type { IdentityStep } from './identity-history.ts';
import type { IdentityMoment } from './identity-invariants.ts';
import { optOutsOf } from './opt-outs-known.ts';

/** What the histories must contain, so that the invariants judge something. */
export const IDENTITY_WITNESSES = [
  'a customer with several addresses',
  'an address with several customers',
  'an event that names only an address',
  'an event that names only a customer',
  'an event that arrives before an earlier one',
  'an event that arrives twice',
  'an edit',
  "a message with the ID of another user's message",
  'an opt-out by keyword',
  'an opt-out by the API',
  'an opt-in after an opt-out of the address',
  'a free-form message',
  'a template',
  'a template to an address that never wrote',
  'a message to a customer with several addresses',
  'a message to a customer who wrote from none of them',
  'a refusal because no address of a customer is known',
  'a refusal because the address of a customer is in doubt',
  'a refusal for an opt-out at another address',
  'a refusal after a takeover',
  'an erasure with several addresses',
  'an erasure by an address that another customer had before',
  'an erasure beside somebody else',
  'a conversation of several customers',
] as const;

export type IdentityWitness = (typeof IDENTITY_WITNESSES)[number];

/** Returns what a step shows. `facts` are those after the step, and before an erasure is forgotten. */
export const witnessesOf = (
  step: IdentityStep,
  moment: IdentityMoment | undefined,
  facts: IdentityFacts,
): readonly IdentityWitness[] => {
  const seen: (IdentityWitness | false)[] = [...(moment === undefined ? ofStep(step, facts) : ofMoment(moment, facts))];
  return seen.filter((witness) => witness !== false);
};

const ofStep = (step: IdentityStep, facts: IdentityFacts): readonly (IdentityWitness | false)[] => {
  if (step.kind === 'consent') {
    const key = contactKey(step.address);
    const isAfterOptOut = facts.consents.some((consent) => consent.kind === 'opt-out' && consent.key === key);
    return [
      step.consent === 'opt-out' && 'an opt-out by the API',
      step.consent === 'opt-in' && isAfterOptOut && 'an opt-in after an opt-out of the address',
    ];
  }
  if (step.kind !== 'event') return [];
  const { kind, id, eventMs, address, customerId, text } = step.event;
  const key = address === undefined ? '' : contactKey(address);
  return [
    customerId !== undefined &&
      facts.addressesOf(new Set([customerId])).length > 1 &&
      'a customer with several addresses',
    facts.namedWith(key).size > 1 && 'an address with several customers',
    customerId === undefined && 'an event that names only an address',
    address === undefined && 'an event that names only a customer',
    facts.events.some((event) => event.eventMs > eventMs) && 'an event that arrives before an earlier one',
    facts.events.filter((event) => event.id === id && event.kind === kind).length > 1 && 'an event that arrives twice',
    kind === 'edit' && 'an edit',
    facts.events.some((event) => event.isQuarantined === true) && "a message with the ID of another user's message",
    text === 'STOP' && 'an opt-out by keyword',
  ];
};

const ofMoment = (moment: IdentityMoment, facts: IdentityFacts): readonly (IdentityWitness | false)[] => {
  const key = contactKey(moment.address);
  const isTakenOver = facts.namedWith(key).size > 1;
  switch (moment.kind) {
    case 'sent': {
      const { customerId, effect, content, code } = moment;
      const isToCustomer = effect !== undefined && customerId !== undefined;
      const wrote = facts.messagesFrom(key).some((message) => message.customerId === customerId);
      const optOuts = optOutsOf(facts, key);
      const isOfOther = optOuts.length > 0 && optOuts.every((optOut) => optOut.key !== key);
      return [
        effect !== undefined && (content === 'text' ? 'a free-form message' : 'a template'),
        effect !== undefined && facts.messagesFrom(key).length === 0 && 'a template to an address that never wrote',
        isToCustomer &&
          facts.addressesOf(new Set([customerId])).length > 1 &&
          'a message to a customer with several addresses',
        isToCustomer && !wrote && 'a message to a customer who wrote from none of them',
        code === 'CUSTOMER_UNKNOWN' && 'a refusal because no address of a customer is known',
        code === 'CUSTOMER_AMBIGUOUS' && 'a refusal because the address of a customer is in doubt',
        code === 'OPTED_OUT' && isOfOther && 'a refusal for an opt-out at another address',
        code === 'OPTED_OUT' && isTakenOver && 'a refusal after a takeover',
      ];
    }
    case 'erased': {
      const { keys, customers } = moment;
      const others = facts.events.some((event) => event.customerId !== undefined && !customers.has(event.customerId));
      return [
        keys.size > 1 && 'an erasure with several addresses',
        isTakenOver && 'an erasure by an address that another customer had before',
        others && 'an erasure beside somebody else',
      ];
    }
    case 'read':
      return [isTakenOver && 'a conversation of several customers'];
  }
};
