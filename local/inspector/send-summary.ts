import { type SendRecord, sendTimes } from '../../lambdas/domain/send.ts';
import { traceIdOf } from '../../lambdas/domain/trace-context.ts';
import type { SendSummary, SendVersion, SendView } from '../../sandbox/base/trace.ts';
import { isObject, parseJson } from '../base/json.ts';

const MAX_TEXT_CHARACTERS = 200;

/** Summarizes a send for a list. */
export const summarizeSend = (send: SendRecord): SendSummary => summarize(send, requestOf(send));

const summarize = (send: SendRecord, request: RequestFields): SendSummary => {
  const { requestId, state, code, decision, outcome, outcomeDetails, messageId } = send;
  const { platformContactId, customerId, messageText, ruleNameOrId } = request;
  return {
    ...{ requestId, state, code, decision, outcome, outcomeDetails, messageId },
    firstAt: timesOf(send).at(0),
    at: timesOf(send).at(-1),
    // The address that was chosen for a request to a customer.
    platformContactId: string(platformContactId) ?? string(send.call?.body.platformContactId),
    customerId: string(customerId),
    // The text of an opt-out's confirmation, and a default template, are the stage's and not in the request.
    text: shorten(string(messageText) ?? string(send.call?.body.messageText)),
    ruleName: string(ruleNameOrId) ?? string(send.call?.body.ruleNameOrId),
    ...(send.erasedAt !== undefined && { isErased: true }),
  };
};

/** Returns the version of a send that a later one will replace. */
export const sendVersion = (send: SendRecord): SendVersion => {
  const { state, code, decision, outcome, outcomeDetails, sendAt, claimId, call, attempts, confirmedBy } = send;
  const isFromStatus = state === 'failed' || (state === 'accepted' && confirmedBy !== undefined);
  return {
    ...{ state, code, decision, outcome, outcomeDetails, sendAt, claimId, call, attempts },
    since: isFromStatus ? undefined : send[`${state}At`],
  };
};

/** Returns a send as its timeline shows it. */
export const viewSend = (send: SendRecord): SendView => {
  const { body, queuedAt, claimedAt, unknownCall, traceparent } = send;
  const request = requestOf(send);
  const { params } = request;
  return {
    ...summarize(send, request),
    ...sendVersion(send),
    ...{ body, queuedAt, claimedAt, unknownCall },
    traceId: traceparent && traceIdOf(traceparent),
    params: Object.fromEntries(
      Object.entries(isObject(params) ? params : {}).flatMap(([name, value]) =>
        typeof value === 'string' ? [[name, value]] : [],
      ),
    ),
  };
};

type RequestFields = Readonly<Record<string, unknown>>;

/** Returns the request. It is empty if its contact was erased. */
const requestOf = ({ body }: SendRecord): RequestFields => {
  const request = parseJson(body);
  return isObject(request) ? request : {};
};

/** Returns the times of a send's changes, earliest first. */
const timesOf = (send: SendRecord): readonly string[] => {
  // The time for which a request is scheduled is not the time of a change.
  const { sendAt: _due, ...times } = sendTimes.parse(send);
  return Object.values(times)
    .filter((at) => at !== undefined)
    .toSorted();
};

/** Counts code points, so that no character is cut in half. */
const shorten = (text: string | undefined): string | undefined => {
  // A code point has at most two code units.
  const start = [...(text ?? '').slice(0, 2 * (MAX_TEXT_CHARACTERS + 1))];
  return start.length > MAX_TEXT_CHARACTERS ? `${start.slice(0, MAX_TEXT_CHARACTERS - 1).join('')}…` : text;
};

const string = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
