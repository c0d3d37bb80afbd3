import type { AccountRef } from '../domain/circuit-breaker.ts';
import type { ContactDefaults } from '../domain/contact.ts';
import type { SendRules } from '../domain/decision.ts';
import type { Ms } from '../domain/duration.ts';
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
  SendScheduler,
  Sleep,
} from '../ports.ts';
import type { AccountView } from './account-view.ts';
import type { CallPace } from './bulk/call-pace.ts';

/**
 * Everything that handles the requests of one queue: ports, and what the stage's settings say. Every key is required, so
 * that leaving one out does not compile.
 */
export interface SendContext {
  readonly contacts: ContactRepository;
  readonly sends: SendRepository;
  readonly messages: Pick<MessageRepository, 'readOrigin' | 'recordOutbound'>;
  readonly circuits: CircuitRepository;
  readonly chatService: ChatService;
  readonly deadLetters: SendDeadLetterQueue;
  readonly scheduler: SendScheduler;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly account: AccountRef;
  readonly accountView: AccountView;
  readonly rules: SendRules;
  readonly contactDefaults: ContactDefaults;
  /** The `notAfter` of requests without one, as a duration. */
  readonly defaultNotAfter: string | undefined;
  /** How long a claim lasts; must be longer than an invocation. */
  readonly leaseMs: Ms;
  /** How long a probe of an open circuit breaker may take, including its writes. */
  readonly probeLeaseMs: Ms;
  /** How long a call may take, including a retry with a refreshed token and the write of its outcome. */
  readonly callTimeMs: Ms;
  /** The maximum number of concurrent calls in this process. */
  readonly maxConcurrentCalls: number;
  /** The pace of calls in this process, if it is limited. */
  readonly pace: CallPace | undefined;
}
