import { MAX_UNKNOWN_OUTCOMES } from '../../domain/send.ts';
import {
  type FromState,
  SEND_TRANSITIONS,
  type SendGuard,
  type SendState,
  type SendTransition,
  type SendTransitionName,
} from '../../domain/send-transitions.ts';
import type { ItemUpdate } from './item-update.ts';

/**
 * What a writer knows about a send, which a transition's guards are checked against. A clause that needs missing evidence
 * does not apply. Only a writer that knows the request's body can create its item.
 */
export interface Evidence {
  readonly body?: string;
  readonly claimId?: string;
  /** The message that the writer knows. */
  readonly messageId?: string;
  /** The name of the contact that is being erased. */
  readonly contact?: string;
  /** The name of the customer for whom the writer chose an address. */
  readonly customer?: string;
  /** The only state from which the transition may start, if what it writes depends on the state. */
  readonly state?: FromState;
}

/** What a transition writes in addition to the state. */
export type TransitionUpdate = Pick<ItemUpdate, 'set' | 'setOnce' | 'increment'>;

/** Translates a transition's guards into a condition: `(state AND guards) OR …`. */
export const conditionOf = (
  name: SendTransitionName,
  { set, setOnce }: TransitionUpdate,
  evidence: Evidence,
): Pick<ItemUpdate, 'condition' | 'values'> => {
  const { from, to }: SendTransition = SEND_TRANSITIONS[name];
  const clauses = Object.entries(from).filter(([state, guards]) => hasEvidence(state, guards, evidence));
  const values: Record<string, unknown> = {};
  const conditions = clauses.map(([state, guards]) => {
    if (isNone(state)) return 'attribute_not_exists(#state)';
    values[state] = state;
    const applying = guards.filter(
      (guard) =>
        (guard !== 'note-not-erased' || set?.outcomeDetails !== undefined) &&
        (guard !== 'same-message' || evidence.messageId !== undefined) &&
        (guard !== 'same-address' || evidence.customer !== undefined),
    );
    return [`#state = :${state}`, ...applying.map((guard) => guardCondition(guard, to, evidence, values))].join(
      ' AND ',
    );
  });
  // The update already defines the values that it sets.
  const assigned = { ...set, ...setOnce };
  const further = Object.entries(values).filter(([value]) => assigned[value] === undefined);
  const condition = conditions.length === 0 ? NEVER : conditions.map((each) => `(${each})`).join(' OR ');
  return { condition, values: Object.fromEntries(further) };
};

const isNone = (state: string): boolean => state === ('none' satisfies FromState);

/** The condition if no clause applies. It always fails, and the write returns the current item. */
const NEVER = 'attribute_exists(#state) AND attribute_not_exists(#state)';

const hasEvidence = (
  state: string,
  guards: readonly SendGuard[],
  { body, claimId, messageId, contact, state: only }: Evidence,
): boolean =>
  (messageId !== undefined || !guards.includes('other-message')) &&
  (contact !== undefined || !guards.includes('same-contact')) &&
  (only === undefined || only === state) &&
  (body !== undefined || !(isNone(state) || guards.includes('same-request'))) &&
  (claimId !== undefined || !guards.includes('own-claim'));

const guardCondition = (
  guard: SendGuard,
  to: SendState,
  { body, claimId, messageId, contact, customer }: Evidence,
  values: Record<string, unknown>,
): string => {
  switch (guard) {
    case 'same-request':
      values.body = body;
      return '#body = :body';
    case 'own-claim':
      values.ownClaimId = claimId;
      return '#claimId = :ownClaimId';
    case 'later-claim':
      return 'NOT (#claimId = :claimId OR #claimedAt > :claimedAt)';
    case 'not-erased':
    case 'note-not-erased':
      return 'attribute_not_exists(#erasedAt)';
    case 'processing-failed':
      values.processingFailed = 'PROCESSING_FAILED';
      // A write that takes effect late is older.
      return `#code = :processingFailed AND NOT #refusedAt > :${to}At`;
    case 'other-decision':
      return '(NOT #decision = :decision OR attribute_exists(#failingSince))';
    case 'may-resend':
      // The latest unknown outcome is not counted yet.
      values.maxEarlierOutcomes = MAX_UNKNOWN_OUTCOMES - 1;
      return (
        '(attribute_not_exists(#unknownOutcomes) OR #unknownOutcomes < :maxEarlierOutcomes) ' +
        'AND attribute_not_exists(#isAnswered)'
      );
    case 'unknown-earlier':
      return 'attribute_exists(#unknownOutcomes)';
    case 'identified-no-earlier':
      values.knownMessageId = messageId;
      return `(attribute_not_exists(#messageId) OR ${noEarlier('identifiedAt')})`;
    case 'confirmed-by-status':
      values.byStatus = 'status';
      return '#confirmedBy = :byStatus';
    case 'confirmed-no-earlier':
      values.byStatus = 'status';
      values.knownMessageId = messageId;
      return `#confirmedBy = :byStatus AND ${noEarlier('acceptedAt')}`;
    case 'same-message':
    case 'other-message':
      values.knownMessageId = messageId;
      return guard === 'same-message' ? '#messageId = :knownMessageId' : 'NOT #messageId = :knownMessageId';
    case 'failed-later':
      return '(#failedAt > :failedAt OR (#failedAt = :failedAt AND #failure > :failure))';
    case 'same-address':
      values.ofCustomer = customer;
      return '#contact IN (:contact, :ofCustomer)';
    case 'same-contact':
      values.ofContact = contact;
      return '#contact = :ofContact';
    case 'lease-expired':
      return `#leaseUntil < :${to}At`;
  }
};

/** A condition that the item's message is not earlier than the writer's. */
const noEarlier = (time: 'identifiedAt' | 'acceptedAt'): string =>
  `(#${time} > :${time} OR (#${time} = :${time} AND #messageId >= :knownMessageId))`;
