import { serializeDueMessage } from '../../../../lambdas/domain/send-request.ts';
import { FINAL_STATES } from '../../../support/send-states.ts';
import { DAY_MS, HOUR_MS } from '../durations.ts';
import { isSendLane, type QueueName, SEND_LANES } from '../ledger.ts';
import { keptDeadLetters } from './stage-events.ts';
import { idIn, type StageFacts } from './stage-facts.ts';
import type { StageInvariant } from './stage-invariant.ts';

/**
 * The time limit for a request that nothing prevents from being sent. A blind probe of an unreachable service is made
 * once an hour. The request that makes the probe waits up to 15 minutes and 30 seconds longer, and so does each request
 * that learns the result. The rest is for leases, the visibility timeout after a process dies, and earlier requests.
 */
const HEALTHY_MS = 4 * HOUR_MS;

/** A request that cannot be sent expires after 13 days in the queue, when it is next received. */
const QUEUED_MS = 13 * DAY_MS + HOUR_MS;

/** After this time in the queue, a failing request becomes a dead letter even if the table is unavailable. */
const LAST_CHANCE_MS = 13 * DAY_MS;

/** After many failed passes, an erasure waits for about 15 minutes before each of the few passes that are left. */
const ERASURE_MS = 2 * HOUR_MS;

export const LIVENESS_INVARIANTS = {
  everythingEnds: {
    sentence:
      'After the last act and fault, all work ends: no schedule is left, and all queues except the dead-letter ' +
      'queues are empty. SQS itself never moves a message to a dead-letter queue.',
    check(facts, { checked, violated }) {
      const { run } = facts;
      checked();
      if (run.how === 'endless') return violated(`It was still busy at ${new Date(run.endedAtMs).toISOString()}.`);
      for (const queue of [...SEND_LANES, 'inbound', 'erasures'] as const) {
        for (const { body } of run.queued[queue]) violated(`It is still in the queue ${queue}: ${body}`);
      }
      for (const requestId of run.scheduled) violated(`${requestId} is still scheduled.`);
      for (const { queue, body, reason, index } of facts.entries('queued')) {
        if (reason?.startsWith('SQS moved it')) violated(`SQS moved it to ${queue}: ${body}`, index);
      }
    },
  },

  everyRequestEnds: {
    sentence:
      'Every request that was queued or registered ends in a final state or as a dead letter, unless its contact ' +
      'was erased.',
    check(facts, { checked, violated }) {
      const { run } = facts;
      const letters = deadLettersOf(facts);
      const queued = facts.entries('queued').filter(({ queue, body }) => isSendLane(queue) && isRequest(body));
      for (const { body, index } of new Map(queued.map((entry) => [entry.body, entry])).values()) {
        checked();
        const requestId = facts.requestIn(body)?.requestId;
        const item = requestId === undefined ? undefined : run.items.get(`SEND#${requestId} SEND`);
        const isErased = item?.erasedAt !== undefined;
        const isEnded = item?.body === body && FINAL_STATES.includes(String(item.state));
        if (!isEnded && !isErased && !letters.has(body)) {
          violated(`${requestId ?? body} ends as ${String(item?.state)}.`, index);
        }
      }
      for (const [name, { state, erasedAt, body: stored }] of run.items) {
        if (!name.startsWith('SEND#') || state === undefined || erasedAt !== undefined) continue;
        // Another request with the same id may have been queued instead.
        const isQueued = queued.some(({ body }) => body === stored);
        // The caller that registered or resent it got no response and retries.
        const isUnanswered =
          (state === 'queued' && !isQueued) || (state === 'waiting' && isRefusedByApi(facts, idIn(name)));
        const isEnded = FINAL_STATES.includes(String(state)) || isUnanswered || isUnrecorded(facts, idIn(name), stored);
        if (!isEnded) violated(`${name} ends as ${String(state)}.`);
      }
    },
  },

  endsInTime: {
    sentence: 'After the last fault, a request that can be sent ends within four hours, and any other within 13 days.',
    check(facts, { checked, violated }) {
      const { run } = facts;
      const limitMs = isHealthy(facts) ? HEALTHY_MS : QUEUED_MS;
      for (const name of facts.namesOf('SEND#')) {
        const writes = facts.writesOf(name);
        // A status can confirm an uncertain send much later, when the user's device is on again.
        const end = writes.findLast(
          ({ before, after }) =>
            !FINAL_STATES.includes(String(before?.state)) && FINAL_STATES.includes(String(after?.state)),
        );
        const first = writes[0];
        if (end === undefined || first === undefined) continue;
        checked();
        const { sendAt, body } = end.after ?? {};
        const queued = facts.entries('queued').findLast((entry) => entry.body === body && entry.index < end.index);
        const since = Math.max(
          run.calmAtMs,
          queued?.atMs ?? 0,
          first.atMs,
          typeof sendAt === 'string' ? Date.parse(sendAt) : 0,
        );
        if (end.atMs > since + limitMs) {
          violated(`${name} became ${String(end.after?.state)} ${hours(end.atMs - since)} after it could.`, end.index);
        }
      }
    },
  },

  everyEventAcknowledged: {
    sentence: 'Every authentic event is eventually acknowledged, unless it is posted only once.',
    check(facts, { checked, violated }) {
      if (facts.run.history.features.delivery.isOnce) return;
      const heard = new Set(
        facts.entries('delivery-answer').flatMap((one) => (one.isHeard && one.status < 300 ? [one.eventId] : [])),
      );
      for (const { eventId, isUnauthenticated: isInvalid, index } of facts.entries('event')) {
        if (isInvalid) continue;
        checked();
        if (!heard.has(eventId)) violated(`${eventId} was never acknowledged.`, index);
      }
    },
  },

  erasuresEnd: {
    sentence: 'Every erasure is done within two hours of its request, or of the last fault.',
    check(facts, { checked, violated }) {
      for (const { queue, body, atMs, index } of facts.entries('queued')) {
        if (queue !== 'erasures') continue;
        checked();
        const name = `ERASURE#${String(JSON.parse(body).erasureId)} ERASURE`;
        const done = facts.writesOf(name).find(({ after }) => after?.state === 'done');
        const limit = Math.max(atMs, facts.run.calmAtMs) + ERASURE_MS;
        if (done === undefined || done.atMs > limit) violated(`${name} is not done in time.`, index);
      }
    },
  },
} as const satisfies Record<string, StageInvariant>;

