import { type ConsentVerdict, consentVerdict, readConsents } from '../consent.ts';
import { outcomeOfFailure } from '../failure.ts';
import { handoverOf } from '../handover.ts';
import { parseInstant } from '../instant.ts';
import { isEarlierCallConfirmed, type SendState } from '../send-transitions.ts';
import { channelEvents } from './channel-events.ts';
import type { BusEvent } from './event-details.ts';
import type { EventName } from './event-names.ts';
import { eventId, type ItemChange, type ItemImage, stringOf, traceOf } from './item-change.ts';
import { echoEvents, messageEvents } from './message-events.ts';

/**
 * Returns the events to publish for a write to the table; none if the write changed nothing that is published. The event
 * of a turn also needs its messages: see `turnEvents`.
 */
export const itemEvents = (change: ItemChange): readonly BusEvent[] => {
  switch (change.kind) {
    case 'message':
      return messageEvents(change);
    case 'echo':
      return echoEvents(change);
    case 'send':
      return sendEvents(change);
    case 'consent':
      return consentEvents(change);
    case 'handover':
      return handoverEvents(change);
    case 'turn':
      return [];
    case 'account':
      return accountEvents(change);
    case 'channel':
      return channelEvents(change);
  }
};

/** The states that are published: those that end a request, and `uncertain`, which an operator must resolve. */
const EVENT_OF_STATE = {
  accepted: 'SendAccepted',
  refused: 'SendRefused',
  rejected: 'SendRejected',
  expired: 'SendExpired',
  uncertain: 'SendUncertain',
  cancelled: 'SendCancelled',
  failed: 'SendFailed',
} as const satisfies Partial<Record<SendState, EventName>>;

/** The states of {@link EVENT_OF_STATE}. A write that leaves a send in any other state publishes nothing. */
export const PUBLISHED_STATES: readonly string[] = Object.keys(EVENT_OF_STATE);

const sendEvents = (change: ItemChange): readonly BusEvent[] => {
  const { id: requestId, contact, before, after } = change;
  const { state } = after;
  if (typeof state !== 'string' || !isPublished(state)) return [];
  const since = stringOf(after, `${state}At`);
  // A redriven request can be refused again, for another reason.
  const isRefusedAgain = state === 'refused' && stringOf(before, 'refusedAt') !== since;
  if (before.state === state && !isRefusedAgain) return [];
  const name = EVENT_OF_STATE[state];
  const at = parseInstant(since) ?? change.writtenAt;
  const failure = name === 'SendFailed' ? outcomeOfFailure(stringOf(after, 'failure') ?? '') : undefined;
  const reasons = { ...reasonsOf(after), ...(failure && { outcome: failure.outcome }) };
  const id = eventId(name, change, sendOccurrence(change, since));
  const common = { id, ...traceOf(after), requestId, contact, at, ...reasons };
  const outcomeDetails = failure === undefined ? stringOf(after, 'outcomeDetails') : failure.outcomeDetails;
  const content = { request: stringOf(after, 'body'), outcomeDetails };
  switch (name) {
    case 'SendAccepted': {
      const { endpoint, body } = readCall(acceptedCallIn(after));
      return [
        {
          name,
          detail: { ...common, messageId: stringOf(after, 'messageId'), endpoint, content: { body, outcomeDetails } },
        },
      ];
    }
    case 'SendFailed': {
      const detail = { ...common, messageId: stringOf(after, 'messageId'), code: stringOf(after, 'code'), content };
      return [{ name, detail }];
    }
    case 'SendRefused':
      return [{ name, detail: { ...common, code: stringOf(after, 'code'), content } }];
    default:
      return [{ name, detail: { ...common, content } }];
  }
};

/**
 * The time distinguishes repeats: a request that is resent can become uncertain more than once. If a send turns out to
 * have several messages, one can fail at the time of another, or take the place of one that failed.
 */
const sendOccurrence = ({ before, after }: ItemChange, since: string | undefined): string | undefined => {
  const isOfMessage = after.state === 'failed' || before.state === 'failed';
  return isOfMessage ? `${since ?? ''} ${stringOf(after, 'messageId') ?? ''}` : since;
};

const reasonsOf = (after: ItemImage) => ({
  decision: stringOf(after, 'decision'),
  outcome: stringOf(after, 'outcome'),
});

const isPublished = (state: string): state is keyof typeof EVENT_OF_STATE => Object.hasOwn(EVENT_OF_STATE, state);

const acceptedCallIn = (after: ItemImage): unknown =>
  after.unknownCall !== undefined && isEarlierCallConfirmed(after) ? after.unknownCall : after.call;

