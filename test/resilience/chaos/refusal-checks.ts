import { contactRef } from '../../../lambdas/domain/contact.ts';
import { parseJson } from '../../../lambdas/domain/schema.ts';
import { type Check, compareEach } from './check.ts';
import { erasedContacts, type Ledgers, type ProducedRequest } from './ledgers.ts';
import { sendOf } from './sending-checks.ts';

const WINDOW_MS = 24 * 60 * 60 * 1000;
/** The stage's `window.marginSeconds`. */
const MARGIN_MS = 60_000;
/** A decision can be based on a contact that was read this long before, over a slow connection. */
const READ_MS = 10_000;

interface Refusal {
  readonly request: ProducedRequest;
  readonly at: string;
  /** The function certainly knew what was recorded by then. */
  readonly knownBy: string;
}

const keyOf = (address: string): string => contactRef('chat', address).key;

/** Returns when the user last wrote, according to what was certainly recorded when the request was refused. */
const knownToHaveWritten = ({ windows }: Ledgers, { request, knownBy }: Refusal): string | undefined =>
  windows
    .filter(({ key, at }) => key === keyOf(request.contact) && at <= knownBy)
    .map(({ lastInboundAt }) => lastInboundAt)
    .toSorted()
    .at(-1);

/** Whether the chat service has said since that the window is closed. */
const isDenied = ({ calls }: Ledgers, { request, at }: Refusal, since: string): boolean =>
  calls.some(
    (call) =>
      keyOf(call.contact) === keyOf(request.contact) &&
      call.at <= at &&
      new Date(Date.parse(call.at) + call.durationMs).toISOString() >= since &&
      /"code":\s*201\b/.test(call.answer ?? ''),
  );

const isOpen = (ledgers: Ledgers, refusal: Refusal): boolean => {
  const since = knownToHaveWritten(ledgers, refusal);
  if (since === undefined || isDenied(ledgers, refusal, since)) return false;
  return Date.parse(refusal.at) - Date.parse(since) < WINDOW_MS - MARGIN_MS;
};

const hasOptedIn = ({ optedIn, consents }: Ledgers, { request: { contact }, knownBy }: Refusal): boolean =>
  optedIn.includes(contact) ||
  consents.some((one) => one.contact === contact && one.consent === 'opt-in' && one.recordedAt <= knownBy);

const isOptedOut = (ledgers: Ledgers, refusal: Refusal): boolean => {
  const { request, at, knownBy } = refusal;
  const own = ledgers.consents.filter(({ contact }) => contact === request.contact);
  const isFreeForm = Object(parseJson(request.body)).messageText !== undefined;
  const wrote = knownToHaveWritten(ledgers, refusal);
  return own.some(
    (optOut) =>
      optOut.consent === 'opt-out' &&
      optOut.at <= at &&
      !own.some(
        ({ consent, at: since, recordedAt }) => consent === 'opt-in' && since > optOut.at && recordedAt <= knownBy,
      ) &&
      !(isFreeForm && wrote !== undefined && wrote > optOut.at && isOpen(ledgers, refusal)),
  );
};

/** Returns why a refusal was wrong, given what Parley knew. */
const unjustified = (ledgers: Ledgers, refusal: Refusal, code: unknown): string | undefined => {
  const fields = Object(parseJson(refusal.request.body));
  switch (code) {
    case 'WINDOW_CLOSED':
      if (fields.ruleNameOrId !== undefined) return 'but the request has a template';
      return isOpen(ledgers, refusal) ? 'but the window was open' : undefined;
    case 'NO_OPT_IN':
      if (hasOptedIn(ledgers, refusal)) return 'but the contact had opted in';
      return knownToHaveWritten(ledgers, refusal) === undefined ? undefined : 'but the user had written';
    case 'OPTED_OUT':
      return isOptedOut(ledgers, refusal) ? undefined : 'but no opt-out applied';
    case 'REASON_MISSING':
      return fields.reason === undefined ? undefined : 'but the request has a reason';
    case 'MEDIA_UNSUPPORTED':
      return fields.fileURL === undefined ? 'but the request has no media' : undefined;
    default:
      return 'for which the run gave no cause';
  }
};

const refusalsJustified: Check = {
  name: 'a request is refused only for a cause that Parley knew of',
  compare(ledgers) {
    const erased = erasedContacts(ledgers);
    const refused = ledgers.requests.filter(
      ({ expected, contact, requestId }) =>
        expected === 'end' && !erased.has(contact) && sendOf(ledgers, requestId)?.state === 'refused',
    );
    return compareEach(
      refused,
      ({ requestId }) => requestId,
      (request) => {
        const { code, refusedAt } = Object(sendOf(ledgers, request.requestId));
        const at = String(refusedAt);
        if (Number.isNaN(Date.parse(at))) return `was refused at ${at}, which is not a time`;
        const knownBy = new Date(Date.parse(at) - READ_MS).toISOString();
        const why = unjustified(ledgers, { request, at, knownBy }, code);
        return why && `was refused at ${at} with ${code}, ${why}`;
      },
    );
  },
};

const rejectionsAndExpiriesJustified: Check = {
  name: 'a request is rejected only by the chat service, and expires only after its notAfter',
  compare(ledgers) {
    const erased = erasedContacts(ledgers);
    const calls = Map.groupBy(ledgers.calls, ({ requestId }) => requestId);
    return compareEach(
      ledgers.requests.filter(({ expected, contact }) => expected === 'end' && !erased.has(contact)),
      ({ requestId }) => requestId,
      ({ requestId, body }) => {
        const send = sendOf(ledgers, requestId);
        if (send?.state === 'rejected') {
          const isRejected = calls.get(requestId)?.some(({ answer }) => /^4|problems/.test(answer ?? ''));
          return isRejected ? undefined : 'is rejected, but the chat service rejected no call';
        }
        if (send?.state !== 'expired') return undefined;
        const { notAfter } = Object(parseJson(body));
        return notAfter !== undefined && String(send.expiredAt) > notAfter
          ? undefined
          : `expired at ${send.expiredAt}, but its notAfter is ${notAfter}`;
      },
    );
  },
};

export const REFUSAL_CHECKS: readonly Check[] = [refusalsJustified, rejectionsAndExpiriesJustified];
