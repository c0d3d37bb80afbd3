import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BundledPackage } from './bundled-packages.ts';

/** Names of the files that a license requires to accompany copies of the code. */
const LEGAL_FILE = /^(licen[cs]e|notice|copying)/i;
const LINE = '-'.repeat(80);

/**
 * Returns the licenses and notices of packages as one text, which is deployed beside their minified code.
 *
 * Each text appears once, with the names of all packages that contain it.
 */
export function thirdPartyNotices(packages: readonly BundledPackage[]): string {
  const texts = packages.flatMap((bundled) => legalTexts(bundled).map((text) => ({ text, bundled })));
  const sections = [...Map.groupBy(texts, ({ text }) => text)].map(([text, owners]) => {
    const names = owners.map(({ bundled: { name, version, license } }) => `${name} ${version} (${license})`);
    return [LINE, ...names, LINE, '', text].join('\n');
  });
  return ['This function contains code of the packages below.', ...sections].join('\n\n').concat('\n');
}

function legalTexts({ folder, author, license }: BundledPackage): readonly string[] {
  const files = readdirSync(folder).filter((name) => LEGAL_FILE.test(name));
  if (files.length === 0) return [`The package has no license file. Its package.json states: ${license}${by(author)}.`];
  // Texts that differ only in line endings are the same license.
  return files.toSorted().map((name) => readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n').trim());
}

const by = (author: string | undefined): string => (author === undefined ? '' : `, author ${author}`);
