import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundleFunctions } from '../../../lib/documents/bundled-functions.ts';
import { ALLOWED_LICENSES, BUNDLED_PACKAGES } from './bundled-packages.ts';

const bundles = bundleFunctions(join(import.meta.dirname, '../../..'));

describe('the bundles', () => {
  it('contain the listed packages and no others', () => {
    const names = Object.entries(bundles).map(([name, packages]) => [name, packages.map((bundled) => bundled.name)]);
    const listed = Object.entries(BUNDLED_PACKAGES).map(([name, packages]) => [name, packages.toSorted()]);
    expect(Object.fromEntries(names)).toEqual(Object.fromEntries(listed));
  });

  it('contain only packages with an allowed license', () => {
    const others = Object.values(bundles)
      .flat()
      .filter(({ license }) => !ALLOWED_LICENSES.includes(license));
    expect(others.map(({ name, license }) => `${name}: ${license}`)).toEqual([]);
  });
});
