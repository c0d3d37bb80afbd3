import { describe, expect, it } from 'vitest';
import { withinBudget } from '../../../../lambdas/aws/within-budget.ts';

describe('a call with a budget', () => {
  it('gives its answer, or its own failure', async () => {
    expect(await withinBudget(10_000, async () => 'answer')).toBe('answer');
    const failing = withinBudget(10_000, () => Promise.reject(new Error('no such table')));
    await expect(failing).rejects.toThrow('no such table');
  });

  it('is over when its time is up, also when the call takes no notice', async () => {
    const never = new Promise<never>(() => undefined);
    await expect(withinBudget(20, () => never)).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('tells the call that its time is up', async () => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const listening = (signal: AbortSignal) => {
      signal.addEventListener('abort', () => resolve(signal.aborted));
      return new Promise<never>(() => undefined);
    };
    await expect(withinBudget(20, listening)).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(await promise).toBe(true);
  });
});
