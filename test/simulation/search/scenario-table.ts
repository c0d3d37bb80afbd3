import { readFileSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { code, markdownTable, wrapped } from '../markdown.ts';
import type { RunsResult } from './search-runs.ts';
import { SEARCHABLE_SCENARIOS, SENTENCES } from './searchable.ts';

/** The result of searching a scenario. */
const searched = z.object({
  faults: z.number(),
  /** The number of distinct port calls. */
  calls: z.number(),
  mostCalls: z.number(),
  faultPlaces: z.number(),
  /** The number of schedules that the runs cover, by the number of faults. */
  schedules: z.array(z.string()),
  runs: z.number(),
  states: z.number(),
  /** Seconds of processor time. */
  seconds: z.number(),
  /** The number of runs that violated each invariant. */
  violating: z.record(z.string(), z.number()),
  violations: z.array(z.object({ invariant: z.string(), what: z.string(), choices: z.array(z.number()) })),
});

export type SearchedScenario = z.output<typeof searched>;

export const parseSearched = (text: string): SearchedScenario => searched.parse(JSON.parse(text));

export const searchedScenario = (result: RunsResult<string>, faults: number, seconds: number): SearchedScenario => ({
  faults,
  calls: result.callsObserved,
  mostCalls: result.mostCalls,
  faultPlaces: result.faultPlaces,
  schedules: result.schedules.map(String),
  runs: result.runs,
  states: result.states,
  seconds: Math.round(seconds * 10) / 10,
  violating: Object.fromEntries(Object.entries(result.violating).map(([name, count]) => [name, count ?? 0])),
  violations: [...result.violations].map(({ invariant, what, choices }) => ({
    invariant,
    what,
    choices: [...choices],
  })),
});

const PAGE = new URL('../../../docs/scenarios.md', import.meta.url);
/** The stored results, so that some of the scenarios can be searched again. */
const RESULTS = new URL('results.json', import.meta.url);

export type Results = Readonly<Record<string, SearchedScenario>>;

/** Returns the stored results of the scenarios that still exist. */
export const readResults = (): Results => {
  const all = z.record(z.string(), searched).parse(JSON.parse(readFileSync(RESULTS, 'utf8')));
  return Object.fromEntries(Object.entries(all).filter(([name]) => Object.hasOwn(SEARCHABLE_SCENARIOS, name)));
};

export const readPage = (): string => readFileSync(PAGE, 'utf8');

export const writeResults = (results: Results): void => {
  const sorted = Object.fromEntries(Object.keys(SEARCHABLE_SCENARIOS).flatMap((name) => entryOf(results, name)));
  writeFileSync(RESULTS, `${JSON.stringify(sorted, undefined, 2)}\n`);
  writeFileSync(PAGE, pageOf(results));
};

const entryOf = (results: Results, name: string): (readonly [string, SearchedScenario])[] => {
  const result = results[name];
  return result === undefined ? [] : [[name, result]];
};

const HEAD = ['Use case', 'Scenario', 'Faults', 'Calls', 'Schedules', 'Runs', 'States', 'Seconds', 'Result'];

const isText = (column: number): boolean => column < 2 || column === HEAD.length - 1;

/** Returns one row for each scenario, whether or not it has been searched. */
export const tableRows = (results: Results): readonly (readonly string[])[] =>
  Object.entries(SEARCHABLE_SCENARIOS).map(([name, { useCase }]) => {
    const result = results[name];
    if (result === undefined) return [useCase, name, '', '', '', '', '', '', 'not searched'];
    const { faults, calls, schedules, runs, states, seconds, violating } = result;
    const stoodFor = schedules.reduce((sum, count) => sum + BigInt(count), 0n);
    const violated = Object.keys(violating);
    return [
      useCase,
      name,
      String(faults),
      number(calls),
      short(stoodFor),
      number(runs),
      number(states),
      number(Math.ceil(seconds)),
      violated.length === 0 ? 'holds' : `violated: ${violated.join(', ')}`,
    ];
  });

/** Formats the table for a terminal. */
export const formatTable = (results: Results, names: readonly string[]): string => {
  const rows = [HEAD, ...tableRows(results).filter(([, name = '']) => names.includes(name))];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => (isText(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

/** Returns docs/scenarios.md. */
export const pageOf = (results: Results): string => {
  const all = Object.values(results);
  const sum = (of: (one: SearchedScenario) => number): string => number(all.reduce((total, one) => total + of(one), 0));
  return `# Scenarios

\`npm run search\` runs the functions in memory, in every order of their calls and with every fault at every call. This
page lists what it searches and the latest results: ${sum(({ runs }) => runs)} runs in ${sum(({ seconds }) => seconds / 60)} minutes of processor time.
To update it, run \`npm run search -- --write\`.

*Faults* is the maximum number of faults in a run. *Calls* is the number of distinct port calls. *Schedules* is the
number of combinations of orders and faults that the runs cover. It is higher than the number of runs, because the
search visits each state only once, and tries only one order of calls that commute with all others. The webhook events
of each scenario are in one of the formats that Parley reads, as far as that format can express them. The search also
finds each [seeded defect](defects.md#in-the-exhaustive-search).

${markdownTable(withCode([HEAD, ...tableRows(results)]), isText)}

## Scenarios by name

${Object.entries(SEARCHABLE_SCENARIOS)
  .map(([name, { about }]) => wrapped(`- \`${name}\`: ${about}`))
  .join('\n')}

## Invariants

${Object.entries(SENTENCES)
  .map(([name, sentence]) => wrapped(`- \`${name}\`: ${sentence}`))
  .join('\n')}
`;
};

/** Formats the names of scenarios. */
const withCode = (rows: readonly (readonly string[])[]): readonly (readonly string[])[] =>
  rows.map((row, index) => row.map((cell, column) => (column === 1 && index > 0 ? code(cell) : cell)));

const number = (count: number): string => count.toLocaleString('en-US', { maximumFractionDigits: 0 });

/** Formats a count. Rounds from a million on, because counts can have hundreds of digits. */
const short = (count: bigint): string => {
  if (count < 1_000_000n) return number(Number(count));
  const digits = String(count);
  return `${digits[0]}.${digits[1]} × 10^${digits.length - 1}`;
};
