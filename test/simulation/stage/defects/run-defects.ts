import { readArguments } from '../../../support/read-arguments.ts';
import { drawIdentityHistory } from '../../identity/draw-identity.ts';
import { IDENTITY_DEFECTS, type IdentityDefect } from '../../identity/identity-defects.ts';
import { playIdentity } from '../../identity/play-identity.ts';
import { runInChildren } from '../../run-in-children.ts';
import { SEARCHABLE_MUTANTS, type SearchableMutant } from '../../search/searchable.ts';
import { drawHistory } from '../draw-history.ts';
import { playHistory } from '../play-history.ts';
import { examineRun, STAGE_INVARIANTS } from '../stage-invariants.ts';
import {
  DEFECT_PLACES,
  type DefectPlace,
  describeFound,
  type Found,
  parseFound,
  SEEDED_DEFECTS,
  writeFound,
} from './defect-table.ts';
import type { StageDefect } from './stage-defect.ts';
import { STAGE_DEFECTS } from './stage-defects.ts';

/** `npm run simulate:defects`: shows where an invariant finds each seeded defect. Exits with 1 if one is not found. */
const USAGE = `npm run simulate:defects [-- options]
  --defect <names>     defects to run, separated by commas (default: all)
  --in <place>         run only the defects in this place: ${DEFECT_PLACES.join(', ')}
  --seeds <number>     maximum number of random histories for each defect (default: 2,000)
  --workers <number>   number of defects to run in parallel, each in its own process (default: 2)
  --write              write the results to docs/defects.md`;

const OPTIONS = {
  defect: { type: 'string' },
  in: { type: 'string' },
  seeds: { type: 'string', default: '2000' },
  workers: { type: 'string', default: '2' },
  write: { type: 'boolean', default: false },
  // Runs one defect in this process and prints the result as JSON. The command starts itself with this option.
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

const fail = (sentence: string): never => {
  console.error(`${sentence}\n\n${USAGE}`);
  process.exit(2);
};

const read = readArguments({ options: OPTIONS });
const { values } = read.kind === 'invalid' ? fail(read.sentence) : read;
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
const seeds = Number(values.seeds);
if (!Number.isInteger(seeds) || seeds < 1) fail(`--seeds must be a positive integer, not '${values.seeds}'.`);
const workers = Number(values.workers);
if (!Number.isInteger(workers) || workers < 1) fail(`--workers must be a positive integer, not ${values.workers}.`);
const places = DEFECT_PLACES.filter((place) => values.in === undefined || place === values.in);
if (places.length === 0) fail(`--in must be ${DEFECT_PLACES.join(' or ')}, not ${values.in}.`);
const wanted = values.defect?.split(',');
const unknown = wanted?.find((name) => !places.some((place) => Object.hasOwn(SEEDED_DEFECTS[place], name)));
if (unknown !== undefined) fail(`Unknown defect: ${unknown}.`);

/** The first seed whose history shows the defect. */
const findSeed = async ({ create, invariant }: StageDefect): Promise<Found> => {
  for (let seed = 0; seed < seeds; seed += 1) {
    const run = await playHistory(drawHistory(seed), { createMutation: create });
    const { violations } = examineRun(run, { [invariant]: STAGE_INVARIANTS[invariant] });
    if (violations.length > 0) return { seed };
  }
  return { notFoundInSeeds: seeds };
};

/** The first seed of an identity history that shows the defect, and violates nothing without it. */
const findIdentity = async ({ create, invariant }: IdentityDefect): Promise<Found> => {
  const isViolated = async (seed: number, createMutation?: IdentityDefect['create']) => {
    const { violations } = await playIdentity(drawIdentityHistory(seed), createMutation);
    return violations.some((violation) => violation.invariant === invariant);
  };
  for (let seed = 1; seed <= IDENTITIES_PER_HISTORY * seeds; seed += 1) {
    if ((await isViolated(seed, create)) && !(await isViolated(seed))) return { seed };
  }
  return { notFoundInSeeds: IDENTITIES_PER_HISTORY * seeds };
};

/** An identity history is short. */
const IDENTITIES_PER_HISTORY = 10;

const searchFor = async ({ maxFaults, invariant, search }: SearchableMutant): Promise<Found> => {
  const { violating, runs } = await search(maxFaults);
  return { runs, violating: violating[invariant] ?? 0 };
};

const runHere = (place: DefectPlace, name: string): Promise<Found> => {
  const defect = STAGE_DEFECTS[name];
  const identity = IDENTITY_DEFECTS[name];
  const mutant = SEARCHABLE_MUTANTS[name];
  if (place === 'histories' && defect) return findSeed(defect);
  if (place === 'identities' && identity) return findIdentity(identity);
  return mutant ? searchFor(mutant) : fail(`Unknown defect: ${name}.`);
};

if (values.json) {
  const [place = 'histories'] = places;
  console.log(JSON.stringify(await runHere(place, wanted?.[0] ?? '')));
  process.exit(0);
}

const isFound = (result: Found): boolean => 'seed' in result || ('violating' in result && result.violating > 0);

const failures: string[] = [];
for (const place of places) {
  const names = Object.keys(SEEDED_DEFECTS[place]).filter((name) => wanted === undefined || wanted.includes(name));
  const fixed = ['--in', place, '--seeds', String(seeds), '--json'];
  await runInChildren(
    new URL(import.meta.url),
    names.map((name) => ({ name, arguments: ['--defect', name, ...fixed] })),
    workers,
    (name, text) => {
      const result = parseFound(text);
      if (!isFound(result)) failures.push(name);
      const { invariant = '' } = SEEDED_DEFECTS[place][name] ?? {};
      console.log(`${place.padEnd(11)}${name.padEnd(30)}${invariant.padEnd(30)}${describeFound(result)}`);
      if (values.write) writeFound(place, name, result);
    },
    (name, why) => {
      failures.push(name);
      console.error(`${name}: ${why}`);
    },
  );
}
console.log(failures.length === 0 ? 'Every defect was found.' : `Not found: ${failures.join(', ')}.`);
process.exit(failures.length === 0 ? 0 : 1);
