import { numbersOrExit } from '../../support/read-arguments.ts';
import { fuzz } from './fuzz.ts';
import { fuzzOverHttp } from './fuzz-over-http.ts';
import { isPassed } from './fuzz-result.ts';

/**
 * `npm run fuzz -- --count N --seed S`: exits 0 only if no request made the webhook fail, no event was lost, and none was
 * taken for the user's. One in fifty goes through the HTTP API to the bundled function.
 */
const { count, seed } = numbersOrExit({ count: 2_000, seed: 1 });
const overHttp = Math.ceil(count / 50);
const startedMs = performance.now();
const direct = await fuzz({ count: count - overHttp, seed }, (done) => {
  if (done % 10_000 === 0) console.log(`${done} requests, ${Math.round((performance.now() - startedMs) / 1000)} s`);
});
console.log('Calling the handler:', direct);
const http = await fuzzOverHttp({ count: overHttp, seed: seed + 1_000_000 });
console.log('Over HTTP:', http);
const passed = isPassed(direct) && isPassed(http);
console.log(`${passed ? 'Passed' : 'Failed'}: ${count} requests, seed ${seed}.`);
process.exitCode = passed ? 0 : 1;
