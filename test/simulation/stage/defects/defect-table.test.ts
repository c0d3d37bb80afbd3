import { describe, expect, it } from 'vitest';
import { defectPageOf, describeFound, foundOn, readDefectPage, SEEDED_DEFECTS } from './defect-table.ts';

describe('the table of seeded defects', () => {
  it('is the page that its rows produce', () => {
    expect(readDefectPage()).toBe(defectPageOf(foundOn(readDefectPage())));
  });

  it('shows that each defect was found', () => {
    const { histories, identities, search } = foundOn(readDefectPage());
    const found = [
      ...[...histories, ...identities].flatMap(([name, where]) => (/^seed [\d,]+$/.test(where) ? [name] : [])),
      ...[...search].flatMap(([name, where]) => (/^[1-9][\d,]* of [\d,]+ runs$/.test(where) ? [name] : [])),
    ];

    expect(found).toEqual(Object.values(SEEDED_DEFECTS).flatMap((defects) => Object.keys(defects)));
  });

  it('says where a defect was found, and which seeds did not find it', () => {
    expect(describeFound({ seed: 1_234 })).toBe('seed 1,234');
    expect(describeFound({ runs: 1_000, violating: 0 })).toBe('0 of 1,000 runs');
    expect(describeFound({ notFoundInSeeds: 2_000 })).toBe('none of 2,000 seeds');
  });
});
