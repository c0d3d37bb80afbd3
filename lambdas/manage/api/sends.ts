import { addresseeOf, resolveAddressee } from '../../domain/addressed-request.ts';
import { type ContactDefaults, messageGroup } from '../../domain/contact.ts';
import { parseInstant } from '../../domain/instant.ts';
import { likelyMessage, timesOfLikelyMessage } from '../../domain/likely-message.ts';
import * as z from '../../domain/schema.ts';
import { acceptedCall, type SendRecord, sendTimes } from '../../domain/send.ts';
import { parseSendRequest, type SendRequest, sendRequest } from '../../domain/send-request.ts';
import { faultsOfSendRequest } from '../../domain/send-request-faults.ts';
import { canStartFrom, SEND_STATES } from '../../domain/send-transitions.ts';
import { tooFarAhead } from '../../domain/too-far-ahead.ts';
import { startTrace, type Traceparent, traceIdOf } from '../../domain/trace-context.ts';
import type { Clock, EchoReader, MessageRepository, SendQueue, SendRepository } from '../../ports.ts';
import { type Answer, accepted, invalidField, invalidRequest, ok, problem, problemResponse } from './answer.ts';
import { defineRoute, NOT_JSON, noBody, noQuery, type Parsed } from './define-route.ts';
import { type DryRunPorts, dryRun, dryRunResponse } from './dry-run.ts';
import { confinableIdField, requestIdField } from './fields.ts';

export interface SendPorts {
  readonly sends: Pick<SendRepository, 'read' | 'register'>;
  readonly messages: Pick<MessageRepository, 'read'>;
  readonly queue: SendQueue;
  readonly clock: Clock;
  readonly contactDefaults: ContactDefaults;
}

const instant = z.optional(z.string());

export const sendResponse = z.object({
  requestId: z.string(),
  state: z.enum(SEND_STATES),
  /** The broadcast that the request is part of; kept when its contact is erased. */
  broadcastId: z.optional(z.string()),
  /** The rule that a refused send violates, the chat service's code of a rejection, or the platform's of a failure. */
  code: z.optional(z.string()),
  /** Why Parley made its latest call, or why it made no call. */
  decision: z.optional(z.string()),
  /** The result: the status and the code of the chat service's answer, a status, or an operator's resolution. */
  outcome: z.optional(z.string()),
  /**
   * The chat service's error message, its reason for a failure, or the operator's note, with numbers masked; absent if
   * the contact was erased.
   */
  outcomeDetails: z.optional(z.string()),
  /** The request as queued; absent if its contact was erased. */
  request: z.optional(z.unknown()),
  /** The address to which Parley sent, or was about to; absent before the first claim, and if its contact was erased. */
  platformContactId: z.optional(z.string()),
  endpoint: z.optional(z.string()),
  messageId: z.optional(z.string()),
  /** The ID of the send's trace, as in the logs; absent if its contact was erased. */
  traceId: z.optional(z.string()),
  attempts: z.number(),
  /** How many calls ended without a known outcome. */
  unknownOutcomes: z.number(),
  ...sendTimes.shape,
  /** The statuses of an accepted send's message. */
  deliveredAt: instant,
  readAt: instant,
  answeredAt: instant,
  /**
   * For an uncertain send: the only message with its text, or its template, that the business sent to the contact from a
   * minute before the call to ten minutes after it, and that no send is known to be. An echo or an import has brought it.
   */
  likelyMessage: z.optional(z.object({ id: z.string(), createdAt: z.string() })),
});

export const enqueueResponse = z.object({
  requestId: z.string(),
  state: z.string(),
  /** The ID of the send's trace: that of the call, or of whoever queued the request first. */
  traceId: z.optional(z.string()),
});

const parseRequest = (bodyText: string): Parsed<SendRequest> => {
  if (z.parseJson(bodyText) === undefined) return NOT_JSON;
  const parsed = parseSendRequest(bodyText);
  return parsed.kind === 'request'
    ? { kind: 'parsed', value: parsed.request }
    : { kind: 'invalid', faults: faultsOfSendRequest(bodyText) };
};

/** Records the request's id first, so that a reused id fails here and not later, on the dead-letter queue. */
const enqueue = async (
  { sends, queue, clock, contactDefaults }: SendPorts,
  request: SendRequest,
  traceparent: Traceparent = startTrace('send', request.requestId),
): Promise<Answer> => {
  const { requestId } = request;
  const sendAt = parseInstant(request.sendAt);
  const fault = sendAt === undefined ? undefined : tooFarAhead(sendAt, clock.now());
  if (fault !== undefined) return invalidRequest([fault]);
  const send = {
    request,
    // Serialized again, so that whitespace and the order of fields do not make it a different request.
    body: JSON.stringify(request),
    contact: resolveAddressee(contactDefaults, request),
    groupId: messageGroup(addresseeOf(request)),
    deduplicationId: requestId,
    traceparent,
  };
  const registered = await sends.register(send, clock.now());
  if (registered.kind === 'conflict' && registered.send.body !== send.body) {
    return problem(
      409,
      'REQUEST_ID_REUSED',
      `Another request with the ID ${requestId} was already received. Use a new ID for this request.`,
    );
  }
  const state = registered.kind === 'conflict' ? registered.send.state : 'queued';
  // A send that has ended is never sent again, so it is not queued.
  const first = registered.kind === 'conflict' ? registered.send.traceparent : traceparent;
  if (registered.kind !== 'conflict' || mayStillBeSent(registered.send)) {
    await queue.put({ ...send, traceparent: first ?? traceparent });
  }
  return accepted({ requestId, state, traceId: first && traceIdOf(first) });
};

