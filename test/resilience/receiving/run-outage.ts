import { WEBHOOK_DEADLINE_MS } from '../../../lambdas/receive/time-budget.ts';
import { numbersOrExit } from '../../support/read-arguments.ts';
import { runTableOutage } from './table-outage.ts';

/** `npm run outage -- --seconds 30 --rate 50`: exits 0 only if every request was answered 200 in time and is stored. */
const result = await runTableOutage(numbersOrExit({ seconds: 30, rate: 50 }));
console.log(JSON.stringify(result, null, 2));
const passed =
  result.statuses['200'] === result.requests &&
  result.slowestMs < WEBHOOK_DEADLINE_MS &&
  result.stored === result.requests &&
  result.quarantined === 0;
console.log(passed ? 'Passed.' : 'Failed.');
process.exitCode = passed ? 0 : 1;
