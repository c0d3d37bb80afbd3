import { describe, expect, it } from 'vitest';
import { onFirstUse } from '../../../../lambdas/runtime/on-first-use.ts';

describe('onFirstUse', () => {
  it('loads on the first call, and once', async () => {
    let loads = 0;
    const use = onFirstUse(async () => {
      loads += 1;
      return loads;
    });
    expect(loads).toBe(0);
    expect(await Promise.all([use(), use()])).toEqual([1, 1]);
    expect(await use()).toBe(1);
  });

  it('loads again after a failure, which its callers see', async () => {
    const results = [Promise.reject(new Error('first')), Promise.resolve('second')];
    const use = onFirstUse(async () => results.shift());
    await expect(Promise.all([use(), use()])).rejects.toThrow('first');
    expect([await use(), await use()]).toEqual(['second', 'second']);
  });

  it('keeps the value of a load that began after a failure, although other callers still wait for the failed one', async () => {
    let loads = 0;
    const failed = Promise.withResolvers<never>();
    const use = onFirstUse(() => {
      loads += 1;
      return loads === 1 ? failed.promise : Promise.resolve(loads);
    });
    const second = use().catch(() => use());
    const late = use().catch(() => 'failed');
    failed.reject(new Error('first'));
    expect([await second, await late, await use(), loads]).toEqual([2, 'failed', 2, 2]);
  });
});
