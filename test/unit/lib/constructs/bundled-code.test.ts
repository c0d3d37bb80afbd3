import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bundle, bundledCode } from '../../../../lib/constructs/bundled-code.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-bundle-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Installs a package that a function in the folder can import. */
function install(name: string, manifest: object, files: Readonly<Record<string, string>>): string {
  const target = join(folder, 'node_modules', name);
  mkdirSync(target, { recursive: true });
  writeFileSync(
    join(target, 'package.json'),
    JSON.stringify({ name, version: '1.2.3', main: 'index.js', ...manifest }),
  );
  for (const [file, text] of Object.entries(files)) writeFileSync(join(target, file), text);
  return target;
}

/** Bundles a function with this source as its entry and returns the asset's folder. */
function bundled(source: string): string {
  writeFileSync(join(folder, 'entry.ts'), source);
  const app = new App({ outdir: mkdtempSync(join(folder, 'cdk.out-')) });
  const stack = new Stack(app, 'Stack');
  bundledCode(join(folder, 'entry.ts')).bind(stack);
  const [asset] = readdirSync(app.outdir).filter((name) => name.startsWith('asset.'));
  return join(app.outdir, asset ?? '');
}

describe('The bundle of a function', () => {
  test('is one CommonJS module that runs and keeps the names of functions for stack traces', async () => {
    const asset = bundled('const greeting: string = "hello"; export async function handler() { return greeting; }');

    const { handler } = createRequire(import.meta.url)(join(asset, 'index.js'));

    expect(readdirSync(asset)).toEqual(['index.js', 'package.json']);
    expect(await handler()).toBe('hello');
    expect(handler.name).toBe('handler');
  });

  test('has a file of its own for each package that is only imported dynamically, and loads it on first use', async () => {
    install('always', {}, { 'index.js': "globalThis.loaded = ['always']; export const always = 1;" });
    install('inner', {}, { 'index.js': 'export const inner = Math.abs(-2);' });
    install(
      '@a/rarely',
      {},
      { 'index.js': "import { inner } from 'inner'; globalThis.loaded.push('rarely'); export const rarely = inner;" },
    );
    install('both', {}, { 'index.js': 'export const both = 3;' });
    const asset = bundled(`import { always } from 'always'; import { both } from 'both';
      export const handler = async () => {
        const { rarely } = await import('@a/rarely');
        return [always, rarely, both, (await import('both')).both];
      };`);

    const { handler } = createRequire(import.meta.url)(join(asset, 'index.js'));

    expect(Reflect.get(globalThis, 'loaded')).toEqual(['always']);
    expect(await handler()).toEqual([1, 2, 3, 3]);
    expect(Reflect.get(globalThis, 'loaded')).toEqual(['always', 'rarely']);
    expect(readdirSync(join(asset, 'node_modules'), { recursive: true }).toSorted()).toEqual([
      '@a',
      '@a/rarely',
      '@a/rarely/index.js',
    ]);
    expect(bundle(join(folder, 'entry.ts')).packages.map(({ name }) => name)).toEqual([
      '@a/rarely',
      'always',
      'both',
      'inner',
    ]);
  });

  test('leaves out a package that no code requires, and keeps the modules that a package imports from itself', () => {
    install('unused', { sideEffects: false }, { 'index.js': 'export const unused = Math.sin(1);' });
    install(
      'package',
      { sideEffects: false },
      {
        'index.js': `export const used = () => import('./lazy.js');
          export const shaken = () => import('unused');`,
        'lazy.js': 'export const lazy = Math.sin(2);',
      },
    );

    const asset = bundled("import { used } from 'package'; export const handler = used;");

    expect(readdirSync(asset)).toEqual(['THIRD-PARTY-NOTICES.txt', 'index.js', 'package.json']);
    expect(bundle(join(folder, 'entry.ts')).packages.map(({ name }) => name)).toEqual(['package']);
  });

  test('fails if it would not find a package at run time', () => {
    install(
      'both',
      {},
      { 'index.js': 'export const whole = Math.sin(1);', 'part.js': 'export const part = Math.sin(2);' },
    );

    expect(() =>
      bundled("import { part } from 'both/part.js'; export const handler = async () => [part, await import('both')];"),
    ).toThrow('imports both/part.js, which cannot be bundled into a file of its own');
  });

  test('does not load fetch, nor any other export of a module of Node.js that it does not use', () => {
    const asset = bundled(`import https from 'node:https'; export const handler = async () => {
      await import('node:http');
      return https.globalAgent.defaultPort;
    };`);
    const script = `require(${JSON.stringify(join(asset, 'index.js'))}).handler().then(() =>
      console.log(process.moduleLoadList.filter((name) => name.includes('undici'))))`;

    expect(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' })).toBe('[]\n');
  });

  test('has a hash of its output, so a changed comment deploys nothing', () => {
    const asset = bundled('export const handler = () => 1;');
    const commented = bundled('// One.\nexport const handler = () => 1;');
    const changed = bundled('export const handler = () => 2;');

    expect(hashOf(commented)).toBe(hashOf(asset));
    expect(hashOf(changed)).not.toBe(hashOf(asset));
    expect(readFileSync(join(asset, 'index.js'), 'utf8')).not.toContain(folder);
  });

  test("has a stage's own files in an asset of their own, also beside other stages in one app", () => {
    writeFileSync(join(folder, 'entry.ts'), 'export const handler = () => 1;');
    const app = new App({ outdir: mkdtempSync(join(folder, 'cdk.out-')) });
    for (const text of ['dev', 'prod']) {
      bundledCode(join(folder, 'entry.ts'), { 'stage.json': text }).bind(new Stack(app, text));
    }

    const assets = readdirSync(app.outdir).filter((name) => name.startsWith('asset.'));
    const texts = assets.map((asset) => readFileSync(join(app.outdir, asset, 'stage.json'), 'utf8'));
    expect(texts.toSorted()).toEqual(['dev', 'prod']);
  });

  test('is deployed with the licenses and notices of its packages, each text once', () => {
    const license = 'Permission is granted.';
    install('@a/one', { license: 'MIT' }, { 'index.js': 'export const one = Math.sin(1);', LICENSE: license });
    install(
      'two',
      { license: 'Apache-2.0' },
      { 'index.js': 'export const two = Math.sin(2);', 'LICENSE.md': `${license}\r\n`, NOTICE: 'Two was made by B.' },
    );
    install('three', { license: 'MIT', author: { name: 'C' } }, { 'index.js': 'export const three = Math.sin(3);' });

    const asset = bundled(`import { one } from '@a/one'; import { two } from 'two'; import { three } from 'three';
      export const handler = () => [one, two, three];`);

    expect(readdirSync(asset)).toEqual(['THIRD-PARTY-NOTICES.txt', 'index.js', 'package.json']);
    const notices = readFileSync(join(asset, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
    expect(notices.split(license)).toHaveLength(2);
    expect(notices).toContain('@a/one 1.2.3 (MIT)\ntwo 1.2.3 (Apache-2.0)\n');
    expect(notices).toContain('Two was made by B.');
    expect(notices).toContain('The package has no license file. Its package.json states: MIT, author C.');
  });

  test('contains a package only if its code is in the bundle, and knows what the package imports', () => {
    const inner = install('inner', { license: 'MIT' }, { 'index.js': 'export const inner = Math.sin(1);' });
    const outer = install('outer', { license: '0BSD' }, { 'index.js': "export { inner as outer } from 'inner';" });
    const used = install('used', {}, { 'index.js': "import { inner } from 'inner'; export const used = inner + 1;" });
    install('unused', { license: 'MIT', sideEffects: false }, { 'index.js': 'export const unused = Math.sin(2);' });
    writeFileSync(
      join(folder, 'entry.ts'),
      `import { outer } from 'outer'; import { used } from 'used'; import { unused } from 'unused';
      export const handler = () => [outer, used];`,
    );

    const { packages } = bundle(join(folder, 'entry.ts'));

    expect(packages.map(({ name, license, folder, imports }) => ({ name, license, folder, imports }))).toEqual([
      { name: 'inner', license: 'MIT', folder: inner, imports: [] },
      { name: 'used', license: 'NOASSERTION', folder: used, imports: [inner] },
    ]);
    expect(packages.map(({ folder }) => folder)).not.toContain(outer);
  });

  test('fails with the place and the reason when an import cannot be resolved', () => {
    expect(() => bundled("import './missing.ts'; export const handler = () => 1;")).toThrow(
      /entry\.ts:1:7: ERROR: Could not resolve "\.\/missing\.ts"/,
    );
  });
});

function hashOf(asset: string): string {
  return asset.split('asset.').at(-1) ?? '';
}
