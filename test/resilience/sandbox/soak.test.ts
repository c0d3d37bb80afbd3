import { expect, test } from 'vitest';
import { soak } from './soak.ts';

test('a thousand events of a hundred users leave the sandbox under 300 MB; npm run soak plays ten thousand', async () => {
  const { rssMb, delivered } = await soak(1_000, 100);

  // Where the system does not tell a process's memory there is nothing to compare.
  if (Number.isFinite(rssMb)) expect(rssMb).toBeLessThan(300);
  expect(delivered).toBe(1_000);
});
