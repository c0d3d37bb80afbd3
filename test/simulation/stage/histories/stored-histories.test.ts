import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseHistory } from '../parse-history.ts';
import { playHistory } from '../play-history.ts';
import { checkRun } from '../stage-invariants.ts';

/** Shrunk histories that showed a defect in Parley or in an invariant, as `npm run simulate` wrote them. */
const FILES = globSync('*.json', { cwd: import.meta.dirname }).toSorted();

it.each(FILES)('the stored history %s keeps the invariants', async (file) => {
  const parsed = parseHistory(readFileSync(join(import.meta.dirname, file), 'utf8'));
  if (parsed.kind === 'invalid') throw new Error(parsed.why);
  expect(checkRun(await playHistory(parsed.history))).toEqual([]);
});
