import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundle } from '../../../lib/constructs/bundled-code.ts';
import { bundleFunctions } from '../../../lib/documents/bundled-functions.ts';
import { ALLOWED_LICENSES, BUNDLED_PACKAGES, LOADED_KIB } from './bundled-packages.ts';

const bundles = bundleFunctions(join(import.meta.dirname, '../../..'));

describe('the bundles', () => {
  it('contain the listed packages and no others', () => {
    const names = Object.entries(bundles).map(([name, packages]) => [name, packages.map((bundled) => bundled.name)]);
    const listed = Object.entries(BUNDLED_PACKAGES).map(([name, packages]) => [name, packages.toSorted()]);
    expect(Object.fromEntries(names)).toEqual(Object.fromEntries(listed));
  });

  it('are as large as listed', () => {
    const kib = Object.keys(LOADED_KIB).map((name) => {
      const { files } = bundle(join(import.meta.dirname, `../../../lambdas/${name}/entry.ts`));
      return [name, Math.ceil(Buffer.byteLength(files.get('index.js') ?? '') / 1024)];
    });
    expect(Object.fromEntries(kib)).toEqual(LOADED_KIB);
  });

  it('contain only packages with an allowed license', () => {
    const others = Object.values(bundles)
      .flat()
      .filter(({ license }) => !ALLOWED_LICENSES.includes(license));
    expect(others.map(({ name, license }) => `${name}: ${license}`)).toEqual([]);
  });
});
