import type { TableItem } from '../../../local/cloud/local-client.ts';
import { FINAL_STATES } from '../../support/send-states.ts';
import { abandonedClaims } from './abandoned-claims.ts';
import { type Check, compareEach } from './check.ts';
import { type ChatCall, erasedContacts, type Ledgers, type ProducedRequest } from './ledgers.ts';

export const sendOf = ({ table }: Ledgers, requestId: string): TableItem | undefined => table[`SEND#${requestId} SEND`];

const hasDeadLetter = ({ deadLetters }: Ledgers, { body }: ProducedRequest, reason: string): boolean =>
  deadLetters.sends.some((letter) => letter.body === body && letter.reason?.startsWith(reason));

/** Returns why a request has not ended as expected. */
const unfinished = (ledgers: Ledgers, request: ProducedRequest): string | undefined => {
  switch (request.expected) {
    case 'end': {
      const send = sendOf(ledgers, request.requestId);
      if (send === undefined) return 'is not in the table';
      return FINAL_STATES.includes(String(send.state)) ? undefined : `is still ${send.state}`;
    }
    case 'malformed':
      return hasDeadLetter(ledgers, request, 'MALFORMED') ? undefined : 'is malformed, but not a dead letter';
    case 'reused':
      return hasDeadLetter(ledgers, request, 'REQUEST_ID_REUSED') ? undefined : 'is a reused id, but not a dead letter';
  }
};

const everyRequestEnds: Check = {
  name: 'every request ends in one state or as a dead letter',
  compare(ledgers) {
    const erased = erasedContacts(ledgers);
    return compareEach(
      ledgers.requests.filter(({ contact, expected }) => expected === 'end' || !erased.has(contact)),
      ({ requestId }) => requestId,
      (request) => unfinished(ledgers, request),
    );
  },
};

const deadLettersExplained: Check = {
  name: 'every dead letter of a request is expected and has a reason',
  compare(ledgers) {
    const expected = new Map(ledgers.requests.map((request) => [request.body, request.expected]));
    return compareEach(
      ledgers.deadLetters.sends,
      ({ body }) => body.slice(0, 80),
      ({ body, reason }) => {
        if (!reason) return 'has no reason';
        return [undefined, 'end'].includes(expected.get(body)) ? `should not be a dead letter: ${reason}` : undefined;
      },
    );
  },
};

/** The chat service did nothing. */
const NOT_DONE = 503;

/** Whether a function cannot know the outcome of a call: it got no response, or an inconclusive one. */
export const isUnknowable = ({ answeredStatus, durationMs }: ChatCall, { answerTimeoutMs }: Ledgers): boolean =>
  answeredStatus === undefined ||
  (answeredStatus >= 500 && answeredStatus !== NOT_DONE) ||
  durationMs > 0.9 * answerTimeoutMs;

/** Whether a function got the id of the message. */
const isKnownAccepted = (call: ChatCall, ledgers: Ledgers): boolean =>
  call.answeredStatus === 200 && call.messageId !== undefined && !isUnknowable(call, ledgers);

const callsOf = ({ calls }: Ledgers) => Map.groupBy(calls, ({ requestId }) => requestId);

const nothingSentTwice: Check = {
  name: 'nothing is sent twice, unless the request says resend and the outcome was unknowable',
  compare(ledgers) {
    const sent = Map.groupBy(ledgers.outbox, ({ requestId }) => requestId);
    const calls = callsOf(ledgers);
    const resent = new Set(ledgers.requests.filter(({ isResent }) => isResent).map(({ requestId }) => requestId));
    return compareEach(
      sent,
      ([requestId]) => requestId,
      ([requestId, messages]) => {
        if (messages.length === 1) return undefined;
        if (!resent.has(requestId)) return `was sent ${messages.length} times`;
        const own = calls.get(requestId) ?? [];
        const unknown = own.filter((call) => isUnknowable(call, ledgers)).length;
        const abandoned = abandonedClaims(ledgers, requestId).length;
        const known = own.find((call) => isKnownAccepted(call, ledgers));
        if (known && abandoned === 0 && own.some(({ at }) => at > known.at)) {
          return 'was sent again, although it was known to be accepted';
        }
        return unknown + abandoned >= messages.length - 1
          ? undefined
          : `was sent ${messages.length} times after ${unknown} unknown outcomes and ${abandoned} abandoned claims`;
      },
    );
  },
};

const acceptedInOutbox: Check = {
  name: 'accepted sends and the outbox agree',
  compare(ledgers) {
    const erased = erasedContacts(ledgers);
    const messages = new Map(ledgers.outbox.map((message) => [message.id, message]));
    return compareEach(
      ledgers.requests.filter(({ expected, contact }) => expected === 'end' && !erased.has(contact)),
      ({ requestId }) => requestId,
      ({ requestId }) => {
        const send = sendOf(ledgers, requestId);
        if (send?.state !== 'accepted') return undefined;
        const message = messages.get(String(send.messageId));
        if (message === undefined) return `is accepted as ${send.messageId}, which is not in the outbox`;
        if (message.requestId !== requestId) return `is accepted as the message of ${message.requestId}`;
        const { endpoint } = Object(send.call);
        return endpoint === message.endpoint ? undefined : `is accepted by ${endpoint}, not by ${message.endpoint}`;
      },
    );
  },
};

const outboxAccepted: Check = {
  name: 'every message in the outbox has an accepted or uncertain send',
  compare(ledgers) {
    return compareEach(
      ledgers.outbox,
      ({ requestId, id }) => requestId || id,
      ({ requestId }) => {
        const send = sendOf(ledgers, requestId);
        if (send === undefined) return 'is in the outbox, but not in the table';
        if (send.state === 'accepted' || send.state === 'uncertain') return undefined;
        // An earlier call whose outcome is unknown may have been accepted.
        return Number(send.unknownOutcomes ?? 0) > 0 ? undefined : `is in the outbox, but ${send.state}`;
      },
    );
  },
};

const stringOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const DIED = 'The function that claimed the request died';

const uncertainAfterFault: Check = {
  name: 'a send is uncertain only if a fault hit its call',
  compare(ledgers) {
    const calls = callsOf(ledgers);
    const published = ledgers.published.filter(({ name }) => name === 'SendUncertain');
    const stored = ledgers.requests.flatMap(({ requestId }) => {
      const send = sendOf(ledgers, requestId);
      return send?.state === 'uncertain' ? [{ subject: requestId, outcome: stringOf(send.outcome) }] : [];
    });
    return compareEach(
      [...published, ...stored],
      ({ subject }) => subject,
      ({ subject: requestId, outcome }) => {
        // An erasure removes the outcome of a send.
        if (outcome === undefined || outcome.startsWith(DIED)) {
          if (abandonedClaims(ledgers, requestId).length > 0) return undefined;
          if (outcome !== undefined) return 'is uncertain, but its function did not die';
        }
        const own = calls.get(requestId) ?? [];
        // A 2xx without a readable id, which the sandbox was asked to return.
        const isUnreadable = own.some(({ answeredStatus, messageId }) => answeredStatus === 200 && !messageId);
        const isHit = isUnreadable || own.some((call) => isUnknowable(call, ledgers));
        return isHit ? undefined : 'is uncertain, but no fault hit its call';
      },
    );
  },
};

export const SENDING_CHECKS: readonly Check[] = [
  everyRequestEnds,
  deadLettersExplained,
  nothingSentTwice,
  acceptedInOutbox,
  outboxAccepted,
  uncertainAfterFault,
];
