import type { Report } from './report.ts';

/** Prints a report's tables to standard output. */
export const printReport = ({ tables }: Report): void => {
  for (const { title, rows, note } of tables) {
    console.log(`\n${title}`);
    const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
    const pad = (cell: string, column: number) =>
      column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
    for (const row of rows) console.log(row.map(pad).join('  '));
    if (note !== undefined) console.log(note);
  }
};
