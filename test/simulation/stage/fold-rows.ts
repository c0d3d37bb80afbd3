import type { Row } from './timeline-rows.ts';

/** Lines of a timeline that repeat as a group. */
export interface Repeated {
  readonly rows: readonly Row[];
  /** The number of repetitions. 0 for lines that do not repeat. */
  readonly times: number;
  /** The time of the last line. */
  readonly untilMs: number;
}

const MAX_ROWS = 16;
/** Fewer repetitions than this are not folded. */
const MIN_REPETITIONS = 2;

/** Folds repeated groups of lines, such as attempts during an outage, into one. */
export const foldRows = (rows: readonly Row[]): readonly Repeated[] => {
  const keys = rows.map(keyOf);
  const folded: Repeated[] = [];
  for (let index = 0; index < rows.length; ) {
    const { length, times } = repetitionAt(keys, index);
    const end = index + length * (times + 1);
    const block = rows.slice(index, index + length);
    folded.push({ rows: block, times, untilMs: rows[end - 1]?.atMs ?? 0 });
    index = end;
  }
  return folded;
};

const repetitionAt = (keys: readonly string[], start: number): { readonly length: number; readonly times: number } => {
  for (let length = 1; length <= MAX_ROWS; length += 1) {
    let times = 0;
    while (isSame(keys, start, start + length * (times + 1), length)) times += 1;
    if (times >= MIN_REPETITIONS) return { length, times };
  }
  return { length: 1, times: 0 };
};

const isSame = (keys: readonly string[], start: number, other: number, length: number): boolean => {
  if (other + length > keys.length) return false;
  for (let index = 0; index < length; index += 1) if (keys[start + index] !== keys[other + index]) return false;
  return true;
};

/** Lines are alike if they differ only in numbers that are not part of a name. Violations are never alike. */
const keyOf = ({ from, to, text, mark }: Row, index: number): string =>
  mark === 'violation'
    ? `${index}`
    : [from.replace(/-\d+$/, ''), to, mark, text.replace(/(?<![\w-])[\d.]+( (?:d|h|min|s|ms)\b)*/g, '#')].join('|');
