import type { HeldAccount } from '../domain/account.ts';
import type { Contact } from '../domain/contact.ts';
import { addMs } from '../domain/instant.ts';
import { decideSend, type SendDecision, type SendRules } from '../domain/send-decision.ts';
import type { Claim, QueuedSend } from '../domain/send-state.ts';
import { isClosedByMargin } from '../domain/window.ts';
import type {
  AccountStore,
  ChatService,
  Clock,
  Log,
  Metrics,
  Randomness,
  SendDeadLetters,
  SendStore,
} from '../ports.ts';
import type { MessageResult } from '../queue-handler.ts';
import { createAccountBreaker, type Pass } from './account-breaker.ts';
import { createCallService } from './call-service.ts';
import { createCheckContact } from './check-contact.ts';
import { createConcludeSend } from './conclude-send.ts';
import { createResumeHeld } from './resume-held.ts';

export interface SendMessagePorts {
  readonly store: SendStore;
  readonly accounts: AccountStore;
  readonly chatService: ChatService;
  readonly deadLetters: SendDeadLetters;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly rules: SendRules;
  /** How long a claim is respected: longer than a function that holds one can live. */
  readonly leaseMs: number;
  /** How long a probe of a held account may take, its writes included. */
  readonly probeLeaseMs: number;
}

/**
 * Sends a queued request, or says why not: decided on the contact as it stands now, claimed before the call, concluded
 * after it. A request that comes twice finds its own claim and is not sent again.
 */
export const createSendMessage = (ports: SendMessagePorts) => {
  const { store, clock, rules, metrics } = ports;
  const breaker = createAccountBreaker(ports);
  const checkContact = createCheckContact(ports);
  const callService = createCallService(ports);
  const concludeSend = createConcludeSend(ports);
  const resumeHeld = createResumeHeld(ports);

  const settle = async (
    send: QueuedSend,
    decision: Exclude<SendDecision, { kind: 'call' }>,
  ): Promise<MessageResult> => {
    const conclusion = concludeSend.uncalled(decision);
    const settled = await store.settle(send, conclusion);
    return settled.kind === 'held' ? resumeHeld(send, settled.send) : concludeSend.report(send, conclusion);
  };

  /** Only the first time: until the account is open again the item would say the same. */
  const wait = async (send: QueuedSend, account: HeldAccount): Promise<MessageResult> => {
    if (send.isFirstReceive !== false) {
      const why = `The account is held since ${account.heldAt}: ${account.why}`;
      const settled = await store.settle(send, { state: 'waiting', at: clock.now(), why });
      if (settled.kind === 'held' && settled.send.state !== 'waiting') return resumeHeld(send, settled.send);
      metrics.count('SendWaiting');
    }
    return concludeSend.waitForAccount(send, account);
  };

  const claimAndCall = async (
    send: QueuedSend,
    contact: Contact,
    decision: Extract<SendDecision, { kind: 'call' }>,
    pass: Pass,
  ): Promise<MessageResult> => {
    const claim = newClaim(ports, decision);
    const claimed = await store.claim(send, claim, { uncertainToo: send.request.onUncertain === 'resend' });
    if (claimed.kind === 'held') return resumeHeld(send, claimed.send);
    const called = await callService(send, contact, decision);
    if (!('outcome' in called)) {
      return concludeSend.conclude(send, claim.claimId, concludeSend.uncalled(called));
    }
    const result = await concludeSend.called(send, claim, claimed.attempt, called);
    const account = await breaker.judge(pass, claim.claimedAt, called.outcome);
    return account && result.kind === 'again' ? concludeSend.waitForAccount(send, account) : result;
  };

  return async (send: QueuedSend, hasTime: () => boolean = () => true): Promise<MessageResult> => {
    const askedAt = clock.now();
    const { contact, account } = await store.readSituation(send.contact, { accountToo: breaker.isStale() });
    if (account !== undefined) breaker.learnRead(account, askedAt);
    const decision = decideSend(send.request, contact, clock.now(), rules);
    if (isClosedByMargin(contact, clock.now(), rules.windowMarginMs)) {
      metrics.count('WindowMisjudged', { direction: 'closed' });
    }
    if (decision.kind !== 'call') return settle(send, decision);

    const admission = await breaker.admit();
    if (admission.kind === 'held') return wait(send, admission);
    try {
      const checked = await checkContact(send, contact, decision);
      if (checked.kind === 'again') return checked;
      const decided = decideSend(send.request, checked.contact, clock.now(), rules);
      if (decided.kind !== 'call') return await settle(send, decided);
      // Another request's call was waited for, or the contact check: what is left must do for a call of our own.
      if (!hasTime()) return { kind: 'again', afterMs: 0 };
      return await claimAndCall(send, checked.contact, decided, admission.pass);
    } finally {
      admission.pass.release();
    }
  };
};

const newClaim = (
  { clock, randomness, leaseMs }: SendMessagePorts,
  { call, why }: Extract<SendDecision, { kind: 'call' }>,
): Claim => {
  const claimedAt = clock.now();
  return { claimId: randomness.newId(), claimedAt, leaseUntil: addMs(claimedAt, leaseMs), call, why };
};
