import { readArguments } from '../../support/read-arguments.ts';
import { runInChildren } from '../run-in-children.ts';
import {
  formatTable,
  parseSearched,
  type Results,
  type SearchedScenario,
  searchedScenario,
  writeResults,
} from './scenario-table.ts';
import { SEARCHABLE_MUTANTS, SEARCHABLE_SCENARIOS, SENTENCES, type SearchableScenario } from './searchable.ts';

/** `npm run search`: searches every schedule of every scenario. Exits with 1 if a schedule violates an invariant. */
const USAGE = `npm run search [-- options]
  --scenario <names>   scenarios to search, separated by commas (default: all)
  --use-case <names>   search only the scenarios of these use cases: ${useCases().join(', ')}
  --faults <number>    maximum number of faults per run (default: 2, or the scenario's own limit)
  --workers <number>   number of scenarios to search in parallel, each in its own process (default: 2)
  --write              write the results to docs/scenarios.md
  --mutant <name>      search with a function that is broken on purpose
  --replay <choices>   run one schedule of a scenario again and show each step; a search prints the choices
  --list               list the scenarios and mutants with their descriptions`;

const fail = (sentence: string): never => {
  console.error(`${sentence}\n\n${USAGE}`);
  process.exit(2);
};

const read = readArguments({
  options: {
    scenario: { type: 'string' },
    'use-case': { type: 'string' },
    faults: { type: 'string' },
    workers: { type: 'string', default: '2' },
    write: { type: 'boolean', default: false },
    mutant: { type: 'string' },
    replay: { type: 'string' },
    list: { type: 'boolean', default: false },
    // Searches one scenario in this process and prints the result as JSON. The command starts itself with this option.
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const { values } = read.kind === 'invalid' ? fail(read.sentence) : read;

function useCases(): readonly string[] {
  return [...new Set(Object.values(SEARCHABLE_SCENARIOS).map(({ useCase }) => useCase))];
}

const named = <Entry>(entries: Readonly<Record<string, Entry>>, name: string): Entry =>
  entries[name] ?? fail(`Unknown name: ${name}.`);

const wholeNumber = (option: 'faults' | 'workers', text: string): number =>
  /^\d{1,2}$/.test(text) ? Number(text) : fail(`--${option} must be a whole number below 100, not '${text}'.`);

const givenFaults = values.faults === undefined ? undefined : wholeNumber('faults', values.faults);
const workers = wholeNumber('workers', values.workers);

const faultsOf = ({ maxFaults }: SearchableScenario): number => givenFaults ?? maxFaults;

const number = (count: number | bigint): string => count.toLocaleString('en-US');

const searchHere = async (scenario: SearchableScenario): Promise<SearchedScenario> => {
  const faults = faultsOf(scenario);
  const before = process.cpuUsage();
  const result = await scenario.search(faults);
  const { user, system } = process.cpuUsage(before);
  return searchedScenario(result, faults, (user + system) / 1e6);
};

const describe = (name: string, { about }: SearchableScenario, result: SearchedScenario): string => {
  const schedules = result.schedules.map((count, index) => `${number(BigInt(count))} with ${index}`).join(', ');
  return [
    `${name} (up to ${result.faults} faults): ${about}`,
    `  port calls: ${number(result.calls)} observed, at most ${result.mostCalls} in a run`,
    `  fault positions: ${number(result.faultPlaces)}; schedules: ${schedules} faults`,
    `  runs: ${number(result.runs)}; states: ${number(result.states)}; ${result.seconds} s of processor time`,
    `  violations: ${result.violations.length === 0 ? 'none' : ''}`,
  ].join('\n');
};

const showViolations = async (name: string, scenario: SearchableScenario, result: SearchedScenario): Promise<void> => {
  const { faults } = result;
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

if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
if (values.list) {
  for (const [name, { useCase, about }] of Object.entries(SEARCHABLE_SCENARIOS))
    console.log(`${useCase}: ${name}: ${about}`);
  for (const [name, { scenario, breaks }] of Object.entries(SEARCHABLE_MUTANTS))
    console.log(`mutant of ${scenario}: ${name}: ${breaks}`);
  process.exit(0);
}

const mutant = values.mutant === undefined ? undefined : named(SEARCHABLE_MUTANTS, values.mutant);
if (mutant && values.scenario !== undefined && values.scenario !== mutant.scenario) {
  fail(`The mutant ${values.mutant} runs only in the scenario ${mutant.scenario}.`);
}
if (mutant && values.write) fail('--write does not apply to a mutant.');
const wanted = values['use-case']?.split(',');
const unknown = wanted?.find((useCase) => !useCases().includes(useCase));
if (unknown !== undefined) fail(`Unknown use case: ${unknown}.`);
const names = mutant
  ? [mutant.scenario]
  : (values.scenario?.split(',') ?? Object.keys(SEARCHABLE_SCENARIOS)).filter(
      (name) => wanted === undefined || wanted.includes(named(SEARCHABLE_SCENARIOS, name).useCase),
    );
const searched = names.map((name) => [name, mutant ?? named(SEARCHABLE_SCENARIOS, name)] as const);

const [first] = searched;
if (values.replay !== undefined && first !== undefined) {
  const [, scenario] = first;
  const choices = values.replay === 'none' ? [] : values.replay.split('.').map(Number);
  const { lines, violated } = await scenario.replay(faultsOf(scenario), choices);
  console.log(lines.join('\n'));
  process.exit(violated.length === 0 ? 0 : 1);
}
if (values.json && first !== undefined) {
  console.log(JSON.stringify(await searchHere(first[1])));
  process.exit(0);
}

const results: Record<string, SearchedScenario> = {};
const failures: string[] = [];
let done = 0;
const finished = async (name: string, result: SearchedScenario): Promise<void> => {
  const scenario = mutant ?? named(SEARCHABLE_SCENARIOS, name);
  results[name] = result;
  done += 1;
  console.log(`${done} of ${searched.length}: ${describe(name, scenario, result)}`);
  await showViolations(name, scenario, result);
  console.log('');
  if (values.write) writeResults({ [name]: result });
};

if (searched.length === 1 && first !== undefined) await finished(first[0], await searchHere(first[1]));
else {
  const faults = values.faults === undefined ? [] : ['--faults', values.faults];
  await runInChildren(
    new URL(import.meta.url),
    searched.map(([name]) => ({ name, arguments: ['--scenario', name, ...faults, '--json'] })),
    workers,
    (name, text) => finished(name, parseSearched(text)),
    (name, why) => {
      failures.push(name);
      console.error(`${name}: ${why}\n`);
    },
  );
}

const all: Results = results;
const sum = (of: (one: SearchedScenario) => number): number =>
  Object.values(all).reduce((total, one) => total + of(one), 0);
const violated = new Set(Object.values(all).flatMap(({ violating }) => Object.keys(violating)));
console.log(formatTable(all));
console.log(
  `\n${number(sum(({ runs }) => runs))} runs of ${names.length} scenarios in ` +
    `${(sum(({ seconds }) => seconds) / 60).toFixed(1)} minutes of processor time. ` +
    (failures.length > 0 ? `Not searched: ${failures.join(', ')}. ` : '') +
    (violated.size === 0 ? 'Every invariant held.' : `Violated: ${[...violated].join(', ')}.`),
);
process.exit(violated.size === 0 && failures.length === 0 ? 0 : 1);
