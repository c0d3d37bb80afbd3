import type { Report } from '../../../bench/report.ts';

/** Returns what was counted for a kind of event, without what depends on the machine or on the length of log lines. */
export const countsOf = (report: Report, title: string, kind: string): Readonly<Record<string, number>> => {
  const [header = [], ...rows] = report.tables.find((table) => table.title === title)?.rows ?? [];
  const column = header.indexOf(kind);
  return Object.fromEntries(
    rows.flatMap(([name = '', ...cells]) => {
      const count = Number(cells[column - 1]);
      return /\b(ms|bytes)\b/.test(name) || count === 0 ? [] : [[name, count]];
    }),
  );
};
