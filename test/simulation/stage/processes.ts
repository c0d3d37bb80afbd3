import type { FunctionName } from './ledger.ts';

/** The deployed functions. Some have several tasks, which the ledger tells apart. */
export const LAMBDAS = {
  receive: 'receive',
  drain: 'receive',
  send: 'send',
  publish: 'publish',
  'end-turn': 'publish',
  manage: 'manage',
  erase: 'manage',
  keep: 'manage',
} as const satisfies Record<FunctionName, string>;

export type LambdaName = (typeof LAMBDAS)[FunctionName];

/** How an invocation ended. */
export type EndOfInvocation = 'answered' | 'failed' | 'died' | 'timed-out';

/** A process of a function, as the calls of its ports see it. */
export interface StageProcess {
  readonly name: string;
  /** What it does in its current invocation. */
  function: FunctionName;
  isDead: boolean;
  /** Until when the table is unavailable for this process. */
  tableUnavailableUntilMs: number;
  /** Whether drawn faults do not affect its current invocation. */
  isSpared: boolean;
  /** Ends the process and its invocation. */
  end: (how: 'died' | 'timed-out') => void;
}
