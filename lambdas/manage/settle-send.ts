import { messageGroup } from '../domain/message-group.ts';
import { SETTLEABLE, type SendRecord, type Settlement } from '../domain/send-record.ts';
import { readSendRequest } from '../domain/send-request.ts';
import type { Clock, Randomness, SendDesk, SendQueue } from '../ports.ts';
import { type Answer, ok, problem } from './answer.ts';
import { type ContactNaming, contactOf } from './contact-of.ts';
import { sendNotFound, sendView } from './get-send.ts';
import { type ManagementCall, readBody } from './input.ts';
import { settlementRequest } from './requests.ts';

export interface SettleSendPorts extends ContactNaming {
  readonly sends: SendDesk;
  readonly queue: SendQueue;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/**
 * Ends a send that nobody could know the outcome of, or has it, or a rejected one, tried again. Repeating a settlement
 * that stands is answered like the first.
 */
export const createSettleSend =
  (ports: SettleSendPorts) =>
  async ({ bodyText }: ManagementCall): Promise<Answer> => {
    const body = readBody(settlementRequest, bodyText);
    if (body.kind === 'faulty') return body.answer;
    const { requestId, outcome, messageId, note, enqueue = true } = body.value;
    const send = await ports.sends.readSend(requestId);
    if (!send) return sendNotFound(requestId);
    if (!SETTLEABLE[outcome].includes(send.state) && !isRepetition(send, outcome, messageId)) {
      return notSettleable(send, outcome);
    }
    const why = `Settled by an operator: ${outcome}${note === undefined ? '.' : `. ${note}`}`;
    const settlement = settlementOf(outcome, messageId, ports.clock.now(), why);
    if (settlement === undefined) return notSettleable(send, outcome);
    if (SETTLEABLE[outcome].includes(send.state) && (await ports.sends.settle(send, settlement)) === 'held') {
      return notSettleable((await ports.sends.readSend(requestId)) ?? send, outcome);
    }
    if (outcome === 'accepted') await recordOutbound(ports, send, settlement);
    if (outcome === 'resend' && enqueue) await queueAgain(ports, send);
    const settled = await ports.sends.readSend(requestId);
    return ok(sendView(settled ?? send));
  };

/** The same settlement before: what a function that died may have left undone after it is done again. */
const isRepetition = (send: SendRecord, outcome: Settlement['outcome'], messageId: string | undefined): boolean =>
  (outcome === 'accepted' && send.state === 'accepted' && send.messageId === messageId) ||
  (outcome === 'resend' && send.state === 'waiting');

const settlementOf = (
  outcome: Settlement['outcome'],
  messageId: string | undefined,
  at: string,
  why: string,
): Settlement | undefined => {
  if (outcome !== 'accepted') return { outcome, at, why };
  return messageId === undefined ? undefined : { outcome, messageId, at, why };
};

const recordOutbound = async (ports: SettleSendPorts, send: SendRecord, settlement: Settlement): Promise<void> => {
  const { requestId, call, claimedAt, body = '' } = send;
  const read = readSendRequest(body);
  if (settlement.outcome !== 'accepted' || !call || claimedAt === undefined || read.kind === 'malformed') return;
  const contact = contactOf(ports, read.request);
  await ports.sends.recordOutbound({ id: settlement.messageId, requestId, contact, call, claimedAt });
};

const queueAgain = async ({ queue, randomness }: SettleSendPorts, { body, requestId }: SendRecord): Promise<void> => {
  const read = readSendRequest(body ?? '');
  if (body === undefined || read.kind === 'malformed')
    throw new Error(`The send ${requestId} has no request to queue.`);
  // A new deduplication id: the queue would swallow the request's own within five minutes.
  const deduplicationId = randomness.newId();
  await queue.put({ body, groupId: messageGroup(read.request.platformContactId), deduplicationId });
};

const notSettleable = ({ requestId, state }: SendRecord, outcome: Settlement['outcome']): Answer =>
  problem(
    409,
    'NOT_SETTLEABLE',
    `The send ${requestId} is ${state}; ${outcome} settles only one that is ${SETTLEABLE[outcome].join(' or ')}.`,
  );
