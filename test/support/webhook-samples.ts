import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../docs/webhook-formats');
const HISTORY_FOLDER = join(import.meta.dirname, '../../docs/history-formats');

/** A post to the webhook, as a page of docs/webhook-formats/ shows it. */
export interface WebhookSample {
  /** Such as `v1.1`, the name of a format, or `README`. */
  readonly page: string;
  readonly title: string;
  readonly body: string;
}

/** Returns the samples of a page, each with the heading above it. */
const samplesIn = (page: string, folder = FOLDER): readonly WebhookSample[] => {
  let title = '';
  const text = readFileSync(join(folder, `${page}.md`), 'utf8');
  return [...text.matchAll(/^#{2,3} ([^\n]+)$|^```json\n(.*?)\n```$/gms)].flatMap(([, heading, body]) => {
    title = heading ?? title;
    return body === undefined ? [] : [{ page, title, body }];
  });
};

const pagesIn = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.slice(0, -'.md'.length))
    .toSorted();

/** The pages of docs/webhook-formats/: one per format, and the README. */
export const SAMPLE_PAGES: readonly string[] = pagesIn(FOLDER);

export const WEBHOOK_SAMPLES: readonly WebhookSample[] = SAMPLE_PAGES.flatMap((page) => samplesIn(page));

/** The samples of docs/history-formats/: entries and pages of the chat service's history. */
export const HISTORY_SAMPLES: readonly WebhookSample[] = pagesIn(HISTORY_FOLDER).flatMap((page) =>
  samplesIn(page, HISTORY_FOLDER),
);

/** Returns the body of a sample. */
export const webhookSample = (page: string, title: string): string => {
  const sample = WEBHOOK_SAMPLES.find((one) => one.page === page && one.title === title);
  if (sample === undefined) throw new Error(`docs/webhook-formats/${page}.md has no sample "${title}".`);
  return sample.body;
};
