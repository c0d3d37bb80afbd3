import { numbersOrExit } from '../../support/read-arguments.ts';
import { INGRESSES, isAsDocumented, type PostedOnceResult, runPostedOnce } from './posted-once.ts';

/** `npm run posted-once -- --posts 100`: exits 0 only if events are lost only as docs/reliability.md says. */
const { posts } = numbersOrExit({ posts: 100 });
const results: PostedOnceResult[] = [];
for (const ingress of INGRESSES) results.push(...(await runPostedOnce(ingress, posts)));
console.table(results);
const passed = isAsDocumented(results);
console.log(passed ? 'Passed.' : 'Failed.');
process.exitCode = passed ? 0 : 1;
