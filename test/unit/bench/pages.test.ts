import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PALETTE_NAMES } from '../../../bench/chart.ts';
import { imageOf, withReport } from '../../../bench/page-blocks.ts';
import { PART_NAMES, PART_PAGES } from '../../../bench/part-names.ts';
import { cellOf, ratiosTable } from '../../../bench/ratios.ts';
import { withFigures } from '../../../bench/readme-figures.ts';
import type { Report } from '../../../bench/report.ts';
import { readPages } from '../../../bench/results.ts';
import { tableUnder, withBlock } from '../../../lib/documents/markdown.ts';

const ROOT = join(import.meta.dirname, '../../..');
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const pages = await readPages();
const { performance, cost } = pages;

const REPORT: Report = {
  part: 'turns',
  date: '2026-11-27',
  machine: '2 × a processor',
  tables: [
    {
      title: 'A table',
      rows: [
        ['', 'ms'],
        ['one', '1.5'],
        ['two', ''],
      ],
      note: 'A note.',
    },
    {
      title: 'A wide table',
      rows: [
        ['', 'ms'],
        ['x'.repeat(120), '1'],
      ],
    },
  ],
  charts: [{ name: 'sample', title: 'A chart', unit: 'ms', groups: [] }],
};

describe('docs/performance.md and docs/cost.md', () => {
  it('have the ratios of their tables; "npm run bench -- page" writes them', () => {
    expect(performance).toBe(withBlock(performance, 'ratios', ratiosTable(pages)));
  });

  it('have no ratio that is missing', () => {
    const [, ...rows] = tableUnder(performance, '## Parley / tutorial');
    expect(rows.length).toBeGreaterThan(10);
    for (const [, ratio] of rows) expect(ratio).toMatch(/^×\d+\.\d\d$/);
  });

  it('have a result of every part, with its date and machine', () => {
    for (const part of PART_NAMES) {
      const page = (PART_PAGES[part] === 'cost.md' ? cost : performance).replaceAll('\n', ' ');
      expect(page).toMatch(
        new RegExp(`Measured on 20\\d\\d-\\d\\d-\\d\\d by \`npm run bench -- ${part}\` \\(\\d+ × .+?, Node`),
      );
    }
  });

  it('show every chart, in a light and a dark version, and no other is stored', () => {
    const shown = [...`${performance}${cost}`.matchAll(/"(images\/bench-[a-z0-9-]+\.svg)"/g)].map(([, path]) => path);
    const stored = globSync('images/bench-*', { cwd: join(ROOT, 'docs') });
    expect(stored.length).toBeGreaterThan(0);
    expect(new Set(shown)).toEqual(new Set(stored));
    expect(stored.filter((path) => path.endsWith('-dark.svg'))).toHaveLength(stored.length / PALETTE_NAMES.length);
  });
});

describe('a report', () => {
  const written = withReport(cost, REPORT);

  it('replaces only the results of its part', () => {
    expect(written).toContain('Measured on 2026-11-27 by `npm run bench -- turns` (2 × a processor).');
    const withoutTurns = (page: string) => withBlock(page, 'turns', '');
    expect(withoutTurns(written)).toBe(withoutTurns(cost));
    expect(written).not.toBe(cost);
  });

  it('can be read back from the page, except for tables that are too wide', () => {
    expect(tableUnder(written, '### A table')).toEqual(REPORT.tables[0]?.rows);
    expect(cellOf(written, 'A table', 'one', 'ms')).toBe('1.5');
    expect(() => cellOf(written, 'A table', 'three', 'ms')).toThrow('The table "A table" has no "ms" of "three".');
    expect(() => tableUnder(written, '### A wide table')).toThrow('no table under "### A wide table"');
  });

  it('shows its notes and charts', () => {
    expect(written).toContain('\n\nA note.\n\n');
    for (const chart of REPORT.charts) expect(written).toContain(`src="${imageOf(chart, 'light')}"`);
  });

  it('replaces the summary of its part', () => {
    const summary = [
      ['messages a month', '$ a month'],
      ['0', '1.00'],
    ];
    const rows = tableUnder(withReport(cost, { ...REPORT, part: 'cost', summary }), '## Monthly bill');
    expect(rows).toEqual(summary);
    expect(() => withReport(cost, { ...REPORT, summary })).toThrow('turns-summary:start');
  });
});

describe('the figures in README.md', () => {
  it('are those of the pages; "npm run bench -- page" writes them', () => {
    expect(readme).toBe(withFigures(readme, pages));
  });

  it.each<[string, Partial<typeof pages>]>([
    ['the bill', { cost: cost.replace('| 10,000 | ', '| 10,000 | 1') }],
    ['the cold start', { performance: performance.replace(/^(\| receive \|.*×)/m, '$11') }],
    ['the events per second', { performance: performance.replace('| 16, Parley / Tutorial | ×', '$&1') }],
    ['the dates', { performance: performance.replaceAll('Measured on 2026', 'Measured on 2027') }],
    [
      'the runs of the search',
      { scenarios: pages.scenarios.replace(/^(\| \w+ \| `\w+` \|.* )(\d+ \| holds \|)$/m, '$1') },
    ],
  ])('change with %s', (_what, changed) => {
    expect(withFigures(readme, { ...pages, ...changed })).not.toBe(readme);
  });

  it('require the results of every part that they quote', () => {
    expect(() => withFigures(readme, { ...pages, performance: withBlock(performance, 'load', '') })).toThrow(
      'no table under "### The webhook under load"',
    );
  });
});
