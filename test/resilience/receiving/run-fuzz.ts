import { numbersOrExit } from '../../support/read-arguments.ts';
import { fuzz } from './fuzz.ts';
import { isPassed } from './fuzz-result.ts';

/**
 * `npm run fuzz -- --count N --seed S`: exits 0 only if no request made the webhook fail, no event was lost, and none was
 * taken for the user's.
 */
const { count, seed } = numbersOrExit({ count: 2_000, seed: 1 });
const startedMs = performance.now();
const result = await fuzz({ count, seed }, (done) => {
  if (done % 10_000 === 0) console.log(`${done} requests, ${Math.round((performance.now() - startedMs) / 1000)} s`);
});
console.log(result);
const passed = isPassed(result);
console.log(`${passed ? 'Passed' : 'Failed'}: ${count} requests, seed ${seed}.`);
process.exitCode = passed ? 0 : 1;
