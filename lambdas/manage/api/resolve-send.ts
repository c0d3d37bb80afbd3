import { addresseeOf } from '../../domain/addressed-request.ts';
import { messageGroup } from '../../domain/contact.ts';
import { LoggableError } from '../../domain/errors.ts';
import { maskNumbers } from '../../domain/mask-numbers.ts';
import * as z from '../../domain/schema.ts';
import { acceptedMessage, RESOLUTIONS, type Resolution, type SendRecord } from '../../domain/send.ts';
import { parseSendRequest } from '../../domain/send-request.ts';
import { canStartFrom, SEND_TRANSITIONS } from '../../domain/send-transitions.ts';
import type {
  AuditRepository,
  Clock,
  Log,
  MessageRepository,
  Metrics,
  Randomness,
  SendQueue,
  SendRepository,
  TransitionResult,
} from '../../ports.ts';
import { recordMessage } from '../../runtime/record-message.ts';
import { type Answer, ok, problem, problemResponse } from './answer.ts';
import { defineRoute, ignoredQuery } from './define-route.ts';
import { eventIdField, requestIdField } from './fields.ts';
import { addressOf, sendNotFound, sendResponse, viewSend } from './sends.ts';

export interface ResolveSendPorts {
  readonly sends: Pick<SendRepository, 'read' | 'resolve' | 'fail'>;
  readonly messages: Pick<MessageRepository, 'recordOutbound'>;
  readonly audit: Pick<AuditRepository, 'record'>;
  readonly queue: SendQueue;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly metrics: Metrics;
}

const resolutionRequest = z
  .strictObject({
    requestId: requestIdField,
    /** `accepted`: it was sent; `failed`: it was not sent and must not be; `resend`: send it again. */
    outcome: z.enum(['accepted', 'failed', 'resend'], 'must be accepted, failed, or resend'),
    /** The chat service's id of the message; required with `accepted`. */
    messageId: z.optional(eventIdField),
    /** How you determined the outcome. */
    note: z.optional(z.boundedString(1024)),
    /** With `resend`: whether to queue the request; false if the caller queues it. @default true */
    enqueue: z.optional(z.boolean('must be true or false')),
  })
  .check(
    z.refine((request) => (request.outcome === 'accepted') === (request.messageId !== undefined), {
      path: ['messageId'],
      error: 'is required with the outcome accepted and not allowed with any other',
    }),
  );

/** Idempotent: a repeated call gets the same answer, and completes any step that failed the first time. */
export const resolveSend = defineRoute({
  route: 'POST /v1/resolutions',
  summary: 'Resolve an uncertain send, or resend an uncertain or rejected one',
  query: ignoredQuery,
  body: resolutionRequest,
  responses: { 200: sendResponse, 400: problemResponse, 404: problemResponse, 409: problemResponse },
  async handle(ports: ResolveSendPorts, { body, caller }) {
    const { requestId, outcome, messageId, enqueue = true } = body;
    const send = await ports.sends.read(requestId);
    if (!send) return sendNotFound(requestId);
    if (outcome === 'resend' && send.erasedAt !== undefined) return notResendable(requestId);
    const why = `An operator resolved it as ${outcome}.`;
    const withoutNote = resolutionOf(outcome, messageId, ports.clock.now(), why);
    // A later erasure would not find the note, because an erased send no longer names its contact.
    const note = send.erasedAt === undefined ? body.note && maskNumbers(body.note) : undefined;
    let resolution = { ...withoutNote, note };
    if (canStartFrom(RESOLUTIONS[outcome], send.state)) {
      const { contact } = send;
      // Without a known contact, an erasure could not find the note.
      const details = { requestId, outcome, messageId, ...(contact && { note, platformContactId: addressOf(send) }) };
      await ports.audit.record({ action: 'resolution', contact, details, at: resolution.at, caller });
      let resolved = await resolve(ports, send, resolution);
      if (resolved.kind === 'conflict' && resolved.send.erasedAt !== undefined && note !== undefined) {
        resolution = { ...withoutNote, note: undefined };
        resolved = await resolve(ports, send, resolution);
      }
      if (resolved.kind === 'missing') return sendNotFound(requestId);
      if (resolved.kind === 'conflict' && outcome === 'resend' && resolved.send.erasedAt !== undefined) {
        return notResendable(requestId);
      }
      // A concurrent call or an SDK retry may have just written the same resolution.
      if (resolved.kind === 'conflict' && !isResolvedAlready(resolved.send, resolution)) {
        return notResolvable(resolved.send, outcome);
      }
    } else if (!isResolvedAlready(send, resolution)) return notResolvable(send, outcome);
    // An erasure that emptied the send before the resolution does not know the message, and so does not mark it.
    const resolved = (await ports.sends.read(requestId)) ?? send;
    const message = resolution.outcome === 'accepted' ? acceptedMessage(resolved) : undefined;
    if (message !== undefined) await recordMessage(ports, message);
    if (resolution.outcome === 'resend' && enqueue) await enqueueAgain(ports, send);
    return ok(viewSend(resolved));
  },
});

