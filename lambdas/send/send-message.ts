import type { AccountRef, OpenCircuit } from '../domain/circuit-breaker.ts';
import type { Contact } from '../domain/contact.ts';
import { addMs } from '../domain/instant.ts';
import type { Claim, QueuedSend } from '../domain/send.ts';
import { type CallDecision, decideSend, type FinalDecision, type SendRules } from '../domain/send-decision.ts';
import { isClosedByMargin } from '../domain/window.ts';
import type {
  ChatService,
  CircuitRepository,
  Clock,
  ContactRepository,
  Log,
  MessageRepository,
  Metrics,
  Randomness,
  SendDeadLetterQueue,
  SendRepository,
} from '../ports.ts';
import type { MessageResult } from '../runtime/queue-handler.ts';
import { createCallService } from './call-service.ts';
import { createCheckContact } from './check-contact.ts';
import { createCircuitBreaker, type ObservedCall } from './circuit-breaker.ts';
import { createRecordResult, resultOf } from './record-result.ts';
import { createResumeSend } from './resume-send.ts';

export interface SendMessageOptions {
  readonly contacts: ContactRepository;
  readonly sends: SendRepository;
  readonly messages: Pick<MessageRepository, 'recordOutbound'>;
  readonly circuits: CircuitRepository;
  readonly account: AccountRef;
  readonly chatService: ChatService;
  readonly deadLetters: SendDeadLetterQueue;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly rules: SendRules;
  /** How long a claim lasts; must be longer than an invocation. */
  readonly leaseMs: number;
  /** How long a probe of an open circuit breaker may take, including its writes. */
  readonly probeLeaseMs: number;
}

/**
 * Creates the function that sends a request, or records why it was not sent. It decides based on the contact's current
 * state, claims the send before the call, and records the outcome afterward. The claim prevents a request that is
 * delivered twice from being sent again.
 */
export const createSendMessage = (options: SendMessageOptions) => {
  const { sends, clock, rules, metrics } = options;
  const breaker = createCircuitBreaker(options);
  const checkContact = createCheckContact(options);
  const callService = createCallService(options);
  const recordResult = createRecordResult(options);
  const resumeSend = createResumeSend(options);

  const endWithoutCall = async (send: QueuedSend, decision: FinalDecision): Promise<MessageResult> => {
    const result = resultOf(decision, clock.now());
    const recorded = await sends.recordWithoutCall(send, result);
    return recorded.kind === 'conflict' ? resumeSend(send, recorded.send) : recordResult.report(send, result);
  };

  /** Makes the request wait. Records that only once, because the item does not change while the circuit is open. */
  const wait = async (send: QueuedSend, circuit: OpenCircuit): Promise<MessageResult> => {
    if (send.isFirstReceive !== false) {
      const why = `The circuit breaker has been open since ${circuit.openedAt}: ${circuit.why}`;
      const recorded = await sends.recordWithoutCall(send, { state: 'waiting', at: clock.now(), why });
      if (recorded.kind === 'conflict' && recorded.send.state !== 'waiting') return resumeSend(send, recorded.send);
      metrics.count('SendWaiting');
    }
    return recordResult.waitForCircuit(send, circuit);
  };

  const claimAndCall = async (
    send: QueuedSend,
    contact: Contact,
    decision: CallDecision,
  ): Promise<{ readonly result: MessageResult; readonly observed?: ObservedCall }> => {
    const claim = createClaim(options, decision);
    const claimed = await sends.claim(send, claim, { resend: send.request.onUncertain === 'resend' });
    if (claimed.kind === 'missing') throw new Error(`The send ${send.request.requestId} could not be claimed.`);
    if (claimed.kind === 'conflict') return { result: await resumeSend(send, claimed.send) };
    const completed = await callService(send, contact, decision);
    if (!('outcome' in completed)) return { result: await recordResult.recordDecision(send, claim.claimId, completed) };
    const result = await recordResult.recordCall(send, claim, claimed.attempt, completed);
    return { result, observed: { outcome: completed.outcome, calledAt: claim.claimedAt } };
  };

  return async (send: QueuedSend, hasTime: () => boolean = () => true): Promise<MessageResult> => {
    const contact = await breaker.readContact(send.contact);
    const decision = decideSend(send.request, contact, clock.now(), rules);
    if (isClosedByMargin(contact, clock.now(), rules.windowMarginMs)) {
      metrics.count('WindowMisjudged', { direction: 'closed' });
    }
    if (decision.kind !== 'call') return endWithoutCall(send, decision);

    const admission = await breaker.run<MessageResult>(async () => {
      const checked = await checkContact(send, contact, decision);
      if (checked.kind === 'retry') return { result: checked };
      const decided = decideSend(send.request, checked.contact, clock.now(), rules);
      if (decided.kind !== 'call') return { result: await endWithoutCall(send, decided) };
      // Waiting for another request's call or for the contact check may have used up this invocation's time.
      if (!hasTime()) return { result: { kind: 'retry', afterMs: 0 } };
      return claimAndCall(send, checked.contact, decided);
    });
    if ('state' in admission) return wait(send, admission);
    const { result, open } = admission;
    return open && result.kind === 'retry' ? recordResult.waitForCircuit(send, open) : result;
  };
};

const createClaim = ({ clock, randomness, leaseMs }: SendMessageOptions, { call, why }: CallDecision): Claim => {
  const claimedAt = clock.now();
  return { claimId: randomness.newId(), claimedAt, leaseUntil: addMs(claimedAt, leaseMs), call, why };
};
