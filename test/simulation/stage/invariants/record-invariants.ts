import type { Item } from '../../../../lambdas/table/item.ts';
import { parseObject } from '../../world/parse-object.ts';
import { isSendLane } from '../ledger.ts';
import { authenticEventsOf, bodiesIn, lostEventsOf, lostMessagesOf } from './stage-events.ts';
import { type CallFact, idIn, isErased, requestIdsOf, type StageFacts } from './stage-facts.ts';
import type { StageInvariant } from './stage-invariant.ts';

/** The code of every failure in a simulated stage. Services send it as a text that looks like a float. */
const FAILURE_CODE = '131026';

export const RECORD_INVARIANTS = {
  statesAreTrue: {
    sentence:
      'A send ends with the outcome of its last call, as far as Parley could know it, or as accepted, because of ' +
      'a status of an earlier call.',
    check(facts, { checked, violated }) {
      for (const requestId of requestIdsOf(facts)) {
        const item = facts.run.items.get(`SEND#${requestId} SEND`);
        const last = facts.callsOf(requestId).at(-1);
        if (item === undefined || last === undefined) continue;
        checked();
        const isDecided = isByOperator(facts, requestId, last.index);
        const isKnownEnd = last.end === 'accepted' || last.end === 'rejected';
        const calls = facts.callsOf(requestId);
        // A status shows that an earlier call, whose outcome was unknown, was accepted.
        const isConfirmed =
          item.confirmedBy === 'status' &&
          calls.some(({ effect, isKnown }) => effect !== undefined && effect.id === item.messageId && !isKnown);
        const isEnd = item.state === last.end || (last.end === 'accepted' && item.state === 'failed');
        if (last.isKnown && isKnownEnd && !isDecided && !isConfirmed && !isEnd) {
          violated(`${requestId} is ${String(item.state)}, but was known to be ${last.end}.`);
        }
        const isUnknown = calls.some(({ effect, isKnown }) => effect !== undefined && !isKnown);
        const hasEffect = calls.some(({ effect }) => effect !== undefined);
        const claimsNothingSent = ['refused', 'expired', 'cancelled', 'waiting'].includes(String(item.state));
        if (hasEffect && !isUnknown && claimsNothingSent && !isDecided) {
          violated(`${requestId} is ${String(item.state)}, but its message reached the user.`);
        }
      }
    },
  },

  acceptedReachedUser: {
    sentence: 'A send is accepted with a message ID only if that message reached the user, or if an operator says so.',
    check(facts, { checked, violated }) {
      for (const change of facts.changesOfSends()) {
        const { after, requestId, index } = change;
        if (!isAccepted(after.state) || facts.invocationAt(change)?.function === 'manage') continue;
        checked();
        const effects = facts
          .callsOf(requestId)
          .flatMap((call) => (call.index < index && call.effect ? [call.effect] : []));
        if (effects.length === 0) violated(`${requestId} is accepted, but nothing was sent.`, index);
        else if (after.messageId !== undefined && !effects.some(({ id }) => id === after.messageId)) {
          violated(`${requestId} is accepted as ${String(after.messageId)}, which is another message.`, index);
        }
      }
    },
  },

  acceptedHasMessage: {
    sentence:
      'The message of every accepted send with a message ID is in the conversation, as it was sent, unless the status that ' +
      'confirmed it was posted only once and not acknowledged.',
    check(facts, { checked, violated }) {
      const unacknowledged = lostMessagesOf(facts);
      const effects = new Map(facts.calls.flatMap((call) => (call.effect ? [[call.effect.id, call] as const] : [])));
      const { items } = facts.run;
      for (const [name, { state, messageId, erasedAt }] of items) {
        if (!name.startsWith('SEND#') || !isAccepted(state) || erasedAt !== undefined || messageId === undefined)
          continue;
        const call = effects.get(String(messageId));
        const record = `MESSAGE#${String(messageId)} MESSAGE`;
        // An erasure of the message, but not of its send, leaves a mark, or nothing.
        if (call === undefined || isErased(facts, record)) continue;
        checked();
        const message = items.get(record);
        const isExcused = unacknowledged.has(String(messageId));
        if (message?.requestId !== idIn(name) && !isExcused) violated(`${String(messageId)} of ${name} has no record.`);
      }
      for (const [name, message] of items) {
        if (message.direction !== 'outbound') continue;
        checked();
        const call = effects.get(idIn(name));
        if (call === undefined) {
          if (!isByOperator(facts, String(message.requestId), 0)) violated(`${name} was never sent.`);
        } else if (!isShown(facts, name, message, call)) {
          violated(`${name} is shown as ${endpointOf(message)} of ${String(message.requestId)}.`);
        }
      }
    },
  },

  trailNamesLastCall: {
    sentence: 'A send shows its last call.',
    check(facts, { checked, violated }) {
      for (const [name, item] of facts.run.items) {
        if (!name.startsWith('SEND#') || !['accepted', 'uncertain', 'rejected'].includes(String(item.state))) continue;
        if (item.erasedAt !== undefined) continue;
        const claim = facts.claims.get(String(item.claimId));
        const last = facts.callsOf(idIn(name)).findLast(({ claimId }) => claimId === item.claimId);
        if (claim === undefined || last === undefined) continue;
        checked();
        // The template after error 201 is recorded before it is sent.
        const isAnnounced = last.end === 'window-closed' && facts.couldNotRecord(idIn(name), claim.invocation);
        if (endpointOf(item) !== last.endpoint && !isAnnounced) {
          violated(`${name} names ${endpointOf(item)}, but the last call was ${last.endpoint}.`);
        }
      }
    },
  },

  statusConfirms: {
    sentence: 'A send is accepted once a status with its request ID was stored.',
    check(facts, { checked, violated }) {
      const { items } = facts.run;
      for (const { body, parts, source } of authenticEventsOf(facts)) {
        const { id, kind } = parts[0] ?? {};
        if (kind !== 'status') continue;
        const requestId = source?.CLIENT_PAYLOAD;
        const statuses = items.get(`MESSAGE#${id} MESSAGE`)?.statusBodies;
        if (typeof requestId !== 'string' || !(statuses instanceof Set && statuses.has(body))) continue;
        const send = items.get(`SEND#${requestId} SEND`);
        if (send === undefined || send.erasedAt !== undefined) continue;
        checked();
        const isByRecipe = facts.changesOfSends(requestId).some(({ after }) => after.state === 'accepted');
        if (!isAccepted(send.state) && !isByRecipe) {
          violated(`${requestId} is ${String(send.state)}, although a status of its message was stored.`);
        }
      }
    },
  },

  failuresShown: {
    sentence:
      "When a stored status says that a send's message failed, the send is not left as accepted, unless the status was " +
      'posted only once and not acknowledged. A send is failed only with the code that the chat service gave.',
    check(facts, { checked, violated }) {
      const { items } = facts.run;
      const failed = new Set(
        authenticEventsOf(facts).flatMap(({ parts: [part] }) =>
          part?.literal === 'failed' || part?.literal === 'error' ? [part.id] : [],
        ),
      );
      const unacknowledged = lostMessagesOf(facts);
      for (const requestId of requestIdsOf(facts)) {
        const { state, code, messageId, erasedAt } = items.get(`SEND#${requestId} SEND`) ?? {};
        const message = items.get(`MESSAGE#${String(messageId)} MESSAGE`);
        const isFailed = message?.requestId === requestId && message.failedAt !== undefined;
        if (!isFailed && state !== 'failed') continue;
        checked();
        if (isFailed && state === 'accepted' && erasedAt === undefined && !unacknowledged.has(String(messageId))) {
          violated(`${requestId} is accepted, but its message ${String(messageId)} failed.`);
        }
        if (state === 'failed' && (code !== FAILURE_CODE || !failed.has(String(messageId)))) {
          violated(`${requestId} failed with ${String(code)} as ${String(messageId)}, which was never reported.`);
        }
      }
    },
  },

  jobsLinked: {
    sentence:
      'If the answer to an accepted call names only a job, and a stored event names that job, the send has the message ' +
      'of the event, unless the event was posted only once and not acknowledged.',
    check(facts, { checked, violated }) {
      const { items } = facts.run;
      const lost = lostEventsOf(facts);
      const named = new Set(
        authenticEventsOf(facts).flatMap(({ eventId, body, parts: [part] }) => {
          if (lost.has(eventId)) return [];
          const { txId, intentTxId = txId } = parseObject(body) ?? {};
          const stored = ['MESSAGE', 'ECHO'].flatMap((kind) => bodiesIn(items.get(`MESSAGE#${part?.id} ${kind}`)));
          return stored.includes(body) ? [intentTxId] : [];
        }),
      );
      for (const requestId of requestIdsOf(facts)) {
        const { state, messageId, erasedAt, claimId } = items.get(`SEND#${requestId} SEND`) ?? {};
        const last = facts.callsOf(requestId).findLast((call) => call.claimId === claimId);
        const job = last?.effect?.transactionId;
        if (job === undefined || !last?.isAnswered || !named.has(job)) continue;
        if (!isAccepted(state) || erasedAt !== undefined || isByOperator(facts, requestId, last.index)) continue;
        checked();
        if (messageId === undefined) violated(`${requestId} does not name the message of its ${job}.`);
      }
    },
  },

  orderKept: {
    sentence:
      'The requests of a message group on one queue reach the user in their order, unless they have a sendAt or are ' +
      'queued again. Between the send queue and the bulk queue, there is no order.',
    check(facts, { checked, violated }) {
      const queued = Map.groupBy(
        facts.entries('queued').filter(({ queue }) => isSendLane(queue)),
        ({ body }) => facts.requestIn(body)?.requestId,
      );
      const groups = new Map(
        facts.acts('request').map(({ body, groupId }) => [facts.requestIn(body)?.requestId, groupId]),
      );
      const acts = Map.groupBy(facts.acts('request'), ({ body }) => facts.requestIn(body)?.requestId);
      const ordered = [...queued].flatMap(([requestId, entries]) => {
        const [entry] = entries;
        const isOnce = entries.length === 1 && acts.get(requestId)?.length === 1;
        if (requestId === undefined || entry === undefined || !isOnce) return [];
        if (facts.requestIn(entry.body)?.sendAt !== undefined) return [];
        const effects = facts.callsOf(requestId).filter(({ effect }) => effect !== undefined);
        return effects.length === 0
          ? []
          : [{ requestId, group: `${entry.queue} ${groups.get(requestId)}`, place: entry.index, effects }];
      });
      for (const requests of Map.groupBy(ordered, ({ group }) => group).values()) {
        const inOrder = requests.toSorted((one, other) => one.place - other.place);
        for (const [place, { requestId, effects }] of inOrder.entries()) {
          const next = inOrder[place + 1];
          if (next === undefined) continue;
          checked();
          const [last, first] = [effects.at(-1), next.effects[0]];
          if (last && first && last.index > first.index) {
            violated(`${requestId} reached the user after ${next.requestId}.`, last.index);
          }
        }
      }
    },
  },

  cancelledStays: {
    sentence: 'A request that was cancelled, or whose contact was erased, is not sent afterward.',
    check(facts, { checked, violated }) {
      for (const { key, before, after, index } of facts.entries('write')) {
        if (!key.startsWith('SEND#') || after === undefined) continue;
        const isCancelled = after.state === 'cancelled' && before?.state !== 'cancelled';
        const isErased = after.erasedAt !== undefined && before?.erasedAt === undefined;
        if (!isCancelled && !isErased) continue;
        checked();
        const call = facts.callsOf(idIn(key)).find((one) => one.index > index);
        if (call) violated(`${key} was sent after it was ${isErased ? 'erased' : 'cancelled'}.`, call.index);
      }
    },
  },
} as const satisfies Record<string, StageInvariant>;

