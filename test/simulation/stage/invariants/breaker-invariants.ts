import { LIMITS } from '../../world/send-process.ts';
import { confirmationsIn } from './stage-events.ts';
import type { CallFact, Recorded, StageFacts } from './stage-facts.ts';
import type { StageInvariant } from './stage-invariant.ts';

/** How long a process uses what it last read of the account. Source: lambdas/domain/sending-stop.ts */
const ACCOUNT_TRUSTED_MS = 5_000;
/** The maximum duration of a read, including its response. Source: test/simulation/stage/stage-calls.ts */
const RESPONSE_MS = 100;
/** The number of consecutive unknown outcomes after which a process opens the circuit breaker. */
const UNKNOWN_OUTCOMES = 3;
/** After this time, a process has the response to a call or has given up, and has recorded the outcome. */
const RECORDED_MS = LIMITS.callSeconds * 1000;

export const BREAKER_INVARIANTS = {
  onlyProbesWhileOpen: {
    sentence:
      'While the circuit breaker is open, only the process that has claimed the probe makes a call, and each claim of the ' +
      'probe allows one.',
    check(facts, { checked, violated }) {
      const writes = circuitWrites(facts);
      for (const call of facts.calls) {
        const state = writes.findLast(({ index }) => index < call.index);
        if (state?.after?.circuit !== 'open' || isInFlight(facts, writes, call)) continue;
        checked();
        const probe = writes.findLast(
          ({ index, before, after }) =>
            index < call.index && after?.probeId !== undefined && after.probeId !== before?.probeId,
        );
        if (probe === undefined || state.after.probeId !== probe.after?.probeId || probe.process !== call.process) {
          violated(`${call.requestId} was sent while the circuit breaker was open.`, call.index);
          continue;
        }
        const others = facts.calls.filter(
          (other) =>
            other.index > probe.index &&
            other.index < call.index &&
            other.claimId !== call.claimId &&
            !isInFlight(facts, writes, other),
        );
        if (others.length > 0) violated(`${call.requestId} is not the only request of its probe.`, call.index);
      }
    },
  },

  opensAfterUnknownOutcomes: {
    sentence:
      'A process that has had three unknown outcomes in a row makes no further call until the circuit breaker has opened.',
    check(facts, { checked, violated }) {
      const writes = circuitWrites(facts);
      for (const calls of Map.groupBy(facts.calls, ({ process }) => process).values()) {
        for (const [place, last] of calls.entries()) {
          const row = calls.slice(Math.max(0, place - UNKNOWN_OUTCOMES + 1), place + 1);
          const [first] = row;
          if (first === undefined || row.length < UNKNOWN_OUTCOMES || !row.every(isUnknown)) continue;
          checked();
          const next = calls[place + 1];
          if (next === undefined || (next.claim?.atMs ?? 0) < last.atMs + RECORDED_MS) continue;
          const isOpened = writes.some(
            ({ index, after }) => index > first.index && index < next.index && after?.circuit === 'open',
          );
          const isOpen = writes.findLast(({ index }) => index < next.index)?.after?.circuit === 'open';
          const hindrance = { until: next.index, about: ['ACCOUNT#'] };
          const isHindered = row.some((one) => facts.isHindered(one.invocation, first.index, hindrance));
          if (!isOpened && !isOpen && !isHindered) {
            violated(`${next.requestId} was sent after ${UNKNOWN_OUTCOMES} unknown outcomes in a row.`, next.index);
          }
        }
      }
    },
  },

  stopObeyed: {
    sentence: 'More than 5 seconds after an operator stopped sending, no request is claimed until sending is resumed.',
    check(facts, { checked, violated }) {
      const writes = circuitWrites(facts);
      if (!writes.some(({ after }) => after?.stoppedAt !== undefined)) return;
      for (const { key, before, after, index } of facts.entries('write')) {
        if (after?.state !== 'claimed' || after.claimId === before?.claimId) continue;
        checked();
        const earlier = writes.filter((write) => write.index < index);
        const running = earlier.findLastIndex((write) => write.after?.stoppedAt === undefined);
        const stop = earlier[running + 1];
        if (stop !== undefined && Date.parse(String(after.claimedAt)) > stop.atMs + ACCOUNT_TRUSTED_MS) {
          violated(`${key} was claimed after sending was stopped.`, index);
        }
      }
    },
  },
} as const satisfies Record<string, StageInvariant>;

const isUnknown = ({ isAnswered }: CallFact): boolean => !isAnswered;

const circuitWrites = (facts: StageFacts): readonly Recorded<'write'>[] =>
  facts.namesOf('ACCOUNT#').flatMap((name) => facts.writesOf(name));

/** Whether the process of the call could still rely on an earlier read of a closed circuit breaker. */
const isInFlight = (facts: StageFacts, writes: readonly Recorded<'write'>[], call: CallFact): boolean => {
  const opened = writes.findLast(
    (write) => write.index < call.index && write.after?.circuit === 'open' && write.before?.circuit !== 'open',
  );
  return opened === undefined || admittedAtMs(facts, call) <= opened.atMs + ACCOUNT_TRUSTED_MS + RESPONSE_MS;
};

/**
 * Returns the time at which the process first read the contact for the call. It read the circuit breaker at that time,
 * too, unless it had read it shortly before. An invocation handles the requests of a message group in sequence.
 */
const admittedAtMs = (facts: StageFacts, { requestId, process, claim, invocation, index }: CallFact): number => {
  const start = invocation?.start ?? index;
  const groups = groupsOf(facts);
  const earlier = facts.calls.findLast(
    (other) =>
      other.index > start &&
      other.index < (claim?.index ?? index) &&
      other.process === process &&
      other.requestId !== requestId &&
      groups.get(other.requestId) === groups.get(requestId),
  );
  const read = facts
    .readsOf(claim?.contact ?? '')
    .find((one) => one.process === process && one.index > (earlier?.index ?? start) && one.index < index);
  return read?.atMs ?? invocation?.startedAtMs ?? 0;
};

const groups = new WeakMap<StageFacts, ReadonlyMap<string, string>>();

/** Returns the message group of each request, by request ID. */
const groupsOf = (facts: StageFacts): ReadonlyMap<string, string> => {
  const found =
    groups.get(facts) ??
    new Map([
      ...facts.acts('request').map(({ body, groupId }) => [facts.requestIn(body)?.requestId ?? '', groupId] as const),
      ...confirmationsIn(facts).map(({ requestId, platformContactId }) => [requestId, platformContactId] as const),
    ]);
  groups.set(facts, found);
  return found;
};
