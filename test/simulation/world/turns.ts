import type { Failures, Fault } from './faults.ts';
import { intern, serialize } from './serialize.ts';
import type { Touches } from './touches.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** One of the things that can happen next. */
export interface Alternative {
  readonly label: string;
  readonly process?: string;
  readonly fault?: Fault;
  /** Whether it is a call of a port, rather than an answer that arrives or an event. */
  readonly isCall: boolean;
  /** Whether it is said to commute with everything that another process can do. */
  readonly isIndependent?: boolean;
  apply(): void;
}

/** Chooses what happens next. `key` identifies the state of the world. Returns -1 to abandon the run. */
export type Choose = (alternatives: readonly Alternative[], key: () => string) => number;

/** What can be unavailable for a while. */
export type Part = 'chat-service' | 'table' | 'queues' | 'bus' | 'scheduler';

/** How every call to a part ends during an outage. */
export type OutageKind = 'refused' | 'bad-gateway' | 'throttled' | 'unanswered';

export interface PortCall<Answer> {
  readonly process: string;
  readonly label: string;
  readonly perform: () => Answer;
  readonly failures?: Failures<Answer>;
  /** Whether the call is the function's: such a call can also be late, and its process can die there. */
  readonly canEndProcess: boolean;
  /** Whether the call changes nothing that another process's call depends on or changes. */
  readonly isIndependent?: boolean;
  /** What the call reads and writes, if the world needs to know it. */
  readonly touches?: () => Touches;
  /** Whether an outage of the table concerns the call. */
  readonly isTable?: boolean;
  /** How long the answer takes. @default 0 */
  readonly takesMs?: number;
  /** The part whose outages affect the call. @default the table if `isTable` */
  readonly part?: Part;
  /**
   * How the call ends in an outage, unless it throws an error. `hasEffect` is what the world chose where it can be
   * either.
   */
  readonly outages?: { readonly [Kind in OutageKind]?: (hasEffect: boolean) => Answer };
  /** How long the caller waits for an answer, at most. */
  readonly timeoutMs?: number;
}

/** The part of {@link Turns} that a process uses. */
export type PortTurns = Pick<Turns, 'call' | 'sleep' | 'happenLater'>;

/** An effect of a call that its caller has given up. */
interface LateEffect {
  readonly process: string;
  readonly label: string;
  /** Identifies the effect. */
  readonly key: string;
  readonly perform: () => unknown;
}

interface Waiting {
  readonly process: string;
  readonly label: string;
  readonly dueAt: number;
  readonly isLate: boolean;
  deliver(): void;
}

/** A call that waits for its turn. */
export type WaitingCall = Pick<PortCall<unknown>, 'process' | 'label' | 'touches'>;

export interface TurnsOptions {
  readonly clock: VirtualClock;
  readonly lateMs: number;
  readonly outageMs: number;
  readonly onCall?: (call: {
    readonly process: string;
    readonly label: string;
    readonly fault?: Fault;
    readonly touches?: Touches;
  }) => void;
  /** Whether a call may go first, besides those that are said to be independent. @default never */
  readonly commutes?: (call: WaitingCall, waiting: readonly WaitingCall[]) => boolean;
  /** A process died, or was suspended until its lease had expired. */
  readonly onBreak?: (process: string, how: 'died' | 'late') => void;
}

export type Histories = ReadonlyMap<string, number>;

/** Lets one call of a port happen at a time, in an order and with the faults that somebody else chooses. */
export interface Turns {
  call<Answer>(call: PortCall<Answer>): Promise<Answer>;
  sleep(process: string, ms: number): Promise<void>;
  /** Lets an effect happen at any later time. */
  happenLater(effect: LateEffect): void;
  /** Records what a process observed, which decides what it does next. */
  observe(process: string, what: string): void;
  kill(process: string): void;
  isAlive(process: string): boolean;
  /**
   * What can happen next, without the faults that `isAllowed` excludes.
   *
   * @param prunes whether an independent call goes first, because every order of it gives the same world
   */
  alternatives(isAllowed: (fault: Fault) => boolean, prunes: boolean): readonly Alternative[];
  readonly hasIndependentCall: boolean;
  /** The labels of the calls that wait for their turn. */
  waitingCalls(): readonly string[];
  /** Whether a process waits for its turn, rather than for an answer that is late. */
  readonly isBusy: boolean;
  nextDueAt(): number | undefined;
  /** What each process has observed so far, to be restored in a run that repeats this one up to here. */
  histories(): Histories;
  /** Stops observing until {@link Turns.restore}. */
  stopObserving(): void;
  restore(histories: Histories): void;
  /** Forgets a process that will never run again. */
  forget(process: string): void;
  /** Identifies what every living process has observed so far and what it waits for. */
  key(): string;
  /** Fails every pending and every later call of a process, so that its own timers do not outlive the run. */
  close(process: string): void;
  /** Does the same for every process, including those that died. */
  closeAll(): void;
}

