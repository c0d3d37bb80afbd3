import { parseFailure } from '../../domain/failure.ts';
import { addMs } from '../../domain/instant.ts';
import * as z from '../../domain/schema.ts';
import { acceptedMessage, RESOLUTIONS, type SendResult } from '../../domain/send.ts';
import type { SendTransitionName } from '../../domain/send-transitions.ts';
import type { SendRepository, TransitionResult } from '../../ports.ts';
import { type Item, parseItem } from '../../table/item.ts';
import { parseContactName, sendKey } from '../../table/keys.ts';
import {
  NOT_FAILED,
  NOT_UNCERTAIN,
  parseSend,
  requestAttributes,
  resolutionAttributes,
  resultAttributes,
  unknownCallAttributes,
} from '../../table/send-item.ts';
import type { Evidence, TransitionUpdate } from './send-conditions.ts';
import { writeTransition } from './send-writes.ts';
import type { ConversationTable, WriteOutcome } from './table.ts';
import { createTransactionLinks } from './transactions.ts';

/** Creates the repository of sends. Each transition is one conditional write. */
export const createDynamodbSends = (table: ConversationTable): SendRepository => {
  const apply = (
    name: SendTransitionName,
    requestId: string,
    update: TransitionUpdate,
    evidence?: Evidence,
    options?: { readonly returnItem: boolean },
  ): Promise<WriteOutcome> => writeTransition(table, { name, requestId, update, evidence }, options);

  const transition = async (...parameters: Parameters<typeof apply>): Promise<TransitionResult> =>
    describeOutcome(await apply(...parameters));

  /**
   * Records that the call of a claim sent nothing, although a status has confirmed the send. The status then belongs to
   * an earlier call. Leaves the same item as if the status had arrived after the result of the call.
   */
  const recordUnsent = async (requestId: string, claimId: string, result: SendResult): Promise<TransitionResult> => {
    const decision = 'decision' in result ? { decision: result.decision } : {};
    const outcome = await table.update(
      {
        key: sendKey(requestId),
        set: { [`${result.state}At`]: result.at, ...decision, unsentClaimId: claimId },
        values: { claimId },
        condition: 'attribute_exists(#confirmedBy) AND #claimId = :claimId AND attribute_not_exists(#erasedAt)',
      },
      { returnItem: true },
    );
    return describeOutcome({ ...outcome, kind: 'conflict' });
  };

  return {
    async read(requestId) {
      const item = await table.get(sendKey(requestId));
      return item?.state === undefined ? undefined : parseSend(item);
    },

    register: (send, at) => {
      const { set, setOnce } = requestAttributes(send, at, table.expiryOf('sends', at));
      const update = { set: { ...set, queuedAt: at }, setOnce };
      return transition('register', send.request.requestId, update, { body: send.body });
    },

    schedule: (send, { at, sendAt }) => {
      // Retention starts when the request is sent.
      const { set, setOnce } = requestAttributes(send, at, table.expiryOf('sends', sendAt));
      const update = { set: { ...set, code: undefined, scheduledAt: at, sendAt }, setOnce };
      return transition('schedule', send.request.requestId, update, { body: send.body });
    },

    async claim(queued, claim, { resend }) {
      const { request, body } = queued;
      const { claimedAt } = claim;
      const { set, setOnce } = requestAttributes(queued, claimedAt, table.expiryOf('sends', claimedAt));
      // From now on, the outcome is that of the new call.
      const cleared = { code: undefined, outcome: undefined, isAnswered: undefined };
      const take = (name: 'claim' | 'claimAgain', increment: readonly string[], unknown: Item = {}) => {
        const update = { set: { ...set, ...claim, ...cleared, ...unknown }, setOnce, increment };
        return apply(name, request.requestId, update, { body }, { returnItem: true });
      };
      let outcome = await take('claim', ['attempts']);
      if (resend && outcome.kind === 'conflict' && outcome.item?.state === 'uncertain') {
        // An unknown outcome counts only when another call follows. Until then, a status or an answer may still reveal
        // it.
        const unknown = unknownCallAttributes(parseSend(outcome.item));
        outcome = await take('claimAgain', ['attempts', 'unknownOutcomes'], unknown);
      }
      if (outcome.item === undefined) return { kind: 'missing' };
      const send = parseSend(outcome.item);
      // After a lost response, the SDK repeats a write that already succeeded, so the item may contain this claim.
      const isOurs = send.state === 'claimed' && send.claimId === claim.claimId;
      return outcome.kind === 'written' || isOurs
        ? {
            kind: 'claimed',
            attempt: send.attempts,
            unknownOutcomes: send.unknownOutcomes,
            traceparent: send.traceparent ?? queued.traceparent,
          }
        : { kind: 'conflict', send };
    },

    replaceCall: (requestId, claimId, { call, decision }) =>
      transition('replaceCall', requestId, { set: { call, decision } }, { claimId }),

    async recordResult(requestId, claimId, result) {
      const set = { ...resultAttributes(result), leaseUntil: undefined };
      // The chat service's own answer takes precedence over a status and over an unknown outcome.
      const update = {
        set: {
          ...set,
          ...(result.state === 'accepted' && { ...NOT_UNCERTAIN, confirmedBy: undefined }),
          ...(isUnsent(result) && { unsentClaimId: claimId }),
        },
      };
      const evidence = { claimId, messageId: result.state === 'accepted' ? result.messageId : undefined };
      let recorded =
        result.state === 'accepted'
          ? await transition('accept', requestId, { set: { ...update.set, ...NOT_FAILED } }, evidence)
          : await transition(TRANSITION_TO[result.state], requestId, update, evidence);
      if (recorded.kind === 'conflict' && recorded.send.state === 'failed' && result.state === 'accepted') {
        recorded = await transition('acceptFailed', requestId, update, evidence);
      }
      if (recorded.kind === 'conflict' && recorded.send.confirmedBy !== undefined && isUnsent(result)) {
        return recordUnsent(requestId, claimId, result);
      }
      // After a lost response, the SDK repeats a write that already succeeded.
      const isRecorded =
        recorded.kind === 'conflict' &&
        recorded.send.confirmedBy === undefined &&
        recorded.send.claimId === claimId &&
        (recorded.send.state === result.state || (recorded.send.state === 'failed' && result.state === 'accepted'));
      return isRecorded ? { kind: 'applied' } : recorded;
    },

    recordWithoutCall(send, result) {
      const { set, setOnce } = requestAttributes(send, result.at, table.expiryOf('sends', result.at));
      const update = { set: { ...set, code: undefined, ...resultAttributes(result) }, setOnce };
      return transition(TRANSITION_TO[result.state], send.request.requestId, update, { body: send.body });
    },

    async confirm(requestId, { messageId, at }) {
      const set = {
        messageId,
        identifiedAt: at,
        acceptedAt: at,
        confirmedBy: 'status',
        outcome: 'A status of the message arrived, so the chat service has accepted the message.',
        leaseUntil: undefined,
        code: undefined,
        ...NOT_UNCERTAIN,
      };
      const attempt = (name: SendTransitionName, written: Item) =>
        apply(name, requestId, { set: written }, { messageId }, { returnItem: true });
      let { kind, item } = await attempt('confirm', set);
      if (kind === 'conflict' && item?.state === 'accepted') {
        ({ kind, item } = await attempt('identify', { messageId, identifiedAt: at }));
      } else if (kind === 'conflict' && item?.state === 'failed') {
        const acceptedAt = item.confirmedBy === undefined ? item.acceptedAt : at;
        ({ kind, item } = await attempt('confirmFailed', { identifiedAt: at, acceptedAt: at }));
        if (kind === 'conflict') ({ kind, item } = await attempt('identifyFailed', { identifiedAt: at }));
        // Another message of the send is earlier than the one that failed, and so is the send's.
        const named = { messageId, identifiedAt: at, acceptedAt, ...NOT_FAILED };
        if (kind === 'conflict') ({ kind, item } = await attempt('identifyOther', named));
      } else if (kind === 'conflict' && item?.state !== undefined) {
        ({ kind, item } = await attempt('confirmEarlier', set));
      }
      if (item === undefined || (kind === 'conflict' && !isNamedByStatus(item, messageId))) return undefined;
      return acceptedMessage(parseSend(item), parseContactName(item.contact));
    },

    fail: (requestId, { messageId, at, failure }) =>
      transition(
        'fail',
        requestId,
        { set: { failedAt: at, failure, code: parseFailure(failure).code } },
        { messageId },
      ),

    ...createTransactionLinks(table),

    cancel: (requestId, at) =>
      transition('cancel', requestId, {
        set: { cancelledAt: at, outcome: 'An operator cancelled it.' },
      }),

    resolve: (send, resolution) =>
      transition(
        RESOLUTIONS[resolution.outcome],
        send.requestId,
        {
          set: {
            ...resolutionAttributes(resolution, send),
            ...(resolution.outcome === 'resend' && unknownCallAttributes(send)),
          },
          // The state no longer says that the outcome of the latest call is unknown.
          increment: send.state === 'uncertain' && resolution.outcome !== 'accepted' ? ['unknownOutcomes'] : [],
        },
        { claimId: send.claimId, state: send.state },
      ),

    async recordFailure({ requestId, body }, at) {
      const key = sendKey(requestId);
      // A scheduled send is retained from its sendAt on, which this must not shorten.
      const setOnce = { expiresAt: table.expiryOf('sends', at) };
      const own = body === undefined ? '' : ' AND (attribute_not_exists(#body) OR #body = :body)';
      const values = body === undefined ? {} : { body };
      const continued = await table.update(
        {
          key,
          set: { lastFailedAt: at },
          setOnce: { ...setOnce, failingSince: at },
          values: { ...values, recentAt: addMs(at, -MAX_FAILURE_GAP_MS) },
          condition: `(attribute_not_exists(#lastFailedAt) OR #lastFailedAt >= :recentAt)${own}`,
        },
        { returnItem: true },
      );
      if (continued.kind === 'written') return parseItem(z.string(), continued.item?.failingSince);
      await table.update({
        key,
        set: { lastFailedAt: at, failingSince: at },
        setOnce,
        values,
        condition: `attribute_exists(#lastFailedAt)${own}`,
      });
      return at;
    },
  };
};

/**
 * Whether the send already has this message ID from a status. The function that stored the status may have died before
 * it stored the message.
 */
const isNamedByStatus = ({ state, messageId, identifiedAt }: Item, id: string): boolean =>
  (state === 'accepted' || state === 'failed') && messageId === id && identifiedAt !== undefined;

/** A request that is retried fails again well within this time; after a longer one, it failed for another reason. */
const MAX_FAILURE_GAP_MS = 60 * 60 * 1000;

const TRANSITION_TO = {
  accepted: 'accept',
  refused: 'refuse',
  rejected: 'reject',
  expired: 'expire',
  uncertain: 'loseTrack',
  waiting: 'wait',
} as const satisfies Record<SendResult['state'], SendTransitionName>;

const describeOutcome = ({ kind, item }: WriteOutcome): TransitionResult => {
  if (kind === 'written') return { kind: 'applied' };
  return item === undefined || item.state === undefined
    ? { kind: 'missing' }
    : { kind: 'conflict', send: parseSend(item) };
};

/** Whether the result says that the latest call of the send, if there was one, sent nothing. */
const isUnsent = ({ state }: SendResult): boolean => state !== 'accepted' && state !== 'uncertain';
