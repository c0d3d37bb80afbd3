import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withFigures } from '../../../bench/readme-figures.ts';
import { readResults, readSearchResults } from '../../../bench/results.ts';

const readme = readFileSync(join(import.meta.dirname, '../../../README.md'), 'utf8');
const reports = await readResults();
const searched = await readSearchResults();

describe('the figures in README.md', () => {
  it('are those of the stored results; "npm run bench -- page" writes them', () => {
    expect(readme).toBe(withFigures(readme, { reports, searched }));
  });

  it('change with the results', () => {
    const dearer = reports.map((report) =>
      report.part === 'cost'
        ? { ...report, figures: { ...report.figures, 'Parley, send, free-form: dollars per million': 1_000 } }
        : report,
    );
    expect(withFigures(readme, { reports: dearer, searched })).not.toBe(readme);
  });

  it('need the results of every benchmark that they quote', () => {
    const without = reports.filter(({ part }) => part !== 'load');
    expect(() => withFigures(readme, { reports: without, searched })).toThrow('bench/results has no load.json.');
  });
});
