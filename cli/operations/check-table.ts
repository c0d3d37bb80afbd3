import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Instant } from '../../lambdas/domain/instant.ts';
import {
  type IsWanted,
  isBrokenByErasure,
  nameOf,
  referencesOf,
  type Violation,
  violationsOfItem,
  violationsOfReferences,
} from '../../lambdas/laws/check-laws.ts';
import type { LawContext } from '../../lambdas/laws/law.ts';
import { type ItemKey, keyOf, type StoredItem } from '../../lambdas/laws/stored-item.ts';
import { isErasureRunning, isRunningErasure } from './running-erasures.ts';
import { readItems, scanTable, type TableReads } from './table-reads.ts';

export interface TableCheckOptions extends TableReads {
  readonly now: () => Instant;
  readonly rules: Omit<LawContext, 'now'>;
  /** Which laws to check. @default all */
  readonly isWanted?: IsWanted;
  /** Called after each page with the number of items read so far. */
  readonly onProgress?: (read: number) => void;
  /**
   * Pause before a last check of the items that still break a law. An erasure, for example, deletes a message some time
   * before it empties its send.
   */
  readonly recheckAfterMs: number;
  /** Called before that pause with the number of possible violations. */
  readonly onRecheck?: (violations: number) => void;
  readonly sleep: (ms: number, stop?: AbortSignal) => Promise<void>;
}

/** What may break a law, and why that is not certain. */
export interface UnconfirmedViolation extends Violation {
  /** `not-read-again`: the check ended before. `erasure`: an erasure that may be running can explain it. */
  readonly because: 'not-read-again' | 'erasure';
}

export interface TableCheck {
  readonly table: string;
  /** The number of items read. */
  readonly items: number;
  /** Read capacity units, as DynamoDB reported them. */
  readonly capacityUnits: number;
  /** What broke a law each time that it was read. */
  readonly violations: readonly Violation[];
  readonly unconfirmed: readonly UnconfirmedViolation[];
  /** `interrupted`, `failed`: before the end. `too-many`: the scan stopped at {@link MAX_CANDIDATES}. */
  readonly end: 'complete' | 'interrupted' | 'failed' | 'too-many';
  /** Why the check failed. */
  readonly error?: unknown;
}

/** Limits the memory for possible violations and the length of the output. */
export const MAX_CANDIDATES = 10_000;

const CONFIRM_KEYS = 100;

/** What an item seems to break, by its key. */
type Candidates = Map<string, readonly Violation[]>;

/** What a check has found so far. It is reported even if the check fails. */
interface Findings {
  items: number;
  isTooMany: boolean;
  /** What the scan found and has not been read again. */
  readonly candidates: Candidates;
  /** What still broke its law when it was read again, and has not been read once more. */
  readonly found: Candidates;
  /** What broke its law each time. */
  readonly confirmed: Violation[];
  /** The erasures that were running when the scan read them. */
  readonly erasures: ItemKey[];
  mayBeErased: boolean;
}

/**
 * Checks every item of a table against the laws about stored items, and changes nothing. The table changes while it is
 * read page by page, so an item that seems to break a law is read again with the items that it refers to, and counts
 * only if it still breaks the law. Keeps one page and the candidates in memory.
 */
export const checkTable = async (options: TableCheckOptions): Promise<TableCheck> => {
  const { tableName, pacer, stop } = options;
  const findings: Findings = {
    items: 0,
    isTooMany: false,
    candidates: new Map(),
    found: new Map(),
    confirmed: [],
    erasures: [],
    mayBeErased: false,
  };
  let ended: Pick<TableCheck, 'end' | 'error'>;
  try {
    await findAll(options, findings);
    ended = { end: findings.isTooMany ? 'too-many' : 'complete' };
  } catch (error) {
    ended = stop?.aborted === true ? { end: 'interrupted' } : { end: 'failed', error };
  }
  const { items, candidates, found, confirmed } = findings;
  const mayBeErased = ({ law }: Violation) => findings.mayBeErased && isBrokenByErasure(law);
  return {
    table: tableName,
    items,
    capacityUnits: Math.ceil(pacer.used()),
    violations: confirmed.filter((violation) => !mayBeErased(violation)),
    unconfirmed: [
      ...confirmed.filter(mayBeErased).map((violation) => ({ ...violation, because: 'erasure' as const })),
      ...[...candidates.values(), ...found.values()]
        .flat()
        .map((violation) => ({ ...violation, because: 'not-read-again' as const })),
    ],
    ...ended,
  };
};

