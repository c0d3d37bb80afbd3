import { SingleBar } from 'cli-progress';

/** Shows how far a broadcast has come. */
export interface Progress {
  readonly update: (done: number) => void;
  readonly stop: () => void;
}

export interface ProgressSettings {
  readonly rows: number;
  /** Rows that were dealt with before. */
  readonly begunAt: number;
  readonly isTerminal: boolean;
  readonly say: (line: string) => void;
  readonly nowMs: () => number;
}

/** How often a line is said where there is no terminal to draw a bar on. */
const LINE_MS = 5_000;

/** A bar with rate and time left on a terminal; elsewhere a line every few seconds. */
export const createProgress = (settings: ProgressSettings): Progress =>
  settings.isTerminal ? createBar(settings) : createLines(settings);

const createBar = ({ rows, begunAt, nowMs }: ProgressSettings): Progress => {
  const began = nowMs();
  const bar = new SingleBar({
    format: '{bar} {percentage}%  {value} of {total} rows  {pace}',
    barsize: 30,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
  });
  bar.start(rows, begunAt, { pace: '' });
  return {
    update: (done) => bar.update(done, { pace: paceOf(done - begunAt, rows - done, nowMs() - began) }),
    stop: () => bar.stop(),
  };
};

const createLines = ({ rows, begunAt, say, nowMs }: ProgressSettings): Progress => {
  const began = nowMs();
  let lastMs = began;
  const line = (done: number) =>
    say(
      `${done} of ${rows} rows (${Math.floor((100 * done) / rows)}%)  ${paceOf(done - begunAt, rows - done, nowMs() - began)}`,
    );
  if (begunAt > 0) say(`${begunAt} of ${rows} rows (${Math.floor((100 * begunAt) / rows)}%) were dealt with before.`);
  return {
    update(done) {
      if (nowMs() - lastMs < LINE_MS && done < rows) return;
      lastMs = nowMs();
      line(done);
    },
    stop: () => {},
  };
};

/** `812 rows/s, 0:07 left`. */
export const paceOf = (done: number, left: number, elapsedMs: number): string => {
  const rate = elapsedMs > 0 ? (1000 * done) / elapsedMs : 0;
  if (rate === 0) return '';
  const seconds = Math.ceil(left / rate);
  return `${Math.round(rate)} rows/s, ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} left`;
};
