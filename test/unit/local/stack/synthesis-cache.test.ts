import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { CdkApp } from '../../../../local/stack/cdk-app.ts';
import { synthesizeIfChanged } from '../../../../local/stack/synthesis.ts';

/** Writes a new number at each synthesis, and reads what its settings name. */
const APP = `
import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { shared } from '../shared/settings.mjs';
import { own } from './own.mjs';
import 'a-package';

const require = createRequire(import.meta.url);
require('../shared/settings.cjs');
require('../shared/settings.json');
readFileSync('../shared/read.txt');
existsSync('../shared/missing.txt');
readdirSync('../listed');
cpSync('../copied', process.env.CDK_OUTDIR + '/copied', { recursive: true });
mkdirSync(process.env.CDK_OUTDIR, { recursive: true });
writeFileSync(process.env.CDK_OUTDIR + '/number', randomUUID());
`;

let home: string;
let app: CdkApp;
let cacheFolder: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'parley-cache-')));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const files = {
    'app/app.mjs': APP,
    'app/own.mjs': 'export const own = 1;',
    'app/cdk.json': '{}',
    'app/package-lock.json': '{}',
    'app/node_modules/a-package/package.json': '{"main":"index.js"}',
    'app/node_modules/a-package/index.js': '',
    'app/node_modules/a-package/not-loaded.js': '',
    'shared/settings.mjs': 'export const shared = 1;',
    'shared/settings.cjs': '',
    'shared/settings.json': '{}',
    'shared/read.txt': '',
    'listed/one.txt': '',
    'copied/folder/one.txt': '',
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(home, path, '..'), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  app = { folder: join(home, 'app'), command: 'node app.mjs', context: {} };
  cacheFolder = join(home, 'app/.parley/synthesized');
});

let runs = 0;
/** Synthesizes the app as a run does. Returns the number that its last synthesis wrote. */
const synthesize = async (
  context: Record<string, unknown> = {},
  { folder = app.folder, command = app.command } = {},
) => {
  // The age of a file is known to a few milliseconds.
  await new Promise((resolve) => setTimeout(resolve, 20));
  runs += 1;
  const recordFolder = join(home, `records-${runs}`);
  const outdir = join(home, `out-${runs}`);
  mkdirSync(recordFolder);
  const settings = { outdir, context, cacheFolder, recordFolder };
  return readFileSync(join(await synthesizeIfChanged({ ...app, folder, command }, settings), 'number'), 'utf8');
};

