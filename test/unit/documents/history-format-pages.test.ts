import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findEntries } from '../../../cli/import/read-history.ts';
import { HISTORY_FORMATS, historyFormatOf } from '../../../lambdas/domain/history-formats/history-formats.ts';
import { formatOf } from '../../../lambdas/domain/webhook-formats/formats.ts';
import { HISTORY_SAMPLES, WEBHOOK_SAMPLES } from '../../support/webhook-samples.ts';
import { ROOT } from './markdown.ts';
import { historyResultsPage, readHistorySample } from './sample-results.ts';

const README = readFileSync(join(ROOT, 'docs/history-formats/README.md'), 'utf8');
const FORMATS = HISTORY_FORMATS.map(({ name }) => name);

describe('the samples of the history formats', () => {
  it('are on one page for each format, and each page has a format', () => {
    expect([...new Set(HISTORY_SAMPLES.map(({ page }) => page))]).toEqual(FORMATS.toSorted());
    expect([...README.matchAll(/^\| \[`([^`]+)`\]\(\1\.md\) \|/gm)].map(([, name]) => name)).toEqual(FORMATS);
  });

  it.each(HISTORY_SAMPLES.map((sample) => [`${sample.page}: ${sample.title}`, sample] as const))(
    '%s has entries of this format, and of no format of the webhook',
    (_name, { page, body }) => {
      const entries = findEntries(page, body).entries.map(({ text }) => JSON.parse(text));

      expect(entries.map((entry) => historyFormatOf(entry)?.name)).toEqual([page]);
      expect(entries.map((entry) => formatOf(entry)?.name)).toEqual([undefined]);
    },
  );

  it('are read as the README shows; "npm run schemas" writes it', () => {
    expect(README).toBe(historyResultsPage(README));
  });

  it('are unreadable only where their titles say so', () => {
    const unreadable = HISTORY_SAMPLES.filter((sample) =>
      readHistorySample(sample).some(({ kind }) => kind === 'unreadable'),
    );

    expect(unreadable.map(({ title }) => title)).toEqual(['From an address to an address', 'A message without a time']);
  });
});

it('no sample of a webhook is in a history format', () => {
  const objects = WEBHOOK_SAMPLES.flatMap(({ body }) => [JSON.parse(body)].flat());

  expect(objects.filter((each) => historyFormatOf(each) !== undefined)).toEqual([]);
});
