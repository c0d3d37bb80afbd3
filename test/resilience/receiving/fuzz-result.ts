/** What a fuzz run led to. */
export interface FuzzResult {
  readonly requests: number;
  /** How often each HTTP status was answered. */
  readonly statuses: Readonly<Record<string, number>>;
  /** What the function logged as done with the requests that it acknowledged. */
  readonly logged: { readonly stored: number; readonly quarantined: number; readonly other: number };
  /** How many of the events logged as stored are in the table. */
  readonly inTable: number;
  /** How many requests are in quarantine, each with its reason, its arrival, and its body. */
  readonly inQuarantine: number;
  /** Errors that nothing handled. */
  readonly unhandled: number;
}

/** Whether no request made the webhook fail, and each was stored, quarantined, or refused as too large. */
export const isPassed = ({ requests, statuses, logged, inTable, inQuarantine, unhandled }: FuzzResult): boolean => {
  const { '200': acknowledged = 0, '413': tooLarge = 0 } = statuses;
  return (
    acknowledged + tooLarge === requests &&
    logged.stored + logged.quarantined === acknowledged &&
    inTable === logged.stored &&
    inQuarantine === logged.quarantined &&
    logged.other === 0 &&
    unhandled === 0
  );
};

/** Returns the table key of an event that was logged as stored. */
export const storedKey = ({ id, event }: { readonly id?: unknown; readonly event?: unknown }): string =>
  `MESSAGE#${id} ${event === 'echo' ? 'ECHO' : 'MESSAGE'}`;

/** Returns what the function did with an event, by the start of its log line. Undefined for any other line. */
export const receiptIn = (message: string): string | undefined =>
  /^event (stored|quarantined|deferred|not stored)\b/.exec(message)?.[1];