/** Scans the table and reads the candidates twice more. Adds to the findings as it goes. */
const findAll = async (options: TableCheckOptions, findings: Findings): Promise<void> => {
  const { candidates, found, confirmed } = findings;
  const startedAt = options.now();
  await findCandidates(options, findings);
  await confirmAll(options, candidates, (name, violations) => {
    if (violations.length > 0) found.set(name, violations);
  });
  if (found.size === 0) return;
  const violations = [...found.values()].flat();
  options.onRecheck?.(violations.length);
  await options.sleep(options.recheckAfterMs, options.stop);
  if (violations.some(({ law }) => isBrokenByErasure(law))) {
    // Before the last reads: what an erasure has finished by now, they find erased. A scan that stopped has not seen
    // every erasure.
    findings.mayBeErased = findings.isTooMany || (await isErasureRunning(options, findings.erasures, startedAt));
  }
  await confirmAll(options, found, (_name, violations) => confirmed.push(...violations));
};

const contextNow = ({ rules, now }: TableCheckOptions): LawContext => ({ ...rules, now: now() });

const findCandidates = async (options: TableCheckOptions, findings: Findings): Promise<void> => {
  for await (const page of scanTable(options)) {
    findings.erasures.push(...page.filter(isRunningErasure).map(keyOf));
    const context = contextNow(options);
    const related = await readRelated(options, page, context, false);
    for (const item of page) {
      const violations = violationsIn(item, related, context, options.isWanted);
      if (violations.length > 0) findings.candidates.set(nameOf(keyOf(item)), violations);
    }
    findings.items += page.length;
    options.onProgress?.(findings.items);
    if (findings.candidates.size >= MAX_CANDIDATES) {
      findings.isTooMany = true;
      return;
    }
  }
};

/** Returns the approximate number of items, which DynamoDB updates every six hours. */
export const countItems = async (dynamodb: DynamoDBClient, TableName: string): Promise<number | undefined> => {
  const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName }));
  return Table?.ItemCount;
};

const readRelated = (
  options: TableCheckOptions,
  items: readonly StoredItem[],
  context: LawContext,
  isConsistent: boolean,
): Promise<ReadonlyMap<string, StoredItem>> => {
  const onPage = new Map(items.map((item) => [nameOf(keyOf(item)), item]));
  const keys = items.flatMap((item) => referencesOf(item, context, options.isWanted));
  return readItems(
    options,
    keys.filter((key) => !onPage.has(nameOf(key))),
    isConsistent,
    onPage,
  );
};

const violationsIn = (
  item: StoredItem,
  related: ReadonlyMap<string, StoredItem>,
  context: LawContext,
  isWanted: IsWanted | undefined,
): readonly Violation[] => [
  ...violationsOfItem(item, context, isWanted),
  ...violationsOfReferences(item, (key) => related.get(nameOf(key)), context, isWanted),
];

/**
 * Reads candidates again with consistent reads, first what they refer to and then the items, and checks them. Takes
 * each candidate away before it passes on what the item still breaks.
 */
const confirmAll = async (
  options: TableCheckOptions,
  candidates: Candidates,
  onRead: (name: string, violations: readonly Violation[]) => void,
): Promise<void> => {
  const all = [...candidates].flatMap(([name, [violation]]) => (violation ? [{ name, key: violation.key }] : []));
  for (let start = 0; start < all.length; start += CONFIRM_KEYS) {
    const batch = all.slice(start, start + CONFIRM_KEYS);
    const context = contextNow(options);
    const items = await readItems(
      options,
      batch.map(({ key }) => key),
      true,
    );
    const related = await readRelated(options, [...items.values()], context, true);
    // Again, because a send can be erased together with its message between the two reads.
    const referring = [...items.values()].filter((item) => referencesOf(item, context).length > 0).map(keyOf);
    const latest = await readItems(options, referring, true);
    const again = new Set(referring.map(nameOf));
    for (const { name } of batch) {
      const item = (again.has(name) ? latest : items).get(name);
      candidates.delete(name);
      onRead(name, item === undefined ? [] : violationsIn(item, related, context, options.isWanted));
    }
  }
};
