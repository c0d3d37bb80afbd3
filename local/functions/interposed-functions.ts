import type { FunctionPool } from './function-pool.ts';
import type { InvokeFunction } from './invocation.ts';

/** Intermediaries between the functions and the other parts of a run. */
export interface InterposedFunctions {
  /** Returns a function's environment variables with replaced addresses. */
  readonly environment: (variables: Readonly<Record<string, string>>) => Record<string, string>;
  /** Returns what invokes a function on behalf of the HTTP APIs, event source mappings, and schedules. */
  readonly invocations: (pool: FunctionPool) => InvokeFunction;
}
