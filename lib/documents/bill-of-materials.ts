import { basename } from 'node:path';
import { Enums, Models, Serialize, SPDX, Spec } from '@cyclonedx/cyclonedx-library';
import type { BundledPackage } from '../constructs/bundled-packages.ts';

/** The packages in the bundles, by the name of the function. */
export type BundledPackages = Readonly<Record<string, readonly BundledPackage[]>>;

/** Returns the hash of a package's archive, `integrity` in package-lock.json. */
export type IntegrityOf = (bundled: BundledPackage) => string;

/**
 * Returns the software bill of materials of all functions, in CycloneDX 1.6 as JSON.
 *
 * It has no time and no serial number, so that equal bundles give equal documents.
 *
 * @throws Error if a package's license is not an SPDX identifier, or its integrity is not a SHA-512 hash.
 */
export function billOfMaterials(bundles: BundledPackages, version: string, integrityOf: IntegrityOf): string {
  const application = new Models.Component(Enums.ComponentType.Application, 'parley', {
    group: '@parleyhq',
    version,
    purl: `pkg:npm/%40parleyhq/parley@${version}`,
    bomRef: 'parley',
  });
  const bom = new Models.Bom({ metadata: new Models.Metadata({ component: application }) });
  const libraries = new Map<string, Models.Component>();
  for (const bundled of Object.values(bundles).flat()) {
    if (libraries.has(bundled.folder)) continue;
    const component = library(bundled, integrityOf(bundled));
    libraries.set(bundled.folder, component);
    bom.components.add(component);
  }
  const dependOn = (component: Models.Component | undefined, folders: readonly string[]): void => {
    for (const folder of folders) {
      const dependency = libraries.get(folder);
      if (dependency !== undefined) component?.dependencies.add(dependency.bomRef);
    }
  };
  for (const [name, packages] of Object.entries(bundles)) {
    const bomRef = `parley/${name}`;
    const bundle = new Models.Component(Enums.ComponentType.Application, name, { group: 'parley', version, bomRef });
    application.dependencies.add(bundle.bomRef);
    bom.components.add(bundle);
    dependOn(
      bundle,
      packages.map(({ folder }) => folder),
    );
    for (const { folder, imports } of packages) dependOn(libraries.get(folder), imports);
  }
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`;
}

function library({ name, version, license }: BundledPackage, integrity: string): Models.Component {
  if (!SPDX.isSupportedSpdxId(license))
    throw new Error(`The license of ${name}, ${license}, is not an SPDX identifier.`);
  const [group, unscoped] = name.startsWith('@') ? name.split('/') : [undefined, name];
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const archive = new Models.ExternalReference(
    `https://registry.npmjs.org/${name}/-/${basename(name)}-${version}.tgz`,
    Enums.ExternalReferenceType.Distribution,
    { hashes: new Models.HashDictionary([[Enums.HashAlgorithm['SHA-512'], hexadecimal(name, integrity)]]) },
  );
  return new Models.Component(Enums.ComponentType.Library, unscoped ?? name, {
    ...(group !== undefined && { group }),
    version,
    purl,
    bomRef: purl,
    licenses: new Models.LicenseRepository([new Models.SpdxLicense(license)]),
    externalReferences: new Models.ExternalReferenceRepository([archive]),
  });
}

/** Converts the hash of a lock file, such as `sha512-zfj…==`, to hexadecimal digits. */
function hexadecimal(name: string, integrity: string): string {
  const hash = /^sha512-([A-Za-z0-9+/]{86}==)$/.exec(integrity)?.[1];
  if (hash === undefined) throw new Error(`The integrity of ${name}, ${integrity}, is not a SHA-512 hash.`);
  return Buffer.from(hash, 'base64').toString('hex');
}

/** Returns docs/third-party-licenses.md: every bundled package with its license and the functions that contain it. */
export function licensesPage(bundles: BundledPackages): string {
  const rows = new Map<string, { readonly license: string; readonly functions: string[] }>();
  for (const [name, packages] of Object.entries(bundles)) {
    for (const bundled of packages) {
      const key = `| ${bundled.name} | ${bundled.version} `;
      const row = rows.get(key) ?? { license: bundled.license, functions: [] };
      row.functions.push(name);
      rows.set(key, row);
    }
  }
  const count = Object.keys(bundles).length;
  const table = [...rows]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, { license, functions }]) => {
      const where = functions.length === count ? 'all' : functions.map((name) => `\`${name}\``).join(', ');
      return `${key}| ${license} | ${where} |`;
    });
  return `# Third-party licenses

These packages are bundled into the functions that Parley deploys. Each function's archive contains their licenses and
notices, in \`THIRD-PARTY-NOTICES.txt\`. \`npm run sbom\` generates this page and \`dist/sbom.json\`, a software bill of
materials in [CycloneDX](https://cyclonedx.org) 1.6 with the hash of each package's archive. The package
\`@parleyhq/parley\` contains it as \`sbom.json\`.

| package | version | license | functions |
|---|---|---|---|
${table.join('\n')}
`;
}
