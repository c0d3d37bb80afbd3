import { parseArgs } from 'node:util';
import { runRandomWorld } from './random-world.ts';

/** `npm run simulate`: runs stages from many seeds, or shows the run of one. Exits 1 if an invariant does not hold. */
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '2000' },
    from: { type: 'string', default: '0' },
  },
});

if (values.seed !== undefined) {
  const { lines, violated } = await runRandomWorld(Number(values.seed));
  console.log(lines.join('\n'));
  process.exit(violated.length === 0 ? 0 : 1);
}

const from = Number(values.from);
const counts = new Map<string, number>();
for (let seed = from; seed < from + Number(values.seeds); seed += 1) {
  const { violated } = await runRandomWorld(seed);
  for (const { invariant, what } of violated) {
    if (!counts.has(invariant)) console.log(`${invariant}: ${what}\n  npm run simulate -- --seed ${seed}`);
    counts.set(invariant, (counts.get(invariant) ?? 0) + 1);
  }
}
const summary = [...counts].map(([invariant, count]) => `${invariant} ${count}`).join(', ') || 'every invariant held';
console.log(`${values.seeds} seeds: ${summary}.`);
process.exit(counts.size === 0 ? 0 : 1);
