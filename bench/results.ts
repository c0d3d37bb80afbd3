import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { PART_NAMES } from './part-names.ts';
import { pageFiles } from './performance-page.ts';
import { searchResults, withFigures } from './readme-figures.ts';
import type { Report } from './report.ts';

const ROOT = join(import.meta.dirname, '..');

const bars = z.array(z.object({ label: z.string(), value: z.number() }));
const reportSchema = z.object({
  part: z.string(),
  date: z.string(),
  machine: z.string(),
  tables: z.array(z.object({ title: z.string(), rows: z.array(z.array(z.string())), note: z.string().optional() })),
  charts: z.array(
    z.object({
      name: z.string(),
      title: z.string(),
      unit: z.string(),
      groups: z.array(z.object({ label: z.string(), bars })),
    }),
  ),
  figures: z.record(z.string(), z.number()),
});

const fileOf = (part: string): string => join(import.meta.dirname, 'results', `${part}.json`);

/** Stores what a part measured, for docs/performance.md. */
export const writeResult = async (report: Report): Promise<void> => {
  await mkdir(dirname(fileOf(report.part)), { recursive: true });
  await writeFile(fileOf(report.part), `${JSON.stringify(report, null, 2)}\n`);
};

/** Returns the stored results, in the order of the parts. Parts that were never stored are missing. */
export const readResults = async (): Promise<readonly Report[]> => {
  const texts = await Promise.all(PART_NAMES.map((part) => readFile(fileOf(part), 'utf8').catch(() => undefined)));
  return texts.flatMap((text) => (text === undefined ? [] : [reportSchema.parse(JSON.parse(text))]));
};

/** Writes docs/performance.md and its charts. */
export const writePage = async (reports: readonly Report[]): Promise<void> => {
  for (const [path, text] of pageFiles(reports)) await writeFile(join(ROOT, path), text);
  const readme = join(ROOT, 'README.md');
  await writeFile(
    readme,
    withFigures(await readFile(readme, 'utf8'), { reports, searched: await readSearchResults() }),
  );
};

/** Reads the results that `npm run search -- --write` stored. */
export const readSearchResults = async () =>
  searchResults.parse(JSON.parse(await readFile(join(ROOT, 'test/simulation/search/results.json'), 'utf8')));
