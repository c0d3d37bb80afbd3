import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatValue } from '../../../bench/chart.ts';
import { pageFiles } from '../../../bench/performance-page.ts';
import { readResults } from '../../../bench/results.ts';

const ROOT = join(import.meta.dirname, '../../..');
const reports = await readResults();
const files = pageFiles(reports);
const charts = reports.flatMap((report) => report.charts);

describe('docs/performance.md and docs/cost.md', () => {
  it('and their charts are what the stored results give; "npm run bench -- page" writes them', () => {
    const written = [...files.keys()].map((path): [string, string] => [path, readFileSync(join(ROOT, path), 'utf8')]);
    expect(new Map(written)).toEqual(files);
  });

  it('have no chart left that no result gives', () => {
    const stored = globSync('docs/images/bench-*', { cwd: ROOT });
    expect(stored.toSorted()).toEqual([...files.keys()].filter((path) => path.startsWith('docs/images/')).toSorted());
  });

  const pages = `${files.get('docs/performance.md')}${files.get('docs/cost.md')}`;

  it('state the machine and the date of every part', () => {
    const page = pages.replaceAll('\n', ' ');
    expect(reports.length).toBeGreaterThan(0);
    for (const { part, date, machine } of reports) {
      expect(page).toContain(`Measured on ${date} by \`npm run bench -- ${part}\` (${machine}).`);
    }
  });

  it('start with ratios, none of which is missing', () => {
    const summary = files.get('docs/performance.md')?.split('\n## ')[0] ?? '';
    const ratios = summary.split('\n').filter((line) => /^\| .* \| ×\d+\.\d\d \| (less|more) \|$/.test(line));
    expect(ratios.length).toBeGreaterThan(0);
    expect(summary).not.toContain('NaN');
  });

  it('show a light and a dark chart with every value of every bar as text', () => {
    for (const { name, unit, groups } of charts) {
      for (const palette of ['light', 'dark']) {
        expect(pages).toContain(`"images/bench-${name}-${palette}.svg"`);
        const svg = files.get(`docs/images/bench-${name}-${palette}.svg`);
        for (const { value } of groups.flatMap(({ bars }) => bars)) {
          expect(svg).toContain(`>${formatValue(value, unit)}</text>`);
        }
      }
    }
  });
});
