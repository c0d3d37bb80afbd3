import type { Writable } from 'node:stream';
import {
  type ExecutionEnvironment,
  type ExecutionSettings,
  startExecutionEnvironment,
} from './execution-environment.ts';
import { type FunctionDeclaration, type InvocationResult, type InvokeFunction, PAYLOAD_LIMIT } from './invocation.ts';

/** A function with its execution environments. */
export interface FunctionPool extends AsyncDisposable {
  readonly declaration: FunctionDeclaration;
  readonly invoke: InvokeFunction;
  /** Returns how many processes are handling an event. */
  readonly working: () => number;
  /**
   * Kills a process that is handling an event, to simulate a crash. Returns false if there is none.
   *
   * @param random A number from 0 (inclusive) to 1 (exclusive) that chooses the process.
   */
  readonly killOne: (random: number) => boolean;
  /**
   * Throttles invocations above a number of concurrent ones, like Lambda's reserved concurrency. Undefined ends that.
   *
   * Source: https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html
   */
  readonly throttleAbove: (concurrency: number | undefined) => void;
}

/** The error of an invocation that Lambda refused because of the concurrency. */
export const THROTTLED = 'TooManyRequestsException';

/** The maximum number of processes per function. On Lambda, the limit is the account's: 1,000 or more. */
export const LOCAL_CONCURRENCY = 4;

/**
 * Creates a pool that handles each invocation in an idle environment, or in a new one if none is idle. At the limit,
 * invocations wait for an idle environment. Disposing of the pool makes invocations that are still running fail.
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
  let throttledAbove = Number.POSITIVE_INFINITY;
  let isClosed = false;

  const discard = (environment: ExecutionEnvironment): void => {
    void environment.close().then(() => environments.delete(environment));
  };

  const acquire = async (): Promise<ExecutionEnvironment> => {
    for (let found = idle.pop(); found; found = idle.pop()) {
      if (found.isAlive()) return found;
      discard(found);
    }
    const started = await startExecutionEnvironment(declaration, taskRoot, settings, log);
    environments.add(started);
    return started;
  };

  const run = async (event: string): Promise<InvocationResult> => {
    const environment = await acquire();
    if (isClosed) await environment.close();
    working.add(environment);
    const result = await environment.invoke(event);
    working.delete(environment);
    if (environment.isAlive()) idle.push(environment);
    else discard(environment);
    return result;
  };

  return {
    declaration,
    async invoke(event) {
      const bytes = Buffer.byteLength(event);
      if (bytes > PAYLOAD_LIMIT) {
        return failure('RequestEntityTooLarge', `${bytes} byte payload is too large for the invoke`);
      }
      if (busy >= throttledAbove) return failure(THROTTLED, 'Rate Exceeded.');
      if (busy >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
      if (isClosed) return failure('Runtime.Closed', 'The local run has ended.');
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
    throttleAbove(concurrency) {
      throttledAbove = concurrency ?? Number.POSITIVE_INFINITY;
    },
    killOne(random) {
      const alive = [...working].filter((environment) => environment.isAlive());
      const victim = alive[Math.floor(random * alive.length)];
      void victim?.close();
      return victim !== undefined;
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      for (const resume of waiting.splice(0)) resume();
      await Promise.all([...environments].map((environment) => environment.close()));
    },
  };
};

const failure = (errorType: string, errorMessage: string): InvocationResult => ({
  ok: false,
  error: { errorType, errorMessage },
});
