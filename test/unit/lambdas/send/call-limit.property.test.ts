import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCallLimit } from '../../../../lambdas/send/call-limit.ts';

/** What happens to a limit: a call asks to start, the oldest call ends, or the limit changes. */
type Step = 'acquire' | 'end' | 'end twice' | 'widen' | 'narrow';

const steps = fc.array(
  fc.constantFrom<Step>('acquire', 'acquire', 'acquire', 'end', 'end twice', 'widen', 'widen', 'narrow'),
  { maxLength: 60 },
);

/** Runs the steps, then ends every call. Returns the order of starts and the maximum number of concurrent calls. */
const play = async (max: number, history: readonly Step[]) => {
  const limit = createCallLimit(max);
  const started: number[] = [];
  const running: (() => void)[] = [];
  let asked = 0;
  let most = 0;
  let widest = 1;
  let isWithinLimit = true;
  let current = 1;
  const letOthersRun = async () => {
    for (let turn = 0; turn < 3; turn += 1) await Promise.resolve();
    most = Math.max(most, running.length);
  };
  const take = async (step: Step) => {
    const before = started.length;
    switch (step) {
      case 'acquire': {
        const id = asked;
        asked += 1;
        void limit.acquire().then((end) => {
          started.push(id);
          running.push(end);
        });
        break;
      }
      case 'end':
      case 'end twice': {
        const end = running.shift();
        end?.();
        if (step === 'end twice') end?.();
        break;
      }
      case 'widen':
        current = Math.min(max, current + 1);
        limit.widen();
        break;
      case 'narrow':
        current = 1;
        limit.narrow();
        break;
    }
    widest = Math.max(widest, current);
    await letOthersRun();
    // Calls that are running when the limit narrows continue, but no other may start.
    if (started.length > before && running.length > current) isWithinLimit = false;
  };
  for (const step of history) await take(step);
  while (running.length > 0) await take('end');
  return { asked, started, most, widest, isWithinLimit };
};

describe('a limit of concurrent calls', () => {
  const max = fc.integer({ min: 1, max: 6 });

  it('never runs more calls than its maximum, or starts more than its current limit', async () => {
    await fc.assert(
      fc.asyncProperty(max, steps, async (most, history) => {
        const played = await play(most, history);
        expect(played.most).toBeLessThanOrEqual(Math.min(most, played.widest));
        expect(played.isWithinLimit).toBe(true);
      }),
    );
  });

  it('starts every call, in the order of the requests', async () => {
    await fc.assert(
      fc.asyncProperty(max, steps, async (most, history) => {
        const { asked, started } = await play(most, history);
        expect(started).toEqual(Array.from({ length: asked }, (_, id) => id));
      }),
    );
  });

  it('starts with one call at a time', async () => {
    expect((await play(10, ['acquire', 'acquire', 'acquire'])).most).toBe(1);
  });

  it('runs as many calls as it was widened to', async () => {
    const history: readonly Step[] = ['widen', 'widen', 'acquire', 'acquire', 'acquire', 'acquire'];
    expect((await play(10, history)).most).toBe(3);
    expect((await play(2, history)).most).toBe(2);
  });
});
