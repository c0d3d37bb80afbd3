import type { ConversationTable } from '../../../lambdas/adapters/dynamodb/table.ts';
import type { WindowPer } from '../../../lambdas/domain/contact.ts';
import type { SendRules } from '../../../lambdas/domain/decision.ts';
import type { SendRequest } from '../../../lambdas/domain/send-request.ts';
import type { Clock } from '../../../lambdas/ports.ts';
import type { ChatServiceOptions } from '../world/chat-service.ts';
import type { Fault } from '../world/faults.ts';
import type { Independence } from '../world/independence.ts';
import type { ManageMutation, ManagementRequest } from '../world/manage-process.ts';
import type { Post } from '../world/post.ts';
import type { PublishMutation } from '../world/publish-process.ts';
import type { ReceiveMutation } from '../world/receive-process.ts';
import type { Mutation } from '../world/send-process.ts';
import type { WireFormat } from '../world/translate-event.ts';
import type { Scene } from './scene.ts';

/** A caller of the management API that retries until it gets a response. */
export interface ApiCaller {
  /** The prefix of its processes' names. Must not contain a dot. */
  readonly name: string;
  readonly request: ManagementRequest;
  /** Another call after the response. */
  readonly then?: (scene: Scene) => ManagementRequest | undefined;
}

/** An event that happens once, at any time. */
export interface SceneEvent {
  readonly label: string;
  /** What it changes, as calls name it. */
  readonly writes: string;
  /**
   * Whether a call that waits for its turn depends on it; at any other time it can as well happen later. @default
   * always
   */
  readonly matters?: (waiting: readonly string[]) => boolean;
  /** Whether time passes when it happens, so that it commutes with no call. @default false */
  readonly movesClock?: boolean;
  /** Whether it can happen now. @default always */
  readonly isPossible?: (scene: Scene) => boolean;
  /** Whether it must happen now, before anything else. */
  readonly isDue?: (scene: Scene) => boolean;
  readonly happen: (scene: Scene) => void | Promise<void>;
}

/** A part of another function that works on the table, without faults of its own. */
export interface OtherWork {
  /** The name of its process. */
  readonly name: string;
  /** Each call of the table waits for its turn. */
  readonly run: (table: ConversationTable, clock: Clock) => Promise<void>;
}

/** A queue message that a function handles. */
export type Consumed = 'send' | 'inbound' | 'erasures';

/** A way to break the functions on purpose. Each instance belongs to one process. */
export interface SceneMutation {
  readonly manage?: ManageMutation;
  readonly send?: Mutation;
  readonly receive?: ReceiveMutation;
  readonly publish?: PublishMutation;
}

/** Several functions on one table, with all of their callers. */
export interface SceneOptions {
  /** Runs before anything else, without turns and faults. */
  readonly prepare?: (scene: Scene) => void | Promise<void>;
  /** Runs before any process: its writes are the first changes of the stream. */
  readonly write?: (scene: Scene) => void | Promise<void>;
  /** The maximum counts of an erasure: what was stored when it was requested. */
  readonly erasable?: { readonly messages: number; readonly sends: number; readonly deadLetters: number };
  /** A text in each dead letter that existed at the start. */
  readonly deadLetters?: readonly string[];
  readonly callers?: readonly ApiCaller[];
  readonly posts?: readonly Post[];
  /** The format of webhook events that are stored at once, as far as it can express them. @default the contract's own */
  readonly format?: WireFormat;
  /** Whether what the posts report has happened. @default it had happened before the start */
  readonly postsFollow?: (scene: Scene) => boolean;
  readonly others?: readonly OtherWork[];
  readonly queued?: readonly SendRequest[];
  /** Whether another producer has put the same requests on the queue, in another message group. @default false */
  readonly isQueuedTwice?: boolean;
  /** The IDs of requests on the queue that have nothing but an ID. */
  readonly malformed?: readonly string[];
  /** Messages of the send queue per invocation. @default 1 */
  readonly batchSize?: number;
  /** The number of consecutive daily runs that move old dead letters to the table. @default 0 */
  readonly keeps?: number;
  readonly events?: readonly SceneEvent[];
  /** The queues that a function works on. @default none */
  readonly consumes?: readonly Consumed[];
  /** Whether the function `publish` works on the stream. @default false */
  readonly publishes?: boolean;
  /** Records of the stream per invocation. @default 10 */
  readonly streamBatch?: number;
  readonly refusedByBus?: string;
  /** Whether the posts leave the same table in every schedule. @default false */
  readonly hasOneEnd?: boolean;
  /** That table, if it is known. */
  readonly reference?: string;
  /** Whether an event has no time but that of its arrival, so that schedules differ in it. @default false */
  readonly isTimeOfArrival?: boolean;
  /** @default 'user' */
  readonly windowPer?: WindowPer;
  readonly rules?: Partial<SendRules>;
  readonly chatService?: Partial<ChatServiceOptions>;
  readonly hasCredit?: boolean;
  /** @param process its name. @default 0 */
  readonly random?: (process: string) => number;
  /** The processes in which faults happen, by the start of their names. @default all */
  readonly faultsIn?: RegExp;
  /** What can go wrong in the scene. @default everything but late and overdue calls */
  readonly faults?: readonly Fault[];
  /** Calls that may be late besides the faults. @default 0 */
  readonly freeLates?: number;
  readonly maxFaults?: number;
  readonly allowedFaults?: readonly Fault[];
  readonly createMutation?: () => SceneMutation;
  /** Leaves out schedules that differ only in the order of calls that commute. @default none is left out */
  readonly independence?: Independence;
}
