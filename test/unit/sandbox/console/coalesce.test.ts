import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { coalesce } from '../../../../sandbox/console/page/state/coalesce.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('loads once for the calls within the delay', async () => {
  const load = vi.fn(async () => {});
  const refresh = coalesce(load, 80);

  refresh();
  refresh();
  await vi.advanceTimersByTimeAsync(79);
  expect(load).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);

  expect(load).toHaveBeenCalledOnce();
});

it('loads again after a load during which it was called, not beside it', async () => {
  const first = Promise.withResolvers<void>();
  const load = vi.fn(() => first.promise);
  const refresh = coalesce(load, 80);
  refresh();
  await vi.advanceTimersByTimeAsync(80);

  refresh();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(load).toHaveBeenCalledTimes(1);
  first.resolve();
  await vi.advanceTimersByTimeAsync(0);

  expect(load).toHaveBeenCalledTimes(2);
});