/** Whether the chat service accepted the send, even if its message failed later. */
const isAccepted = (state: unknown): boolean => state === 'accepted' || state === 'failed';

/** Whether an operator resolved the request after an entry. */
const isByOperator = (facts: StageFacts, requestId: string, index: number): boolean =>
  facts
    .changesOfSends(requestId)
    .some((change) => change.index > index && facts.invocationAt(change)?.function === 'manage');

/**
 * Whether a message in the conversation shows its call. Neither a status nor an operator says which call a message
 * belongs to, so it can show any call whose outcome is unknown to Parley, even one that was claimed but not made.
 */
const isShown = (facts: StageFacts, name: string, message: Item, call: CallFact): boolean => {
  const shown = endpointOf(message);
  const { requestId } = call;
  if (message.requestId !== requestId) return false;
  const recorded = facts.writesOf(name).find(({ after }) => endpointOf(after ?? {}) === shown);
  if (shown === call.endpoint || recorded === undefined) return shown === call.endpoint;
  const isCallKnown = !['receive', 'drain', 'manage'].includes(String(facts.invocationAt(recorded)?.function));
  const calls = facts.callsOf(requestId).filter(({ index }) => index < recorded.index);
  // A template replaces a call that sent nothing.
  const latest = [...new Map(calls.map((each) => [each.claimId, each])).values()];
  const unmade = [...facts.claims.values()].flatMap(({ claimId, index, ...claim }) => {
    const isUnmade = claim.requestId === requestId && index < recorded.index;
    if (!isUnmade || calls.some((each) => each.claimId === claimId)) return [];
    return [{ claimId, endpoint: endpointOf(facts.itemBefore(`SEND#${requestId} SEND`, index + 1) ?? {}) }];
  });
  const isOpen = (claimId: string | undefined): boolean =>
    !facts
      .changesOfSends(requestId)
      .some(
        ({ before, after, index }) =>
          index < recorded.index &&
          before?.state === 'claimed' &&
          after.claimId === claimId &&
          SENT_NOTHING.includes(String(after.state)),
      );
  return !isCallKnown && [...latest, ...unmade].some((each) => each.endpoint === shown && isOpen(each.claimId));
};

/** The states in which the latest call is known to have sent nothing. */
const SENT_NOTHING = ['waiting', 'refused', 'rejected', 'expired'];

const endpointOf = ({ call }: Item): string =>
  typeof call === 'object' && call !== null && 'endpoint' in call ? String(call.endpoint) : 'no call';
