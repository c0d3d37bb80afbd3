import type { Writable } from 'node:stream';
import {
  type ExecutionEnvironment,
  type ExecutionSettings,
  startExecutionEnvironment,
} from './execution-environment.ts';
import {
  type FunctionDeclaration,
  type InvocationResult,
  type InvokeFunction,
  PAYLOAD_LIMIT,
} from './function-declaration.ts';

/** A function that can be invoked, with the execution environments that it has. */
export interface FunctionPool {
  readonly declaration: FunctionDeclaration;
  readonly invoke: InvokeFunction;
  /** How many of its processes are at work. */
  readonly working: () => number;
  /**
   * Ends a process in the middle of its work, as a crash would. False when none is at work.
   *
   * @param fraction which of those at work, from 0 to less than 1
   */
  readonly killOne: (fraction: number) => boolean;
  /** Ends every process of the function; what still ran fails. */
  readonly close: () => Promise<void>;
}

/** How many processes one function has here at most; Lambda's own limit is the account's, a thousand or more. */
export const LOCAL_CONCURRENCY = 4;

/**
 * Runs a function's invocations, each in an idle environment, else in a further one, else once one is free.
 *
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/lambda-concurrency.html
 */
export const createFunctionPool = (
  declaration: FunctionDeclaration,
  taskRoot: string,
  settings: ExecutionSettings,
  log: Writable,
): FunctionPool => {
  const limit = Math.min(LOCAL_CONCURRENCY, declaration.reservedConcurrency ?? LOCAL_CONCURRENCY);
  const environments = new Set<ExecutionEnvironment>();
  const idle: ExecutionEnvironment[] = [];
  const working = new Set<ExecutionEnvironment>();
  const waiting: (() => void)[] = [];
  let busy = 0;
  let closed = false;

  const discard = (environment: ExecutionEnvironment): void => {
    void environment.close().then(() => environments.delete(environment));
  };

  const takeEnvironment = async (): Promise<ExecutionEnvironment> => {
    for (let found = idle.pop(); found; found = idle.pop()) {
      if (found.alive()) return found;
      discard(found);
    }
    const started = await startExecutionEnvironment(declaration, taskRoot, settings, log);
    environments.add(started);
    return started;
  };

  const run = async (event: string): Promise<InvocationResult> => {
    const environment = await takeEnvironment();
    if (closed) await environment.close();
    working.add(environment);
    const result = await environment.invoke(event);
    working.delete(environment);
    if (environment.alive()) idle.push(environment);
    else discard(environment);
    return result;
  };

  return {
    declaration,
    async invoke(event) {
      const bytes = Buffer.byteLength(event);
      if (bytes > PAYLOAD_LIMIT)
        return refused('RequestEntityTooLarge', `${bytes} byte payload is too large for the invoke`);
      if (busy >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
      if (closed) return refused('Runtime.Closed', 'The local run has ended.');
      busy += 1;
      try {
        const result = await run(event);
        if (!result.ok) log.write(`Invoke Error ${JSON.stringify(result.error)}\n`);
        return result;
      } finally {
        busy -= 1;
        waiting.shift()?.();
      }
    },
    working: () => working.size,
    killOne(fraction) {
      const alive = [...working].filter((environment) => environment.alive());
      const victim = alive[Math.floor(fraction * alive.length)];
      void victim?.close();
      return victim !== undefined;
    },
    async close() {
      closed = true;
      for (const resume of waiting.splice(0)) resume();
      await Promise.all([...environments].map((environment) => environment.close()));
    },
  };
};

const refused = (errorType: string, errorMessage: string): InvocationResult => ({
  ok: false,
  error: { errorType, errorMessage },
});
