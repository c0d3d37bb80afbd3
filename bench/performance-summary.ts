import { formatRatio } from './comparison.ts';
import { EVENT_KINDS } from './cost/subject.ts';
import { JOBS } from './functions/jobs.ts';
import type { Report } from './report.ts';
import { WARM_KINDS } from './warm/warm-kinds.ts';

type Figures = Report['figures'];
type Row = readonly [what: string, ratio: string, better: 'less' | 'more'];

/** How many concurrent requests the summary is about: more than a stack has processes. */
const CLIENTS = 16;

/** @throws Error if the figure is missing, because a part renamed it. */
const figureOf = (figures: Figures, name: string): number => {
  const figure = figures[name];
  if (figure === undefined) throw new Error(`There is no figure "${name}".`);
  return figure;
};

const given = (figures: Figures, name: string): string => formatRatio(figureOf(figures, name));

/** Formats Parley's figure as a multiple of the tutorial's, given the figure's name after the stack's. */
const divided = (figures: Figures, name: string): string =>
  formatRatio(figureOf(figures, `Parley${name}`) / figureOf(figures, `Tutorial${name}`));

const ROWS: Readonly<Record<string, (figures: Figures) => readonly Row[]>> = {
  coldstart: (figures) =>
    JOBS.map(
      (job): Row => [`cold start of \`${job}\``, given(figures, `${job}, cold start, Parley / tutorial`), 'less'],
    ),
  warm: (figures) =>
    WARM_KINDS.map(
      (kind): Row => [
        `processor time of a warm function: ${kind}`,
        given(figures, `${kind}, processor time, Parley / tutorial`),
        'less',
      ],
    ),
  load: (figures) => [
    [
      `events acknowledged per second, ${CLIENTS} concurrent requests`,
      divided(figures, `, ${CLIENTS} at once, events/s`),
      'more',
    ],
    [
      `99th percentile of the time to answer, ${CLIENTS} concurrent requests`,
      divided(figures, `, ${CLIENTS} at once, p99 ms`),
      'less',
    ],
    ['messages sent per second', divided(figures, ', sends/s'), 'more'],
  ],
  cost: (figures) =>
    EVENT_KINDS.map(
      (kind): Row => [
        `cost without the event bus: ${kind}`,
        divided(figures, `, ${kind}: dollars per million without the bus`),
        'less',
      ],
    ),
};

/** Returns the rows of the summary: each ratio of Parley to the tutorial's stack, and which direction is better. */
export const summaryRows = (reports: readonly Report[]): readonly Row[] =>
  reports.flatMap(({ part, figures }) => ROWS[part]?.(figures) ?? []);