/** Tries again if another operator has just resolved the send as failed, because such a send can still be resent. */
const resolve = async (
  { sends }: Pick<ResolveSendPorts, 'sends'>,
  send: SendRecord,
  resolution: Resolution,
): Promise<TransitionResult> => {
  const resolved = await sends.resolve(send, resolution);
  if (resolved.kind !== 'conflict') return resolved;
  const { send: current } = resolved;
  const isResolvable = canStartFrom(RESOLUTIONS[resolution.outcome], current.state) && current.claimId === send.claimId;
  return isResolvable && current.state !== send.state ? sends.resolve(current, resolution) : resolved;
};

/** The chat service rejects sends too, so only the reason shows that an operator did, and in these words. */
const isResolvedAlready = (send: SendRecord, resolution: Resolution): boolean =>
  (resolution.outcome === 'accepted' &&
    (send.state === 'accepted' || send.state === 'failed') &&
    send.messageId === resolution.messageId) ||
  (resolution.outcome === 'failed' &&
    send.state === 'rejected' &&
    send.outcome === resolution.why &&
    send.outcomeDetails === resolution.note) ||
  (resolution.outcome === 'resend' && send.state === 'waiting');

/** The request's schema ensures that `messageId` is present if and only if the outcome is `accepted`. */
const resolutionOf = (
  outcome: Resolution['outcome'],
  messageId: string | undefined,
  at: string,
  why: string,
): Resolution => (outcome === 'accepted' ? { outcome, messageId: messageId ?? '', at, why } : { outcome, at, why });

const enqueueAgain = async (
  { queue, randomness }: ResolveSendPorts,
  { body, requestId, traceparent }: SendRecord,
): Promise<void> => {
  const parsed = parseSendRequest(body);
  if (parsed.kind === 'malformed') throw new LoggableError(`The send ${requestId} has no request to queue.`);
  // Within five minutes, SQS would drop a message with the request's own deduplication id.
  const deduplicationId = randomness.newId();
  const groupId = messageGroup(addresseeOf(parsed.request));
  await queue.put({ body, groupId, deduplicationId, ...(traceparent && { traceparent }) });
};

const notResolvable = ({ requestId, state }: SendRecord, outcome: Resolution['outcome']): Answer => {
  const states = Object.keys(SEND_TRANSITIONS[RESOLUTIONS[outcome]].from).join(' or ');
  const sentence = `The send ${requestId} is ${state}; only a send that is ${states} can be resolved as ${outcome}.`;
  return problem(409, 'NOT_RESOLVABLE', sentence);
};

const notResendable = (requestId: string): Answer =>
  problem(
    409,
    'NOT_RESOLVABLE',
    `The send ${requestId} cannot be resent because its contact was erased, along with the request.`,
  );
