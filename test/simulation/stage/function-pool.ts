import type { Invocation } from '../../../lambdas/runtime/frame.ts';
import type { Entry } from './agenda.ts';
import type { FunctionName } from './ledger.ts';
import type { EndOfInvocation, LambdaName, StageProcess } from './processes.ts';
import type { StageCalls } from './stage-calls.ts';
import type { StageContext } from './stage-context.ts';

/** The result of an invocation, if the function returned one. */
export type InvocationEnd<Result> =
  | { readonly how: 'answered'; readonly result: Result }
  | { readonly how: Exclude<EndOfInvocation, 'answered'> | 'throttled' };

/** The processes of a function. Each handles one invocation at a time. */
export interface FunctionPool<Handlers> {
  /**
   * @param task `about` identifies the invocation. Drawn faults do not affect one that is spared. Outages do.
   */
  invoke<Result>(
    task: {
      readonly function: FunctionName;
      readonly about: string;
      readonly messages: number;
      readonly isSpared?: boolean;
    },
    handle: (handlers: Handlers, invocation: Invocation) => Promise<Result>,
  ): Promise<InvocationEnd<Result>>;
  readonly active: number;
  /** Ends every process that handles an invocation. */
  crash(): void;
}

export interface FunctionPoolOptions<Handlers> {
  readonly context: StageContext;
  readonly calls: StageCalls;
  readonly lambda: LambdaName;
  readonly timeoutMs: number;
  readonly start: (process: StageProcess) => Handlers;
  /** Whether Lambda throttles the function now. @default never */
  readonly isThrottled?: () => boolean;
}

/** The probability that an invocation gets a new process although one is idle. */
const COLD_START_RATE = 0.02;
/** How long a process can be idle before Lambda ends it. */
const MAX_IDLE_MS = 10 * 60 * 1000;
const MAX_START_MS = 400;
/** How long Lambda takes to throttle an invocation. */
const THROTTLED_MS = 5;

/** Creates the processes of a function, as Lambda starts, reuses, and ends them. */
export const createFunctionPool = <Handlers>(options: FunctionPoolOptions<Handlers>): FunctionPool<Handlers> => {
  const { context, calls, lambda, timeoutMs, start } = options;
  const { clock, draw, agenda } = context;
  interface Idle {
    readonly process: StageProcess;
    readonly handlers: Handlers;
    readonly sinceMs: number;
  }
  const idle: Idle[] = [];
  const running = new Set<StageProcess>();
  let started = 0;
  let active = 0;

  const startProcess = (name: FunctionName): Pick<Idle, 'process' | 'handlers'> => {
    started += 1;
    const process: StageProcess = {
      name: `${lambda}-${started}`,
      function: name,
      isDead: false,
      tableUnavailableUntilMs: 0,
      isSpared: false,
      end: () => undefined,
    };
    calls.admit(process);
    return { process, handlers: start(process) };
  };

  const takeProcess = (
    name: FunctionName,
    identity: number,
  ): Pick<Idle, 'process' | 'handlers'> & { isCold: boolean } => {
    const latest = draw.fraction(identity, 0) < COLD_START_RATE ? undefined : idle.pop();
    // The process that was idle for the shortest time.
    if (latest === undefined || clock.ms - latest.sinceMs > MAX_IDLE_MS) return { ...startProcess(name), isCold: true };
    return { ...latest, isCold: false };
  };

  return {
    get active() {
      return active;
    },
    crash() {
      for (const process of [...running]) process.end('died');
    },
    invoke: ({ function: name, about, messages, isSpared = false }, handle) =>
      new Promise((resolve) => {
        if (options.isThrottled?.()) {
          agenda.add(clock.ms + THROTTLED_MS, draw.identify(`throttle ${name} ${about}`), () =>
            resolve({ how: 'throttled' }),
          );
          return;
        }
        const identity = draw.identify(`invoke ${name} ${about}`);
        const { process, handlers, isCold } = takeProcess(name, identity);
        process.function = name;
        process.isSpared = isSpared;
        active += 1;
        const startedAt = clock.ms;
        let deadline: Entry | undefined;
        let isEnded = false;
        const end = (how: EndOfInvocation): boolean => {
          if (isEnded) return false;
          isEnded = true;
          active -= 1;
          running.delete(process);
          if (deadline) agenda.cancel(deadline);
          context.record({ kind: 'ended', function: name, how }, process.name);
          return true;
        };
        process.end = (how) => {
          process.isDead = true;
          if (end(how)) resolve({ how });
        };
        const run = (): void => {
          running.add(process);
          context.record({ kind: 'invoked', function: name, messages }, process.name);
          deadline = agenda.add(clock.ms + timeoutMs, identity, () => process.end('timed-out'));
          const invokedAt = clock.ms;
          const invocation = { getRemainingTimeInMillis: () => invokedAt + timeoutMs - clock.ms };
          const leave = (how: 'answered' | 'failed'): boolean => {
            if (calls.isClosed || process.isDead || !end(how)) return false;
            idle.push({ process, handlers, sinceMs: clock.ms });
            return true;
          };
          const responded = async () => {
            const result = await handle(handlers, invocation);
            await calls.call({
              process: process.name,
              label: 'respond',
              perform: () => undefined,
              canEndProcess: true,
            });
            return result;
          };
          responded().then(
            (result) => leave('answered') && resolve({ how: 'answered', result }),
            () => leave('failed') && resolve({ how: 'failed' }),
          );
        };
        if (isCold) agenda.add(startedAt + 1 + Math.floor(draw.fraction(identity, 1) * MAX_START_MS), identity, run);
        else run();
      }),
  };
};
