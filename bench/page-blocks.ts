import { markdownTable, withBlock, wrap } from '../lib/documents/markdown.ts';
import type { PaletteName } from './chart.ts';
import { padded } from './print-report.ts';
import type { BarChart, Report, Table } from './report.ts';

const MAX_LINE = 120;

export const imageOf = ({ name }: BarChart, palette: PaletteName): string => `images/bench-${name}-${palette}.svg`;

/**
 * Returns a page with the results of a part replaced by those of a report.
 *
 * @throws Error if the page has no block for the part
 */
export const withReport = (page: string, { part, date, machine, tables, charts, summary }: Report): string => {
  const results = [
    wrap(`Measured on ${date} by \`npm run bench -- ${part}\` (${machine}).`),
    ...charts.map(picture),
    ...tables.flatMap(tableBlock),
  ];
  const written = withBlock(page, part, results.join('\n\n'));
  return summary === undefined ? written : withBlock(written, `${part}-summary`, markdownTable(summary, isTextColumn));
};

const picture = (chart: BarChart): string =>
  [
    '<picture>',
    `  <source media="(prefers-color-scheme: dark)" srcset="${imageOf(chart, 'dark')}">`,
    `  <img src="${imageOf(chart, 'light')}" width="720"`,
    `    alt="Bar chart: ${chart.title}. The tables below have the values.">`,
    '</picture>',
  ].join('\n');

/** Returns a table with its title and note. A table that is too wide for the source lines becomes a code block. */
const tableBlock = ({ title, rows, note }: Table): readonly string[] => {
  const table = markdownTable(rows, isTextColumn);
  const isWide = table.split('\n').some((line) => line.length > MAX_LINE);
  return [
    `### ${title}`,
    isWide ? ['```text', ...padded(rows), '```'].join('\n') : table,
    ...(note === undefined ? [] : [wrap(note)]),
  ];
};

const isTextColumn = (column: number): boolean => column === 0;
