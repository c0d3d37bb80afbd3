import { type ConsentVerdict, consentVerdict } from '../consent.ts';
import { outcomeOfFailure } from '../failure.ts';
import { handoverOf } from '../handovers/handover.ts';
import { parseJson } from '../parse-json.ts';
import type { SendState } from '../send-transitions.ts';
import { channelEvents } from '../watch/channel-events.ts';
import type { BusEvent } from './event-details.ts';
import type { EventName } from './event-names.ts';
import { type AccountImage, eventId, type ItemChange, type ItemChangeOf } from './item-change.ts';
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

type UnpublishedState = 'queued' | 'scheduled' | 'claimed' | 'waiting';

/** The states that are published: those that end a request, and `uncertain`, which an operator must resolve. */
const EVENT_OF_STATE = {
  accepted: 'SendAccepted',
  refused: 'SendRefused',
  rejected: 'SendRejected',
  expired: 'SendExpired',
  uncertain: 'SendUncertain',
  cancelled: 'SendCancelled',
  failed: 'SendFailed',
} as const satisfies Readonly<Record<Exclude<SendState, UnpublishedState>, EventName>>;

/** The states of {@link EVENT_OF_STATE}. A write that leaves a send in any other state publishes nothing. */
export const PUBLISHED_STATES: readonly string[] = Object.keys(EVENT_OF_STATE);

const sendEvents = (change: ItemChangeOf<'send'>): readonly BusEvent[] => {
  const { id: requestId, contact, before, after } = change;
  const { state, since, code, messageId, traceparent } = after;
  if (state === undefined || !isPublished(state)) return [];
  // A redriven request can be refused again, for another reason.
  const isRefusedAgain = state === 'refused' && before.since !== since;
  if (before.state === state && !isRefusedAgain) return [];
  const name = EVENT_OF_STATE[state];
  const at = since ?? change.writtenAt;
  const { outcome, outcomeDetails } = name === 'SendFailed' ? outcomeOfFailure(after.failure ?? '') : after;
  const id = eventId(name, change, sendOccurrence(change));
  const customerId = customerIn(after.body);
  const common = { id, traceparent, requestId, contact, customerId, at, decision: after.decision, outcome };
  const content = { request: after.body, outcomeDetails };
  switch (name) {
    case 'SendAccepted': {
      const { endpoint, body } = after.call ?? {};
      return [{ name, detail: { ...common, messageId, endpoint, content: { body, outcomeDetails } } }];
    }
    case 'SendFailed':
      return [{ name, detail: { ...common, messageId, code, content } }];
    case 'SendRefused':
      return [{ name, detail: { ...common, code, content } }];
    default:
      return [{ name, detail: { ...common, content } }];
  }
};

/** Returns the customer that a request names. */
const customerIn = (body: string | undefined): string | undefined => {
  const request = parseJson(body ?? '');
  const customerId = typeof request === 'object' && request !== null && 'customerId' in request && request.customerId;
  return typeof customerId === 'string' ? customerId : undefined;
};

/**
 * The time distinguishes repeats: a request that is resent can become uncertain more than once. If a send turns out to
 * have several messages, one can fail at the time of another, or take the place of one that failed.
 */
const sendOccurrence = ({ before, after }: ItemChangeOf<'send'>): string | undefined => {
  const isOfMessage = after.state === 'failed' || before.state === 'failed';
  return isOfMessage ? `${after.since ?? ''} ${after.messageId ?? ''}` : after.since;
};

const isPublished = (state: string): state is keyof typeof EVENT_OF_STATE => Object.hasOwn(EVENT_OF_STATE, state);

/**
 * Publishes a consent only if it changes the effective one, because consumers may rely on the latest event. The same
 * consent can become effective more than once, so an event's ID depends on all of the contact's consents.
 */
const consentEvents = (change: ItemChangeOf<'consent'>): readonly BusEvent[] => {
  const { contact, before, after: consents } = change;
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
const handoverEvents = (change: ItemChangeOf<'handover'>): readonly BusEvent[] => {
  const { contact, before, after } = change;
  const moved = HANDOVER_TIMES.filter((name) => after[name] !== before[name]);
  const at = moved.map((name) => after[name]).find((time) => time !== undefined);
  if (contact === undefined || at === undefined) return [];
  const [was, is] = [handoverOf(before, at), handoverOf(after, at)];
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

const accountEvents = (change: ItemChangeOf<'account'>): readonly BusEvent[] => [
  ...circuitEvents(change),
  ...stopEvents(change),
];

const accountOf = ({ platform, channel }: AccountImage) => ({ platform, channel });

const circuitEvents = (change: ItemChangeOf<'account'>): readonly BusEvent[] => {
  const { before, after } = change;
  const { isOpen, reason, why } = after;
  if (before.isOpen === isOpen) return [];
  const since = isOpen ? after.openedAt : after.closedAt;
  const at = since ?? change.writtenAt;
  const account = accountOf(after);
  // The time distinguishes one time on hold from the next.
  if (!isOpen) {
    return [{ name: 'AccountResumed', detail: { id: eventId('AccountResumed', change, since), account, at } }];
  }
  const id = eventId('AccountHeld', change, since);
  return [{ name: 'AccountHeld', detail: { id, account, at, reason, why } }];
};

/** A stop that replaces another, for example with another note, changes nothing for consumers. */
const stopEvents = (change: ItemChangeOf<'account'>): readonly BusEvent[] => {
  const { before, after } = change;
  const isStopped = after.stoppedAt !== undefined;
  if ((before.stoppedAt !== undefined) === isStopped) return [];
  const name = isStopped ? 'SendingStopped' : 'SendingResumed';
  const since = isStopped ? after.stoppedAt : after.resumedAt;
  const at = since ?? change.writtenAt;
  const common = { id: eventId(name, change, since), account: accountOf(after), at };
  return name === 'SendingStopped'
    ? [{ name, detail: { ...common, content: { note: after.stopNote } } }]
    : [{ name, detail: common }];
};
