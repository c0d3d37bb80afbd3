/** One call of the contract's API, with its answer. */
export interface Call {
  readonly id: string;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  /** The body as JSON; a string, shortened if it is long, if it is not JSON; null if it was not read. */
  readonly request: unknown;
  /** The request's `platformContactId`. */
  readonly contact: string | null;
  /** The answer's HTTP status; null if the connection was reset instead. */
  readonly status: number | null;
  readonly answer: unknown;
  /** The header `traceparent`, which names the caller's trace. */
  readonly traceparent: string | null;
  /** The id of the accepted message. */
  readonly messageId: string | null;
}

/** How many calls are kept. */
const MAX_CALLS = 1_000;

/** The latest calls, oldest first. */
export interface CallLog {
  calls(): readonly Call[];
  add(call: Call): void;
  clear(): void;
}

/**
 * Creates a call log.
 *
 * @param restored the calls of an earlier run
 * @param onAdd called with each new call, and with the call that is dropped to make room for it
 */
export const createCallLog = (
  restored: readonly Call[],
  onAdd: (call: Call, dropped: Call | undefined) => void,
): CallLog => {
  let calls = [...restored];
  return {
    calls: () => calls.slice(-MAX_CALLS),
    add: (call) => {
      calls.push(call);
      onAdd(call, calls.at(-MAX_CALLS - 1));
      // Shortening at twice the limit makes the cost per call negligible.
      if (calls.length > 2 * MAX_CALLS) calls = calls.slice(-MAX_CALLS);
    },
    clear: () => {
      calls = [];
    },
  };
};
