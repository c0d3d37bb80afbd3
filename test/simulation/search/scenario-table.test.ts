import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { pageOf, readPage, readResults, tableRows } from './scenario-table.ts';
import { SEARCHABLE_SCENARIOS, SENTENCES } from './searchable.ts';

describe('the table of scenarios', () => {
  it('has every scenario and invariant', () => {
    const page = readPage();
    const names = [SEARCHABLE_SCENARIOS, SENTENCES].flatMap((entries) => Object.keys(entries));

    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it('is the page that the results make', () => {
    expect(readPage()).toBe(pageOf(readResults()));
  });

  it('has the number of scenarios and runs that docs/reliability.md names', () => {
    const scenarios = Object.values(readResults());
    const runs = scenarios.reduce((sum, scenario) => sum + scenario.runs, 0);

    expect(readFileSync(new URL('../../../docs/reliability.md', import.meta.url), 'utf8')).toContain(
      `${scenarios.length} scenarios in ${runs.toLocaleString('en-US')} runs;`,
    );
  });

  it('shows no scenario that violates an invariant', () => {
    const violating = tableRows(readResults()).filter((row) => row.at(-1)?.startsWith('violated'));

    expect(violating.map(([, name]) => name)).toEqual([]);
  });
});
