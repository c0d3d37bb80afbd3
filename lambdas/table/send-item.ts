import { outcomeOfFailure } from '../domain/failure.ts';
import type { Instant } from '../domain/instant.ts';
import * as z from '../domain/schema.ts';
import { type QueuedSend, type Resolution, type SendRecord, type SendResult, sendTimes } from '../domain/send.ts';
import { isInBroadcast, isListed } from '../domain/send-index.ts';
import { SEND_STATES, type SendState } from '../domain/send-transitions.ts';
import { broadcastShard, broadcastSort, contactSort, stateShard, stateSort, timeOfState } from './indexes.ts';
import { type Item, optionalString, parseItem } from './item.ts';
import { idOf, parseContactName, subjectName } from './keys.ts';

const sentCall = { endpoint: z.enum(['message/v3', 'intent/v2']), body: z.record(z.string(), z.unknown()) };

const sendItem = z.object({
  requestId: z.string(),
  state: z.enum(SEND_STATES),
  code: optionalString,
  decision: optionalString,
  outcome: optionalString,
  outcomeDetails: optionalString,
  body: z.string(),
  firstQueuedAt: optionalString,
  broadcastId: optionalString,
  messageId: optionalString,
  transactionIds: z.optional(z.array(z.string())),
  failure: optionalString,
  traceparent: optionalString,
  claimId: optionalString,
  leaseUntil: optionalString,
  call: z.optional(z.object(sentCall)),
  unknownCall: z.optional(z.object({ ...sentCall, claimedAt: z.string(), attempt: z.number() })),
  unsentClaimId: optionalString,
  attempts: z._default(z.number(), 0),
  unknownOutcomes: z._default(z.number(), 0),
  isAnswered: z.optional(z.boolean()),
  confirmedBy: optionalString,
  ...sendTimes.shape,
});

/** @throws DamagedItemError if the item does not have the form of a send. */
export const parseSend = (item: Item): SendRecord => {
  const contact = parseContactName(item.contact);
  const send = { ...parseItem(sendItem, { ...item, requestId: idOf(item.pk) }), contact };
  return send.failure === undefined ? send : { ...send, ...outcomeOfFailure(send.failure) };
};

/** Returns the attributes that the first transition writes. For a request to a customer, a claim writes the contact. */
export const requestAttributes = (
  {
    request: { requestId, broadcastId, customerId },
    body,
    contact,
    traceparent,
    firstQueuedAt,
  }: Omit<QueuedSend, 'endBy'>,
  at: Instant,
  expiresAt: number,
) => ({
  set: {
    body,
    expiresAt,
    // Two requests with the same body have the same one, so it is never removed.
    ...(broadcastId !== undefined && { broadcastId, broadcastShard: broadcastShard(broadcastId, requestId) }),
  },
  setOnce: {
    contact: subjectName(customerId === undefined ? contact : { platform: contact.platform, customerId }),
    createdAt: at,
    contactSort: contactSort('SEND', at),
    traceparent,
    ...(firstQueuedAt !== undefined && { firstQueuedAt }),
  },
});

/**
 * Removes the traces of an unknown outcome, so that an acceptance leaves the same item whether it comes before or
 * after.
 */
export const NOT_UNCERTAIN = { uncertainAt: undefined, isAnswered: undefined } as const;

/** The message that failed is not the send's. */
export const NOT_FAILED = { failedAt: undefined, failure: undefined, code: undefined } as const;

/** Each state has its own time attribute: `acceptedAt`, `refusedAt`, `waitingAt`, and so on. */
export const resultAttributes = (result: SendResult): Item => {
  const { state, at, ...rest } = result;
  if (result.state === 'uncertain') return { uncertainAt: at, ...rest, isAnswered: result.isAnswered || undefined };
  // A status may have recorded the message's id before an answer without an id.
  if (result.state === 'accepted' && result.messageId === undefined) {
    return { acceptedAt: at, outcome: result.outcome, transactionIds: result.transactionIds };
  }
  if (result.state === 'accepted') return { acceptedAt: at, ...rest, identifiedAt: undefined };
  return { [`${state}At`]: at, ...rest };
};

/** Returns what an operator's decision writes. */
export const resolutionAttributes = (resolution: Resolution, { claimId }: SendRecord): Item => {
  const { at, why: outcome, note: outcomeDetails } = resolution;
  switch (resolution.outcome) {
    case 'accepted':
      return { acceptedAt: at, messageId: resolution.messageId, outcome, outcomeDetails, ...NOT_UNCERTAIN };
    case 'failed':
      return {
        rejectedAt: at,
        code: undefined,
        outcome,
        outcomeDetails,
        isAnswered: undefined,
        unsentClaimId: claimId,
      };
    case 'resend':
      return { waitingAt: at, code: undefined, outcome, outcomeDetails, isAnswered: undefined };
  }
};

/** Keeps a call whose outcome is unknown before another call can follow. */
export const unknownCallAttributes = (send: SendRecord): Item => {
  const { state, call, claimedAt, attempts: attempt, unknownOutcomes, unknownCall } = send;
  // An operator's resolution as failed leaves the call in place.
  const isUnknown = state === 'uncertain' || (unknownOutcomes > 0 && unknownCall === undefined);
  return isUnknown && call && claimedAt ? { unknownCall: { ...call, claimedAt, attempt } } : {};
};

/**
 * Returns the attributes that put a send into the lists of its new state and of its broadcast, or take it out of them.
 * Every transition writes all of them, so that no write of another version leaves a send in a list that it has left.
 * The sort key in the broadcast is written without knowing whether there is one: without `broadcastShard`, the send is
 * not in the index.
 */
export const listAttributes = (requestId: string, to: SendState, set: Item): Item => {
  const at = set[timeOfState(to)];
  // The send stays in its state.
  if (typeof at !== 'string') return {};
  const entry = { at, ...(typeof set.code === 'string' && { code: set.code }) };
  return {
    // An erased send is in no list of a state.
    ...(isListed(to) && set.erasedAt === undefined
      ? { stateShard: stateShard(to, requestId), stateAt: stateSort(entry) }
      : UNLISTED),
    broadcastState: isInBroadcast(to) ? broadcastSort(to, entry) : undefined,
  };
};

/** What a transition or an erasure writes to take a send out of the list of its state. */
const UNLISTED = { stateShard: undefined, stateAt: undefined } as const;

/**
 * The attributes of a send that can identify the contact or that keep the item in an index. It stays in the
 * index of its broadcast, which identifies nobody, so that the counts of the broadcast stay the same.
 */
const PERSONAL = [
  'contact',
  'contactSort',
  'createdAt',
  'traceparent',
  'call',
  'unknownCall',
  'decision',
  'outcome',
  'outcomeDetails',
  'failure',
  'transactionIds',
  'stateShard',
  'stateAt',
  'leaseUntil',
] as const;

/** Returns what an erasure leaves of a send's item. */
export const erasedAttributes = (erasedAt: Instant): Item => ({
  body: '',
  erasedAt,
  ...Object.fromEntries(PERSONAL.map((name) => [name, undefined])),
});
