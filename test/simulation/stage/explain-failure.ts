import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { describeHistory } from './describe-history.ts';
import type { History } from './history.ts';
import { faultsIn, runHistory, type Simulation } from './run-history.ts';
import { type Attempt, shrinkHistory } from './shrink.ts';
import { renderTimeline } from './timeline.ts';

export interface ExplainOptions {
  readonly invariant: string;
  /** The maximum number of runs to shrink the history. */
  readonly maxRuns: number;
  /** The folder for the shrunk history. */
  readonly folder: string;
  readonly print: (line: string) => void;
}

/** Shrinks a history that violates an invariant, stores the result, and prints it as a timeline. */
export const explainFailure = async (
  history: History,
  simulation: Simulation,
  { invariant, maxRuns, folder, print }: ExplainOptions,
): Promise<void> => {
  const attempt = async (candidate: History): Promise<Attempt> => {
    const result = await runHistory(candidate, simulation);
    const violated = result.violations.map((violation) => violation.invariant);
    return { violated, faults: result.kind === 'played' ? faultsIn(result.run) : (candidate.faults ?? []) };
  };
  const shrunk = await shrinkHistory(history, { invariant, attempt, maxRuns });
  const { acts, faults = [] } = shrunk.history;
  const path = join(folder, `${history.seed}-${invariant}.json`);
  await mkdir(folder, { recursive: true });
  await writeFile(path, `${JSON.stringify(shrunk.history)}\n`);
  const end = shrunk.isMinimal ? 'in' : 'and not to the end, in';
  print(`Shrunk to ${acts.length} acts and ${faults.length} faults, ${end} ${shrunk.runs} runs:`);
  print(`  npm run simulate -- --history ${relative(process.cwd(), path)}`);
  print(describeHistory(shrunk.history));

  const result = await runHistory(shrunk.history, simulation);
  if (result.kind === 'played') print(renderTimeline(result.run.ledger.entries, result.violations));
  else for (const { invariant: name, what } of result.violations) print(`${name}: ${what}`);
};
