import * as z from '../../domain/schema.ts';
import { RESOLUTIONS, type Resolution, type SendRecord, type SendResult, sendRecord } from '../../domain/send.ts';
import {
  type FromState,
  SEND_TRANSITIONS,
  type SendGuard,
  type SendTransition,
  type SendTransitionName,
} from '../../domain/send-transitions.ts';
import type { SendRepository, TransitionResult } from '../../ports.ts';
import { contactName, contactSort, idOf, parseContactName, sendKey, stateShard } from './keys.ts';
import { listByState } from './send-list.ts';
import type { ConversationTable, Item, ItemUpdate, WriteOutcome } from './table.ts';

/**
 * What a writer knows about a send, which a transition's guards are checked against. A clause that needs missing
 * evidence does not apply. Only a writer that knows the request's body can create its item.
 */
interface Evidence {
  readonly body?: string;
  readonly claimId?: string;
}

/** What a transition writes in addition to the state. */
type TransitionUpdate = Pick<ItemUpdate, 'set' | 'setOnce' | 'increment'>;

/** Creates the repository of sends. Each transition is one conditional write. */
export const createDynamodbSends = (table: ConversationTable): SendRepository => {
  const apply = async (
    name: SendTransitionName,
    requestId: string,
    update: TransitionUpdate,
    evidence: Evidence = {},
    options?: { readonly returnItem: boolean },
  ): Promise<WriteOutcome> => {
    const { to } = SEND_TRANSITIONS[name];
    const { set = {}, setOnce, increment } = update;
    const change = { set: { ...set, state: to, ...stateIndex(requestId, to, set) }, setOnce, increment };
    return table.update({ key: sendKey(requestId), ...change, ...conditionOf(name, change, evidence) }, options);
  };

  const transition = async (...parameters: Parameters<typeof apply>): Promise<TransitionResult> =>
    describeOutcome(await apply(...parameters));

  /** Returns the attributes of a request, which the first transition writes. */
  const requestAttributes = (body: string, contact: string, at: string, expiresFrom = at): TransitionUpdate => ({
    set: { body, contact, expiresAt: table.expiryOf(expiresFrom) },
    setOnce: { createdAt: at, contactSort: contactSort('SEND', at) },
  });

  return {
    async read(requestId) {
      const item = await table.get(sendKey(requestId));
      return item && parseSend(item);
    },

    register: ({ request, body, contact }, at) => {
      const { set, setOnce } = requestAttributes(body, contactName(contact), at);
      return transition('register', request.requestId, { set: { ...set, queuedAt: at }, setOnce }, { body });
    },

    schedule: ({ request, body, contact }, { at, sendAt }) => {
      // Retention starts when the request is sent.
      const { set, setOnce } = requestAttributes(body, contactName(contact), at, sendAt);
      return transition('schedule', request.requestId, { set: { ...set, scheduledAt: at, sendAt }, setOnce }, { body });
    },

    async claim({ request, body, contact }, claim, { resend }) {
      const { set, setOnce } = requestAttributes(body, contactName(contact), claim.claimedAt);
      const update = { set: { ...set, ...claim }, setOnce, increment: ['attempts'] };
      const name = resend ? 'claimAgain' : 'claim';
      const outcome = await apply(name, request.requestId, update, { body }, { returnItem: true });
      if (outcome.item === undefined) return { kind: 'missing' };
      const send = parseSend(outcome.item);
      // After a lost response, the SDK repeats a write that already succeeded, so the item may contain this claim.
      const isOurs = send.state === 'claimed' && send.claimId === claim.claimId;
      return outcome.kind === 'written' || isOurs
        ? { kind: 'claimed', attempt: send.attempts }
        : { kind: 'conflict', send };
    },

    async recordResult(requestId, claimId, result) {
      const set = { ...resultAttributes(result), leaseUntil: undefined };
      const isAccepted = result.state === 'accepted';
      const recorded = await transition(
        TRANSITION_TO[result.state],
        requestId,
        // The chat service's answer takes precedence over a status and over an unknown outcome.
        { set: { ...set, ...(isAccepted && { uncertainAt: undefined, confirmedBy: undefined }) } },
        { claimId },
      );
      // After a lost response, the SDK repeats a write that already succeeded.
      const isRecorded =
        recorded.kind === 'conflict' &&
        recorded.send.confirmedBy === undefined &&
        recorded.send.claimId === claimId &&
        recorded.send.state === result.state;
      return isRecorded ? { kind: 'applied' } : recorded;
    },

    recordWithoutCall({ request, body, contact }, result) {
      const { set, setOnce } = requestAttributes(body, contactName(contact), result.at);
      const update = { set: { ...set, ...resultAttributes(result) }, setOnce };
      return transition(TRANSITION_TO[result.state], request.requestId, update, { body });
    },

    async confirm(requestId, { messageId, at }) {
      const { kind, item } = await apply(
        'confirm',
        requestId,
        {
          set: {
            messageId,
            acceptedAt: at,
            confirmedBy: 'status',
            why: 'A status of the message arrived, so the chat service has accepted the message.',
            leaseUntil: undefined,
            uncertainAt: undefined,
          },
        },
        {},
        { returnItem: true },
      );
      if (kind === 'conflict' || item === undefined) return undefined;
      const contact = parseContactName(item.contact);
      const { call, claimedAt } = parseSend(item);
      return contact && call && claimedAt ? { id: messageId, requestId, contact, call, claimedAt } : undefined;
    },

    cancel: (requestId, at) =>
      transition('cancel', requestId, { set: { cancelledAt: at, why: 'The send was cancelled before it was due.' } }),

    resolve: (send, resolution) =>
      transition(
        RESOLUTIONS[resolution.outcome],
        send.requestId,
        { set: resolutionAttributes(resolution) },
        { claimId: send.claimId },
      ),

    async listUncertain(page) {
      const { requestIds, next } = await listByState(table, 'uncertain', page);
      const items = await table.getAll(requestIds.map(sendKey));
      // The index lags behind the table, so a send may have just left the state.
      const sends = items.filter((item) => item?.state === 'uncertain').map((item) => parseSend(item ?? {}));
      return { sends, ...(next && { next }) };
    },
  };
};

