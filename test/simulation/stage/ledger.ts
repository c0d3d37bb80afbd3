import type { Item } from '../../../lambdas/table/item.ts';
import type { Effect } from '../world/chat-service.ts';
import type { Fault } from '../world/faults.ts';
import type { CallEnd } from '../world/journal.ts';
import type { WireEvent } from '../world/translate-event.ts';
import type { Act } from './history.ts';

/** The functions of a stage, by what they do in an invocation. */
export type FunctionName = 'receive' | 'drain' | 'send' | 'publish' | 'end-turn' | 'manage' | 'erase' | 'keep';

/**
 * Everything that happened in a run, in order, including what Parley cannot see. The invariants compare Parley's
 * records with the ledger, and the timeline of a failing run shows it.
 */
export interface Ledger {
  readonly entries: readonly LedgerEntry[];
}

export type LedgerEntry = {
  /** The world's clock, in milliseconds since the epoch. */
  readonly atMs: number;
  /** The process that did it, such as `send-3`. Undefined for events outside of Parley. */
  readonly process?: string;
} & (
  | { readonly kind: 'act'; readonly act: Act }
  /** The management API responded to an operator or internal system. `status` is undefined if the response was lost. */
  | { readonly kind: 'api-answer'; readonly act: Act; readonly status: number | undefined; readonly body: unknown }
  | { readonly kind: 'invoked'; readonly function: FunctionName; readonly messages: number }
  | {
      readonly kind: 'ended';
      readonly function: FunctionName;
      readonly how: 'answered' | 'failed' | 'died' | 'timed-out';
    }
  /** The chat service reports an event. From now on, its delivery is attempted until it is acknowledged. */
  | {
      readonly kind: 'event';
      readonly eventId: string;
      readonly body: string;
      /** What happened, in the contract's own format. @default the body */
      readonly source?: WireEvent;
      /** How many events are posted with it. @default none */
      readonly others?: number;
      readonly isUnauthenticated: boolean;
    }
  | { readonly kind: 'delivery'; readonly eventId: string; readonly attempt: number }
  /** `isHeard` is false if the response to the publish/subscribe system was lost. */
  | { readonly kind: 'delivery-answer'; readonly eventId: string; readonly status: number; readonly isHeard: boolean }
  /** An event that is posted once is not posted again, or was not posted because the webhook failed too often. */
  | { readonly kind: 'event-lost'; readonly eventId: string; readonly why: LossCause }
  /** A write of the table. `before` and `after` are whole items. */
  | {
      readonly kind: 'write';
      readonly key: string;
      readonly before: Item | undefined;
      readonly after: Item | undefined;
    }
  /** A process read what is stored about a contact. */
  | { readonly kind: 'read-contact'; readonly name: string; readonly contact: Item | undefined }
  /** A call of a sending endpoint, as the chat service saw it; `effect` if the message reached the user. */
  | {
      readonly kind: 'call';
      readonly requestId: string;
      readonly claimId: string | undefined;
      readonly endpoint: string;
      readonly body: Readonly<Record<string, unknown>>;
      readonly effect: Effect | undefined;
      readonly end: CallEnd;
      /** Whether the process received a response that shows the outcome. */
      readonly isAnswered: boolean;
      /** Whether the process received a 2xx that it cannot read. */
      readonly isUnreadable?: boolean;
    }
  | { readonly kind: 'queued'; readonly queue: QueueName; readonly body: string; readonly reason?: string }
  | { readonly kind: 'deleted'; readonly queue: QueueName; readonly body: string }
  /** A process used the receipt handle of a message of another queue. */
  | { readonly kind: 'misdirected'; readonly queue: QueueName; readonly body: string }
  /** The bus accepted an event. */
  | { readonly kind: 'published'; readonly id: string; readonly detailType: string; readonly detail: unknown }
  | { readonly kind: 'scheduled' | 'unscheduled' | 'schedule-fired'; readonly requestId: string }
  /** A fault at a call of a port. `id` is the same in every run of the same history. */
  | {
      readonly kind: 'fault';
      readonly id: string;
      readonly function: FunctionName;
      readonly call: string;
      readonly fault: Fault;
    }
  /** The last act or fault. After this, everything must end. */
  | { readonly kind: 'calm' }
);

/** Why a post that is not repeated got no 2xx. `paused`: there was no post. */
export const LOSS_CAUSES = ['failed', 'unavailable', 'timed out', 'paused'] as const;

export type LossCause = (typeof LOSS_CAUSES)[number];

export type LedgerKind = LedgerEntry['kind'];

export const QUEUES = [
  'send',
  'send-dead-letters',
  'bulk',
  'bulk-dead-letters',
  'inbound',
  'inbound-dead-letters',
  'turns',
  'erasures',
  'erasures-dead-letters',
  'publish-dead-letters',
  'schedule-dead-letters',
] as const;

export type QueueName = (typeof QUEUES)[number];

/** The lanes of the function `send`: its queues. */
export const SEND_LANES = ['send', 'bulk'] as const;

export type SendLane = (typeof SEND_LANES)[number];

export const isSendLane = (queue: string): queue is SendLane => SEND_LANES.some((lane) => lane === queue);
