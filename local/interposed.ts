import type { Emulators } from './emulators/emulators.ts';
import type { FunctionPool } from './functions/function-pool.ts';
import type { InvokeFunction } from './functions/invocation.ts';

/** What a run puts between its parts, so that a test can disturb each connection. */
export interface Interposed {
  /** Returns a function's environment variables with other addresses. */
  readonly environment: (variables: Readonly<Record<string, string>>) => Record<string, string>;
  /** What event source mappings read from. */
  readonly mappings: Pick<Emulators, 'sqs' | 'dynamodbStreams' | 'queueBaseUrl'>;
  /** Returns what invokes a function on behalf of the HTTP APIs, event source mappings, and schedules. */
  readonly invocations: (pool: FunctionPool) => InvokeFunction;
  /** Returns the URL that the sandbox delivers to. */
  readonly webhookUrl: (webhookUrl: string) => string;
}

/** Creates what lies between the parts, once the emulators and the chat service run, and before any function does. */
export type Interpose = (emulators: Emulators, chatServiceUrl: string) => Interposed;
