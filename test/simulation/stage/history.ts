import type { WindowPer } from '../../../lambdas/domain/contact.ts';
import type { SendRules } from '../../../lambdas/domain/decision.ts';
import type { Fault } from '../world/faults.ts';
import type { WireFormat } from '../world/translate-event.ts';
import type { LambdaName } from './processes.ts';

/**
 * A run of a stage, as data. The same history always produces the same run. A history without some of its acts or
 * faults is also a history, so that a failing one can be shrunk.
 */
export interface History {
  /** Determines the order of simultaneous events, when the chat service delivers what, and which faults happen. */
  readonly seed: number;
  readonly features: Features;
  /** Ordered by time. */
  readonly acts: readonly Act[];
  /** The ids of the only faults that happen. @default those that the seed draws at the rates of the features */
  readonly faults?: readonly string[];
}

/** The settings of a run's stage and environment. */
export interface Features {
  /** The probability of each fault at a call where it is possible. A fault without a rate does not happen. */
  readonly faultRates: Readonly<Partial<Record<Fault, number>>>;
  readonly delivery: DeliveryFeatures;
  /** Whether API Gateway puts posts on the inbound queue itself. @default the function `receive` answers them */
  readonly ingress?: 'buffered';
  readonly windowPer: WindowPer;
  readonly rules: Partial<SendRules>;
  /** Whether events on the bus carry content. */
  readonly content: boolean;
  /** Whether a user's message that is `STOP` is an opt-out. @default false */
  readonly keywords?: boolean;
  /** Whether `START` is an opt-in in a stage with keywords. @default false */
  readonly optInKeyword?: boolean;
  /** The silence after which a turn ends. @default the stage has no turns */
  readonly turnSilenceSeconds?: number;
  /** Whether the stage has a bulk queue. Otherwise, bulk requests are put on the send queue. @default false */
  readonly bulkLane?: boolean;
  /** How many messages a FIFO queue looks through for available message groups. @default 120,000, as in SQS */
  readonly fifoLookahead?: number;
  /** The maximum number of messages per invocation of each consumer. */
  readonly batchSize: { readonly send: number; readonly inbound: number; readonly stream: number };
  /** The maximum number of concurrent invocations of the function `send`. */
  readonly sendConcurrency: number;
  /** How far the chat service's clock is ahead of Parley's; negative if it is behind. */
  readonly clockAheadMs: number;
  /** The longest response time of the chat service. */
  readonly maxAnswerMs: number;
  /** How likely a fault is at each of the first calls of a kind in a run, so that rare calls have faults. @default 0 */
  readonly rareCallFaultRate?: number;
  /** A kind of call that often fails at a time of day. @default none */
  readonly flakyCall?: FlakyCall;
  /** How the chat service differs from what its contract shows. @default not at all */
  readonly chatService?: ChatServiceFeatures;
}

export interface FlakyCall {
  /** The kind of call, as `function call`. */
  readonly name: string;
  /** How likely each such call fails. */
  readonly rate: number;
  /** The milliseconds since midnight UTC from which it fails each day, and for how long. */
  readonly fromMs: number;
  readonly forMs: number;
}

/** What the contract does not show, or what a chat service may do differently. */
export interface ChatServiceFeatures {
  /** How much earlier than 24 hours after a user's message it closes the window. */
  readonly closesEarlyMs: number;
  /** How long a message may take to reach a user's device, at most. */
  readonly maxDeviceMs: number;
  /** Whether the answer to an accepted `intent/v2` names no message. */
  readonly answersIntentsWithoutId: boolean;
  /** The probability that it later reports again that a message was delivered. @default 0 */
  readonly repeatedStatusRate?: number;
  /** The probability that a user's message has an unknown STATUS, and that a sent message gets one. @default 0 */
  readonly unknownStatusRate?: number;
  /** The probability that it reports an echo of a message that Parley sent. @default 0 */
  readonly echoRate?: number;
  /**
   * The formats that its events are drawn from. An event that a format cannot express is in the contract's own. @default
   * only the contract's own
   */
  readonly formats?: readonly WireFormat[];
  /** The probability that a message fails after it was accepted. @default 0 */
  readonly failureRate?: number;
  /** Whether it answers a send with the id of a job, which only some of its events name. @default false */
  readonly answersWithJob?: boolean;
  /** @default it reports delivered, read, and failed, in lower case */
  readonly statuses?: StatusFeatures;
}

/** How the chat service writes `STATUS`, whose values the contract does not list. */
export interface StatusFeatures {
  readonly isUpperCase: boolean;
  /** Whether it also reports `sent`, immediately. */
  readonly reportsSent: boolean;
  readonly failure: 'failed' | 'error';
}

