/** A terminal, of which the bar takes one line. */
export interface ProgressTerminal {
  readonly columns: number;
  readonly write: (text: string) => unknown;
}

/** Shows the progress of a command. */
export interface Progress {
  readonly update: (done: number) => void;
  readonly stop: () => void;
}

export interface ProgressSettings {
  /** The total. Can be too low, or 0 if unknown. */
  readonly total: number;
  /** The plural noun for what is counted. */
  readonly noun: string;
  /** The number that an earlier run processed. */
  readonly alreadyDone: number;
  /** Where a bar can be drawn. Undefined if it is not a terminal. */
  readonly terminal: ProgressTerminal | undefined;
  readonly say: (line: string) => void;
  readonly nowMs: () => number;
}

/** Interval between two progress lines. */
const LINE_INTERVAL_MS = 5_000;

/** Creates a progress bar on a terminal. Elsewhere, prints a line every few seconds. */
export const createProgress = (settings: ProgressSettings): Progress =>
  settings.terminal ? createBar(settings, settings.terminal) : createLines(settings);

/** Interval between two drawings of the bar. */
const DRAW_INTERVAL_MS = 100;
const BAR_LENGTH = 30;
const CLEAR_REST = '\u001b[K';

const createBar = ({ total, noun, alreadyDone, nowMs }: ProgressSettings, terminal: ProgressTerminal): Progress => {
  const startMs = nowMs();
  let drawnMs = startMs;
  let done = alreadyDone;
  const draw = () => {
    const all = Math.max(total, done);
    const share = all === 0 ? 0 : done / all;
    const length = Math.floor(BAR_LENGTH * share);
    const bar = '█'.repeat(length).padEnd(BAR_LENGTH, '░');
    const pace = formatPace(done - alreadyDone, leftOf(total, done), nowMs() - startMs, noun);
    const line = `${bar} ${Math.floor(100 * share)}%  ${done} of ${all} ${noun}  ${pace}`;
    // A line that wraps could not be drawn over.
    terminal.write(`\r${line.slice(0, terminal.columns - 1)}${CLEAR_REST}`);
  };
  draw();
  return {
    update(newDone) {
      done = newDone;
      if (nowMs() - drawnMs < DRAW_INTERVAL_MS) return;
      drawnMs = nowMs();
      draw();
    },
    stop() {
      draw();
      terminal.write('\n');
    },
  };
};

const createLines = ({ total, noun, alreadyDone, say, nowMs }: ProgressSettings): Progress => {
  const startMs = nowMs();
  let lastLineMs = startMs;
  const portion = (done: number) =>
    done > total || total === 0
      ? `${done} ${noun}`
      : `${done} of ${total} ${noun} (${Math.floor((100 * done) / total)}%)`;
  if (alreadyDone > 0) say(`Resuming: ${portion(alreadyDone)} were processed earlier.`);
  return {
    update(done) {
      if (nowMs() - lastLineMs < LINE_INTERVAL_MS && done !== total) return;
      lastLineMs = nowMs();
      say(`${portion(done)}  ${formatPace(done - alreadyDone, leftOf(total, done), lastLineMs - startMs, noun)}`);
    },
    stop: () => {},
  };
};

/** Returns undefined if there are more than the total says. */
const leftOf = (total: number, done: number): number | undefined => (done > total ? undefined : total - done);

/** Formats the rate and the remaining time, such as `812 rows/s, 0:07 left`. */
export const formatPace = (done: number, left: number | undefined, elapsedMs: number, noun: string): string => {
  const rate = elapsedMs > 0 ? (1000 * done) / elapsedMs : 0;
  if (rate === 0) return '';
  if (left === undefined) return `${Math.round(rate)} ${noun}/s`;
  const seconds = Math.ceil(left / rate);
  return `${Math.round(rate)} ${noun}/s, ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} left`;
};
