import type { Report } from './report.ts';

/** Prints a report's tables to standard output. */
export const printReport = ({ tables }: Report): void => {
  for (const { title, rows, note } of tables) {
    console.log(`\n${title}`);
    for (const line of padded(rows)) console.log(line);
    if (note !== undefined) console.log(note);
  }
};

/** Returns a table's lines with aligned columns. The first column is text; the others are figures. */
export const padded = (rows: readonly (readonly string[])[]): readonly string[] => {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const pad = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return rows.map((row) => row.map(pad).join('  '));
};