describe('an app that has been synthesized', () => {
  it('is not synthesized again if nothing has changed', async () => {
    const first = await synthesize({ stage: 'dev' });

    expect(await synthesize({ stage: 'dev' })).toBe(first);
    expect(await synthesize({ stage: 'dev' })).toBe(first);
  });

  it.each(['TERM', 'SSH_CONNECTION', 'SHLVL', 'npm_lifecycle_script'])(
    'is not synthesized again in another terminal, where %s differs',
    async (variable) => {
      const first = await synthesize();
      vi.stubEnv(variable, 'another');

      expect(await synthesize()).toBe(first);
      vi.unstubAllEnvs();
    },
  );

  it('is not synthesized again after a run that wrote its own files', async () => {
    const first = await synthesize();
    mkdirSync(join(home, 'app/cdk.out'));
    writeFileSync(join(home, 'app/.parley/local.json'), '{}');

    expect(await synthesize()).toBe(first);
  });

  it.each([
    ['a source', 'app/own.mjs'],
    ['cdk.json', 'app/cdk.json'],
    ['the lock file', 'app/package-lock.json'],
    ['a package', 'app/node_modules/a-package/index.js'],
    ['a file of a package that only a bundler reads', 'app/node_modules/a-package/not-loaded.js'],
    ['a module outside its folder', 'shared/settings.mjs'],
    ['a CommonJS module outside its folder', 'shared/settings.cjs'],
    ['a JSON module outside its folder', 'shared/settings.json'],
    ['a file that it read outside its folder', 'shared/read.txt'],
    ['a file in a folder that it copied', 'copied/folder/one.txt'],
  ])('is synthesized again after a change of %s', async (_, file) => {
    const first = await synthesize();
    appendFileSync(join(home, file), '\n');

    expect(await synthesize()).not.toBe(first);
  });

  it.each([
    ['in its folder', 'app/new.mjs'],
    ['in a folder of its folder', 'app/node_modules/a-package/new.js'],
    ['that it looked for', 'shared/missing.txt'],
    ['in a folder that it listed', 'listed/two.txt'],
    ['in a folder that it copied', 'copied/folder/two.txt'],
    ['beside a module, instead of which it may be found', 'shared/settings.ts'],
    ['that says how modules are read', 'package.json'],
  ])('is synthesized again after a new file %s', async (_, file) => {
    const first = await synthesize();
    writeFileSync(join(home, file), '{}');

    expect(await synthesize()).not.toBe(first);
  });

  it('is synthesized again after a change that keeps the size and the time of a file', async () => {
    const first = await synthesize();
    const copy = join(home, 'copy.mjs');
    cpSync(join(home, 'app/own.mjs'), copy, { preserveTimestamps: true });
    writeFileSync(join(home, 'app/own.mjs'), 'export const own = 2;');
    cpSync(copy, join(home, 'app/own.mjs'), { preserveTimestamps: true });

    expect(await synthesize()).not.toBe(first);
  });

  it('is synthesized again with another context, environment, command, or Node.js', async () => {
    const results = [await synthesize(), await synthesize({ stage: 'dev' }), await synthesize({ stage: 'prod' })];
    vi.stubEnv('MY_SETTING', 'one');
    results.push(await synthesize({ stage: 'prod' }));
    vi.stubEnv('MY_SETTING', 'two');
    results.push(await synthesize({ stage: 'prod' }));
    results.push(await synthesize({ stage: 'prod' }, { command: 'node ./app.mjs' }));
    const { versions } = process;
    vi.spyOn(process, 'versions', 'get').mockReturnValue({ ...versions, node: '24.99.0' });
    results.push(await synthesize({ stage: 'prod' }, { command: 'node ./app.mjs' }));
    vi.restoreAllMocks();
    vi.unstubAllEnvs();

    expect(new Set(results).size).toBe(results.length);
  });

  it.each([
    ['starts another program', `import { execSync } from 'node:child_process'; execSync('true');`],
    [
      'starts another program in a thread',
      `import { Worker } from 'node:worker_threads';
      writeFileSync(process.env.CDK_OUTDIR + '/thread.cjs', "require('node:child_process').execSync('true')");
      await new Promise((ended) => new Worker(process.env.CDK_OUTDIR + '/thread.cjs').once('exit', ended));`,
    ],
    [
      'starts another program in a thread whose code is text',
      `import { Worker } from 'node:worker_threads';
      await new Promise((ended) => new Worker("require('node:child_process').execSync('true')", { eval: true }).once('exit', ended));`,
    ],
    [
      'uses the network',
      `import { connect } from 'node:net';
      await new Promise((ended) => connect(9, '127.0.0.1').once('error', ended));`,
    ],
    ['changes its own folder', `import { appendFileSync } from 'node:fs'; appendFileSync('own.mjs', ' ');`],
    ['changes what it read', `import { appendFileSync } from 'node:fs'; appendFileSync('../shared/read.txt', ' ');`],
  ])('is synthesized again if it %s', async (_, code) => {
    appendFileSync(join(home, 'app/app.mjs'), code);

    expect(await synthesize()).not.toBe(await synthesize());
  });

  it('is synthesized again if its command does more than start Node.js', async () => {
    const command = 'node app.mjs && true';

    expect(await synthesize({}, { command })).not.toBe(await synthesize({}, { command }));
  });

  it('is synthesized again if the kept result is damaged, and replaces no folder of another program', async () => {
    const first = await synthesize();
    writeFileSync(join(cacheFolder, 'inputs.json'), '{');
    const second = await synthesize();
    rmSync(cacheFolder, { recursive: true });
    mkdirSync(cacheFolder);
    writeFileSync(join(cacheFolder, 'notes.txt'), 'mine');
    await synthesize();

    expect(second).not.toBe(first);
    expect(readFileSync(join(cacheFolder, 'notes.txt'), 'utf8')).toBe('mine');
  });
});
