import { isDeepStrictEqual } from 'node:util';
import { parseSendRequest, type SendRequest } from '../../../../lambdas/domain/send-request.ts';
import type { Item } from '../../../../lambdas/table/item.ts';
import { LIMITS } from '../../world/send-process.ts';
import type { Act } from '../history.ts';
import type { FunctionName, LedgerEntry, LedgerKind } from '../ledger.ts';
import type { StageRun } from '../stage-run.ts';

/** An entry of the ledger with its place. */
export type Recorded<Kind extends LedgerKind> = Extract<LedgerEntry, { kind: Kind }> & { readonly index: number };

/** An invocation of a process, from its start to its end. */
export interface Invocation {
  readonly process: string;
  readonly function: FunctionName;
  readonly start: number;
  readonly startedAtMs: number;
  end: number;
  endedAtMs: number;
  how: 'answered' | 'failed' | 'died' | 'timed-out' | 'running';
  /** The faults at its calls. */
  readonly faults: Recorded<'fault'>[];
}

/** A claim of a send, as its write shows it. */
export interface ClaimFact {
  readonly claimId: string;
  readonly requestId: string;
  readonly contact: string;
  readonly index: number;
  readonly atMs: number;
  readonly leaseUntil: string;
  readonly invocation: Invocation | undefined;
}

/** A call of a sending endpoint. */
export type CallFact = Recorded<'call'> & {
  readonly claim: ClaimFact | undefined;
  /** The request as it was queued. */
  readonly request: SendRequest | undefined;
  readonly invocation: Invocation | undefined;
  /** Whether the process had to record the outcome: it got a response, stayed alive, and could write. */
  readonly isKnown: boolean;
  /** Whether the process had to record that the chat service answered with a 2xx that cannot be read. */
  readonly isKnownToBeAnswered: boolean;
};

/** A write that changed the state of a send. */
export type SendChange = Recorded<'write'> & { readonly requestId: string; readonly after: Item };

type ActOf<Kind extends Act['kind']> = Extract<Act, { kind: Kind }>;

/** The ledger of a run, indexed for the invariants. */
export interface StageFacts {
  readonly run: StageRun;
  readonly calls: readonly CallFact[];
  readonly callsOf: (requestId: string) => readonly CallFact[];
  readonly claims: ReadonlyMap<string, ClaimFact>;
  readonly invocations: readonly Invocation[];
  entries<Kind extends LedgerKind>(kind: Kind): readonly Recorded<Kind>[];
  acts<Kind extends Act['kind']>(kind: Kind): readonly (ActOf<Kind> & { readonly index: number })[];
  /** The writes of an item, in order. */
  writesOf(name: string): readonly Recorded<'write'>[];
  /** The items whose name starts with this, such as `SEND#`, that were ever written. */
  namesOf(prefix: string): readonly string[];
  /** An item as it was stored just before an entry. */
  itemBefore(name: string, index: number): Item | undefined;
  /** What was read about a contact, by its name. */
  readsOf(name: string): readonly Recorded<'read-contact'>[];
  /** The writes that changed the state of a send, or of one request's send. */
  changesOfSends(requestId?: string): readonly SendChange[];
  /** The invocation to which an entry belongs. */
  invocationAt(entry: { readonly index: number }): Invocation | undefined;
  /** Parses a request, unless it is malformed or erased. */
  requestIn(body: unknown): SendRequest | undefined;
  /**
   * Whether a call of an invocation failed between two entries, which can excuse missing work that is not retried.
   *
   * @param about counts only faults whose ids contain this. Outages of the table always count. @default all faults
   */
  isHindered(
    invocation: Invocation | undefined,
    from: number,
    options?: { readonly until?: number; readonly about?: readonly string[] },
  ): boolean;
  /**
   * Whether an invocation of `send` could not record the result of a send. The function retries the write until its
   * time budget is used up, so a fault is an excuse only if it leaves no time for another attempt.
   */
  couldNotRecord(requestId: string, invocation: Invocation | undefined): boolean;
}

