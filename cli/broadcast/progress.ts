import { SingleBar } from 'cli-progress';

/** Shows the progress of a broadcast. */
export interface Progress {
  readonly update: (done: number) => void;
  readonly stop: () => void;
}

export interface ProgressSettings {
  readonly rows: number;
  /** Rows that an earlier run processed. */
  readonly alreadyDone: number;
  readonly canDrawBar: boolean;
  readonly say: (line: string) => void;
  readonly nowMs: () => number;
}

/** Interval between two progress lines. */
const LINE_INTERVAL_MS = 5_000;

/** Creates a progress bar on a terminal. Elsewhere, prints a line every few seconds. */
export const createProgress = (settings: ProgressSettings): Progress =>
  settings.canDrawBar ? createBar(settings) : createLines(settings);

const createBar = ({ rows, alreadyDone, nowMs }: ProgressSettings): Progress => {
  const startMs = nowMs();
  const bar = new SingleBar({
    format: '{bar} {percentage}%  {value} of {total} rows  {pace}',
    barsize: 30,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
  });
  bar.start(rows, alreadyDone, { pace: '' });
  return {
    update: (done) => bar.update(done, { pace: formatPace(done - alreadyDone, rows - done, nowMs() - startMs) }),
    stop: () => bar.stop(),
  };
};

const createLines = ({ rows, alreadyDone, say, nowMs }: ProgressSettings): Progress => {
  const startMs = nowMs();
  let lastLineMs = startMs;
  const portion = (done: number) => `${done} of ${rows} rows (${Math.floor((100 * done) / rows)}%)`;
  if (alreadyDone > 0) say(`Resuming: ${portion(alreadyDone)} were processed earlier.`);
  return {
    update(done) {
      if (nowMs() - lastLineMs < LINE_INTERVAL_MS && done < rows) return;
      lastLineMs = nowMs();
      say(`${portion(done)}  ${formatPace(done - alreadyDone, rows - done, lastLineMs - startMs)}`);
    },
    stop: () => {},
  };
};

/** Formats the rate and the remaining time, such as `812 rows/s, 0:07 left`. */
export const formatPace = (done: number, left: number, elapsedMs: number): string => {
  const rate = elapsedMs > 0 ? (1000 * done) / elapsedMs : 0;
  if (rate === 0) return '';
  const seconds = Math.ceil(left / rate);
  return `${Math.round(rate)} rows/s, ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} left`;
};
