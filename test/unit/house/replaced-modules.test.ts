import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');

// The files of a project share their modules. A module that was loaded with a replaced one would stay that way.
describe('a test that replaces a module', () => {
  const files = globSync('test/**/*.ts', { cwd: ROOT }).map((file) => ({
    file,
    code: readFileSync(join(ROOT, file), 'utf8'),
  }));
  const replacing = files.filter(({ code }) => /\bvi\.do(Mock)\(/.test(code));

  it('resets all modules after it has restored the original', () => {
    const restored = /vi\.doUnmock\((?:[^()]|\([^()]*\))*\);(?:\s*\/\/[^\n]*)*\s*vi\.resetModules\(\);/;
    expect(replacing.length).toBeGreaterThan(0);
    expect(replacing.filter(({ code }) => !restored.test(code)).map(({ file }) => file)).toEqual([]);
  });

  it('does so at run time, not for every file that imports it', () => {
    expect(files.filter(({ code }) => /\bvi\.(mock)\(/.test(code)).map(({ file }) => file)).toEqual([]);
  });
});
