import { expect, test } from 'vitest';
import { soak } from './soak.ts';

test('the sandbox stays under 300 MB with a thousand events from a hundred users', async () => {
  const { rssMb, delivered } = await soak(1_000, 100);

  // Not every system reports a process's memory.
  if (Number.isFinite(rssMb)) expect(rssMb).toBeLessThan(300);
  expect(delivered).toBe(1_000);
});
