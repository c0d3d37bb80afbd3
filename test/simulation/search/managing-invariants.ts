import { CONSENT_KINDS, CONSENT_ORIGINS, DEFAULT_ORIGIN } from '../../../lambdas/domain/consent.ts';
import { ACCOUNT, NOW, USER } from '../../support/builders.ts';
import { FINAL_STATES } from '../../support/send-states.ts';
import { type Scene, userRef } from './scene.ts';
import type { SceneInvariant } from './scene-invariants.ts';
import type { SceneOptions } from './scene-options.ts';
import {
  type AnsweredCall,
  acknowledgedStatuses,
  answeredCalls,
  auditEntries,
  effectsOf,
  isDeadLettered,
  recordOf,
  registerOf,
  requestIdsOf,
} from './scene-view.ts';

/** The code of each failure in a scene, without the fraction with which services send it. */
const FAILURE_CODE = '131049';

export const MANAGING_INVARIANTS = {
  everyCallAnswered: {
    sentence:
      'Every API call is answered, every event is acknowledged, no event stays in the inbound queue, and the run ends.',
    atEnd(scene, how) {
      const { options, answers, queues, sender } = scene;
      if (how === 'endless') return 'The run does not end.';
      const unanswered = options.callers?.find(({ name }) => !answers.has(name));
      if (unanswered) return `${unanswered.name} was never answered.`;
      if (options.postsFollow?.(scene) === false) return undefined;
      const place = options.posts?.findIndex((_, index) => !sender.acknowledged.has(index)) ?? -1;
      if (place >= 0) return `Event ${place} was never acknowledged.`;
      const { depth } = queues.inbound;
      return options.consumes?.includes('inbound') && depth > 0 ? `${depth} events stay in the queue.` : undefined;
    },
  },

  auditedBefore: {
    sentence: 'No action of an operator happens before its audit trail entry is written.',
    atWrite(scene, { before = {}, after }) {
      const act = actOf(scene, before, after ?? {}, after === undefined);
      if (act === undefined) return undefined;
      const isRecorded = auditEntries(scene).some((entry) =>
        Object.entries(act).every(([name, value]) => [value].flat().includes(entry[name])),
      );
      return isRecorded ? undefined : `There is no entry of ${JSON.stringify(act)}.`;
    },
  },

  everyRequestEnds: {
    sentence:
      'Every request that was queued, or that the API accepted, ends in a final state or is dead-lettered with a reason.',
    atEnd(scene) {
      if (!scene.options.consumes?.includes('send')) return undefined;
      for (const requestId of requestIdsOf(scene)) {
        const state = scene.item(`SEND#${requestId}`)?.state;
        if (!isDeadLettered(scene, requestId) && !FINAL_STATES.includes(String(state)))
          return `${requestId} ends as ${String(state)}.`;
      }
      return undefined;
    },
  },

  acceptedRequestIsTheOne: {
    sentence: 'If the API has accepted a request, no other request with its ID is sent.',
    atEnd(scene) {
      for (const { request, status } of answeredCalls(scene)) {
        if (!/^enqueueSend/.test(request.route) || status !== 202) continue;
        const { messageText } = recordOf(request.body);
        const requestId = request.id ?? String(recordOf(request.body).requestId);
        const other = effectsOf(scene, requestId).find(({ body }) => body.messageText !== messageText);
        if (other) return `${requestId} was accepted with "${messageText}", and sent as "${other.body.messageText}".`;
        const { body = '', erasedAt } = scene.item(`SEND#${requestId}`) ?? {};
        if (erasedAt === undefined && !String(body).includes(String(messageText))) {
          return `${requestId} was accepted with "${messageText}", and is stored as ${String(body)}.`;
        }
      }
      return undefined;
    },
  },

  cancelledStaysUnsent: {
    sentence: 'A request whose cancellation was answered with 200 is never sent, and stays cancelled.',
    atEnd(scene) {
      for (const { request, status } of answeredCalls(scene)) {
        if (!/^cancelSend/.test(request.route) || status !== 200) continue;
        const requestId = request.id ?? String(recordOf(request.body).requestId);
        if (effectsOf(scene, requestId).length > 0) return `${requestId} was cancelled, and reached the user.`;
        const state = scene.item(`SEND#${requestId}`)?.state;
        if (state !== 'cancelled') return `${requestId} was cancelled, and ends as ${String(state)}.`;
      }
      return undefined;
    },
  },

  cancelledIsUnscheduled: {
    sentence:
      'A request whose cancellation was answered with 200 has no schedule, unless it got one after it was cancelled.',
    atCall({ facts, item }, process, label) {
      const [, requestId] = /^schedule (.+)$/.exec(label) ?? [];
      const isLate = process.startsWith('send') && item(`SEND#${requestId}`)?.state === 'cancelled';
      if (isLate) facts.add(`${requestId} was scheduled after it was cancelled`);
      return undefined;
    },
    atAnswer({ schedules, facts }, { request: { route, id = '' }, status }) {
      const isCancelled = route === 'cancelSendById' && status === 200;
      if (!isCancelled || facts.has(`${id} was scheduled after it was cancelled`)) return undefined;
      return schedules.key().includes(id) ? `${id} was cancelled and has a schedule.` : undefined;
    },
  },

  resolutionStays: {
    sentence:
      "An operator's resolution that was answered with 200 is kept, unless a status shows that the message arrived.",
    atEnd(scene) {
      const resolutions = answeredCalls(scene).filter(isAnsweredResolution);
      if (resolutions.length !== 1) return undefined;
      for (const { request } of resolutions) {
        const { requestId, outcome, messageId } = recordOf(request.body);
        const { state } = scene.item(`SEND#${String(requestId)}`) ?? {};
        const isConfirmed = confirmingPosts(scene, String(requestId)).length > 0;
        if (isConfirmed || outcome === 'resend') continue;
        const wanted = outcome === 'accepted' ? 'accepted' : 'rejected';
        if (state !== wanted)
          return `${String(requestId)} was resolved as ${String(outcome)}, and ends as ${String(state)}.`;
        const message = scene.item(`MESSAGE#${String(messageId)}`);
        if (outcome === 'accepted' && message?.requestId !== requestId) return `${String(messageId)} has no record.`;
      }
      return undefined;
    },
  },

  statusConfirms: {
    sentence:
      'A request whose message has a status ends as accepted or failed, and the message has its request ID, unless ' +
      'it was resent.',
    atEnd(scene) {
      for (const requestId of requestIdsOf(scene)) {
        for (const { id } of confirmingPosts(scene, requestId)) {
          const state = scene.item(`SEND#${requestId}`)?.state;
          if (state !== 'accepted' && state !== 'failed')
            return `${requestId} has a status, and ends as ${String(state)}.`;
          // A send names one message: of several calls, the one whose answer the function has recorded.
          if (effectsOf(scene, requestId).length > 1 || hasSeveralMessages(scene, requestId)) continue;
          const message = scene.item(`MESSAGE#${id}`);
          if (message?.requestId !== requestId) return `The message of ${requestId} does not name it.`;
        }
      }
      return undefined;
    },
  },

  failureShown: {
    sentence:
      'A request whose message failed ends as failed, with the code of the failure, whichever comes first: the ' +
      'answer to the call or the status. A status without a reference must be of a message that an answer named.',
    atEnd(scene) {
      const statuses = acknowledgedStatuses(scene);
      for (const { id, requestId, literal, hasReference } of statuses) {
        const isFailure = literal === 'failed' || literal === 'error';
        if (!isFailure || requestId === undefined || effectsOf(scene, requestId).length > 1) continue;
        if (hasSeveralMessages(scene, requestId)) continue;
        const { state, code, messageId } = scene.item(`SEND#${requestId}`) ?? {};
        if (!hasReference && messageId !== id) continue;
        if (state !== 'failed' || code !== FAILURE_CODE) {
          return `${id} failed with ${FAILURE_CODE}, and ${requestId} ends as ${String(state)} with ${String(code)}.`;
        }
      }
      return undefined;
    },
  },

  resentIsSent: {
    sentence: 'A request that an operator resends is processed again, unless it has ended for another reason.',
    atEnd(scene) {
      for (const { request, status, body } of answeredCalls(scene)) {
        const { requestId, outcome } = recordOf(request.body);
        if (request.route !== 'resolveSend' || outcome !== 'resend' || status !== 200) continue;
        const item = scene.item(`SEND#${String(requestId)}`);
        const isEnded = FINAL_STATES.includes(String(item?.state));
        if (!isEnded)
          return `${String(requestId)} was resent as ${String(body.state)}, and ends as ${String(item?.state)}.`;
      }
      return undefined;
    },
  },

  consentsCommute: {
    sentence: 'For each kind and origin of consent, the latest one is stored, whatever the order of the calls.',
    atEnd(scene) {
      const calls = answeredCalls(scene).filter(({ request, status }) => /^opt/.test(request.route) && status === 200);
      if (calls.length === 0 || scene.options.consumes?.includes('erasures')) return undefined;
      const stored = scene.item(`CONTACT#chat#*#${userRef.key}`, 'CONSENT') ?? {};
      for (const kind of CONSENT_KINDS) {
        for (const origin of CONSENT_ORIGINS) {
          const times = calls.flatMap(({ request }) => {
            const { at = NOW, origin: given } = recordOf(request.body);
            const isKind = request.route === (kind === 'opt-in' ? 'optIn' : 'optOut');
            return isKind && (given ?? DEFAULT_ORIGIN[kind]) === origin ? [String(at)] : [];
          });
          const latest = times.toSorted().at(-1);
          const found = stored[registerOf({ kind, origin }).at];
          if (latest !== undefined && String(found) < latest) {
            return `The ${kind} (${origin}) of ${latest} is stored as ${String(found)}.`;
          }
        }
      }
      return undefined;
    },
  },

  handoverHonored: {
    sentence: 'No automated request is sent by a process that last read that people answer the contact.',
    atCall(scene, process, label) {
      const fact = `${process} read a handover`;
      if (label.startsWith('read CONTACT#')) {
        const { handoverAt = '', handbackAt = '' } = contactOf(scene);
        if (String(handoverAt) > String(handbackAt)) scene.facts.add(fact);
        else scene.facts.delete(fact);
      }
      const { rules, queued = [] } = scene.options;
      const isAutomated = rules?.operators !== undefined && queued.some(({ automated }) => automated === true);
      return isAutomated && label.startsWith('call message/v3') && scene.facts.has(fact)
        ? `${process} sends an automated request.`
        : undefined;
    },
  },

  checkRecorded: {
    sentence: 'The result of every answered contact check is stored.',
    atEnd(scene) {
      for (const { request, status, body } of answeredCalls(scene)) {
        if (request.route !== 'checkContacts' || status !== 200 || body.notChecked !== undefined) continue;
        const { checkedAt, checkedAddress } = contactOf(scene);
        if (checkedAt === undefined) return 'The check is not stored.';
        const isAbsent = scene.options.chatService?.absentContacts?.includes(USER) === true;
        if ((checkedAddress === undefined) !== isAbsent) return `The check is stored as ${String(checkedAddress)}.`;
      }
      return undefined;
    },
  },

  forecastIsTheDecision: {
    sentence: 'While nothing changes the contact, a forecast is how the request is sent.',
    atEnd(scene) {
      for (const { request, status, body } of answeredCalls(scene)) {
        if (request.route !== 'forecastSends' || status !== 200) continue;
        const { forecasts } = body as { readonly forecasts: readonly { readonly decision: string }[] };
        const { call } = recordOf(scene.item('SEND#request-1')) as { readonly call?: { readonly endpoint: string } };
        const sent = call?.endpoint === 'message/v3' ? 'free-form' : 'template';
        if (call !== undefined && forecasts[0]?.decision !== sent) {
          return `The forecast was ${forecasts[0]?.decision}, and the request was sent as ${sent}.`;
        }
        if (forecasts[1]?.decision !== 'refused')
          return `The forecast for somebody else was ${forecasts[1]?.decision}.`;
      }
      return undefined;
    },
  },

  listedAsTheyWere: {
    sentence: 'A list or count of sends has each send at most once, in a state that the send was in.',
    atWrite({ options, facts }, { after }) {
      if (listsSends(options) && after?.sk === 'SEND')
        facts.add(`${String(after.pk).replace('SEND#', '')} was ${String(after.state)}`);
      return undefined;
    },
    atEnd(scene) {
      if (!listsSends(scene.options)) return undefined;
      for (const { name, body, status } of answeredCalls(scene)) {
        if (status !== 200) continue;
        const { sends = [], counts = [] } = body as Listed;
        const unseen = sends.find(({ requestId, state }) => !scene.facts.has(`${requestId} was ${state}`));
        if (unseen) return `${name} has ${unseen.requestId} as ${unseen.state}, which it never was.`;
        const total = counts.reduce((sum, { count }) => sum + count, 0);
        const wasCounted = counts.every(({ state }) =>
          requestIdsOf(scene).some((requestId) => scene.facts.has(`${requestId} was ${state}`)),
        );
        const most = requestIdsOf(scene).length;
        if (total > most || !wasCounted) return `${name} counts ${JSON.stringify(counts)} of ${most} sends.`;
        if (new Set(sends.map(({ requestId }) => requestId)).size < sends.length) return `${name} has a send twice.`;
      }
      return undefined;
    },
  },

  onlyProbes: {
    sentence: 'While the circuit breaker is open, only the process that has claimed the probe makes a call.',
    atCall(scene, process, label) {
      const account = scene.item(`ACCOUNT#${ACCOUNT.platform}#${ACCOUNT.channel}`);
      const isOpen = account?.circuit === 'open';
      const fact = `${process} read a closed circuit breaker`;
      if (label.includes('ACCOUNT#') && label.startsWith('read ')) {
        if (isOpen) scene.facts.delete(fact);
        else scene.facts.add(fact);
      }
      if (!/^call (message|intent)/.test(label) || !isOpen || scene.facts.has(fact)) return undefined;
      return String(account.probeId).startsWith(`${process}-`) ? undefined : `${process} calls without a probe.`;
    },
  },

  tokenIsNoFailure: {
    sentence: 'If nothing interferes but the replacement of the access token, a request is accepted.',
    atEnd(scene) {
      if (scene.secret.value === 'token-1') return undefined;
      for (const requestId of requestIdsOf(scene)) {
        const state = scene.item(`SEND#${requestId}`)?.state;
        if (state !== 'accepted' && !scene.facts.has('a fault')) return `${requestId} ends as ${String(state)}.`;
      }
      return undefined;
    },
  },
} as const satisfies Record<string, SceneInvariant>;

