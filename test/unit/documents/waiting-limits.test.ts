import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MAX_RETRIED_MS } from '../../../lambdas/domain/backoff.ts';
import { MAX_QUEUED_MS } from '../../../lambdas/domain/send.ts';

const ROOT = join(import.meta.dirname, '../../..');
const DAY_MS = 24 * 60 * 60 * 1000;
const WORDS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** Formats a duration in days as the pages do. */
const days = (ms: number): string => `${WORDS[ms / DAY_MS] ?? ms / DAY_MS} days`;

/** The pages that say how long a request waits. */
const PAGES = [
  'cli/commands/sending.ts',
  'docs/events.md',
  'docs/management-api.md',
  'docs/operating.md',
  'docs/sending.md',
  'docs/settings.md',
];

it.each(PAGES)('%s states both limits after which a request expires, as in the code', (page) => {
  const text = readFileSync(join(ROOT, page), 'utf8').replace(/' \+\s+'|\s+/g, (gap) => (gap.includes("'") ? '' : ' '));
  const retried = [...text.matchAll(/(\S+ days) of retries/g)].map(([, stated]) => stated);
  const queued = [...text.matchAll(/(\S+ days) in the queue/g)].map(([, stated]) => stated);
  expect(new Set(retried)).toEqual(new Set([days(MAX_RETRIED_MS)]));
  expect(new Set(queued)).toEqual(new Set([days(MAX_QUEUED_MS)]));
});
