import { z } from 'zod';
import { markdownTable } from '../test/simulation/markdown.ts';
import { monthlyCost } from './cost-page.ts';
import { figureOf, type Report, reportOf } from './report.ts';

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
  const cost = reportOf(reports, 'cost');
  const cold = reportOf(reports, 'coldstart');
  const load = reportOf(reports, 'load');
  const scenarios = Object.values(searched);
  const runs = scenarios.reduce((sum, scenario) => sum + scenario.runs, 0);
  const violations = scenarios.reduce((sum, scenario) => sum + scenario.violations.length, 0);
  const events = figureOf(load, 'Parley, 16 at once, events/s') / figureOf(load, 'Tutorial, 16 at once, events/s');
  const [few, many] = VOLUMES.map((messages) => monthlyCost(cost, messages).toFixed(2));
  return [
    markdownTable([
      ['what', 'figure', 'measured'],
      ['AWS bill for 10,000 messages a month', `$${few}`, cost.date],
      ['AWS bill for a million messages a month', `$${many}`, cost.date],
      [
        'cold start of the webhook function',
        `${figureOf(cold, COLD).toFixed(2)} × that of a tutorial's stack`,
        cold.date,
      ],
      ['events acknowledged per second', `${events.toFixed(2)} × those of a tutorial's stack`, load.date],
      [
        'orderings of calls and faults tested',
        `${runs.toLocaleString('en-US')} runs, ${violations} violations`,
        `[${scenarios.length} scenarios](docs/scenarios.md)`,
      ],
    ]),
    '',
    'The bill assumes that half of the messages are inbound and half are outbound, and that each outbound message gets a',
    'delivered and a read status. It uses the list prices of us-east-1, and includes alarms, a dashboard, and 400 days of',
    "storage. The chat service bills you separately. The tutorial's stack is [the same service](docs/performance.md),",
    'built from common tutorials. [Cost](docs/cost.md) has all figures.',
  ].join('\n');
};

const COLD = 'receive, cold start, Parley / tutorial';
