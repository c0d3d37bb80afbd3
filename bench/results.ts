import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withBlock } from '../lib/documents/markdown.ts';
import { chartSvg, PALETTE_NAMES } from './chart.ts';
import { imageOf, withReport } from './page-blocks.ts';
import { PART_PAGES } from './part-names.ts';
import { type ResultPages, ratiosTable } from './ratios.ts';
import { withFigures } from './readme-figures.ts';
import type { Report } from './report.ts';

const ROOT = join(import.meta.dirname, '..');
const DOCS = join(ROOT, 'docs');

const rewrite = async (path: string, change: (page: string) => string): Promise<void> =>
  writeFile(path, change(await readFile(path, 'utf8')));

/** Writes what a part measured to its page, and its charts. */
export const writeReport = async (report: Report): Promise<void> => {
  await rewrite(join(DOCS, PART_PAGES[report.part]), (page) => withReport(page, report));
  for (const chart of report.charts) {
    for (const palette of PALETTE_NAMES) await writeFile(join(DOCS, imageOf(chart, palette)), chartSvg(chart, palette));
  }
};

export const readPages = async (): Promise<ResultPages & { readonly scenarios: string }> => {
  const read = (name: string): Promise<string> => readFile(join(DOCS, name), 'utf8');
  return {
    performance: await read('performance.md'),
    cost: await read('cost.md'),
    scenarios: await read('scenarios.md'),
  };
};

/** Writes the ratios of docs/performance.md and the figures of README.md, which come from the tables of the pages. */
export const writeFigures = async (): Promise<void> => {
  const pages = await readPages();
  await rewrite(join(DOCS, 'performance.md'), (page) => withBlock(page, 'ratios', ratiosTable(pages)));
  await rewrite(join(ROOT, 'README.md'), (page) => withFigures(page, pages));
};
