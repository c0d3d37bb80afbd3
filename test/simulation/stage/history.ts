import type { WindowPer } from '../../../lambdas/domain/contact.ts';
import type { SendRules } from '../../../lambdas/domain/send-decision.ts';
import type { Fault } from '../world/faults.ts';

/**
 * A run of a stage, as data. The same history always gives the same run, and a history without some of its acts or
 * faults is a history too, so that a failing one can be shrunk.
 */
export interface History {
  /** Decides the order of what can happen at the same time, what the chat service delivers when, and which faults happen. */
  readonly seed: number;
  readonly features: Features;
  /** In the order of their times. */
  readonly acts: readonly Act[];
  /** The ids of the only faults that happen. @default those that the seed draws at the rates of the features */
  readonly faults?: readonly string[];
}

/** What distinguishes one run's stage and environment from another's. */
export interface Features {
  /** How likely each fault is at a call where it is possible. A fault without a rate does not happen. */
  readonly faultRates: Readonly<Partial<Record<Fault, number>>>;
  readonly delivery: DeliveryFeatures;
  readonly windowPer: WindowPer;
  readonly rules: Partial<SendRules>;
  /** Whether events on the bus carry content. */
  readonly content: boolean;
  /** Messages per invocation of each consumer, at most. */
  readonly batchSize: { readonly send: number; readonly inbound: number; readonly stream: number };
  /** Invocations of the function `send` at once. */
  readonly sendConcurrency: number;
  /** How far the chat service's clock is ahead of Parley's; negative if it is behind. */
  readonly clockAheadMs: number;
  /** How long the chat service takes to answer, at most. */
  readonly maxAnswerMs: number;
  /** How likely a fault is at each of the first calls of a kind in a run, so that rare calls have faults. @default 0 */
  readonly rareCallFaultRate?: number;
  /** How the chat service differs from what its contract shows. @default not at all */
  readonly chatService?: ChatServiceFeatures;
}

/** What the contract does not show, or what a chat service may do differently. */
export interface ChatServiceFeatures {
  /** How much earlier than 24 hours after a user's message it closes the window. */
  readonly closesEarlyMs: number;
  /** How long a message may take to reach a user's device, at most. */
  readonly maxDeviceMs: number;
  /** Whether the answer to an accepted `intent/v2` names no message. */
  readonly answersIntentsWithoutId: boolean;
}

/** How the publish/subscribe system delivers the chat service's events. */
export interface DeliveryFeatures {
  /** How likely an acknowledged event is delivered again. */
  readonly duplicateRate: number;
  /** How likely an event is late, which also changes the order, and by how much, at most. */
  readonly lateRate: number;
  readonly maxLateMs: number;
  /** How likely an acknowledgment is lost, so that the event is delivered again. */
  readonly lostAnswerRate: number;
  /** How likely an event has no CREATION_TIME. */
  readonly withoutTimeRate: number;
}

/**
 * Something that happens outside of Parley, or that an operator or an internal system does. `atMs` is in milliseconds
 * since the epoch; a run starts at `NOW` of the builders, or with its first act if that is earlier.
 */
export type Act = { readonly atMs: number } & (
  | { readonly kind: 'user-writes'; readonly contact: string; readonly text: string }
  /** The user's device shows everything that was sent to it: the chat service reports Read for each. */
  | { readonly kind: 'user-reads'; readonly contact: string }
  | { readonly kind: 'echo'; readonly contact: string; readonly text: string }
  /** An authentic body that is no known event. */
  | { readonly kind: 'unknown-event'; readonly body: string }
  | { readonly kind: 'unauthenticated-event'; readonly contact: string; readonly text: string }
  /** An internal system queues a request, or registers it through the management API. */
  | {
      readonly kind: 'request';
      readonly via: 'queue' | 'api';
      /** In the format of the send queue. */
      readonly body: string;
      readonly groupId: string;
      readonly deduplicationId: string;
    }
  | { readonly kind: 'cancel'; readonly requestId: string }
  | { readonly kind: 'resolve'; readonly requestId: string; readonly as: 'accepted' | 'failed' | 'resend' }
  | {
      readonly kind: 'consent';
      readonly contact: string;
      readonly consent: 'opt-in' | 'opt-out';
      readonly origin: 'user' | 'import';
      /** How long before the act the user said so. */
      readonly agoMs: number;
    }
  | { readonly kind: 'erase'; readonly contact: string }
  | { readonly kind: 'redrive'; readonly queue: 'send' | 'inbound' }
  /** The account runs out of credit, or gets some. */
  | { readonly kind: 'credit'; readonly hasCredit: boolean }
  /** The chat service gets a new access token; the secret follows later. */
  | { readonly kind: 'rotate-token'; readonly secretFollowsMs: number }
  | { readonly kind: 'template'; readonly name: string; readonly isApproved: boolean }
  | { readonly kind: 'platform'; readonly contact: string; readonly isOnPlatform: boolean }
  /** For a while, every call of the chat service, or of a part of AWS, ends like this. */
  | {
      readonly kind: 'outage';
      readonly part: 'chat-service' | 'table' | 'queues' | 'bus' | 'scheduler';
      readonly how: 'refused' | 'bad-gateway' | 'throttled' | 'unanswered';
      readonly forMs: number;
    }
);

export type ActKind = Act['kind'];
