import type { Item } from '../../../lambdas/adapters/dynamodb/table.ts';
import type { Effect } from '../world/chat-service.ts';
import type { Fault } from '../world/faults.ts';
import type { CallEnd } from '../world/journal.ts';
import type { Act } from './history.ts';

/** The functions of a stage, by what they do in an invocation. */
export type FunctionName = 'receive' | 'drain' | 'send' | 'publish' | 'manage' | 'erase' | 'keep';

/**
 * Everything that happened in a run, in order, as nobody inside Parley can see it. The invariants compare Parley's
 * records with it, and the timeline of a failing run shows it.
 */
export interface Ledger {
  readonly entries: readonly LedgerEntry[];
}

export type LedgerEntry = {
  /** The world's clock, in milliseconds since the epoch. */
  readonly atMs: number;
  /** The process that did it, such as `send-3`. Undefined for what happens outside of Parley. */
  readonly process?: string;
} & (
  | { readonly kind: 'act'; readonly act: Act }
  /** An operator or internal system got an answer of the management API; `status` is undefined if it got none. */
  | { readonly kind: 'api-answer'; readonly act: Act; readonly status: number | undefined; readonly body: unknown }
  | { readonly kind: 'invoked'; readonly function: FunctionName; readonly messages: number }
  | {
      readonly kind: 'ended';
      readonly function: FunctionName;
      readonly how: 'answered' | 'failed' | 'died' | 'timed-out';
    }
  /** The chat service has something to report: from now on its delivery must be attempted until it is acknowledged. */
  | { readonly kind: 'event'; readonly eventId: string; readonly body: string; readonly isUnauthenticated: boolean }
  | { readonly kind: 'delivery'; readonly eventId: string; readonly attempt: number }
  /** `isHeard` is false if the answer was lost on its way to the publish/subscribe system. */
  | { readonly kind: 'delivery-answer'; readonly eventId: string; readonly status: number; readonly isHeard: boolean }
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
      /** Whether the process received an answer from which it can know the end. */
      readonly isAnswered: boolean;
    }
  | { readonly kind: 'queued'; readonly queue: QueueName; readonly body: string; readonly reason?: string }
  | { readonly kind: 'deleted'; readonly queue: QueueName; readonly body: string }
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
  /** No act or fault happens after this: from here on, everything must end. */
  | { readonly kind: 'calm' }
);

export type LedgerKind = LedgerEntry['kind'];

export const QUEUES = [
  'send',
  'send-dead-letters',
  'inbound',
  'inbound-dead-letters',
  'erasures',
  'erasures-dead-letters',
  'publish-dead-letters',
  'schedule-dead-letters',
] as const;

export type QueueName = (typeof QUEUES)[number];
