import type { CommandContext } from '../base/command.ts';
import { createProgress } from '../base/progress.ts';
import { countRefused, type RefusedRows } from '../broadcast/refused-rows.ts';
import { type ImportCall, type ImportCounts, importChunk } from './import-chunk.ts';
import { type ImportState, writeImportState } from './import-state.ts';
import type { ImportPlan } from './plan-import.ts';

/** Calls of a dry run at once. They write nothing, so their order does not matter. */
const CONCURRENT_CALLS = 4;

/** Asks what an import would store, without storing it. Returns undefined if it was interrupted. */
export const forecastImport = async (
  plan: ImportPlan,
  call: Omit<ImportCall, 'dryRun'>,
  context: CommandContext,
): Promise<ImportCounts | undefined> => {
  let counts: ImportCounts = { added: 0, existing: 0, unreadable: plan.unreadable };
  let done = 0;
  const progress = progressOf(context, plan, 0);
  const chunks = plan.chunks.values();
  const work = async (): Promise<void> => {
    for (const chunk of chunks) {
      if (context.stop.aborted) return;
      const found = await importChunk({ ...call, dryRun: true }, chunk, NOTHING);
      counts = sumOf(counts, found);
      done += chunk.entries.length;
      progress.update(done);
    }
  };
  try {
    await Promise.all(Array.from({ length: CONCURRENT_CALLS }, work));
  } finally {
    progress.stop();
  }
  return context.stop.aborted ? undefined : counts;
};

const NOTHING: ImportCounts = { added: 0, existing: 0, unreadable: {} };

const sumOf = (one: ImportCounts, other: ImportCounts): ImportCounts => ({
  added: one.added + other.added,
  existing: one.existing + other.existing,
  unreadable: merged(one.unreadable, other.unreadable),
});

const merged = (one: RefusedRows, other: RefusedRows): RefusedRows => {
  const sum = { ...one };
  for (const [reason, { count, rows, last }] of Object.entries(other)) {
    const before = sum[reason] ?? { count: 0, rows: [] };
    sum[reason] = { count: before.count + count, rows: [...before.rows, ...rows].slice(0, MAX_NUMBERS), last };
  }
  return sum;
};

const MAX_NUMBERS = 5;

/** Imports the chunks that `start` does not cover yet, until the end or until Ctrl-C, and saves the state after each. */
export const importChunks = async (
  plan: ImportPlan,
  call: Omit<ImportCall, 'dryRun'>,
  context: CommandContext,
  { start, stateFile }: { readonly start: ImportState; readonly stateFile: string | undefined },
): Promise<ImportState> => {
  let state = start;
  const save = async () => {
    if (stateFile !== undefined) await writeImportState(stateFile, state);
  };
  // Before the first call, so that a file that cannot be written is found before anything is stored.
  await save();
  const progress = progressOf(context, plan, start.entries);
  try {
    for (const chunk of plan.chunks.slice(start.chunks)) {
      if (context.stop.aborted) break;
      const counts = await importChunk({ ...call, dryRun: false }, chunk, state);
      state = { ...state, ...counts, chunks: state.chunks + 1, entries: state.entries + chunk.entries.length };
      await save();
      progress.update(state.entries);
    }
  } finally {
    progress.stop();
  }
  return state;
};

export const countUnreadable = ({ unreadable }: Pick<ImportCounts, 'unreadable'>): number => countRefused(unreadable);

const progressOf = ({ say, progressTerminal }: CommandContext, { entries }: ImportPlan, alreadyDone: number) =>
  createProgress({
    total: entries,
    noun: 'entries',
    alreadyDone,
    terminal: progressTerminal,
    say,
    nowMs: () => performance.now(),
  });
