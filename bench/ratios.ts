import { markdownTable, tableUnder } from '../lib/documents/markdown.ts';
import { formatRatio } from './comparison.ts';
import { billTitle } from './cost/tables.ts';
import { JOBS } from './functions/jobs.ts';
import { WARM_KINDS } from './warm/warm-kinds.ts';

type Row = readonly [what: string, ratio: string, better: 'less' | 'more'];

/** The number of concurrent requests in the ratios: more than a stack has processes. */
const CLIENTS = 16;

/** The pages that have the results, as text. */
export interface ResultPages {
  readonly performance: string;
  readonly cost: string;
}

/**
 * Returns a cell of a table on a page.
 *
 * @throws Error if there is none, because a part renamed it
 */
export const cellOf = (page: string, title: string, row: string, column: string): string => {
  const [header = [], ...rows] = tableUnder(page, `### ${title}`);
  const cell = rows.find(([name]) => name === row)?.[header.indexOf(column)];
  if (cell === undefined) throw new Error(`The table "${title}" has no "${column}" of "${row}".`);
  return cell;
};

const RATIO = 'Parley / tutorial';

const COLD_STARTS = 'From the start of the process to the first answer';

/** Returns the ratio of the cold starts of a function, such as `×0.42`. */
export const coldStartRatio = ({ performance }: ResultPages, job: string): string =>
  cellOf(performance, COLD_STARTS, job, RATIO);

/** Returns a cold start of a function of Parley, in milliseconds. */
export const coldStartMs = ({ performance }: ResultPages, job: string): string =>
  cellOf(performance, COLD_STARTS, job, 'Parley, ms');

/** Returns a figure of Parley's webhook under load. */
export const webhookFigure = ({ performance }: ResultPages, column: 'events/s' | 'p99 ms'): string =>
  cellOf(performance, 'The webhook under load', `${CLIENTS}, Parley`, column);

/** Returns the ratio of the events that are acknowledged per second. */
export const eventsRatio = ({ performance }: ResultPages): string =>
  cellOf(performance, 'The webhook under load', `${CLIENTS}, Parley / Tutorial`, 'events/s');

/** Returns the ratio of the times to answer, 99th percentile. */
export const answerTimeRatio = ({ performance }: ResultPages): string =>
  cellOf(performance, 'The webhook under load', `${CLIENTS}, Parley / Tutorial`, 'p99 ms');

/** Returns each ratio of Parley to the tutorial's stack, as a table. */
export const ratiosTable = (pages: ResultPages): string => {
  const { performance, cost } = pages;
  const [, ...kinds] = tableUnder(cost, `### ${billTitle('Parley')}`)[0] ?? [];
  const rows: readonly Row[] = [
    ...JOBS.map((job): Row => [`cold start of \`${job}\``, coldStartRatio(pages, job), 'less']),
    ...WARM_KINDS.map((kind): Row => {
      const ratio = cellOf(performance, 'Processor time per event', kind, RATIO);
      return [`processor time of a warm function: ${kind}`, ratio, 'less'];
    }),
    [`events acknowledged per second, ${CLIENTS} concurrent requests`, eventsRatio(pages), 'more'],
    [`99th percentile of the time to answer, ${CLIENTS} concurrent requests`, answerTimeRatio(pages), 'less'],
    [
      'messages sent per second',
      cellOf(performance, 'Sends through the queue', 'Parley / Tutorial', 'sends/s'),
      'more',
    ],
    ...kinds.map((kind): Row => {
      const [parley, tutorial] = ['Parley', 'Tutorial'].map((stack) =>
        Number(cellOf(cost, billTitle(stack), 'total without the event bus', kind)),
      );
      return [`cost without the event bus: ${kind}`, formatRatio((parley ?? Number.NaN) / (tutorial ?? 1)), 'less'];
    }),
  ];
  return markdownTable([['what was measured', 'Parley / tutorial', 'better'], ...rows], (column) => column !== 1);
};
