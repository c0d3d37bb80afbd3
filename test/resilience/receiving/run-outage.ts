import { parseArgs } from 'node:util';
import { WEBHOOK_DEADLINE_MS } from '../../../lambdas/receive/time-budget.ts';
import { runTableOutage } from './table-outage.ts';

/** `npm run outage -- --seconds 30 --rate 50`: exits 0 only if every request was answered 200 in time and is stored. */
const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '30' }, rate: { type: 'string', default: '50' } },
});
const result = await runTableOutage({ seconds: Number(values.seconds), rate: Number(values.rate) });
console.log(JSON.stringify(result, null, 2));
const passed =
  result.statuses['200'] === result.requests &&
  result.slowestMs < WEBHOOK_DEADLINE_MS &&
  result.stored === result.requests &&
  result.quarantined === 0;
console.log(passed ? 'Passed.' : 'Failed.');
process.exitCode = passed ? 0 : 1;
