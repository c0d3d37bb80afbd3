import { z } from 'zod';
import { markdownTable } from '../test/simulation/markdown.ts';
import type { Report } from './report.ts';

const START = '<!-- figures:start -->';
const END = '<!-- figures:end -->';

/** How many messages a month the README gives the cost of. */
const VOLUMES = [10_000, 1_000_000] as const;

/** The results of the exhaustive search, by scenario. */
export const searchResults = z.record(z.string(), z.object({ runs: z.number(), violations: z.array(z.unknown()) }));

/** The files that the figures come from. */
export interface FigureSources {
  readonly reports: readonly Report[];
  readonly searched: z.output<typeof searchResults>;
}

/**
 * Returns the README with its figures replaced by those of the stored results of the benchmarks and of the search.
 *
 * @throws Error if a result or the place for the figures is missing
 */
export const withFigures = (readme: string, sources: FigureSources): string => {
  const start = readme.indexOf(START);
  const end = readme.indexOf(END);
  if (start < 0 || end < start) throw new Error(`README.md needs ${START} and ${END}.`);
  return `${readme.slice(0, start)}${START}\n\n${figures(sources)}\n\n${readme.slice(end)}`;
};

const figures = ({ reports, searched }: FigureSources): string => {
  const partOf = (name: string): Report => {
    const found = reports.find(({ part }) => part === name);
    if (found === undefined) throw new Error(`bench/results has no ${name}.json.`);
    return found;
  };
  const cost = partOf('cost');
  const cold = partOf('coldstart');
  const load = partOf('load');
  const scenarios = Object.values(searched);
  const runs = scenarios.reduce((sum, scenario) => sum + scenario.runs, 0);
  const violations = scenarios.reduce((sum, scenario) => sum + scenario.violations.length, 0);
  const events = figure(load, 'Parley, 16 at once, events/s') / figure(load, 'Tutorial, 16 at once, events/s');
  const [few, many] = VOLUMES.map((messages) => dollars(monthlyCost(cost, messages)));
  return [
    markdownTable([
      ['what', 'figure', 'measured'],
      ['AWS bill for 10,000 messages a month', `$${few}`, cost.date],
      ['AWS bill for a million messages a month', `$${many}`, cost.date],
      ['cold start of `receive`', `${figure(cold, COLD).toFixed(2)} × that of a tutorial's stack`, cold.date],
      ['events acknowledged per second', `${events.toFixed(2)} × those of a tutorial's stack`, load.date],
      [
        'orders of calls and faults searched',
        `${runs.toLocaleString('en-US')} runs, ${violations} violations`,
        `[${scenarios.length} scenarios](docs/scenarios.md)`,
      ],
    ]),
    '',
    "Half of the messages are users', half are yours, each with a Delivered and a Read. The bill is at the list prices of",
    'us-east-1, with alarms and a dashboard, without storage; the chat service bills apart.',
    '[Performance](docs/performance.md) has every figure.',
  ].join('\n');
};

const COLD = 'receive, cold start, Parley / tutorial';

const figure = ({ part, figures: all }: Report, name: string): number => {
  const found = all[name];
  if (found === undefined) throw new Error(`bench/results/${part}.json has no figure "${name}".`);
  return found;
};

/** Dollars a month: what a stage costs without any message, and half the messages received, half sent. */
const monthlyCost = (cost: Report, messages: number): number => {
  const perMillion = (kind: string): number => figure(cost, `Parley, ${kind}: dollars per million`);
  const fixed = cost.tables.find(({ title }) => title.startsWith('Parley: US dollars per month without any event'));
  const total = Number(fixed?.rows.find(([name]) => name === 'total')?.at(-1));
  if (!(total > 0)) throw new Error('bench/results/cost.json does not say what a stage costs without any event.');
  const received = perMillion('inbound message');
  const sent = perMillion('send, free-form') + 2 * perMillion('status');
  return total + (messages / 1_000_000) * ((received + sent) / 2);
};

const dollars = (amount: number): string => amount.toFixed(2);
