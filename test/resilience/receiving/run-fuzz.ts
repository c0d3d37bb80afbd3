import { parseArgs } from 'node:util';
import { fuzz } from './fuzz.ts';
import { fuzzHolds } from './fuzz-holds.ts';
import { fuzzOverHttp } from './fuzz-over-http.ts';

/**
 * `npm run fuzz -- --count N --seed S`: exits 0 only if no post made the webhook fail or lose it. One in fifty goes the
 * whole way, through the HTTP API to the bundled function.
 */
const { values } = parseArgs({
  options: { count: { type: 'string', default: '2000' }, seed: { type: 'string', default: '1' } },
});
const [count, seed] = [Number(values.count), Number(values.seed)];
const overHttp = Math.ceil(count / 50);
const beganMs = performance.now();
const direct = await fuzz({ count: count - overHttp, seed }, (done) => {
  if (done % 10_000 === 0) console.log(`${done} posts, ${Math.round((performance.now() - beganMs) / 1000)} s`);
});
console.log('to the handler', direct);
const http = await fuzzOverHttp({ count: overHttp, seed: seed + 1_000_000 });
console.log('over HTTP', http);
const holds = fuzzHolds(direct) && fuzzHolds(http);
console.log(`${holds ? 'It holds' : 'It does not hold'}: ${count} posts, seed ${seed}.`);
process.exitCode = holds ? 0 : 1;