const enqueueDescription =
  'The request is validated like one taken from the queue. 202 means that the request is or was queued; get the send ' +
  'to see its result. 409 means that the request ID was used with another body.';
const enqueueResponses = { 202: enqueueResponse, 400: problemResponse, 409: problemResponse };
/** Refuses other parameters, so that a misspelled `dryRun` does not send. */
const dryRunQuery = z.strictObject({
  /** Whether to answer with the decision that Parley would make now, and write nothing. @default false */
  dryRun: z.optional(z.enum(['true', 'false'], 'must be true or false')),
});

export const enqueueSend = defineRoute({
  route: 'POST /v1/sends',
  summary: 'Put a send request on the queue',
  description:
    `${enqueueDescription} With dryRun=true, nothing is queued or written: 200 has the decision that Parley would make ` +
    'now, or for a request with a sendAt, then, and about how many requests are on each send queue.',
  query: dryRunQuery,
  body: sendRequest,
  parseBody: parseRequest,
  responses: { ...enqueueResponses, 200: dryRunResponse },
  handle: (ports: SendPorts & DryRunPorts, { query, body, traceparent }) =>
    query.dryRun === 'true' ? dryRun(ports, body) : enqueue(ports, body, traceparent),
});

const sendRequestWithoutId = z.looseObject({ requestId: z.optional(z.string()) });

/** Checks that the body's ID, which is stored, is the ID in the path. */
export const enqueueSendById = defineRoute({
  route: 'PUT /v1/sends/{requestId}',
  summary: 'Put a send request, whose ID is in the path, on the queue',
  description:
    'IAM policies can confine a caller to a prefix of the ID. The body is that of POST /v1/sends, in which the ID may be ' +
    `missing. ${enqueueDescription}`,
  id: confinableIdField,
  query: noQuery,
  body: sendRequestWithoutId,
  responses: enqueueResponses,
  async handle(ports: SendPorts, { id, body, traceparent }) {
    if (body.requestId !== undefined && body.requestId !== id) {
      return invalidField('requestId', 'must be the same as the ID in the path; change it, or remove it');
    }
    const parsed = parseRequest(JSON.stringify({ ...body, requestId: id }));
    return parsed.kind === 'parsed' ? enqueue(ports, parsed.value, traceparent) : invalidRequest(parsed.faults);
  },
});

const mayStillBeSent = ({ state, code }: SendRecord): boolean =>
  state === 'claimed' || (canStartFrom('claim', state) && (state !== 'refused' || code === 'PROCESSING_FAILED'));

export const getSend = defineRoute({
  route: 'GET /v1/sends/{requestId+}',
  summary: 'Get the state of a send with its reason',
  id: requestIdField,
  query: noQuery,
  body: noBody,
  responses: { 200: sendResponse, 400: problemResponse, 404: problemResponse },
  async handle(ports: Pick<SendPorts, 'sends' | 'messages'> & LikelyMessagePorts, { id }) {
    const { sends, messages } = ports;
    const send = await sends.read(id);
    if (!send) return sendNotFound(id);
    const message = send.messageId === undefined ? undefined : await messages.read(send.messageId);
    const { deliveredAt, readAt, answeredAt } = message ?? {};
    // The send can be kept for longer than its message.
    const failedAt = message?.failedAt ?? send.failedAt;
    const likely = await findLikelyMessage(ports, send);
    return ok({
      ...viewSend(send),
      deliveredAt,
      readAt,
      answeredAt,
      failedAt,
      ...(likely && { likelyMessage: likely }),
    });
  },
});

export interface LikelyMessagePorts {
  readonly echoes: EchoReader;
}

const findLikelyMessage = async ({ echoes }: LikelyMessagePorts, send: SendRecord) => {
  const times = timesOfLikelyMessage(send);
  const { contact } = send;
  if (times === undefined || contact === undefined) return undefined;
  return likelyMessage(send, await echoes.readUnclaimed(contact, times.from, times.until));
};

export const sendNotFound = (requestId: string): Answer =>
  problem(
    404,
    'SEND_NOT_FOUND',
    `There is no send with the request ID ${requestId}. A request in the queue appears once it has been processed.`,
  );

/** Returns the address that the request of a send names, for the audit trail. An erasure knows no other entry. */
export const addressOf = ({ body, contact }: Pick<SendRecord, 'body' | 'contact'>): string | undefined => {
  if (contact === undefined) return undefined;
  return z.safeParse(namedAddress, z.parseJson(body)).data?.platformContactId;
};

const namedAddress = z.object({ platformContactId: z.optional(z.string()) });

/** Returns only the fields of the response; the others are internal to the table. */
export const viewSend = (record: SendRecord): z.output<typeof sendResponse> => {
  const { call } = acceptedCall(record);
  return z.parse(sendResponse, {
    ...record,
    unknownOutcomes: record.unknownOutcomes + (record.state === 'uncertain' ? 1 : 0),
    request: record.body === '' ? undefined : (z.parseJson(record.body) ?? record.body),
    platformContactId: call?.body.platformContactId,
    endpoint: call?.endpoint,
    traceId: record.traceparent && traceIdOf(record.traceparent),
  });
};
