import { cpus } from 'node:os';
import { readArguments, wrongNumber } from '../test/support/read-arguments.ts';
import { PART_NAMES, type PartName } from './part-names.ts';
import { printReport } from './print-report.ts';
import type { Measurement, Report } from './report.ts';
import { writeFigures, writeReport } from './results.ts';

/*
 * `npm run bench -- [coldstart|warm|load|scale|cost|turns|options|ingress|all]`: measures Parley beside the same service built
 * as a tutorial teaches it. `--write` also writes the results to docs/performance.md or docs/cost.md, and the figures that
 * follow from those pages and from docs/scenarios.md; `page` writes only the latter.
 */

/** A part of the benchmark. It prints its progress to standard error. */
type Part = () => Promise<Measurement>;

const PARTS: Readonly<Record<PartName, () => Promise<Part>>> = {
  coldstart: async () => {
    const { measureColdStarts } = await import('./cold-start.ts');
    return () => measureColdStarts(numberOf('rounds'));
  },
  warm: async () => {
    const { measureWarm } = await import('./warm.ts');
    return () => measureWarm(numberOf('rounds'));
  },
  load: async () => (await import('./load.ts')).measureLoad,
  scale: async () => {
    const { measureScale } = await import('./scale.ts');
    return () => measureScale(numberOf('messages'));
  },
  cost: async () => (await import('./cost.ts')).measureCost,
  turns: async () => (await import('./turns.ts')).measureTurns,
  ingress: async () => (await import('./ingress.ts')).measureIngress,
  options: async () => (await import('./options.ts')).measureOptions,
};

/** Writes the ratios in docs/performance.md and the figures in README.md, and measures nothing. */
const PAGE = 'page';
const NUMBERS = ['messages', 'rounds'] as const;

const usage = (): string =>
  `Usage: npm run bench -- [${[...Object.keys(PARTS), 'all', PAGE].join('|')}] [--json] [--write] [--messages N] [--rounds N]`;

const read = readArguments({
  allowPositionals: true,
  options: {
    help: { type: 'boolean' },
    json: { type: 'boolean' },
    write: { type: 'boolean' },
    messages: { type: 'string' },
    rounds: { type: 'string' },
  },
});
const given = read.kind === 'read' ? read.values : {};
const names = read.kind === 'read' && read.positionals.length > 0 ? read.positionals : ['all'];
const unknown = names.find((name) => ![PAGE, 'all'].includes(name) && !Object.hasOwn(PARTS, name));
const [wrong] = NUMBERS.flatMap((name) => (given[name] === undefined ? [] : (wrongNumber(name, given[name]) ?? [])));
if (read.kind === 'invalid' || unknown !== undefined || wrong !== undefined) {
  console.error(read.kind === 'invalid' ? read.sentence : (wrong ?? `There is no part "${unknown}".`));
  console.error(usage());
  process.exit(2);
}
if (given.help) {
  console.log(usage());
  process.exit();
}
const numberOf = (name: (typeof NUMBERS)[number]): number | undefined =>
  given[name] === undefined ? undefined : Number(given[name]);

const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, Node.js ${process.version}`;
const reports: Report[] = [];
for (const name of PART_NAMES) {
  if (!names.includes('all') && !names.includes(name)) continue;
  const measure = await PARTS[name]();
  const report: Report = { part: name, date: new Date().toISOString().slice(0, 10), machine, ...(await measure()) };
  reports.push(report);
  if (given.write) await writeReport(report);
  if (!given.json) printReport(report);
}
if (given.json) console.log(JSON.stringify(reports, null, 2));
if (given.write || names.includes(PAGE)) await writeFigures();
