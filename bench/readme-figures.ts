import { markdownTable, tableUnder, withBlock } from '../lib/documents/markdown.ts';
import {
  answerTimeRatio,
  coldStartMs,
  coldStartRatio,
  eventsRatio,
  type ResultPages,
  webhookFigure,
} from './ratios.ts';

/** The pages that the figures come from, as text. */
type FigureSources = ResultPages & { readonly scenarios: string };

/**
 * Returns the README with its figures replaced by those of the pages.
 *
 * @throws Error if a table or the place for the figures is missing
 */
export const withFigures = (readme: string, sources: FigureSources): string =>
  withBlock(readme, 'figures', figures(sources));

const figures = (sources: FigureSources): string => {
  const { performance, cost, scenarios } = sources;
  const [header = [], ...searched] = tableUnder(scenarios, '## Results');
  const cells = (column: string): readonly string[] => searched.map((row) => row[header.indexOf(column)] ?? '');
  const runs = cells('Runs').reduce((sum, cell) => sum + Number(cell.replaceAll(',', '')), 0);
  const violations = cells('Result').filter((result) => result !== 'holds').length;
  return [
    markdownTable([
      ['what', 'figure', 'measured'],
      ['AWS bill for 10,000 messages a month', `$${monthlyBill(cost, '10,000')}`, dateOf(cost, 'cost')],
      ['AWS bill for a million messages a month', `$${monthlyBill(cost, '1,000,000')}`, dateOf(cost, 'cost')],
      [
        'cold start of the webhook function',
        `${rounded(coldStartMs(sources, 'receive'))} ms, ${times(coldStartRatio(sources, 'receive'))} that of a tutorial's stack`,
        dateOf(performance, 'coldstart'),
      ],
      [
        'events acknowledged per second',
        `${webhookFigure(sources, 'events/s')}, ${times(eventsRatio(sources))} those of a tutorial's stack`,
        dateOf(performance, 'load'),
      ],
      [
        'time to answer them, 99th percentile',
        `${rounded(webhookFigure(sources, 'p99 ms'))} ms, ${times(answerTimeRatio(sources))} that of a tutorial's stack`,
        dateOf(performance, 'load'),
      ],
      [
        'orderings of calls and faults tested',
        `${runs.toLocaleString('en-US')} runs, ${violations} violations`,
        `[${searched.length} scenarios](docs/scenarios.md)`,
      ],
    ]),
    '',
    'The bill assumes that half of the messages are inbound and half are outbound, and that each outbound message gets a',
    'delivered and a read status. It uses the list prices of us-east-1, and includes alarms, a dashboard, and 400 days of',
    "storage. The chat service bills you separately. The tutorial's stack is [the same service](docs/performance.md),",
    'built from common tutorials. The milliseconds and events per second (with 16 concurrent requests) were measured on one',
    'machine; for Lambda, only the ratios are meaningful. [Cost](docs/cost.md) has all figures.',
  ].join('\n');
};

const rounded = (milliseconds: string): string => Math.round(Number(milliseconds)).toString();

/** Writes a ratio such as `×0.42` before a noun. */
const times = (ratio: string): string => `${ratio.slice(1)} ×`;

const monthlyBill = (cost: string, messages: string): string => {
  const row = tableUnder(cost, '## Monthly bill').find(([name]) => name === messages);
  if (row?.[1] === undefined) throw new Error(`docs/cost.md has no monthly bill for ${messages} messages.`);
  return row[1];
};

const dateOf = (page: string, part: string): string => {
  const [, date] = new RegExp(`Measured on (\\S+)\\s+by\\s+\`npm run bench -- ${part}\``).exec(page) ?? [];
  if (date === undefined) throw new Error(`The page has no result of the part "${part}".`);
  return date;
};
