import { foldRows } from './fold-rows.ts';
import { humanTime } from './human-time.ts';
import type { LedgerEntry } from './ledger.ts';
import { LANES, type Row, rowOf } from './timeline-rows.ts';

/** A violated invariant. `entryIndex` is the index of the ledger entry that shows the violation. */
export interface ShownViolation {
  readonly invariant: string;
  readonly what: string;
  readonly entryIndex?: number;
}

/** More processes would make the lines too wide; then each function has one column. */
const MAX_PROCESSES = 8;
/** A longer pause starts a new section, whose times are relative to its start. */
const MIN_PAUSE_MS = 60_000;
const TIME_CHARACTERS = 10;

/**
 * Draws a run as a space-time diagram: a column for each part and process, a line for each ledger entry, and a
 * description beside it. Faults are marked with `!`, and violations with `>>>`.
 */
export const renderTimeline = (entries: readonly LedgerEntry[], violations: readonly ShownViolation[] = []): string => {
  const rows = entries.flatMap((entry, index) => [
    ...[rowOf(entry)].filter((row) => row !== undefined),
    ...violations
      .filter(({ entryIndex }) => entryIndex === index)
      .map((violation) => violationRow(violation, entry.atMs)),
  ]);
  const endMs = entries.at(-1)?.atMs ?? 0;
  const atEnd = violations.filter(({ entryIndex }) => entryIndex === undefined || entryIndex >= entries.length);
  const all = [...rows, ...atEnd.map((violation) => violationRow(violation, endMs))];
  const columns = createColumns(all);
  const lines = [columns.header];
  const startMs = all[0]?.atMs ?? 0;
  let sectionMs = startMs;
  let lastMs = startMs;

  for (const { rows: block, times, untilMs } of foldRows(all)) {
    for (const row of block) {
      if (row.atMs - lastMs >= MIN_PAUSE_MS) {
        lines.push(`--- ${humanTime(row.atMs - lastMs)} later, ${humanTime(row.atMs - startMs)} after the start ---`);
        sectionMs = row.atMs;
      }
      lastMs = row.atMs;
      lines.push(columns.line(row, humanTime(row.atMs - sectionMs)));
    }
    if (times > 0) {
      const what = block.length === 1 ? 'the same' : `the same ${block.length} lines`;
      lines.push(
        `${' '.repeat(TIME_CHARACTERS + 4)}... ${what} ${times} more times, for ${humanTime(untilMs - lastMs)}`,
      );
      lastMs = untilMs;
    }
  }
  return lines.map((line) => line.trimEnd()).join('\n');
};

const violationRow = ({ invariant, what }: ShownViolation, atMs: number): Row => ({
  atMs,
  from: '',
  text: `VIOLATED ${invariant}: ${what}`,
  mark: 'violation',
});

const MARKS: Readonly<Record<string, string>> = { fault: ' ! ', violation: '>>>' };

interface Columns {
  readonly header: string;
  line(row: Row, time: string): string;
}

/** Returns the columns of all participants, each as wide as its name. */
const createColumns = (rows: readonly Row[]): Columns => {
  const involved = new Set(rows.flatMap(({ from, to }) => [from, to ?? '']));
  const processes = [...involved].filter((name) => name !== '' && !isLane(name));
  const isGrouped = processes.length > MAX_PROCESSES;
  const columnOf = (name: string): string => (isGrouped && !isLane(name) ? name.replace(/-\d+$/, '') : name);
  const shown = new Set([...processes.map(columnOf), ...LANES.filter((lane) => involved.has(lane))]);
  // The processes are between their callers and the services that they use.
  const [outer, inner] = [LANES.slice(0, LANES.indexOf('table')), LANES.slice(LANES.indexOf('table'))];
  const names = [...outer, ...[...shown].filter((name) => !isLane(name)), ...inner].filter((name) => shown.has(name));

  let width = 0;
  const centers = new Map<string, number>();
  for (const name of names) {
    centers.set(name, width + Math.floor(name.length / 2));
    width += name.length + 2;
  }
  const running = new Map<string, number>();

  const draw = ({ from, to, mark }: Row): string => {
    const cells = Array.from({ length: width }, () => ' ');
    const put = (place: number | undefined, character: string) => {
      if (place !== undefined) cells[place] = character;
    };
    for (const [name, count] of running) if (count > 0) put(centers.get(name), '│');
    const [start, end] = [centers.get(columnOf(from)), to === undefined ? undefined : centers.get(columnOf(to))];
    if (start !== undefined && end !== undefined) {
      for (let place = Math.min(start, end) + 1; place < Math.max(start, end); place += 1) put(place, '─');
      put(end, end > start ? '▶' : '◀');
    }
    put(start, mark === undefined ? '●' : SIGNS[mark]);
    const count = running.get(columnOf(from)) ?? 0;
    if (mark === 'start') running.set(columnOf(from), count + 1);
    if (mark === 'end') running.set(columnOf(from), Math.max(0, count - 1));
    return cells.join('');
  };

  return {
    header: `${' '.repeat(TIME_CHARACTERS + 5)}${names.map((name) => `${name}  `).join('')}`,
    line(row, time) {
      const mark = MARKS[row.mark ?? ''] ?? '   ';
      const process = isGrouped && row.from !== '' && !isLane(row.from) ? `${row.from}: ` : '';
      return `${mark} ${time.padStart(TIME_CHARACTERS)} ${draw(row)} ${process}${row.text}`;
    },
  };
};

const SIGNS = { start: '┬', end: '┴', fault: '✗', violation: ' ' } as const satisfies Record<
  NonNullable<Row['mark']>,
  string
>;

const isLane = (name: string): boolean => LANES.some((lane) => lane === name);
