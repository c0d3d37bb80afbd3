import { parseArgs } from 'node:util';
import { INVARIANTS, type InvariantName } from './invariants.ts';
import type { Mutant } from './mutant.ts';
import { MUTANTS } from './mutants.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';
import { replayRun, type SearchResult, search } from './search.ts';

/** `npm run search`: searches every schedule of every scenario and exits 1 if an invariant does not hold in one. */
const USAGE = `npm run search [-- options]
  --scenario <names>   separated by commas; all of them by default: ${Object.keys(SCENARIOS).join(', ')}
  --faults <number>    at most so many faults in a run; 2 by default, fewer where a scenario says so
  --mutant <name>      searches with the function broken on purpose: ${Object.keys(MUTANTS).join(', ')}
  --replay <choices>   runs one schedule of one scenario again, as a search printed it, and shows each step`;

const { values } = parseArgs({
  options: {
    scenario: { type: 'string' },
    faults: { type: 'string' },
    mutant: { type: 'string' },
    replay: { type: 'string' },
    help: { type: 'boolean' },
  },
});

const fail = (sentence: string): never => {
  console.error(`${sentence}\n\n${USAGE}`);
  process.exit(2);
};

const named = <Entry>(entries: Readonly<Record<string, Entry>>, name: string): Entry =>
  entries[name] ?? fail(`There is no ${name}.`);

const faultsOf = ({ maxFaults = 2 }: Scenario): number =>
  values.faults === undefined ? maxFaults : Number(values.faults);

const number = (count: number | bigint): string => count.toLocaleString('en-US');

const mutant: Mutant | undefined = values.mutant === undefined ? undefined : named<Mutant>(MUTANTS, values.mutant);
const mutation = mutant && {
  createMutation: mutant.create,
  ...(mutant.allowedFaults && { allowedFaults: mutant.allowedFaults }),
};

const describe = (name: string, faults: number, result: SearchResult, seconds: number): string => {
  const schedules = result.schedules.map((count, index) => `${number(count)} with ${index}`).join(', ');
  return [
    `${name} (up to ${faults} faults): ${named<Scenario>(SCENARIOS, name).about}`,
    `  calls of ports: ${number(result.callsObserved)} observed, at most ${result.mostCalls} in a run`,
    `  places of a fault: ${number(result.faultPlaces)}; orders and faults: ${schedules} faults`,
    `  runs: ${number(result.runs)}; states: ${number(result.states)}; ${seconds.toFixed(1)} s of processor time`,
    `  violations: ${result.violations.length === 0 ? 'none' : ''}`,
  ].join('\n');
};

const showViolations = async (name: string, faults: number, result: SearchResult): Promise<void> => {
  for (const { invariant, what, choices } of result.violations) {
    console.log(
      `\n  ${invariant}, in ${number(result.violating[invariant] ?? 0)} runs: ${INVARIANTS[invariant].sentence}`,
    );
    console.log(`  ${what}`);
    const { lines } = await replayRun(
      named<Scenario>(SCENARIOS, name).options,
      { maxFaults: faults, ...mutation },
      choices,
    );
    for (const line of lines) console.log(`    ${line}`);
    const broken = values.mutant === undefined ? '' : ` --mutant ${values.mutant}`;
    console.log(
      `  npm run search -- --scenario ${name} --faults ${faults}${broken} --replay ${choices.join('.') || 'none'}`,
    );
  }
};

if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
const names = values.scenario?.split(',') ?? (mutant ? [mutant.scenario] : Object.keys(SCENARIOS));

if (values.replay !== undefined) {
  const scenario = named<Scenario>(SCENARIOS, names[0] ?? '');
  const choices = values.replay === 'none' ? [] : values.replay.split('.').map(Number);
  const { lines, violated } = await replayRun(
    scenario.options,
    { maxFaults: faultsOf(scenario), ...mutation },
    choices,
  );
  console.log(lines.join('\n'));
  process.exit(violated.length === 0 ? 0 : 1);
}

const violated = new Set<InvariantName>();
const startedAt = process.cpuUsage();
let runs = 0;
for (const name of names) {
  const scenario = named<Scenario>(SCENARIOS, name);
  const faults = mutant && values.faults === undefined ? mutant.maxFaults : faultsOf(scenario);
  const before = process.cpuUsage();
  const result = await search(scenario.options, { maxFaults: faults, ...mutation });
  const { user, system } = process.cpuUsage(before);
  runs += result.runs;
  console.log(describe(name, faults, result, (user + system) / 1e6));
  await showViolations(name, faults, result);
  for (const { invariant } of result.violations) violated.add(invariant);
  console.log('');
}
const { user, system } = process.cpuUsage(startedAt);
console.log(
  `${number(runs)} runs of ${names.length} scenarios in ${((user + system) / 60e6).toFixed(1)} minutes of processor time. ` +
    (violated.size === 0 ? 'Every invariant held.' : `Violated: ${[...violated].join(', ')}.`),
);
process.exit(violated.size === 0 ? 0 : 1);
