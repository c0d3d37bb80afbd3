import { quantile, summarize, type Table } from './report.ts';

/** The samples of Parley and of the tutorial's stack for the same work. */
export interface Comparison {
  readonly label: string;
  readonly parley: readonly number[];
  readonly tutorial: readonly number[];
}

export const median = (samples: readonly number[]): number => quantile(samples, 0.5);

/** Returns Parley's median as a multiple of the tutorial's. */
export const ratioOf = ({ parley, tutorial }: Comparison): number => median(parley) / median(tutorial);

/** Formats a ratio, such as `×0.42`. */
export const formatRatio = (ratio: number): string => `×${ratio.toFixed(2)}`;

/** Returns the cells of a median and of its quartiles. */
export const medianCells = (samples: readonly number[], digits: number): readonly [string, string] => {
  const { median: middle, lowerQuartile, upperQuartile } = summarize(samples);
  return [middle.toFixed(digits), `${lowerQuartile.toFixed(digits)}–${upperQuartile.toFixed(digits)}`];
};

/** Returns a table with the medians, quartiles, and ratio of each comparison. */
export const comparisonTable = (
  { title, first, unit, digits, note }: ComparisonHeader,
  comparisons: readonly Comparison[],
): Table => ({
  title,
  rows: [
    [first, `Parley, ${unit}`, 'quartiles', `tutorial, ${unit}`, 'quartiles', 'Parley / tutorial'],
    ...comparisons.map((one) => [
      one.label,
      ...medianCells(one.parley, digits),
      ...medianCells(one.tutorial, digits),
      formatRatio(ratioOf(one)),
    ]),
  ],
  ...(note !== undefined && { note }),
});

interface ComparisonHeader {
  readonly title: string;
  /** The header of the first column. */
  readonly first: string;
  readonly unit: string;
  readonly digits: number;
  readonly note?: string;
}