const listsSends = ({ callers = [] }: SceneOptions): boolean =>
  callers.some(({ request }) => /^(list|count)Sends$/.test(request.route));

/** A list, or counts by state. */
interface Listed {
  readonly sends?: readonly { readonly requestId: string; readonly state: string }[];
  readonly counts?: readonly { readonly state: string; readonly count: number }[];
}

const contactOf = (scene: Scene) => scene.contactItem() ?? {};

const isAnsweredResolution = ({ request, status }: AnsweredCall): boolean =>
  request.route === 'resolveSend' && status === 200;

/** The acknowledged statuses that carry the reference of a send. */
const confirmingPosts = (scene: Scene, requestId: string) =>
  acknowledgedStatuses(scene).filter((status) => status.hasReference && status.requestId === requestId);

/** The expected audit trail entry of a write, or undefined if the write is not an operator's action. */
const actOf = (
  { current }: Scene,
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  isDeletion: boolean,
): Readonly<Record<string, unknown>> | undefined => {
  const isFunction = /^(nobody$|(erase|send|drain|post|keep)[0-9.+])/.test(current);
  if (isFunction) return undefined;
  if (after.sk === 'CONSENT') {
    for (const kind of CONSENT_KINDS) {
      for (const origin of CONSENT_ORIGINS) {
        const { at } = registerOf({ kind, origin });
        if (after[at] !== before[at]) return { action: kind, consentAt: after[at], origin };
      }
    }
    return undefined;
  }
  // That a message failed is not an operator's decision, even if a resolution shows whose message it is.
  const isDecision = after.state !== 'failed' && before.state !== undefined && before.state !== after.state;
  if (after.sk === 'SEND' && isDecision) {
    const requestId = String(after.pk).replace('SEND#', '');
    return { action: after.state === 'cancelled' ? 'cancellation' : 'resolution', requestId };
  }
  if (after.sk === 'ERASURE' && before.sk === undefined) {
    return { action: 'erasure', erasureId: String(after.pk).replace('ERASURE#', '') };
  }
  if (after.sk === 'ACCOUNT') {
    if (after.stoppedAt !== before.stoppedAt && after.stoppedAt !== undefined) return { action: 'sending-stop' };
    if (after.resumedAt !== before.resumedAt) return { action: 'sending-resumption' };
    return { action: 'circuit-breaker-closure' };
  }
  return isDeletion && before.sk === 'DEADLETTER' ? { action: ['redrive', 'dead-letter-deletion'] } : undefined;
};

/** Whether a rule has sent several messages for a request. The send names the earliest. */
const hasSeveralMessages = (scene: Scene, requestId: string): boolean =>
  new Set(confirmingPosts(scene, requestId).map(({ id }) => id)).size > 1;
