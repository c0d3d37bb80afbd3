import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { checkCanary } from './canary.ts';
import { describeHistory } from './describe-history.ts';
import { drawHistory } from './draw-history.ts';
import { explainFailure } from './explain-failure.ts';
import type { History } from './history.ts';
import { parseHistory } from './parse-history.ts';
import { playHistory } from './play-history.ts';
import { runHistory, type Simulation } from './run-history.ts';
import { parseSimulateCommand, type SimulateCommand, USAGE } from './simulate-options.ts';
import { addResults, type FailingSeed, NO_SEEDS, type SeedsResult } from './simulate-seeds.ts';
import { simulateOnWorkers } from './simulate-workers.ts';
import { examineRun } from './stage-invariants.ts';
import { renderTimeline } from './timeline.ts';
import { judgeWitnesses, MIN_SEEDS_FOR_WITNESSES } from './witnesses.ts';

/** `npm run simulate`: plays random histories of a stage. Exits with 1 if a history violates an invariant. */
const FOLDER = join(import.meta.dirname, '../../../.parley/histories');
const SIMULATION: Simulation = { play: playHistory, examine: examineRun };
/** Histories are shrunk for this many invariants. Violations of other invariants are only listed. */
const MAX_EXPLAINED = 3;

type Command<Kind extends SimulateCommand['kind']> = Extract<SimulateCommand, { kind: Kind }>;

const print = (line: string): void => console.log(line);
const number = (value: number): string => Math.round(value).toLocaleString('en-US');

const simulateMany = async ({ from, seeds, workers = availableParallelism(), shrinkRuns }: Command<'seeds'>) => {
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1000;
  const total = await simulateOnWorkers({
    from,
    seeds,
    workers,
    worker: new URL('simulate-worker.ts', import.meta.url),
    none: NO_SEEDS,
    add: addResults,
    onProgress: (soFar) => showProgress(soFar, seeds, seconds()),
  });
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  const rate = `${number(total.events / seconds())} events per second`;
  print(
    `${number(total.seeds)} seeds from ${from} on ${workers} workers: ${number(total.events)} events ` +
      `in ${number(seconds())} s, ${rate}.`,
  );
  const areWitnessesComplete = showWitnesses(total);
  await showFailures(total.failures, shrinkRuns);
  return total.failures.length === 0 && areWitnessesComplete;
};

const announced = new Set<string>();

const showProgress = ({ seeds, events, failures }: SeedsResult, of: number, seconds: number): void => {
  for (const { seed, violations } of failures) {
    for (const { invariant, what } of violations) {
      if (announced.has(invariant)) continue;
      announced.add(invariant);
      print(`Seed ${seed} violates ${invariant}: ${what}`);
    }
  }
  if (!process.stderr.isTTY) return;
  const failing = failures.length === 0 ? '' : `, ${number(failures.length)} failing`;
  const rate = number(events / seconds);
  process.stderr.write(`\r\u001b[K${number(seeds)} of ${number(of)} seeds, ${rate} events per second${failing}`);
};

/** Returns whether the witnesses are complete, or there were too few seeds to require that. */
const showWitnesses = ({ seeds, witnesses }: SeedsResult): boolean => {
  const { unwitnessed, unexpected } = judgeWitnesses(witnesses);
  const happened = [...witnesses.values()].filter((count) => count > 0).length;
  print(`Witnesses: ${number(happened)} seen.`);
  for (const name of unwitnessed) print(`  unwitnessed: ${name}`);
  for (const name of unexpected) print(`  unexpected: ${name}`);
  const isRequired = seeds >= MIN_SEEDS_FOR_WITNESSES;
  if (unwitnessed.length > 0 && !isRequired) {
    print(`  This is an error only from ${number(MIN_SEEDS_FOR_WITNESSES)} seeds on.`);
  }
  return unexpected.length === 0 && (unwitnessed.length === 0 || !isRequired);
};

const showFailures = async (failures: readonly FailingSeed[], shrinkRuns: number): Promise<void> => {
  const byInvariant = Map.groupBy(
    failures.flatMap(({ seed, violations }) => violations.map((violation) => ({ seed, ...violation }))),
    ({ invariant }) => invariant,
  );
  if (byInvariant.size === 0) print('Every invariant held.');
  let explained = 0;
  for (const [invariant, found] of byInvariant) {
    const seeds = [...new Set(found.map(({ seed }) => seed))];
    const [first] = found;
    if (first === undefined) continue;
    print(`\nVIOLATED ${invariant}, in ${number(seeds.length)} seeds: ${seeds.slice(0, 10).join(', ')}`);
    print(`  ${first.what}\n  npm run simulate -- --seed ${first.seed}`);
    print(describeHistory(drawHistory(first.seed)));
    explained += 1;
    if (explained > MAX_EXPLAINED || shrinkRuns === 0) continue;
    await explainFailure(drawHistory(first.seed), SIMULATION, {
      invariant,
      maxRuns: shrinkRuns,
      folder: FOLDER,
      print,
    });
  }
};

const simulateOne = async ({ history: source, invariant, json, shrinkRuns }: Command<'one'>): Promise<boolean> => {
  const history = 'seed' in source ? drawHistory(source.seed) : await readHistory(source.file);
  const result = await runHistory(history, SIMULATION);
  const { violations } = result;
  const entries = result.kind === 'played' ? result.run.ledger.entries : [];
  if (json) {
    print(
      JSON.stringify({ history, how: result.kind === 'played' ? result.run.how : result.kind, violations, entries }),
    );
    return violations.length === 0;
  }
  print(describeHistory(history));
  print(renderTimeline(entries, violations));
  print(violations.length === 0 ? 'Every invariant held.' : '');
  for (const violation of violations) print(`VIOLATED ${violation.invariant}: ${violation.what}`);
  if (invariant !== undefined && violations.some((violation) => violation.invariant === invariant)) {
    await explainFailure(history, SIMULATION, { invariant, maxRuns: shrinkRuns, folder: FOLDER, print });
  }
  return violations.length === 0;
};

const readHistory = async (file: string): Promise<History> => {
  const text = await readFile(file, 'utf8').catch(() => fail(`Cannot read ${file}.`));
  const parsed = parseHistory(text);
  return parsed.kind === 'history' ? parsed.history : fail(`${file} is not a history: ${parsed.why}`);
};

const fail = (sentence: string): never => {
  console.error(`${sentence}\n\n${USAGE}`);
  process.exit(2);
};

const command = parseSimulateCommand(process.argv.slice(2));
switch (command.kind) {
  case 'help':
    print(USAGE);
    break;
  case 'invalid':
    fail(command.sentence);
    break;
  case 'seeds':
    for (const what of await checkCanary(playHistory)) fail(`The simulation itself is broken: ${what}`);
    process.exitCode = (await simulateMany(command)) ? 0 : 1;
    break;
  case 'one':
    process.exitCode = (await simulateOne(command)) ? 0 : 1;
    break;
}
