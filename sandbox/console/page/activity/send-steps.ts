import { sortKeys } from '../components/json-text.ts';
import { toneOf } from '../components/tone.ts';
import { type Call, field, type SendVersion, type SendView, type Trace } from '../state/api.ts';
import { idsOf, sentences, type TimelineStep } from './timeline-step.ts';

/**
 * Returns the steps of a send in causal order: each decision, its calls, and the state that followed.
 *
 * @param itemBodies what the step of the current state shows
 */
export const sendSteps = (
  send: SendView,
  trace: Trace,
  calls: readonly Call[],
  itemBodies: TimelineStep['bodies'],
): readonly TimelineStep[] => {
  const remaining = calls.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
  const takeCalls = (isBefore: (call: Call) => boolean): readonly TimelineStep[] => {
    const end = remaining.findIndex((call) => !isBefore(call));
    return remaining.splice(0, end === -1 ? remaining.length : end).map(callStep);
  };
  const versions = versionsOf(send, trace.sendHistory ?? []);
  const steps = versions.flatMap((version, index) => {
    const at = version.since;
    if (version.state === 'claimed') {
      // A template that replaced a call after error 201 was decided after that call, at a time that is not stored.
      const before = takeCalls((call) => call.at < (at ?? ''));
      const replaced = takeCalls((call) => isBeforeReplacement(call, version, remaining));
      return [...before, ...replaced, decisionStep(version, replaced.length > 0 ? undefined : at)];
    }
    const previous = versions[index - 1];
    const isDecision =
      version.state === 'refused' ||
      version.state === 'expired' ||
      (version.state === 'waiting' && version.decision !== previous?.decision);
    const isLast = index === versions.length - 1;
    return [
      ...takeCalls((call) => at === undefined || call.at <= at),
      ...(isDecision ? [decisionStep(version, at)] : []),
      stateStep(version, previous, isLast ? itemBodies : []),
    ];
  });
  return [...steps, ...takeCalls(() => true)];
};

/** The send's versions, oldest first, ending with the current one. */
const versionsOf = (send: SendView, history: readonly SendVersion[]): readonly SendVersion[] => {
  const earlier = history.filter((version) => !isSameVersion(version, send));
  const versions = [...earlier, send].filter(({ state }) => state !== 'queued');
  const first = versions.findIndex(({ claimId }) => claimId === send.claimId);
  const after = versions[first];
  // The item keeps the time of its claim, and its decision unless a later one replaced it.
  const isClaimKnown = after === undefined || ['claimed', 'refused', 'expired'].includes(after.state);
  if (send.claimedAt === undefined || isClaimKnown) return versions;
  return versions.toSpliced(first, 0, { ...after, state: 'claimed', since: send.claimedAt });
};

const isSameVersion = (one: SendVersion, other: SendVersion): boolean =>
  one.state === other.state &&
  one.since === other.since &&
  one.decision === other.decision &&
  one.claimId === other.claimId;

const isBeforeReplacement = (call: Call, version: SendVersion, remaining: readonly Call[]): boolean => {
  const endpoint = version.call?.endpoint;
  return (
    endpoint !== undefined &&
    !call.path.endsWith(`/${endpoint}`) &&
    remaining.some(({ path }) => path.endsWith(`/${endpoint}`))
  );
};

const decisionStep = ({ state, call, code, ...version }: SendVersion, at: string | undefined): TimelineStep => {
  const isCall = state === 'claimed';
  const decision = isCall ? call?.endpoint : state === 'waiting' ? 'wait' : code;
  return {
    source: 'decision',
    title: `Decision: ${decision ?? state}`,
    tone: isCall ? 'success' : toneOf(state),
    detail: version.decision,
    at,
    bodies: isCall ? [{ name: 'Call', value: JSON.stringify(call, sortKeys) }] : [],
  };
};

const stateStep = (
  version: SendVersion,
  previous: SendVersion | undefined,
  bodies: TimelineStep['bodies'],
): TimelineStep => {
  const { state, attempts, outcome, outcomeDetails, sendAt } = version;
  // A state that follows a decision without a call keeps the outcome of an earlier call.
  const isNew = outcome !== previous?.outcome || version.claimId !== previous?.claimId || previous?.state === 'claimed';
  return {
    source: 'table',
    title: `Send state: ${state}`,
    tone: toneOf(state),
    detail: sentences(
      ...(isNew ? [outcome, outcomeDetails] : []),
      state === 'scheduled' && sendAt ? `Due at ${sendAt}` : undefined,
      attempts > 1 ? `${attempts} attempts so far` : undefined,
    ),
    at: version.since,
    bodies,
  };
};

export const callStep = ({ path, status, at, request, answer, messageId, traceparent }: Call): TimelineStep => ({
  source: 'service',
  title: `POST ${path.split('/').slice(-2).join('/')}: ${status ?? 'no answer'}`,
  tone: messageId === null ? 'error' : 'success',
  detail: status === null ? NO_ANSWER : messageId === null ? sentences(errorIn(answer)) : undefined,
  at,
  ids: idsOf({ 'Message ID': messageId, traceparent }),
  bodies: [
    { name: 'Request', value: request },
    { name: 'Response', value: answer },
  ],
});

const NO_ANSWER =
  'The connection was reset before an answer arrived, so Parley does not know whether the message was accepted.';

/** Summarizes the `error` or `problems` object of a response; undefined if it has none. */
const errorIn = (response: unknown): string | undefined => {
  const error = field(response, 'error') ?? field(response, 'problems');
  const code = field(error, 'code');
  return code === undefined ? undefined : `Error ${code}: ${field(error, 'message')}`;
};

/** Returns the step of a request that was put on the send queue; the first one. */
export const queuedStep = (requestId: string, { send, enqueuedAt }: Trace): TimelineStep => ({
  source: 'queue',
  title: 'Request queued',
  tone: 'success',
  at: enqueuedAt ?? send?.queuedAt,
  ids: idsOf({ 'Request ID': requestId, 'Trace ID': send?.traceId }),
  bodies: send ? [{ name: 'Request', value: send.body }] : [],
});
