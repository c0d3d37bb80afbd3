import { markdownTable } from '../test/simulation/markdown.ts';
import type { PaletteName } from './chart.ts';
import { padded } from './print-report.ts';
import type { BarChart, Report, Table } from './report.ts';

// The parts of the pages that show results.

const MAX_LINE = 120;

export const imageOf = ({ name }: BarChart, palette: PaletteName): string => `images/bench-${name}-${palette}.svg`;

/** Says when, how, and on which machine a part was measured. */
export const measured = ({ part, date, machine }: Report): string =>
  wrap(`Measured on ${date} by \`npm run bench -- ${part}\` (${machine}).`);

export const picture = (chart: BarChart): string =>
  [
    '<picture>',
    `  <source media="(prefers-color-scheme: dark)" srcset="${imageOf(chart, 'dark')}">`,
    `  <img src="${imageOf(chart, 'light')}" width="720"`,
    `    alt="Bar chart: ${chart.title}. The tables below have the values.">`,
    '</picture>',
  ].join('\n');

/** Returns a table with its title and note. A table that is too wide for the source lines becomes a code block. */
export const tableBlock = ({ title, rows, note }: Table): readonly string[] => {
  const table = markdownTable(rows, (column) => column === 0);
  const isWide = table.split('\n').some((line) => line.length > MAX_LINE);
  return [
    `### ${title}`,
    isWide ? ['```text', ...padded(rows), '```'].join('\n') : table,
    ...(note === undefined ? [] : [wrap(note)]),
  ];
};

/** Breaks a paragraph into source lines. */
export const wrap = (text: string, indent = ''): string => {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= MAX_LINE) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(line === undefined ? word : indent + word);
  }
  return lines.join('\n');
};
