import type { SendRules } from '../../../lambdas/domain/send-decision.ts';
import type { SendRequest } from '../../../lambdas/domain/send-request.ts';
import type { StoredContact } from '../../support/contact-items.ts';
import type { ChatServiceOptions } from './chat-service.ts';
import type { Fault } from './faults.ts';
import type { Mutation } from './send-process.ts';
import type { WireFormat } from './translate-event.ts';
import type { World } from './world.ts';

/** Something that happens once, at any time, beside the function. */
export interface WorldEvent {
  readonly label: string;
  /** Whether it can happen now. @default always */
  readonly isPossible?: (world: World) => boolean;
  /**
   * Whether a call that waits for its turn depends on it; at any other time it can as well happen later. @default
   * always
   */
  readonly matters?: (waiting: readonly string[]) => boolean;
  /** Whether time passes when it happens, so that it commutes with no call. @default false */
  readonly movesClock?: boolean;
  /** Whether it must happen now, before anything else. */
  readonly isDue?: (world: World) => boolean;
  readonly happen: (world: World) => void | Promise<void>;
}

export interface QueuedRequest {
  readonly request: SendRequest;
  /** @default the contact */
  readonly groupId?: string;
  readonly deduplicationId?: string;
  /** @default the request as JSON */
  readonly body?: string;
}

export interface WorldOptions {
  readonly queued: readonly QueuedRequest[];
  /** What is stored about each contact at the start. */
  readonly contacts?: Readonly<Record<string, StoredContact>>;
  /** When each contact last wrote according to the chat service. */
  readonly lastWroteAt?: Readonly<Record<string, string>>;
  readonly chatService?: Partial<ChatServiceOptions>;
  readonly rules?: Partial<SendRules>;
  /** @default true */
  readonly hasCredit?: boolean;
  readonly events?: readonly WorldEvent[];
  /** The format of webhook events, as far as it can express them. @default the contract's own */
  readonly format?: WireFormat;
  /** Messages per invocation, and invocations at once. @default 1 and 2 */
  readonly batchSize?: number;
  readonly concurrency?: number;
  /** Promises that nothing writes the contact or the circuit breaker; a write of them is an error. @default false */
  readonly isContactConstant?: boolean;
  /** Whether schedules are left out that differ only in the order of independent calls. @default true */
  readonly prunes?: boolean;
  /** Whether the deliveries are alike, so that the first call may be the first one's. @default false */
  readonly isSymmetric?: boolean;
  readonly maxFaults?: number;
  readonly allowedFaults?: readonly Fault[];
  /** Calls that may be late besides the faults. @default 0 */
  readonly freeLates?: number;
  readonly createMutation?: () => Mutation;
  readonly random?: (process: string) => number;
}