export const createStageFacts = (run: StageRun): StageFacts => {
  const { entries } = run.ledger;
  const byKind = new Map<LedgerKind, Recorded<LedgerKind>[]>();
  const writes = new Map<string, Recorded<'write'>[]>();
  const invocations: Invocation[] = [];
  const latest = new Map<string, Invocation>();
  /** The invocation of each entry. */
  const invocationOf: (Invocation | undefined)[] = [];
  const claims = new Map<string, ClaimFact>();
  const called: (Recorded<'call'> & { readonly request: SendRequest | undefined })[] = [];
  const requests = new Map<string, SendRequest | undefined>();

  const requestIn = (body: unknown): SendRequest | undefined => {
    const text = String(body);
    if (!requests.has(text)) {
      const parsed = parseSendRequest(text);
      requests.set(text, parsed.kind === 'request' ? parsed.request : undefined);
    }
    return requests.get(text);
  };

  /** The request as it was queued, by what a process made of it. Two requests can have one id. */
  const queuedAs = (request: SendRequest | undefined): SendRequest | undefined => {
    const queued = queuedRequests.get(request?.requestId ?? '') ?? [];
    return queued.find((one) => isDeepStrictEqual(one, request)) ?? queued[0] ?? request;
  };
  const queuedRequests = Map.groupBy(
    run.history.acts.flatMap((act) => (act.kind === 'request' ? (requestIn(act.body) ?? []) : [])),
    ({ requestId }) => requestId,
  );

  const latestOf = (process: string | undefined): Invocation | undefined => latest.get(process ?? '');

  const note = (entry: LedgerEntry, index: number): void => {
    switch (entry.kind) {
      case 'invoked': {
        const process = entry.process ?? '';
        const invocation: Invocation = {
          process,
          function: entry.function,
          start: index,
          startedAtMs: entry.atMs,
          end: Number.POSITIVE_INFINITY,
          endedAtMs: Number.POSITIVE_INFINITY,
          how: 'running',
          faults: [],
        };
        invocations.push(invocation);
        latest.set(process, invocation);
        break;
      }
      case 'ended': {
        const invocation = latestOf(entry.process);
        if (invocation) Object.assign(invocation, { end: index, endedAtMs: entry.atMs, how: entry.how });
        break;
      }
      case 'fault':
        latestOf(entry.process)?.faults.push({ ...entry, index });
        break;
      case 'write': {
        push(writes, entry.key, { ...entry, index });
        const { after, before } = entry;
        if (after?.state !== 'claimed' || typeof after.claimId !== 'string' || after.claimId === before?.claimId) break;
        const requestId = idIn(entry.key);
        const { claimId, contact, leaseUntil } = after;
        const claim = { claimId, requestId, contact: String(contact), leaseUntil: String(leaseUntil) };
        claims.set(claimId, { ...claim, index, atMs: entry.atMs, invocation: latestOf(entry.process) });
        break;
      }
      case 'call': {
        const item = writes.get(`SEND#${entry.requestId} SEND`)?.at(-1)?.after;
        called.push({ ...entry, index, request: item && queuedAs(requestIn(item.body)) });
        break;
      }
      default:
    }
    push(byKind, entry.kind, { ...entry, index });
    invocationOf[index] = latestOf(entry.process);
  };
  for (const [index, entry] of entries.entries()) note(entry, index);

  const outages = run.history.acts.filter((act) => act.kind === 'outage').filter(({ part }) => part === 'table');
  const isOutage = (fromMs: number, untilMs: number): boolean =>
    outages.some(({ atMs, forMs }) => atMs <= untilMs && fromMs <= atMs + forMs);

  const invocationAt: StageFacts['invocationAt'] = ({ index }) => invocationOf[index];

  const isHindered: StageFacts['isHindered'] = (invocation, from, { until = Number.POSITIVE_INFINITY, about } = {}) => {
    if (invocation === undefined) return true;
    const untilMs = Math.min(invocation.endedAtMs, entries[until]?.atMs ?? Number.POSITIVE_INFINITY);
    return (
      (invocation.how !== 'answered' && invocation.end <= until) ||
      invocation.faults.some((fault) => fault.index >= from && fault.index <= until && isAbout(fault, about)) ||
      isOutage(entries[from]?.atMs ?? 0, untilMs)
    );
  };

  const couldNotRecord: StageFacts['couldNotRecord'] = (requestId, invocation) => {
    if (invocation === undefined || invocation.how !== 'answered') return true;
    const { startedAtMs, faults } = invocation;
    const [lastAttemptMs, deadlineMs] = [startedAtMs + LAST_ATTEMPT_MS, startedAtMs + TIMEOUT_MS];
    const isLate = faults.some((fault) => fault.atMs >= lastAttemptMs && isAbout(fault, [`SEND#${requestId} `]));
    return isLate || isOutage(lastAttemptMs, deadlineMs);
  };

  const calls = called.map((call): CallFact => {
    const claim = call.claimId === undefined ? undefined : claims.get(call.claimId);
    const invocation = invocationAt(call);
    const isRecorded = !couldNotRecord(call.requestId, invocation);
    const isKnownToBeAnswered = call.isUnreadable === true && isRecorded;
    return { ...call, claim, invocation, isKnown: call.isAnswered && isRecorded, isKnownToBeAnswered };
  });
  const changes = (byKind.get('write') ?? []).flatMap((entry): SendChange[] => {
    if (entry.kind !== 'write' || !entry.key.startsWith('SEND#')) return [];
    const { key, before, after } = entry;
    return after === undefined || before?.state === after.state ? [] : [{ ...entry, after, requestId: idIn(key) }];
  });
  const changesPerRequest = Map.groupBy(changes, ({ requestId }) => requestId);
  let reads: ReadonlyMap<string, readonly Recorded<'read-contact'>[]> | undefined;
  const callsPerRequest = Map.groupBy(calls, ({ requestId }) => requestId);

  const facts: StageFacts = {
    run,
    calls,
    callsOf: (requestId) => callsPerRequest.get(requestId) ?? [],
    claims,
    invocations,
    // Each list has only entries of its own kind.
    entries: <Kind extends LedgerKind>(kind: Kind) => (byKind.get(kind) ?? []) as Recorded<Kind>[],
    acts: <Kind extends Act['kind']>(kind: Kind) =>
      facts
        .entries('act')
        .filter((entry) => entry.act.kind === kind)
        .map(({ act, index }) => ({ ...(act as ActOf<Kind>), index })),
    writesOf: (name) => writes.get(name) ?? [],
    namesOf: (prefix) => [...writes.keys()].filter((name) => name.startsWith(prefix)),
    itemBefore(name, index) {
      const all = writes.get(name);
      if (all === undefined) return run.items.get(name);
      return (all.findLast((write) => write.index < index) ?? { after: all[0]?.before }).after;
    },
    readsOf(name) {
      reads ??= Map.groupBy(facts.entries('read-contact'), (read) => read.name);
      return reads.get(name) ?? [];
    },
    changesOfSends: (requestId) => (requestId === undefined ? changes : (changesPerRequest.get(requestId) ?? [])),
    invocationAt,
    requestIn,
    isHindered,
    couldNotRecord,
  };
  return facts;
};

const TIMEOUT_MS = LIMITS.timeoutSeconds * 1000;
/** A write takes at most 10 seconds, and the last second of an invocation is reserved for its response. */
const LAST_ATTEMPT_MS = TIMEOUT_MS - 14_000;

/** A fault of kind `outage` makes every call of the table fail for some time. */
const isAbout = ({ id, fault }: Recorded<'fault'>, about: readonly string[] | undefined): boolean =>
  about === undefined || fault === 'outage' || about.some((one) => id.includes(one));

const push = <Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void => {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
};

/** Returns the id in the name of an item, such as `SEND#request-1 SEND`. */
export const idIn = (name: string): string => name.slice(name.indexOf('#') + 1, name.lastIndexOf(' '));

/** Whether an erasure removed an item, or what was in it, before an entry. @default before the end */
export const isErased = (facts: StageFacts, name: string, until = Number.POSITIVE_INFINITY): boolean =>
  facts.writesOf(name).some((write) => write.index < until && facts.invocationAt(write)?.function === 'erase');

/** The last state of a request's item, and the requests that have one. */
export const requestIdsOf = (facts: StageFacts): readonly string[] => facts.namesOf('SEND#').map(idIn);