/** How the publish/subscribe system delivers the chat service's events. */
export interface DeliveryFeatures {
  /** The probability that an acknowledged event is delivered again. */
  readonly duplicateRate: number;
  /** The probability that an event is late, which also changes the order, and the maximum delay. */
  readonly lateRate: number;
  readonly maxLateMs: number;
  /** The probability that an acknowledgment is lost, so that the event is delivered again. */
  readonly lostAnswerRate: number;
  /** The probability that an event has no CREATION_TIME. */
  readonly withoutTimeRate: number;
  /** The probability that an event waits for the next ones and is posted with them. @default 0 */
  readonly batchRate?: number;
  /** Whether each event is posted once, whatever the answer. @default false */
  readonly isOnce?: boolean;
  /** The envelope of each webhook request. Only a complete one has a publish time. @default 'complete' */
  readonly envelope?: 'complete' | 'without-publish-time' | 'none';
}

/**
 * Something that happens outside of Parley, or that an operator or an internal system does. `atMs` is in milliseconds
 * since the epoch; a run starts at `NOW` of the builders, or with its first act if that is earlier.
 */
export type Act = { readonly atMs: number } & (
  | { readonly kind: 'user-writes'; readonly contact: string; readonly text: string }
  /** The user reads everything that was sent: the chat service reports Read for each message. */
  | { readonly kind: 'user-reads'; readonly contact: string }
  /** An operator of the chat service writes to the user. */
  | { readonly kind: 'echo'; readonly contact: string; readonly text: string }
  /** An authentic body that is not a known event. */
  | { readonly kind: 'unknown-event'; readonly body: string }
  | { readonly kind: 'unauthenticated-event'; readonly contact: string; readonly text: string }
  /** An internal system queues a request, or registers it through the management API. */
  | {
      readonly kind: 'request';
      readonly via: 'queue' | 'api';
      /** @default the send queue */
      readonly lane?: 'bulk';
      /** In the format of the send queue. */
      readonly body: string;
      readonly groupId: string;
      readonly deduplicationId: string;
    }
  | { readonly kind: 'cancel'; readonly requestId: string }
  /** An operator queues a scheduled request that is overdue. */
  | { readonly kind: 'requeue'; readonly requestId: string }
  | { readonly kind: 'resolve'; readonly requestId: string; readonly as: 'accepted' | 'failed' | 'resend' }
  | {
      readonly kind: 'consent';
      readonly contact: string;
      readonly consent: 'opt-in' | 'opt-out';
      readonly origin: 'user' | 'import';
      /** How long before the act the user said so. */
      readonly agoMs: number;
    }
  /** An operator hands a contact over to people, or back. */
  | { readonly kind: 'handover'; readonly contact: string; readonly to: 'people' | 'automated' }
  | { readonly kind: 'erase'; readonly contact: string }
  | { readonly kind: 'redrive'; readonly queue: 'send' | 'bulk' | 'inbound' }
  /** An operator stops or resumes sending, or makes the next probe of an open circuit breaker due. */
  | { readonly kind: 'stop'; readonly note: string }
  | { readonly kind: 'resume' }
  | { readonly kind: 'retry-now' }
  /** The account runs out of credit or gets new credit. */
  | { readonly kind: 'credit'; readonly hasCredit: boolean }
  /** The chat service gets a new access token; the secret follows later. */
  | { readonly kind: 'rotate-token'; readonly secretFollowsMs: number }
  | { readonly kind: 'template'; readonly name: string; readonly isApproved: boolean }
  | { readonly kind: 'platform'; readonly contact: string; readonly isOnPlatform: boolean }
  /** A user's device is switched off or on. Messages reach it, and are reported as delivered, only while it is on. */
  | { readonly kind: 'device'; readonly contact: string; readonly isOn: boolean }
  /** Every running process of a function dies. */
  | { readonly kind: 'crash'; readonly lambda: LambdaName }
  /** For some time, Lambda invokes the function `receive` no more. */
  | { readonly kind: 'throttle'; readonly forMs: number }
  /** For some time, the webhook's secret cannot be read. */
  | { readonly kind: 'lock-secret'; readonly forMs: number }
  /** For some time, every call to the chat service or to a part of AWS ends like this. */
  | {
      readonly kind: 'outage';
      readonly part: 'chat-service' | 'table' | 'queues' | 'bus' | 'scheduler';
      readonly how: 'refused' | 'bad-gateway' | 'throttled' | 'unanswered';
      readonly forMs: number;
    }
);

export type ActKind = Act['kind'];
