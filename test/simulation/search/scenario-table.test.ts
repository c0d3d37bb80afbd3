import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { pageOf, readPage, rowsOn, sumOf } from './scenario-table.ts';
import { SEARCHABLE_SCENARIOS, SENTENCES } from './searchable.ts';

describe('the table of scenarios', () => {
  it('has every scenario and invariant', () => {
    const page = readPage();
    const names = [SEARCHABLE_SCENARIOS, SENTENCES].flatMap((entries) => Object.keys(entries));

    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it('is the page that its rows produce', () => {
    expect(readPage()).toBe(pageOf(rowsOn(readPage())));
  });

  it('has a row for each scenario, even if it was not searched', () => {
    expect(pageOf(new Map()).split('| not searched |')).toHaveLength(Object.keys(SEARCHABLE_SCENARIOS).length + 1);
  });

  it('has the number of scenarios and runs that docs/reliability.md names', () => {
    const rows = rowsOn(readPage());

    expect(readFileSync(new URL('../../../docs/reliability.md', import.meta.url), 'utf8')).toContain(
      `${rows.size} scenarios in ${sumOf(rows, 'Runs').toLocaleString('en-US')} runs;`,
    );
  });

  it('shows that every scenario holds', () => {
    expect(new Set([...rowsOn(readPage()).values()].map((row) => row.at(-1)))).toEqual(new Set(['holds']));
  });
});
