import { readFileSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { code, markdownTable, tableUnder, wrap } from '../../../lib/documents/markdown.ts';
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

export const readPage = (): string => readFileSync(PAGE, 'utf8');

/** The rows of the table, by scenario. */
type Rows = ReadonlyMap<string, readonly string[]>;

/** Returns the rows of the searched scenarios on a page. */
export const rowsOn = (page: string): Rows => {
  const [, ...rows] = tableUnder(page, '## Results');
  return new Map(
    rows.map(([useCase = '', name = '', ...cells]) => [name.replaceAll('`', ''), [useCase, name, ...cells]]),
  );
};

/** Replaces the rows of some scenarios on the page. */
export const writeResults = (results: Results): void => {
  const rows = Object.entries(results).map(([name, result]) => [name, rowOf(name, result)] as const);
  writeFileSync(PAGE, pageOf(new Map([...rowsOn(readPage()), ...rows])));
};

export type Results = Readonly<Record<string, SearchedScenario>>;

const HEAD = ['Use case', 'Scenario', 'Faults', 'Calls', 'Schedules', 'Runs', 'States', 'Seconds', 'Result'];

const isText = (column: number): boolean => column < 2 || column === HEAD.length - 1;

const rowOf = (name: string, result: SearchedScenario): readonly string[] => {
  const { faults, calls, schedules, runs, states, seconds, violating } = result;
  const stoodFor = schedules.reduce((sum, count) => sum + BigInt(count), 0n);
  const violated = Object.keys(violating);
  return [
    SEARCHABLE_SCENARIOS[name]?.useCase ?? '',
    code(name),
    String(faults),
    number(calls),
    short(stoodFor),
    number(runs),
    number(states),
    number(Math.ceil(seconds)),
    violated.length === 0 ? 'holds' : `violated: ${violated.join(', ')}`,
  ];
};

/** Returns one row for each scenario, whether or not it has been searched. */
const allRows = (rows: Rows): readonly (readonly string[])[] =>
  Object.entries(SEARCHABLE_SCENARIOS).map(
    ([name, { useCase }]) => rows.get(name) ?? [useCase, code(name), '', '', '', '', '', '', 'not searched'],
  );

/** Returns the sum of a column. */
export const sumOf = (rows: Rows, column: 'Runs' | 'Seconds'): number =>
  allRows(rows).reduce((sum, row) => sum + Number(row[HEAD.indexOf(column)]?.replaceAll(',', '')), 0);

/** Formats the table for a terminal. */
export const formatTable = (results: Results): string => {
  const rows = [HEAD, ...Object.entries(results).map(([name, result]) => rowOf(name, result))];
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
export const pageOf = (rows: Rows): string => `# Scenarios

\`npm run search\` runs the functions in memory, in every order of their calls and with every fault at every call. This
page lists what it searches and the latest results: ${number(sumOf(rows, 'Runs'))} runs in ${number(sumOf(rows, 'Seconds') / 60)} minutes of processor time.
To update it, run \`npm run search -- --write\`.

## Results

*Faults* is the maximum number of faults in a run. *Calls* is the number of distinct port calls. *Schedules* is the
number of combinations of orders and faults that the runs cover. It is higher than the number of runs, because the
search visits each state only once, and tries only one order of calls that commute with all others. The webhook events
of each scenario are in one of the formats that Parley reads, as far as that format can express them. The search also
finds each [seeded defect](defects.md#in-the-exhaustive-search).

${markdownTable([HEAD, ...allRows(rows)], isText)}

## Scenarios by name

${Object.entries(SEARCHABLE_SCENARIOS)
  .map(([name, { about }]) => wrap(`- ${code(name)}: ${about}`, '  '))
  .join('\n')}

## Invariants

${Object.entries(SENTENCES)
  .map(([name, sentence]) => wrap(`- ${code(name)}: ${sentence}`, '  '))
  .join('\n')}
`;

const number = (count: number): string => count.toLocaleString('en-US', { maximumFractionDigits: 0 });

/** Formats a count. Rounds from a million on, because counts can have hundreds of digits. */
const short = (count: bigint): string => {
  if (count < 1_000_000n) return number(Number(count));
  const digits = String(count);
  return `${digits[0]}.${digits[1]} × 10^${digits.length - 1}`;
};