/** A message that only refers to a scheduled request is no request. */
const isRequest = (body: string): boolean => !body.includes('"scheduledRequestId"');

/** Whether it is a dead-letter queue of a lane. */
const isDeadLetterOf = (queue: QueueName): boolean => SEND_LANES.some((lane) => queue === `${lane}-dead-letters`);

const deadLettersOf = (facts: StageFacts): ReadonlySet<string> =>
  new Set([
    ...SEND_LANES.flatMap((lane) => facts.run.queued[`${lane}-dead-letters`]).map(({ body }) => body),
    ...keptDeadLetters(facts.run.items),
    // An erasure deletes dead letters, too, and a redrive puts them back on the queue.
    ...facts.entries('deleted').flatMap(({ queue, body }) => (isDeadLetterOf(queue) ? [body] : [])),
  ]);

/**
 * Whether the request became a dead letter so late that its end is not recorded if the attempt fails. Until then, it is
 * retried.
 */
const isUnrecorded = (facts: StageFacts, requestId: string, body: unknown): boolean => {
  const messages = facts
    .entries('queued')
    .filter((entry) => entry.body === body || entry.body === serializeDueMessage(requestId));
  return messages.some((deadLetter) => {
    const queued = messages.findLast(({ queue, index }) => isSendLane(queue) && index < deadLetter.index);
    if (!isDeadLetterOf(deadLetter.queue) || deadLetter.atMs - (queued?.atMs ?? deadLetter.atMs) < LAST_CHANCE_MS)
      return false;
    const invocation = facts.invocationAt(deadLetter);
    return facts.isHindered(invocation, invocation?.start ?? deadLetter.index, { about: [`SEND#${requestId} `] });
  });
};

const isRefusedByApi = (facts: StageFacts, requestId: string): boolean =>
  facts
    .entries('api-answer')
    .some(({ act, status = 500 }) => act.kind === 'resolve' && act.requestId === requestId && status > 299);

/** Whether the chat service accepts requests after the last act. */
const isHealthy = (facts: StageFacts): boolean => {
  const isStopped = [...facts.run.items].some(([name, { stoppedAt }]) => name.startsWith('ACCOUNT#') && stoppedAt);
  return !isStopped && (facts.acts('credit').at(-1)?.hasCredit ?? true);
};

const hours = (ms: number): string => `${(ms / HOUR_MS).toFixed(1)} hours`;
