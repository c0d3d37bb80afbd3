import { parseArgs } from 'node:util';
import type { RunsResult } from './search-runs.ts';
import { SEARCHABLE_MUTANTS, SEARCHABLE_SCENARIOS, SENTENCES, type SearchableScenario } from './searchable.ts';

/** `npm run search`: searches every schedule of every scenario and exits 1 if an invariant does not hold in one. */
const USAGE = `npm run search [-- options]
  --scenario <names>   separated by commas; all of them by default: ${Object.keys(SEARCHABLE_SCENARIOS).join(', ')}
  --faults <number>    at most so many faults in a run; 2 by default, fewer where a scenario says so
  --mutant <name>      searches with the function broken on purpose: ${Object.keys(SEARCHABLE_MUTANTS).join(', ')}
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

const faultsOf = ({ maxFaults }: SearchableScenario): number =>
  values.faults === undefined ? maxFaults : Number(values.faults);

const number = (count: number | bigint): string => count.toLocaleString('en-US');

if (values.help) {
  console.log(USAGE);
  process.exit(0);
}

const mutant = values.mutant === undefined ? undefined : named(SEARCHABLE_MUTANTS, values.mutant);
const names = mutant ? [mutant.scenario] : (values.scenario?.split(',') ?? Object.keys(SEARCHABLE_SCENARIOS));
if (mutant && values.scenario !== undefined && values.scenario !== mutant.scenario) {
  fail(`${values.mutant} is searched in ${mutant.scenario}.`);
}
const searched = names.map((name) => [name, mutant ?? named(SEARCHABLE_SCENARIOS, name)] as const);

const describe = (
  name: string,
  { about }: SearchableScenario,
  faults: number,
  result: RunsResult<string>,
  seconds: number,
): string => {
  const schedules = result.schedules.map((count, index) => `${number(count)} with ${index}`).join(', ');
  return [
    `${name} (up to ${faults} faults): ${about}`,
    `  calls of ports: ${number(result.callsObserved)} observed, at most ${result.mostCalls} in a run`,
    `  places of a fault: ${number(result.faultPlaces)}; orders and faults: ${schedules} faults`,
    `  runs: ${number(result.runs)}; states: ${number(result.states)}; ${seconds.toFixed(1)} s of processor time`,
    `  violations: ${result.violations.length === 0 ? 'none' : ''}`,
  ].join('\n');
};

const showViolations = async (
  name: string,
  scenario: SearchableScenario,
  faults: number,
  result: RunsResult<string>,
): Promise<void> => {
  for (const { invariant, what, choices } of result.violations) {
    console.log(`\n  ${invariant}, in ${number(result.violating[invariant] ?? 0)} runs: ${SENTENCES[invariant]}`);
    console.log(`  ${what}`);
    const { lines } = await scenario.replay(faults, choices);
    for (const line of lines) console.log(`    ${line}`);
    const broken = values.mutant === undefined ? '' : ` --mutant ${values.mutant}`;
    console.log(
      `  npm run search -- --scenario ${name} --faults ${faults}${broken} --replay ${choices.join('.') || 'none'}`,
    );
  }
};

const [first] = searched;
if (values.replay !== undefined && first !== undefined) {
  const [, scenario] = first;
  const choices = values.replay === 'none' ? [] : values.replay.split('.').map(Number);
  const { lines, violated } = await scenario.replay(faultsOf(scenario), choices);
  console.log(lines.join('\n'));
  process.exit(violated.length === 0 ? 0 : 1);
}

const violated = new Set<string>();
const startedAt = process.cpuUsage();
let runs = 0;
for (const [name, scenario] of searched) {
  const faults = faultsOf(scenario);
  const before = process.cpuUsage();
  const result = await scenario.search(faults);
  const { user, system } = process.cpuUsage(before);
  runs += result.runs;
  console.log(describe(name, scenario, faults, result, (user + system) / 1e6));
  await showViolations(name, scenario, faults, result);
  for (const { invariant } of result.violations) violated.add(invariant);
  console.log('');
}
const { user, system } = process.cpuUsage(startedAt);
console.log(
  `${number(runs)} runs of ${names.length} scenarios in ${((user + system) / 60e6).toFixed(1)} minutes of processor time. ` +
    (violated.size === 0 ? 'Every invariant held.' : `Violated: ${[...violated].join(', ')}.`),
);
process.exit(violated.size === 0 ? 0 : 1);
