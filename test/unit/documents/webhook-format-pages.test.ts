import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { WEBHOOK_FORMATS } from '../../../lambdas/domain/webhook-formats/formats.ts';
import { splitPost } from '../../../lambdas/domain/webhook-formats/split-post.ts';
import { SAMPLE_PAGES, WEBHOOK_SAMPLES } from '../../support/webhook-samples.ts';
import { ROOT } from './markdown.ts';
import { runSamples, type SampleResult, sampleResultsPage } from './sample-results.ts';

const README = readFileSync(join(ROOT, 'docs/webhook-formats/README.md'), 'utf8');
const FORMATS = WEBHOOK_FORMATS.map(({ name }) => name);
const samplesOf = (page: string) => WEBHOOK_SAMPLES.filter((sample) => sample.page === page);

let results: readonly SampleResult[];
beforeAll(async () => {
  results = await runSamples();
});

describe('the samples of the webhook formats', () => {
  it('are on one page for each format, and each page has a format', () => {
    expect(SAMPLE_PAGES).toEqual([...FORMATS, 'README'].toSorted());
  });

  it.each(FORMATS)('of %s are all in this format, each under a heading of its own', (format) => {
    const samples = samplesOf(format);
    const formats = samples.flatMap(({ body }) =>
      splitPost(body).map((posted) => ('reason' in posted ? posted.reason : posted.format.name)),
    );

    expect(samples.length).toBeGreaterThan(3);
    expect(new Set(formats)).toEqual(new Set([format]));
    expect(new Set(samples.map(({ title }) => title)).size).toBe(samples.length);
  });

  it('list the formats in the order in which they are tried', () => {
    expect([...README.matchAll(/^\| \[`([^`]+)`\]\(\1\.md\) \|/gm)].map(([, name]) => name)).toEqual(FORMATS);
  });
});

describe('what becomes of the samples', () => {
  it('is in the README; "npm run schemas" writes it', () => {
    expect(README).toBe(sampleResultsPage(README, results));
  });

  it('is quarantine only where the README says so', () => {
    const quarantined = results
      .filter(({ stored }) => stored === 'quarantined')
      .map(({ page, title }) => [page, title]);

    expect(quarantined).toEqual(
      [
        'An array with an entry that cannot be read',
        "An event of the platform's own cloud API",
        'A message without an ID',
        'A message that does not name the user',
        'A body for a test',
        'An empty list',
      ].map((title) => ['README', title]),
    );
  });

  it.each(FORMATS)('of %s opens a window only under "What users write"', (format) => {
    const page = readFileSync(join(ROOT, `docs/webhook-formats/${format}.md`), 'utf8');
    const section = page.split('\n## ').find((one) => one.startsWith('What users write\n')) ?? '';
    const titles = [...section.matchAll(/^### (.+)$/gm)].map(([, title]) => title);
    const ofPage = results.filter((result) => result.page === format);

    expect(titles.length).toBeGreaterThan(0);
    expect([...new Set(ofPage.filter(({ opensWindow }) => opensWindow).map(({ title }) => title))]).toEqual(titles);
  });

  it.each(FORMATS)("of %s changes a consent only for the user's own keyword", (format) => {
    const changed = results.filter(({ page, consent }) => page === format && consent !== undefined);

    expect(changed).toMatchObject([{ title: 'A keyword', consent: 'opt-out' }]);
  });
});
