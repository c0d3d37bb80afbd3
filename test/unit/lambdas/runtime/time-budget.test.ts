import { describe, expect, it } from 'vitest';
import { withinBudget } from '../../../../lambdas/runtime/time-budget.ts';

describe('withinBudget', () => {
  it('returns the answer of the call, or rejects with its error', async () => {
    expect(await withinBudget(10_000, async () => 'answer')).toBe('answer');
    const failing = withinBudget(10_000, () => Promise.reject(new Error('no such table')));
    await expect(failing).rejects.toThrow('no such table');
  });

  it('rejects when the budget is spent, even if the call ignores its signal', async () => {
    const never = new Promise<never>(() => undefined);
    await expect(withinBudget(20, () => never)).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('aborts the signal of the call when the budget is spent', async () => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const listening = (signal: AbortSignal) => {
      signal.addEventListener('abort', () => resolve(signal.aborted));
      return new Promise<never>(() => undefined);
    };
    await expect(withinBudget(20, listening)).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(await promise).toBe(true);
  });
});
