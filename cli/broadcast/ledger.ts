import { z } from 'zod';
import type { Instant } from '../../lambdas/domain/instant.ts';
import type { SendState } from '../../lambdas/domain/send-transitions.ts';
import { sendListResponse } from '../../lambdas/manage/api/send-lists.ts';
import type { ManagementClient } from '../operations/management-client.ts';
import type { SendCount } from '../operations/send-counts.ts';
import type { PlannedRow } from './plan.ts';
import { attemptIdOf, identifyRow, repeatIdOf, requestIdOf, roundId } from './row-identity.ts';

/** A request of a broadcast that the stage has. */
interface LedgerEntry {
  readonly state: SendState;
  /** Whether it ended and its message cannot have reached the contact. */
  readonly isUnsent: boolean;
  /** As in a `RowIdentity`; absent if the contact was erased. */
  readonly content?: string;
}

/** What the stage has of a round of a broadcast. */
export interface Ledger {
  /** The ID that the requests of the round have as their broadcast. */
  readonly broadcastId: string;
  readonly entries: ReadonlyMap<string, LedgerEntry>;
  /** The requests of each contact. */
  readonly contacts: ReadonlyMap<string, readonly LedgerEntry[]>;
  /** When the latest request was queued, scheduled, or tried. */
  readonly latestAt?: Instant;
}

/** A failed message is not among them: most would fail again. */
const UNSENT: readonly SendState[] = ['refused', 'rejected', 'expired', 'cancelled'];

const PAGE = 500;

const addressedRequest = z.looseObject({ platformContactId: z.string() });

/**
 * Reads the requests of a round. A request that has not been processed yet is missing, and its ID makes sure that it is
 * sent once all the same.
 */
export const readLedger = async (call: ManagementClient, broadcastId: string, round: number): Promise<Ledger> => {
  const id = roundId(broadcastId, round);
  const entries = new Map<string, LedgerEntry>();
  const contacts = new Map<string, LedgerEntry[]>();
  let latestAt: Instant | undefined;
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams({ broadcast: id, limit: String(PAGE), ...(cursor !== undefined && { cursor }) });
    const page = sendListResponse.parse(await call('GET', `/v1/sends?${query}`));
    for (const { requestId, state, unknownOutcomes, request, ...times } of page.sends) {
      const read = addressedRequest.safeParse(request);
      // Also of a request that another system queued for this broadcast.
      const identity = read.success ? identifyRow(broadcastId, read.data) : undefined;
      const isUnsent = UNSENT.includes(state) && unknownOutcomes === 0;
      const entry = { state, isUnsent, ...(identity && { content: identity.content }) };
      const contact = identity?.contact ?? requestId.slice(id.length + 1).split(/[-_]/)[0] ?? '';
      entries.set(requestId, entry);
      contacts.set(contact, [...(contacts.get(contact) ?? []), entry]);
      const at = times.claimedAt ?? times.waitingAt ?? times.scheduledAt ?? times.queuedAt;
      if (at !== undefined && (latestAt === undefined || at > latestAt)) latestAt = at;
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  return { broadcastId: id, entries, contacts, ...(latestAt !== undefined && { latestAt }) };
};

/** The rows of a plan, compared with a ledger. */
export interface Selection {
  readonly broadcastId: string;
  /** The ID of each request that is to be queued, by the number of its row. */
  readonly requestIds: ReadonlyMap<number, string>;
  /** The rows whose contact already has a request of the broadcast. */
  readonly done: readonly DoneRow[];
  /** How many of the requests try again what was not sent. */
  readonly retried: number;
}

interface DoneRow {
  readonly number: number;
  /** The states of the contact's requests. */
  readonly states: readonly SendState[];
  /** Whether none of them was sent. */
  readonly isUnsent: boolean;
  /** Whether none of them sends the row's message. */
  readonly differs: boolean;
}

export interface SelectOptions {
  readonly broadcastId: string;
  /** Whether each row is sent, not only the first one of a contact. */
  readonly allowRepeats: boolean;
  /** Whether requests that were not sent are tried again. */
  readonly retryUnsent: boolean;
  /** Whether contacts that have the broadcast get it once more. */
  readonly again: boolean;
}

/** Selects the rows whose contacts have no request of the broadcast yet; with repeats, those that have none themselves. */
export const selectRows = (
  rows: readonly PlannedRow[],
  ledger: Ledger,
  { allowRepeats, retryUnsent }: SelectOptions,
): Selection => {
  const { broadcastId, entries } = ledger;
  const requestIds = new Map<number, string>();
  const done: DoneRow[] = [];
  let retried = 0;
  for (const { number, occurrence, ...identity } of rows) {
    const only = requestIdOf(broadcastId, identity);
    const requestId = allowRepeats ? repeatIdOf(broadcastId, identity, occurrence) : only;
    const isSame = ({ content = identity.content }: LedgerEntry) => content === identity.content;
    const attempts = attemptsOf(ledger, requestId);
    // The first of equal rows may have been sent as the only row of its contact.
    const ofContact = occurrence === 1 ? attemptsOf(ledger, only).filter(isSame) : [];
    const known = allowRepeats ? [...attempts, ...ofContact] : (ledger.contacts.get(identity.contact) ?? []);
    const isUnsent = known.every((entry) => entry.isUnsent);
    if (known.length === 0) requestIds.set(number, requestId);
    else if (retryUnsent && isUnsent && entries.has(requestId)) {
      requestIds.set(number, attemptIdOf(requestId, attempts.length + 1));
      retried += 1;
    } else done.push({ number, states: known.map(({ state }) => state), isUnsent, differs: !known.some(isSame) });
  }
  return { broadcastId, requestIds, done, retried };
};

const attemptsOf = ({ entries }: Ledger, requestId: string): readonly LedgerEntry[] => {
  const attempts: LedgerEntry[] = [];
  for (;;) {
    const entry = entries.get(attemptIdOf(requestId, attempts.length + 1));
    if (entry === undefined) return attempts;
    attempts.push(entry);
  }
};

interface SelectedRound extends Selection {
  readonly round: number;
  readonly ledger: Ledger;
}

/**
 * Selects the rows of the round that the operator asks for: of the first one or, to send `again`, of the latest one if it
 * was interrupted, and otherwise of the next one.
 */
export const selectRound = async (
  call: ManagementClient,
  rows: readonly PlannedRow[],
  options: SelectOptions,
): Promise<SelectedRound> => {
  let latest: SelectedRound | undefined;
  for (let round = 1; ; round += 1) {
    const ledger = await readLedger(call, options.broadcastId, round);
    const selection = { ...selectRows(rows, ledger, options), round, ledger };
    if (!options.again) return selection;
    const wasInterrupted = latest !== undefined && latest.round > 1 && latest.requestIds.size > 0;
    if (ledger.entries.size === 0) return wasInterrupted && latest ? latest : selection;
    latest = selection;
  }
};

/** Counts states, the most frequent first. */
export const countStates = (done: readonly DoneRow[]): readonly SendCount[] => {
  const groups = Map.groupBy(
    done.flatMap(({ states }) => states),
    (state) => state,
  );
  return [...groups]
    .map(([state, { length }]) => ({ state, count: length }))
    .toSorted((one, other) => other.count - one.count);
};
