import { afterAll, afterEach } from 'vitest';
import { checkWrites, uncheckedRuns } from './checked-cloud.ts';

// A setup file of every Vitest project whose tests start local runs. Checks the writes of each test, and that each run
// was closed, because closing a run checks its stored items.

afterEach(checkWrites);
afterAll(() => {
  const left = uncheckedRuns();
  if (left > 0) throw new Error(`The tests did not close ${left} local run(s), so the stored items were not checked.`);
});
