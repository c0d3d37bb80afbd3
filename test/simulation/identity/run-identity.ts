import { availableParallelism } from 'node:os';
import { numbersOrExit } from '../../support/read-arguments.ts';
import { minimize } from '../stage/minimize.ts';
import { simulateOnWorkers } from '../stage/simulate-workers.ts';
import { drawIdentityHistory } from './draw-identity.ts';
import { describeStep, type IdentityHistory } from './identity-history.ts';
import type { IdentityInvariantName } from './identity-invariants.ts';
import { playIdentity } from './play-identity.ts';
import { addIdentities, NO_IDENTITIES, unwitnessed } from './simulate-identity.ts';

/**
 * `npm run simulate:identity`: plays random histories of people with several addresses. Shrinks the first history that
 * violates each invariant. Exits with 1 if there is one, or if something that the histories must contain never happened.
 */
const { seeds, from, workers } = numbersOrExit({ seeds: 100_000, from: 1, workers: availableParallelism() });

/** Fewer histories may lack something rare. */
const MIN_SEEDS_FOR_WITNESSES = 10_000;

const shrink = async (history: IdentityHistory, invariant: IdentityInvariantName): Promise<IdentityHistory> => {
  const isViolated = async (steps: IdentityHistory['steps']) => {
    const { violations } = await playIdentity({ ...history, steps });
    return violations.some((violation) => violation.invariant === invariant);
  };
  return { ...history, steps: await minimize(history.steps, isViolated) };
};

const startedAt = performance.now();
const result = await simulateOnWorkers({
  from,
  seeds,
  workers,
  worker: new URL('identity-worker.ts', import.meta.url),
  none: NO_IDENTITIES,
  add: addIdentities,
});
const seconds = Math.round((performance.now() - startedAt) / 1000);
console.log(`${result.seeds.toLocaleString('en-US')} histories from seed ${from} in ${seconds} s.`);
for (const [name, count] of Object.entries(result.witnesses)) console.log(`${String(count).padStart(8)}  ${name}`);
for (const [invariant, found] of Map.groupBy(result.failures, (failure) => failure.invariant)) {
  const failing = [...new Set(found.map(({ seed }) => seed))];
  console.log(`\nVIOLATED ${invariant}, in ${failing.length} histories: ${failing.slice(0, 10).join(', ')}`);
  const { steps } = await shrink(drawIdentityHistory(failing[0] ?? 0), invariant);
  for (const step of steps) console.log(`  ${describeStep(step)}`);
  for (const { what } of (await playIdentity({ seed: 0, steps })).violations) console.log(`  ${what}`);
}
const missing = seeds < MIN_SEEDS_FOR_WITNESSES ? [] : unwitnessed(result);
for (const name of missing) console.log(`It never happened: ${name}.`);
if (result.failures.length === 0) console.log('Every invariant held.');
process.exitCode = result.failures.length === 0 && missing.length === 0 ? 0 : 1;
