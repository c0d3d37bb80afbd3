import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bundledCode } from '../../../../lib/constructs/bundled-code.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-bundle-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

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
  test('is one ES module that runs and keeps the names of functions for stack traces', async () => {
    const asset = bundled('const greeting: string = "hello"; export async function handler() { return greeting; }');

    const { handler } = await import(join(asset, 'index.mjs'));

    expect(readdirSync(asset)).toEqual(['index.mjs']);
    expect(readFileSync(join(asset, 'index.mjs'), 'utf8')).toMatch(/export\{\w+ as handler\}/);
    expect(await handler()).toBe('hello');
    expect(handler.name).toBe('handler');
  });

  test('has a hash of its output, so a changed comment deploys nothing', () => {
    const asset = bundled('export const handler = () => 1;');
    const commented = bundled('// One.\nexport const handler = () => 1;');
    const changed = bundled('export const handler = () => 2;');

    expect(hashOf(commented)).toBe(hashOf(asset));
    expect(hashOf(changed)).not.toBe(hashOf(asset));
    expect(readFileSync(join(asset, 'index.mjs'), 'utf8')).not.toContain(folder);
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
