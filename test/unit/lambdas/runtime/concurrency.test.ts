import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { forEachConcurrently, mapConcurrently } from '../../../../lambdas/runtime/concurrency.ts';

describe('forEachConcurrently', () => {
  it('runs every item, at most the given number at once', async () => {
    const done: number[] = [];
    let running = 0;
    let most = 0;
    await forEachConcurrently(3, [1, 2, 3, 4, 5, 6, 7], async (item) => {
      running += 1;
      most = Math.max(most, running);
      await pause(1);
      running -= 1;
      done.push(item);
    });
    expect({ done: done.toSorted(), most }).toEqual({ done: [1, 2, 3, 4, 5, 6, 7], most: 3 });
  });

  it('rejects with the first failure only after every other item has finished', async () => {
    const done: number[] = [];
    const running = forEachConcurrently(2, [1, 2, 3], async (item) => {
      if (item === 1) throw new Error('item 1 failed');
      await pause(1);
      done.push(item);
    });
    await expect(running).rejects.toThrow('item 1 failed');
    expect(done).toEqual([2, 3]);
  });
});

it('mapConcurrently returns the results in the order of the items', async () => {
  const doubled = await mapConcurrently(2, [3, 1, 2], async (item) => {
    await pause(item);
    return 2 * item;
  });
  expect(doubled).toEqual([6, 2, 4]);
});
