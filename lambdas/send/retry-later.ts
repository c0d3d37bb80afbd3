import { blockedWaitMs } from '../domain/backoff.ts';
import { msBetween } from '../domain/instant.ts';
import type { QueuedSend } from '../domain/send.ts';
import { notAfterOf } from '../domain/send-request.ts';
import type { MessageResult } from '../runtime/queue-handler.ts';
import type { Blocked } from './account-view.ts';
import type { SendContext } from './send-context.ts';

/** Retries a request after a delay, but early enough to record that it expired. */
export const retryLater = ({ clock }: SendContext, { request }: QueuedSend, afterMs: number): MessageResult => {
  const notAfter = notAfterOf(request);
  const leftMs = notAfter === undefined ? afterMs : msBetween(clock.now(), notAfter);
  return { kind: 'retry', afterMs: Math.min(afterMs, Math.max(0, leftMs + 1)) };
};

/** Retries a request after a delay that grows with the time for which requests have waited. */
export const retryBlocked = (context: SendContext, send: QueuedSend, { since }: Blocked): MessageResult => {
  const { clock, randomness } = context;
  return retryLater(context, send, blockedWaitMs(msBetween(since, clock.now()), randomness.random()));
};