const TRANSITION_TO = {
  accepted: 'accept',
  refused: 'refuse',
  rejected: 'reject',
  expired: 'expire',
  uncertain: 'loseTrack',
  waiting: 'wait',
} as const satisfies Record<SendResult['state'], SendTransitionName>;

const parseSend = (item: Item): SendRecord => z.parse(sendRecord, { ...item, requestId: idOf(item.pk) });

const describeOutcome = ({ kind, item }: WriteOutcome): TransitionResult => {
  if (kind === 'written') return { kind: 'applied' };
  return item === undefined || item.state === undefined
    ? { kind: 'missing' }
    : { kind: 'conflict', send: parseSend(item) };
};

/** Each state has its own time attribute: `acceptedAt`, `refusedAt`, `waitingAt`, and so on. */
const resultAttributes = ({ state, at, ...rest }: SendResult): Item => ({ [`${state}At`]: at, ...rest });

const resolutionAttributes = (resolution: Resolution): Item => {
  const { at, why } = resolution;
  switch (resolution.outcome) {
    case 'accepted':
      return { acceptedAt: at, messageId: resolution.messageId, why, uncertainAt: undefined };
    case 'failed':
      return { rejectedAt: at, why };
    case 'resend':
      return { waitingAt: at, why };
  }
};

/** Adds uncertain sends to the index and removes all others. */
const stateIndex = (requestId: string, to: string, set: Readonly<Record<string, unknown>>): Item =>
  to === 'uncertain'
    ? { stateShard: stateShard('uncertain', requestId), stateAt: set.uncertainAt }
    : { stateShard: undefined, stateAt: undefined };

/** Translates a transition's guards into a condition: `(state AND guards) OR …`. */
const conditionOf = (
  name: SendTransitionName,
  { set, setOnce }: TransitionUpdate,
  evidence: Evidence,
): Pick<ItemUpdate, 'condition' | 'values' | 'names'> => {
  const { from }: SendTransition = SEND_TRANSITIONS[name];
  const clauses = Object.entries(from).filter(([state, guards]) => hasEvidence(state, guards, evidence));
  const values: Record<string, unknown> = {};
  const names = new Set(['state']);
  const conditions = clauses.map(([state, guards]) => {
    if (isNone(state)) return 'attribute_not_exists(#state)';
    values[state] = state;
    return [`#state = :${state}`, ...guards.map((guard) => guardCondition(guard, evidence, values, names))].join(
      ' AND ',
    );
  });
  // The update already defines the values that it sets.
  const assigned = { ...set, ...setOnce };
  const further = Object.entries(values).filter(([value]) => assigned[value] === undefined);
  return {
    condition: conditions.length === 0 ? NEVER : conditions.map((condition) => `(${condition})`).join(' OR '),
    values: Object.fromEntries(further),
    names: [...names],
  };
};

const isNone = (state: string): boolean => state === ('none' satisfies FromState);

/** The condition if no clause applies. It always fails, and the write returns the current item. */
const NEVER = 'attribute_exists(#state) AND attribute_not_exists(#state)';

const hasEvidence = (state: string, guards: readonly SendGuard[], { body, claimId }: Evidence): boolean =>
  (body !== undefined || !(isNone(state) || guards.includes('same-request'))) &&
  (claimId !== undefined || !guards.includes('own-claim'));

const guardCondition = (
  guard: SendGuard,
  { body, claimId }: Evidence,
  values: Record<string, unknown>,
  names: Set<string>,
): string => {
  switch (guard) {
    case 'same-request':
      names.add('body');
      values.body = body;
      return '#body = :body';
    case 'own-claim':
      names.add('claimId');
      values.ownClaimId = claimId;
      return '#claimId = :ownClaimId';
    case 'confirmed-by-status':
      names.add('confirmedBy');
      values.byStatus = 'status';
      return '#confirmedBy = :byStatus';
    case 'confirmed-no-earlier':
      names.add('confirmedBy').add('acceptedAt');
      values.byStatus = 'status';
      return '#confirmedBy = :byStatus AND #acceptedAt >= :acceptedAt';
  }
};
