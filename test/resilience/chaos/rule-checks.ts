import { type Check, compareEach } from './check.ts';
import { type ChatCall, erasedContacts, type Ledgers } from './ledgers.ts';
import { isUnknowable, sendOf } from './sending-checks.ts';

const WINDOW_MS = 24 * 60 * 60 * 1000;

const digits = (address: string): string => address.replaceAll(/\D/g, '');

/** Selects requests that must be in order: from the queue, not scheduled, and with every outcome known. */
const inOrder: Check = {
  name: "a contact's messages are sent in the order of its requests",
  compare(ledgers) {
    const positions = new Map<string, number>();
    for (const [position, { requestId }] of ledgers.outbox.entries()) {
      if (!positions.has(requestId)) positions.set(requestId, position);
    }
    const unknown = new Set(
      ledgers.calls.filter((call) => isUnknowable(call, ledgers)).map(({ requestId }) => requestId),
    );
    const ordered = ledgers.requests.filter(
      ({ requestId, expected, via, isScheduled }) =>
        expected === 'end' && via === 'queue' && !isScheduled && positions.has(requestId) && !unknown.has(requestId),
    );
    const contacts = Map.groupBy(ordered, ({ contact }) => contact);
    return compareEach(
      contacts,
      ([contact]) => contact,
      ([, requests]) => {
        const byRequest = requests.toSorted((one, other) => one.order - other.order);
        const late = byRequest.find(
          ({ requestId }, index) =>
            (positions.get(requestId) ?? 0) < (positions.get(byRequest[index - 1]?.requestId ?? '') ?? 0),
        );
        return late && `${late.requestId} was sent before an earlier request of the contact`;
      },
    );
  },
};

const noFreeFormOutsideWindow: Check = {
  name: 'no free-form call outside the window',
  compare(ledgers) {
    const written = Map.groupBy(
      ledgers.events.filter(({ expected }) => expected === 'message'),
      ({ contact }) => digits(contact),
    );
    return compareEach(
      ledgers.calls.filter(({ endpoint }) => endpoint === 'message/v3'),
      ({ requestId }) => requestId,
      ({ contact, at }) => {
        const opened = (written.get(digits(contact)) ?? []).some(
          (event) => event.at <= at && Date.parse(at) - Date.parse(event.at) < WINDOW_MS,
        );
        return opened ? undefined : `was sent to ${contact}, who had not written in the 24 hours before ${at}`;
      },
    );
  },
};

/** A free-form call may be based on a contact that was read shortly before the claim, over a slow connection. */
const FREE_FORM_READ_MS = 10_000;

const optOutsObeyed: Check = {
  name: 'opt-outs are obeyed from the time that they are recorded',
  compare(ledgers) {
    const erased = erasedContacts(ledgers);
    const consents = Map.groupBy(ledgers.consents, ({ contact }) => digits(contact));
    const claimed = ledgers.calls.filter(({ contact }) => consents.has(digits(contact)) && !erased.has(contact));
    return compareEach(
      claimed,
      ({ requestId }) => requestId,
      (call) => disobeyed(ledgers, call, consents.get(digits(call.contact)) ?? []),
    );
  },
};

const disobeyed = (
  ledgers: Ledgers,
  { requestId, contact, endpoint, at }: ChatCall,
  consents: Ledgers['consents'],
): string | undefined => {
  // The latest claim. Earlier claims of the request were for earlier calls.
  const claimedAt = String(sendOf(ledgers, requestId)?.claimedAt ?? '');
  if (claimedAt === '' || claimedAt > at) return undefined;
  const graceMs = endpoint === 'message/v3' ? FREE_FORM_READ_MS : 0;
  const before = new Date(Date.parse(claimedAt) - graceMs).toISOString();
  const optOut = consents.findLast(({ consent, recordedAt }) => consent === 'opt-out' && recordedAt < before);
  if (optOut === undefined) return undefined;
  // An opt-in counts from its first call, which may have been recorded although the response was lost.
  if (consents.some(({ consent, at: since }) => consent === 'opt-in' && since >= optOut.at && since <= at))
    return undefined;
  const wroteAgain =
    endpoint === 'message/v3' &&
    ledgers.events.some(
      (event) =>
        event.expected === 'message' &&
        digits(event.contact) === digits(contact) &&
        event.at > optOut.at &&
        event.at <= at,
    );
  return wroteAgain ? undefined : `was sent by ${endpoint} at ${at}, after the opt-out of ${optOut.at}`;
};

const cancelledNotSent: Check = {
  name: 'cancelled sends are not sent',
  compare(ledgers) {
    const sent = new Set(ledgers.outbox.map(({ requestId }) => requestId));
    return compareEach(
      ledgers.cancelled,
      (requestId) => requestId,
      (requestId) => {
        if (sent.has(requestId)) return 'was cancelled, but is in the outbox';
        const state = sendOf(ledgers, requestId)?.state;
        return state === 'cancelled' ? undefined : `was cancelled, but is ${state}`;
      },
    );
  },
};

export const RULE_CHECKS: readonly Check[] = [inOrder, noFreeFormOutsideWindow, optOutsObeyed, cancelledNotSent];
