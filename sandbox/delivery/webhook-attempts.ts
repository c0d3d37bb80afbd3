import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxClock } from '../base/clock.ts';
import { type DeliveryAttempt, type PublishedMessage, shownBody } from './published-message.ts';
import type { SigningKeys } from './signing-keys.ts';
import type { WebhookSettings } from './subscription.ts';
import { createWebhookClient } from './webhook-client.ts';
import { buildWebhookRequest } from './webhook-request.ts';

/** The faults of deliveries; `reversal` reverses the order of several. */
export interface DeliveryFaults {
  takeForDelivery():
    | {
        readonly double?: boolean;
        readonly holdMs?: number;
        readonly reversal?: { turn(): Promise<{ done(): void }> };
      }
    | undefined;
}

/** Posts messages to the webhook. */
export interface WebhookAttempts {
  /** Posts a message as the next fault says, or once. Returns the last attempt; `onExtra` gets any other. */
  post(
    message: PublishedMessage,
    webhook: WebhookSettings,
    onExtra: (attempt: DeliveryAttempt) => void,
  ): Promise<DeliveryAttempt>;
  close(): void;
}

export interface WebhookAttemptsOptions {
  readonly clock: SandboxClock;
  readonly keys: SigningKeys;
  /** How long to wait for the webhook's answer. */
  readonly timeoutMs: number;
  /** @default no faults */
  readonly faults?: DeliveryFaults | undefined;
  /** Returns the sandbox's own address, from which a webhook fetches certificates and confirmations. */
  readonly origin: () => string;
}

/** Ends the attempts in progress when `closing` is aborted. */
export const createWebhookAttempts = (
  { clock, keys, timeoutMs, faults, origin }: WebhookAttemptsOptions,
  closing: AbortSignal,
): WebhookAttempts => {
  const client = createWebhookClient();

  const postOnce = async (message: PublishedMessage, webhook: WebhookSettings): Promise<DeliveryAttempt> => {
    message.attempts += 1;
    const at = clock.now();
    const attempt = { messageId: message.messageId, shownBody: shownBody(message), attempt: message.attempts, at };
    try {
      const request = await buildWebhookRequest(message, webhook, { keys, now: at, origin: origin() });
      const status = await client.post(request, AbortSignal.any([closing, AbortSignal.timeout(timeoutMs)]));
      return { ...attempt, status };
    } catch (error) {
      return { ...attempt, status: null, error: describeFailure(error, timeoutMs) };
    }
  };

  return {
    post: async (message, webhook, onExtra) => {
      const fault = faults?.takeForDelivery();
      if (fault?.holdMs !== undefined) await sleep(fault.holdMs, undefined, { signal: closing }).catch(() => {});
      const turn = await fault?.reversal?.turn();
      if (fault?.double) onExtra(await postOnce(message, webhook));
      const attempt = await postOnce(message, webhook);
      turn?.done();
      return attempt;
    },
    close: () => client.close(),
  };
};

const describeFailure = (error: unknown, timeoutMs: number): string => {
  if (!(error instanceof Error)) return String(error);
  const isTimeout = error.cause instanceof Error && error.cause.name === 'TimeoutError';
  return isTimeout ? `No answer within ${timeoutMs} ms.` : error.message;
};