export const createTurns = (options: TurnsOptions): Turns => {
  const { clock } = options;
  const pending: (PortCall<unknown> & { resolve(answer: unknown): void; reject(error: unknown): void })[] = [];
  const waiting: Waiting[] = [];
  const lateEffects: LateEffect[] = [];
  /** The calls that processes waited for when they died. */
  const unanswered: (typeof pending)[number][] = [];
  let isClosed = false;
  let histories = new Map<string, number>();
  let isObserving = true;
  const dead = new Set<string>();
  const outageUntil = new Map<string, number>();
  const closed = new Set<string>();

  const observe = (process: string, what: string, answer?: unknown): void => {
    if (!isObserving) return;
    histories.set(process, intern(`${histories.get(process) ?? ''}|${what}|${serialize(answer)}|${clock.ms}`));
  };

  const kill = (process: string): void => {
    dead.add(process);
    histories.delete(process);
    unanswered.push(...pending.filter((call) => call.process === process));
    removeAll(pending, (call) => call.process === process);
    removeAll(waiting, (answer) => answer.process === process);
    options.onBreak?.(process, 'died');
  };

  type Pending = (typeof pending)[number];
  const goesFirst = (call: Pending): boolean =>
    call.isIndependent === true || options.commutes?.(call, pending) === true;
  const deliver = (call: Pending, outcome: { readonly answer: unknown } | { readonly error: unknown }): void => {
    if (dead.has(call.process)) return;
    if ('error' in outcome) observe(call.process, `${call.label} failed`, String(outcome.error));
    else observe(call.process, call.label, outcome.answer);
    if ('error' in outcome) call.reject(outcome.error);
    else call.resolve(outcome.answer);
  };
  const attempt = (perform: () => unknown): { readonly answer: unknown } | { readonly error: unknown } => {
    try {
      return { answer: perform() };
    } catch (error) {
      return { error };
    }
  };

  const alternative = (call: Pending, fault: Fault | undefined, act: () => void): Alternative => ({
    label: call.label,
    process: call.process,
    ...(fault && { fault }),
    isCall: true,
    ...(call.isIndependent && { isIndependent: true }),
    apply() {
      removeAll(pending, (other) => other === call);
      if (fault?.startsWith('dies')) unanswered.push(call);
      const touches = call.touches?.();
      options.onCall?.({
        process: call.process,
        label: call.label,
        ...(fault && { fault }),
        ...(touches && { touches }),
      });
      act();
    },
  });

  const wait = (call: Pending, dueAt: number, outcome: ReturnType<typeof attempt>, isLate: boolean): void => {
    const { process, label } = call;
    waiting.push({ process, label, dueAt, isLate, deliver: () => deliver(call, outcome) });
  };

  const alternativesOf = (call: Pending, isAllowed: (fault: Fault) => boolean): readonly Alternative[] => {
    const { process, perform, failures = {}, isTable = false, takesMs = 0, canEndProcess } = call;
    if (isTable && clock.ms < (outageUntil.get(process) ?? 0)) {
      return [alternative(call, undefined, () => deliver(call, { error: new Error('The table is unavailable.') }))];
    }
    const found = [
      alternative(call, undefined, () => {
        const outcome = attempt(perform);
        if (takesMs > 0) wait(call, clock.ms + takesMs, outcome, false);
        else deliver(call, outcome);
      }),
    ];
    const add = (fault: Fault, act: () => void) => {
      if (isAllowed(fault)) found.push(alternative(call, fault, act));
    };
    for (const [fault, fail] of Object.entries(failures)) {
      add(fault as Fault, () =>
        deliver(
          call,
          attempt(() => fail(perform)),
        ),
      );
    }
    if (isTable) {
      add('outage', () => {
        outageUntil.set(process, clock.ms + options.outageMs);
        deliver(call, { error: new Error('The table is unavailable.') });
      });
    }
    if (canEndProcess) {
      add('dies-before', () => kill(process));
      add('dies-after', () => {
        attempt(perform);
        kill(process);
      });
      add('late', () => {
        const outcome = attempt(perform);
        options.onBreak?.(process, 'late');
        wait(call, clock.ms + options.lateMs, outcome, true);
      });
    }
    return found;
  };

  return {
    call: <Answer>(call: PortCall<Answer>) =>
      new Promise<Answer>((resolve, reject) => {
        if (isClosed || closed.has(call.process)) reject(new Error('The run has ended.'));
        // The promise is only resolved with what this call's own `perform` or failure returned.
        else pending.push({ ...call, resolve: (answer) => resolve(answer as Answer), reject } as Pending);
      }),
    sleep: (process, ms) =>
      new Promise((resolve) => {
        const deliverSleep = () => {
          observe(process, 'slept');
          resolve();
        };
        waiting.push({ process, label: 'sleep', dueAt: clock.ms + ms, isLate: false, deliver: deliverSleep });
      }),
    happenLater(effect) {
      lateEffects.push(effect);
    },
    observe,
    kill,
    isAlive: (process) => !dead.has(process),

    alternatives(isAllowed, prunes) {
      const independent = prunes ? pending.find(goesFirst) : undefined;
      if (independent) return alternativesOf(independent, isAllowed);
      const due = waiting.filter(({ dueAt }) => dueAt <= clock.ms);
      return [
        ...pending.flatMap((call) => alternativesOf(call, isAllowed)),
        ...due.map((answer) => ({
          label: `${answer.label}: ${answer.label === 'sleep' ? 'wakes' : 'the answer arrives'}`,
          process: answer.process,
          isCall: false,
          apply() {
            removeAll(waiting, (other) => other === answer);
            answer.deliver();
          },
        })),
        ...lateEffects.map((effect) => ({
          label: `${effect.label} takes effect`,
          process: effect.process,
          isCall: false,
          apply() {
            removeAll(lateEffects, (other) => other === effect);
            attempt(effect.perform);
          },
        })),
      ];
    },
    get hasIndependentCall() {
      return pending.some(goesFirst);
    },
    waitingCalls: () => pending.map(({ label }) => label),
    get isBusy() {
      return pending.length > 0 || waiting.some(({ dueAt, isLate }) => !isLate && dueAt <= clock.ms);
    },
    nextDueAt() {
      const future = waiting.map(({ dueAt }) => dueAt).filter((dueAt) => dueAt > clock.ms);
      return future.length === 0 ? undefined : Math.min(...future);
    },
    histories: () => new Map(histories),
    stopObserving() {
      isObserving = false;
    },
    restore(saved) {
      isObserving = true;
      histories = new Map(saved);
    },
    forget(process) {
      histories.delete(process);
    },
    key: () =>
      [
        [...histories]
          .map((entry) => entry.join('='))
          .toSorted()
          .join(','),
        waiting
          .map(({ process, label, dueAt }) => `${process} ${label} ${dueAt - clock.ms}`)
          .toSorted()
          .join(','),
        [...outageUntil].filter(([process, until]) => until > clock.ms && !dead.has(process)).join(','),
        lateEffects
          .map((effect) => effect.key)
          .toSorted()
          .join(),
      ].join(';'),
    close(process) {
      closed.add(process);
      for (const call of pending) if (call.process === process) call.reject(new Error('The run has ended.'));
      removeAll(pending, (call) => call.process === process);
    },
    closeAll() {
      isClosed = true;
      for (const call of [...pending, ...unanswered]) call.reject(new Error('The run has ended.'));
      pending.length = 0;
      unanswered.length = 0;
    },
  };
};

const removeAll = <Entry>(list: Entry[], isRemoved: (entry: Entry) => boolean): void => {
  for (let index = list.length - 1; index >= 0; index -= 1) {
    const entry = list[index];
    if (entry !== undefined && isRemoved(entry)) list.splice(index, 1);
  }
};

/** Waits until no promise can continue. */
export const drained = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