const readCall = (call: unknown): { endpoint?: 'message/v3' | 'intent/v2'; body?: Record<string, unknown> } => {
  if (typeof call !== 'object' || call === null) return {};
  const endpoint = 'endpoint' in call ? call.endpoint : undefined;
  const body = 'body' in call && typeof call.body === 'object' && call.body !== null ? { ...call.body } : undefined;
  return { endpoint: endpoint === 'message/v3' || endpoint === 'intent/v2' ? endpoint : undefined, body };
};

/**
 * Publishes a consent only if it changes the effective one, because consumers may rely on the latest event. The same
 * consent can become effective more than once, so an event's ID depends on all of the contact's consents.
 */
const consentEvents = (change: ItemChange): readonly BusEvent[] => {
  const { contact } = change;
  const [before, consents] = [readConsents(change.before), readConsents(change.after)];
  const [counted, counts] = [consentVerdict(before), consentVerdict(consents)];
  if (contact === undefined || counts.state === 'none' || isSameConsent(counted, counts)) return [];
  const { at, origin, source } = counts;
  const name = counts.state === 'opted-in' ? 'ContactOptedIn' : 'ContactOptedOut';
  const id = eventId(name, change, consents.map((consent) => [consent.kind, consent.origin, consent.at]).join());
  return [{ name, detail: { id, contact, at, origin, source } }];
};

const isSameConsent = (one: ConsentVerdict, other: ConsentVerdict): boolean =>
  one.state !== 'none' &&
  other.state !== 'none' &&
  one.state === other.state &&
  one.at === other.at &&
  one.origin === other.origin;

/** A late time that changes nothing is not published. A handover that ends by itself is not a write. */
const handoverEvents = (change: ItemChange): readonly BusEvent[] => {
  const { contact, before, after } = change;
  const moved = HANDOVER_TIMES.filter((name) => after[name] !== before[name]);
  const at = moved.map((name) => parseInstant(after[name])).find((time) => time !== undefined);
  if (contact === undefined || at === undefined) return [];
  const [was, is] = [handoverOf(handoverTimesIn(before), at), handoverOf(handoverTimesIn(after), at)];
  if (is.state === 'people') {
    if (was.state === 'people' && was.until === is.until) return [];
    const id = eventId('ContactHandedOver', change, is.since);
    return [{ name: 'ContactHandedOver', detail: { id, contact, at: is.since, until: is.until } }];
  }
  return was.state === 'people'
    ? [{ name: 'ContactHandedBack', detail: { id: eventId('ContactHandedBack', change, at), contact, at } }]
    : [];
};

const HANDOVER_TIMES = ['handoverAt', 'handbackAt', 'operatorWroteAt'] as const;

const handoverTimesIn = (image: ItemImage) => ({
  handoverAt: parseInstant(image.handoverAt),
  handbackAt: parseInstant(image.handbackAt),
  operatorWroteAt: parseInstant(image.operatorWroteAt),
  operatorUntil: parseInstant(image.operatorUntil),
});

const accountEvents = (change: ItemChange): readonly BusEvent[] => [...circuitEvents(change), ...stopEvents(change)];

const accountOf = (after: ItemImage) => ({
  platform: stringOf(after, 'platform') ?? '',
  channel: stringOf(after, 'channel') ?? '',
});

const circuitEvents = (change: ItemChange): readonly BusEvent[] => {
  const { before, after } = change;
  const isOpen = after.circuit === 'open';
  if ((before.circuit === 'open') === isOpen) return [];
  const since = stringOf(after, isOpen ? 'openedAt' : 'closedAt');
  const at = parseInstant(since) ?? change.writtenAt;
  const account = accountOf(after);
  // The time distinguishes one time on hold from the next.
  if (!isOpen) {
    return [{ name: 'AccountResumed', detail: { id: eventId('AccountResumed', change, since), account, at } }];
  }
  const id = eventId('AccountHeld', change, since);
  const detail = { id, account, at, reason: stringOf(after, 'reason'), why: stringOf(after, 'why') };
  return [{ name: 'AccountHeld', detail }];
};

/** A stop that replaces another, for example with another note, changes nothing for consumers. */
const stopEvents = (change: ItemChange): readonly BusEvent[] => {
  const { before, after } = change;
  const isStopped = after.stoppedAt !== undefined;
  if ((before.stoppedAt !== undefined) === isStopped) return [];
  const name = isStopped ? 'SendingStopped' : 'SendingResumed';
  const since = stringOf(after, isStopped ? 'stoppedAt' : 'resumedAt');
  const at = parseInstant(since) ?? change.writtenAt;
  const common = { id: eventId(name, change, since), account: accountOf(after), at };
  return name === 'SendingStopped'
    ? [{ name, detail: { ...common, content: { note: stringOf(after, 'stopNote') } } }]
    : [{ name, detail: common }];
};
