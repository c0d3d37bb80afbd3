import { parseArgs } from 'node:util';
import { WEBHOOK_ANSWER_MS } from '../../../lambdas/receive/time-budget.ts';
import { playOutage } from './outage.ts';

/** `npm run outage -- --seconds 30 --rate 50`: exits 0 only if every post was answered 200 in time and is stored. */
const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '30' }, rate: { type: 'string', default: '50' } },
});
const result = await playOutage({ seconds: Number(values.seconds), rate: Number(values.rate) });
console.log(JSON.stringify(result, null, 2));
const holds =
  result.statuses['200'] === result.posts &&
  result.slowestMs < WEBHOOK_ANSWER_MS &&
  result.stored === result.posts &&
  result.quarantined === 0;
console.log(holds ? 'It holds.' : 'It does not hold.');
process.exitCode = holds ? 0 : 1;
