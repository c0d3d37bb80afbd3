import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../docs/webhook-formats');

/** A post to the webhook, as a page of docs/webhook-formats/ shows it. */
export interface WebhookSample {
  /** Such as `v1.1`, the name of a format, or `README`. */
  readonly page: string;
  readonly title: string;
  readonly body: string;
}

/** Returns the samples of a page, each with the heading above it. */
const samplesIn = (page: string): readonly WebhookSample[] => {
  let title = '';
  const text = readFileSync(join(FOLDER, `${page}.md`), 'utf8');
  return [...text.matchAll(/^#{2,3} ([^\n]+)$|^```json\n(.*?)\n```$/gms)].flatMap(([, heading, body]) => {
    title = heading ?? title;
    return body === undefined ? [] : [{ page, title, body }];
  });
};

/** The pages of docs/webhook-formats/: one per format, and the README. */
export const SAMPLE_PAGES: readonly string[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.md'))
  .map((file) => file.slice(0, -'.md'.length))
  .toSorted();

export const WEBHOOK_SAMPLES: readonly WebhookSample[] = SAMPLE_PAGES.flatMap(samplesIn);

/** Returns the body of a sample. */
export const webhookSample = (page: string, title: string): string => {
  const sample = WEBHOOK_SAMPLES.find((one) => one.page === page && one.title === title);
  if (sample === undefined) throw new Error(`docs/webhook-formats/${page}.md has no sample "${title}".`);
  return sample.body;
};
