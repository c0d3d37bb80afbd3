import { describe, expect, it } from 'vitest';
import { createProgress } from '../../../../cli/base/progress.ts';

/** Draws progress from 10 of 40 rows that an earlier run processed. */
const drawing = (columns: number) => {
  const drawn: string[] = [];
  const clock = { nowMs: 0 };
  const progress = createProgress({
    total: 40,
    noun: 'rows',
    alreadyDone: 10,
    terminal: { columns, write: (text) => drawn.push(text) },
    say: () => {},
    nowMs: () => clock.nowMs,
  });
  return { drawn, clock, progress };
};

describe('a progress bar', () => {
  it('is drawn over itself at most every 100 ms, and at the end', () => {
    const { drawn, clock, progress } = drawing(120);

    for (const [nowMs, done] of [
      [50, 11],
      [1_000, 20],
      [1_010, 30],
    ] as const) {
      clock.nowMs = nowMs;
      progress.update(done);
    }
    progress.stop();

    expect(drawn).toEqual([
      `\r${'█'.repeat(7)}${'░'.repeat(23)} 25%  10 of 40 rows  \u001b[K`,
      `\r${'█'.repeat(15)}${'░'.repeat(15)} 50%  20 of 40 rows  10 rows/s, 0:02 left\u001b[K`,
      `\r${'█'.repeat(22)}${'░'.repeat(8)} 75%  30 of 40 rows  20 rows/s, 0:01 left\u001b[K`,
      '\n',
    ]);
  });

  it('raises the total if there are more, and stays within the line', () => {
    const { drawn, clock, progress } = drawing(44);

    clock.nowMs = 1_000;
    progress.update(50);

    expect(drawn.at(-1)).toBe(`\r${'█'.repeat(30)} 100%  50 of \u001b[K`);
  });
});
