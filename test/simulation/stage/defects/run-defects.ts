import { readArguments } from '../../../support/read-arguments.ts';
import { SEARCHABLE_MUTANTS } from '../../search/searchable.ts';
import { drawHistory } from '../draw-history.ts';
import { playHistory } from '../play-history.ts';
import { examineRun, STAGE_INVARIANTS } from '../stage-invariants.ts';
import type { StageDefect } from './stage-defect.ts';
import { STAGE_DEFECTS } from './stage-defects.ts';

/**
 * `npm run simulate:defects`: seeds one defect at a time in the functions, and shows in which history or schedule an
 * invariant finds it. Exits with 1 if a defect is not found.
 */
const USAGE = `npm run simulate:defects [-- options]
  --seeds <number>     maximum number of seeds for each defect (default: 2,000)
  --defect <name>      run only this defect
  --only-seeds         skip the defects that the exhaustive search finds`;

const fail = (sentence: string): never => {
  console.error(`${sentence}\n\n${USAGE}`);
  process.exit(2);
};

const read = readArguments({
  options: {
    seeds: { type: 'string', default: '2000' },
    defect: { type: 'string' },
    'only-seeds': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const { values } = read.kind === 'invalid' ? fail(read.sentence) : read;
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
if (!/^\d{1,9}$/.test(values.seeds)) fail(`--seeds must be a whole number, not '${values.seeds}'.`);
const { defect: wanted } = values;
if (wanted !== undefined && ![STAGE_DEFECTS, SEARCHABLE_MUTANTS].some((defects) => Object.hasOwn(defects, wanted))) {
  fail(`Unknown defect: ${wanted}.`);
}

/** The first seed whose history shows the defect. */
const findSeed = async ({ create, invariant }: StageDefect): Promise<number | undefined> => {
  for (let seed = 0; seed < Number(values.seeds); seed += 1) {
    const run = await playHistory(drawHistory(seed), { createMutation: create });
    const { violations } = examineRun(run, { [invariant]: STAGE_INVARIANTS[invariant] });
    if (violations.length > 0) return seed;
  }
  return undefined;
};

const isWanted = ([name]: readonly [string, unknown]): boolean => wanted === undefined || wanted === name;
let missed = 0;
const show = (defect: string, invariant: string, found: string | undefined): void => {
  if (found === undefined) missed += 1;
  console.log(`${defect.padEnd(30)}${invariant.padEnd(30)}${found ?? 'NOT FOUND'}`);
};

show('defect', 'invariant', 'found in');
for (const [name, defect] of Object.entries(STAGE_DEFECTS).filter(isWanted)) {
  const seed = await findSeed(defect);
  show(name, defect.invariant, seed === undefined ? undefined : `seed ${seed}`);
}
const searched = values['only-seeds'] ? [] : Object.entries(SEARCHABLE_MUTANTS).filter(isWanted);
for (const [name, { scenario, maxFaults, invariant, search }] of searched) {
  const { violations, violating, runs } = await search(maxFaults);
  const choices = violations.find((one) => one.invariant === invariant)?.choices.join('.') || 'none';
  const isFound = (violating[invariant] ?? 0) > 0;
  const count = `${violating[invariant]} of ${runs} runs`;
  show(name, invariant, isFound ? `scenario ${scenario}, ${count}, such as --replay ${choices}` : undefined);
}
process.exit(missed === 0 ? 0 : 1);
