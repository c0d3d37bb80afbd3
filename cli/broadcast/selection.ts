import type { SendCount } from '../operations/send-counts.ts';
import type { Ledger, LedgerEntry } from './ledger.ts';
import type { PlannedRow } from './plan.ts';
import { requestIdOf } from './row-identity.ts';

/** The rows of a plan, compared with a ledger. */
export interface Selection {
  readonly broadcastId: string;
  /** The ID of each request that is to be queued, by the number of its row. */
  readonly requestIds: ReadonlyMap<number, string>;
  /** The rows whose contact already has a request of the broadcast. */
  readonly done: readonly DoneRow[];
  /** How many of the requests try again what was not sent. */
  readonly retried: number;
  /** Requests that were not sent, and which a later request to the contact replaces. */
  readonly replaced: readonly LedgerEntry[];
}

export interface DoneRow {
  readonly number: number;
  /** The request that the row need not repeat: of several, one that was sent. */
  readonly entry: LedgerEntry;
  /** Whether the contact's requests do not send the message of any of its rows. */
  readonly differs: boolean;
}

export interface SelectOptions {
  /** Whether each row is sent, not only the first one of a contact. */
  readonly allowRepeats: boolean;
  /** Whether requests that were not sent are tried again. */
  readonly retryUnsent: boolean;
}

/**
 * Selects the rows whose contacts have no request of the broadcast yet; with repeats, the rows that have none
 * themselves. The requests to a contact are numbered, and a row gets the first number that the stage has not seen.
 */
export const selectRows = (
  contacts: ReadonlyMap<string, readonly PlannedRow[]>,
  ledger: Ledger,
  { allowRepeats, retryUnsent }: SelectOptions,
): Selection => {
  const requestIds = new Map<number, string>();
  const done: DoneRow[] = [];
  const replaced: LedgerEntry[] = [];
  let retried = 0;
  for (const [contact, rows] of contacts) {
    const all = ledger.contacts.get(contact) ?? [];
    const newIds = unusedIds(ledger, contact);
    const left = [...all];
    const differs = !all.some((entry) => rows.some((row) => isSame(row, entry)));
    let unsent = 0;
    for (const row of allowRepeats ? rows : rows.slice(0, 1)) {
      const entry = allowRepeats ? takeEntry(left, row) : (all.find(({ isUnsent }) => !isUnsent) ?? all.at(-1));
      const isRetried = retryUnsent && entry?.isUnsent === true;
      if (isRetried) retried += 1;
      if (entry === undefined || isRetried) {
        requestIds.set(row.number, newIds.next().value);
        continue;
      }
      if (entry.isUnsent) unsent += 1;
      done.push({ number: row.number, entry, differs });
    }
    const ended = all.filter(({ isUnsent, isOwn }) => isUnsent && isOwn);
    replaced.push(...ended.slice(0, Math.max(0, ended.length - unsent)));
  }
  return { broadcastId: ledger.broadcastId, requestIds, done, retried, replaced };
};

/** Whether a request sends the message of a row. What an erased one sent is not known. */
const isSame = (row: PlannedRow, { content = row.content }: LedgerEntry): boolean => content === row.content;

/** Takes a request that sends the message of a row, rather one that was sent. */
const takeEntry = (left: LedgerEntry[], row: PlannedRow): LedgerEntry | undefined => {
  const same = left.filter((entry) => isSame(row, entry));
  const entry = same.find(({ isUnsent }) => !isUnsent) ?? same[0];
  if (entry !== undefined) left.splice(left.indexOf(entry), 1);
  return entry;
};

function* unusedIds({ broadcastId, requestIds }: Ledger, contact: string): Generator<string, never> {
  for (let number = 1; ; number += 1) {
    const requestId = requestIdOf(broadcastId, contact, number);
    if (!requestIds.has(requestId)) yield requestId;
  }
}

/** Counts the requests of rows, the most frequent state first. */
export const countStates = (done: readonly DoneRow[]): readonly SendCount[] => {
  const groups = Map.groupBy(done, ({ entry }) => entry.state);
  return [...groups]
    .map(([state, { length }]) => ({ state, count: length }))
    .toSorted((one, other) => other.count - one.count);
};

/** Counts without the requests that later ones replace. */
export const withoutReplaced = (
  counts: readonly SendCount[],
  { replaced }: Pick<Selection, 'replaced'>,
): readonly SendCount[] =>
  counts
    .map(({ state, code, count }) => {
      const { length } = replaced.filter((entry) => entry.state === state && entry.code === code);
      return { state, ...(code !== undefined && { code }), count: count - length };
    })
    .filter(({ count }) => count > 0);
