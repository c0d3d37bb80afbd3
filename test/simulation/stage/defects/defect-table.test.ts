import { describe, expect, it } from 'vitest';
import { defectPageOf, readDefectPage, readDefectResults, SEEDED_DEFECTS } from './defect-table.ts';

describe('the table of seeded defects', () => {
  it('matches the stored results', () => {
    expect(readDefectPage()).toBe(defectPageOf(readDefectResults()));
  });

  it('shows that each defect was found', () => {
    const { histories, search } = readDefectResults();
    const found = [
      ...Object.entries(histories).flatMap(([name, result]) => ('seed' in result ? [name] : [])),
      ...Object.entries(search).flatMap(([name, result]) => ('runs' in result && result.violating > 0 ? [name] : [])),
    ];

    expect(found).toEqual(Object.values(SEEDED_DEFECTS).flatMap((defects) => Object.keys(defects)));
  });
});
