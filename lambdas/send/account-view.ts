import { type Circuit, type Failures, NO_FAILURES } from '../domain/circuit-breaker.ts';
import type { Instant } from '../domain/instant.ts';
import type { Stop } from '../domain/sending-stop.ts';

/**
 * What a process knows of the account. The handlers of both send queues share it, so that a failure of the chat service
 * counts for both, whichever queue its request came from.
 */
export interface AccountView {
  /** The circuit as last read or written. */
  known?: { readonly circuit: Circuit; readonly at: Instant };
  failures: Failures;
  /** Whether an operator has stopped sending, as last read. */
  sending?: { readonly stop?: Stop; readonly askedAt: Instant };
}

export const createAccountView = (): AccountView => ({ failures: NO_FAILURES });
