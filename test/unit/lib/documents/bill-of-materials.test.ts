import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { BundledPackage } from '../../../../lib/constructs/bundled-packages.ts';
import { billOfMaterials, licensesPage } from '../../../../lib/documents/bill-of-materials.ts';
import { bundleFunctions, integrities } from '../../../../lib/documents/bundled-functions.ts';

const ROOT = join(import.meta.dirname, '../../../..');

const readJson = (file: string): unknown => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));

const { version } = z.object({ version: z.string() }).parse(readJson('package.json'));
const bundles = bundleFunctions(ROOT);
const generate = (): unknown => JSON.parse(billOfMaterials(bundles, version, integrities(ROOT)));

/** The schemas of CycloneDX, which the library contains. */
const schemas = join(dirname(createRequire(import.meta.url).resolve('@cyclonedx/cyclonedx-library')), '../res/schema');

/** Returns what the schema of CycloneDX 1.6 finds wrong with a document. */
const schemaFaults = (document: unknown): readonly string[] => {
  const schema = (name: string): object =>
    z.looseObject({}).parse(JSON.parse(readFileSync(join(schemas, name), 'utf8')));
  const ajv = new Ajv({ strict: false, allErrors: true });
  for (const name of ['spdx.SNAPSHOT.schema.json', 'jsf-0.82.SNAPSHOT.schema.json']) {
    ajv.addSchema(schema(name), `http://cyclonedx.org/schema/${name}`);
  }
  addFormats.default(ajv);
  // Every URI is an IRI, and every ASCII address is an internationalized one, so this only accepts less.
  ajv.addFormat('iri-reference', { validate: (value: string) => URL.canParse(value) });
  ajv.addFormat('idn-email', { validate: () => false });
  const validate = ajv.compile(schema('bom-1.6.SNAPSHOT.schema.json'));
  validate(document);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
};

const bundledPackage = (changes: Partial<BundledPackage>): BundledPackage => ({
  name: '@scope/name',
  version: '1.2.3',
  license: 'MIT',
  author: undefined,
  folder: '/node_modules/@scope/name',
  imports: [],
  ...changes,
});

const SHA_512 = `sha512-${'A'.repeat(86)}==`;

describe('docs/third-party-licenses.md', () => {
  it('lists what the bundles contain now; "npm run sbom" writes it', () => {
    expect(readFileSync(join(ROOT, 'docs/third-party-licenses.md'), 'utf8')).toBe(licensesPage(bundles));
  });
});

describe('the bill of materials of the functions', () => {
  it('is valid CycloneDX 1.6', () => {
    expect(schemaFaults(generate())).toEqual([]);
    const document = z.looseObject({}).parse(generate());
    expect(schemaFaults({ ...document, components: [{ type: 'library' }] })).toContain(
      "/components/0 must have required property 'name'",
    );
  });

  it('has the license and the hash of every package, and which function contains it', () => {
    const page = z
      .object({
        components: z.array(
          z.object({
            type: z.string(),
            'bom-ref': z.string(),
            licenses: z.array(z.object({ license: z.object({ id: z.string() }) })).optional(),
            externalReferences: z.array(z.object({ hashes: z.array(z.object({ content: z.string() })) })).optional(),
          }),
        ),
        dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()).default([]) })),
      })
      .parse(generate());
    const libraries = page.components.filter(({ type }) => type === 'library');
    const dependenciesOf = new Map(page.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));

    expect(libraries.length).toBeGreaterThan(15);
    for (const { licenses, externalReferences } of libraries) {
      expect(licenses).toHaveLength(1);
      expect(externalReferences?.[0]?.hashes[0]?.content).toMatch(/^[0-9a-f]{128}$/);
    }
    expect(dependenciesOf.get('parley')).toEqual(['parley/manage', 'parley/publish', 'parley/receive', 'parley/send']);
    expect(dependenciesOf.get('parley/receive')).toContain('pkg:npm/jose@6.2.17');
    expect(dependenciesOf.get('parley/send')).not.toContain('pkg:npm/jose@6.2.17');
    expect(dependenciesOf.get('pkg:npm/%40smithy/node-http-handler@4.14.2')).toEqual(['pkg:npm/%40smithy/core@3.41.0']);
  });
});

describe('a bill of materials', () => {
  it('has no time and no serial number, so equal bundles give equal documents', () => {
    const document = z.looseObject({ metadata: z.looseObject({}) }).parse(generate());
    expect(document).toEqual(generate());
    expect(Object.keys(document)).not.toContain('serialNumber');
    expect(Object.keys(document.metadata)).not.toContain('timestamp');
  });

  it('lists two versions of a package separately', () => {
    const send = [
      bundledPackage({}),
      bundledPackage({ version: '2.0.0', folder: '/node_modules/other/node_modules/@scope/name' }),
    ];
    const document = billOfMaterials({ send }, '1.0.0', () => SHA_512);
    expect(document).toContain('"purl": "pkg:npm/%40scope/name@1.2.3"');
    expect(document).toContain('"purl": "pkg:npm/%40scope/name@2.0.0"');
    expect(schemaFaults(JSON.parse(document))).toEqual([]);
  });

  it('fails for a license that SPDX does not know', () => {
    const send = [bundledPackage({ license: 'SEE LICENSE IN LICENSE.txt' })];
    expect(() => billOfMaterials({ send }, '1.0.0', () => SHA_512)).toThrow(
      'The license of @scope/name, SEE LICENSE IN LICENSE.txt, is not an SPDX identifier.',
    );
  });

  it('fails for a package whose hash is weak or missing', () => {
    const send = [bundledPackage({})];
    expect(() => billOfMaterials({ send }, '1.0.0', () => 'sha1-YQ==')).toThrow('is not a SHA-512 hash');
    expect(() => billOfMaterials({ send }, '1.0.0', integrities(ROOT))).toThrow(
      'package-lock.json has no integrity for @scope/name.',
    );
  });
});
