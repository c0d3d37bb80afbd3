import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bundledCode } from '../../../lib/constructs/bundle.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-bundle-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Bundles a function whose entry is the given source; the asset's folder. */
function bundled(source: string): string {
  writeFileSync(join(folder, 'entry.ts'), source);
  const app = new App({ outdir: mkdtempSync(join(folder, 'cdk.out-')) });
  const stack = new Stack(app, 'Stack');
  bundledCode(join(folder, 'entry.ts')).bind(stack);
  const [asset] = readdirSync(app.outdir).filter((name) => name.startsWith('asset.'));
  return join(app.outdir, asset ?? '');
}

describe('A function’s bundle', () => {
  test('is one ES module that runs, with the names of its functions for a stack trace', async () => {
    const asset = bundled('const greeting: string = "hello"; export async function handler() { return greeting; }');

    const { handler } = await import(join(asset, 'index.mjs'));

    expect(readdirSync(asset)).toEqual(['index.mjs']);
    expect(readFileSync(join(asset, 'index.mjs'), 'utf8')).toMatch(/export\{\w+ as handler\}/);
    expect(await handler()).toBe('hello');
    expect(handler.name).toBe('handler');
  });

  test('has a hash of what runs: a comment deploys nothing', () => {
    const asset = bundled('export const handler = () => 1;');
    const commented = bundled('// One.\nexport const handler = () => 1;');
    const changed = bundled('export const handler = () => 2;');

    expect(hashOf(commented)).toBe(hashOf(asset));
    expect(hashOf(changed)).not.toBe(hashOf(asset));
    expect(readFileSync(join(asset, 'index.mjs'), 'utf8')).not.toContain(folder);
  });

  test('that cannot be made says where and why', () => {
    expect(() => bundled("import './missing.ts'; export const handler = () => 1;")).toThrow(
      /entry\.ts:1:7: ERROR: Could not resolve "\.\/missing\.ts"/,
    );
  });
});

function hashOf(asset: string): string {
  return asset.split('asset.').at(-1) ?? '';
}
