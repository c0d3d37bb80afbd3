import { setTimeout as pause } from 'node:timers/promises';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { checkTable, type TableCheck } from '../../cli/operations/check-table.ts';
import { createPacer } from '../../cli/operations/pacer.ts';
import { retentionDays } from '../../lambdas/domain/retention.ts';
import type { Violation } from '../../lambdas/laws/check-laws.ts';
import { nameOf } from '../../lambdas/laws/check-laws.ts';
import { keyOf, type StoredItem } from '../../lambdas/laws/stored-item.ts';
import { type LocalCloud, type LocalOptions, startLocal } from '../../local/cloud/local-cloud.ts';
import { createTableStreamCheck, type TableStreamCheck } from './table-stream-check.ts';

// Starts every local run of the tests, so that no test can break a law of the table unnoticed. Does not depend on Vitest,
// so that trials on the command line are checked as well.

interface CheckedRun {
  readonly cloud: LocalCloud;
  readonly stream: TableStreamCheck;
  /** The keys of the items that the test itself wrote to the table. */
  readonly planted: Set<string>;
  /** Whether {@link reportLaws} has returned what the run broke, so that nothing else has to fail because of it. */
  isReported: boolean;
}

const running = new Set<CheckedRun>();

/** What a run wrote and stored, and which laws that broke. */
export interface LawReport {
  /** How many changes of the stream were checked. */
  readonly changes: number;
  /** How many stored items were checked. */
  readonly items: number;
  readonly violations: readonly Violation[];
}

/** A write may be in progress at the end of a test. */
const RECHECK_MS = 2_000;
const GRACE_MS = 60 * 60 * 1000;

/** Thrown if a run broke a law of the table. */
export class BrokenLawError extends Error {
  override readonly name = 'BrokenLawError';

  constructor(violations: readonly Violation[]) {
    const lines = violations.map(({ law, key: { pk, sk }, fault }) => `${law}: ${pk} ${sk}: ${fault}`);
    super(`The table broke its laws:\n${[...new Set(lines)].join('\n')}`);
  }
}

/**
 * Starts a local run whose table is checked against the laws. {@link checkWrites} checks the stream; closing the run
 * checks the rest of the stream and every stored item first, and rejects with a {@link BrokenLawError}.
 */
export const startCheckedCloud = async (options: LocalOptions = {}): Promise<LocalCloud> => {
  const cloud = await startLocal(options);
  try {
    const run: CheckedRun = {
      cloud,
      stream: await createTableStreamCheck(cloud.emulators, cloud.tableName),
      planted: new Set(),
      isReported: false,
    };
    running.add(run);
    let closing: Promise<void> | undefined;
    const close = (): Promise<void> => {
      closing ??= checkAndClose(run);
      return closing;
    };
    return { ...cloud, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await cloud.close();
    throw error;
  }
};

/** Checks the writes of this process's runs since the last call. @throws BrokenLawError */
export const checkWrites = async (): Promise<void> => {
  for (const run of running) if (!run.isReported) throwIfBroken(run, await run.stream.readOn());
};

/**
 * Checks the rest of a run's stream and every stored item now, and returns what it found. Closing the run checks nothing
 * more. For a trial that counts broken laws among its results. Call it when nothing writes any longer.
 */
export const reportLaws = async (cloud: LocalCloud): Promise<LawReport> => {
  const run = runOf(cloud);
  if (run === undefined) throw new Error('The run is not checked, or it is closed.');
  const report = await checkAll(run);
  run.isReported = true;
  return report;
};

/** Writes an item that Parley would not write. The laws ignore it. */
export const plantItem = async (cloud: LocalCloud, item: StoredItem): Promise<void> => {
  const { emulators, tableName } = cloud;
  runOf(cloud)?.planted.add(nameOf(keyOf(item)));
  await emulators.dynamodb.send(new PutItemCommand({ TableName: tableName, Item: marshall(item) }));
};

/** Returns the number of runs that are not closed, whose stored items have not been checked. */
export const uncheckedRuns = (): number => running.size;

/** A checked run has the emulators and the table of the run that it was made from. */
const runOf = ({ emulators, tableName }: LocalCloud): CheckedRun | undefined =>
  [...running].find(({ cloud }) => cloud.tableName === tableName && cloud.emulators === emulators);

const checkAndClose = async (run: CheckedRun): Promise<void> => {
  const { cloud, stream } = run;
  try {
    if (!run.isReported) throwIfBroken(run, (await checkAll(run)).violations);
  } finally {
    running.delete(run);
    await stream[Symbol.asyncDispose]();
    await cloud.close();
  }
};

const checkAll = async (run: CheckedRun): Promise<LawReport> => {
  const changes = await run.stream.readOn();
  const stored = await auditStored(run.cloud);
  const violations = [...changes, ...stored.violations].filter(({ key }) => !run.planted.has(nameOf(key)));
  return { changes: run.stream.count(), items: stored.items, violations };
};

const auditStored = ({ emulators, tableName, clock, ...cloud }: LocalCloud): Promise<TableCheck> =>
  checkTable({
    dynamodb: emulators.dynamodb,
    tableName,
    now: () => clock.now().toISOString(),
    rules: { graceMs: GRACE_MS, messageDays: messageDaysOf(cloud) },
    pacer: createPacer({ unitsPerSecond: Number.POSITIVE_INFINITY, nowMs: () => performance.now() }),
    recheckAfterMs: RECHECK_MS,
    sleep: async (ms) => pause(ms),
  });

const messageDaysOf = ({ functions }: Pick<LocalCloud, 'functions'>): number => {
  const settings = [...functions.values()].map(({ declaration }) => declaration.variables.RETENTION_DAYS);
  return retentionDays.parse(JSON.parse(settings.find((days) => days !== undefined) ?? '')).messages;
};

const throwIfBroken = ({ planted }: CheckedRun, violations: readonly Violation[]): void => {
  const broken = violations.filter(({ key }) => !planted.has(nameOf(key)));
  if (broken.length > 0) throw new BrokenLawError(broken);
};
