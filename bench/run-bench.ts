import { cpus } from 'node:os';
import { readArguments, wrongNumber } from '../test/support/read-arguments.ts';
import type { Report } from './report.ts';

/*
 * `npm run bench -- [coldstart|warm|load|scale|cost|all] [--json] [--messages N]`: measures Parley beside the same
 * service built as a tutorial teaches it. See docs/performance.md.
 */

/** A part of the benchmark. It prints its progress to standard error. */
type Part = () => Promise<Pick<Report, 'tables' | 'charts' | 'figures'>>;

const PARTS: Readonly<Record<string, () => Promise<Part>>> = {
  load: async () => (await import('./load.ts')).measureLoad,
  scale: async () => {
    const { measureScale } = await import('./scale.ts');
    return () => measureScale(messages === undefined ? undefined : Number(messages));
  },
  cost: async () => (await import('./cost.ts')).measureCost,
};

const usage = (): string =>
  `Usage: npm run bench -- [${[...Object.keys(PARTS), 'all'].join('|')}] [--json] [--messages N]`;

const read = readArguments({
  allowPositionals: true,
  options: { json: { type: 'boolean' }, messages: { type: 'string' } },
});
const messages = read.kind === 'read' ? read.values.messages : undefined;
const names = read.kind === 'read' && read.positionals.length > 0 ? read.positionals : ['all'];
const unknown = names.find((name) => name !== 'all' && !Object.hasOwn(PARTS, name));
const wrongMessages = messages === undefined ? undefined : wrongNumber('messages', messages);
if (read.kind === 'invalid' || unknown !== undefined || wrongMessages !== undefined) {
  console.error(read.kind === 'invalid' ? read.sentence : (wrongMessages ?? `There is no part "${unknown}".`));
  console.error(usage());
  process.exit(2);
}

const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, Node.js ${process.version}`;
const reports: Report[] = [];
for (const [name, load] of Object.entries(PARTS)) {
  if (!names.includes('all') && !names.includes(name)) continue;
  const measure = await load();
  const report = { part: name, date: new Date().toISOString().slice(0, 10), machine, ...(await measure()) };
  reports.push(report);
  if (read.values.json) continue;
  for (const { title, rows, note } of report.tables) {
    console.log(`\n${title}`);
    const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
    const pad = (cell: string, column: number) =>
      column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
    for (const row of rows) console.log(row.map(pad).join('  '));
    if (note !== undefined) console.log(note);
  }
}
if (read.values.json) console.log(JSON.stringify(reports, null, 2));
