import { describe, expect, it, vi } from 'vitest';
import { WriteRefusedError } from '../../../../lambdas/domain/errors.ts';
import { addMs } from '../../../../lambdas/domain/instant.ts';
import { repeatUntil, withinBudget } from '../../../../lambdas/runtime/time-budget.ts';
import { NOW } from '../../../support/builders.ts';

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

  it('makes no call without a budget', async () => {
    const call = vi.fn(async () => 'answer');
    await expect(withinBudget(0, call)).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(call).not.toHaveBeenCalled();
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

describe('repeatUntil', () => {
  const DEADLINE = addMs(NOW, 60_000);

  /** Retries a write on a clock that only its pauses advance. */
  const repeat = async (write: (attempt: number) => Promise<string>) => {
    const pauses: number[] = [];
    let now = NOW;
    let attempts = 0;
    const written = repeatUntil(
      DEADLINE,
      () => {
        attempts += 1;
        return write(attempts);
      },
      {
        clock: { now: () => now },
        sleep: async (ms) => {
          pauses.push(ms);
          now = addMs(now, ms);
        },
      },
    );
    const result = await written.catch((error: unknown) => error);
    return { result, pauses, attempts, endedAt: now };
  };

  it('returns what the first successful write returns', async () => {
    const { result, attempts, pauses } = await repeat(async () => 'written');
    expect({ result, attempts, pauses }).toEqual({ result: 'written', attempts: 1, pauses: [] });
  });

  it('retries failing writes with pauses that double up to two seconds', async () => {
    const { result, pauses } = await repeat(async (attempt) => {
      if (attempt < 8) throw new Error('throttled');
      return 'written';
    });
    expect({ result, pauses }).toEqual({ result: 'written', pauses: [100, 200, 400, 800, 1_600, 2_000, 2_000] });
  });

  it('rejects with the last error, no later than the deadline, and uses most of the time until then', async () => {
    const { result, attempts, endedAt } = await repeat((attempt) => Promise.reject(new Error(`attempt ${attempt}`)));
    expect(result).toEqual(new Error(`attempt ${attempts}`));
    expect(endedAt <= DEADLINE && endedAt > addMs(DEADLINE, -2_000)).toBe(true);
  });

  it('does not retry a write that the table refuses permanently', async () => {
    const refused = new WriteRefusedError('ValidationException: too large');
    expect(await repeat(() => Promise.reject(refused))).toMatchObject({ result: refused, attempts: 1 });
  });
});
