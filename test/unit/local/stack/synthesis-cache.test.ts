import { existsSync, realpathSync } from 'node:fs';
import {
  appendFile,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { CdkApp } from '../../../../local/stack/cdk-app.ts';
import { synthesizeIfChanged } from '../../../../local/stack/synthesis.ts';

/** Writes a new number at each synthesis. */
const APP = `
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { own } from './own.mjs';
import 'a-package';

const require = createRequire(import.meta.url);
require('./own.json');
fs.readFileSync('own.json');
fs.existsSync('missing.json');
fs.cpSync('node_modules/a-package', process.env.CDK_OUTDIR + '/asset/a-package', { recursive: true });
fs.writeFileSync(process.env.CDK_OUTDIR + '/number', randomUUID());
`;

let home: string;
let app: CdkApp;
let cacheFolder: string;
beforeEach(async () => {
  home = realpathSync(await mkdtemp(join(tmpdir(), 'parley-cache-')));
  onTestFinished(() => rm(home, { recursive: true }));
  const files = {
    'app/app.mjs': APP,
    'app/own.mjs': 'export const own = 1;',
    'app/own.json': '{}',
    'app/cdk.json': '{}',
    'app/package.json': '{}',
    'app/package-lock.json': '{}',
    'app/node_modules/a-package/package.json': '{"main":"index.js"}',
    'app/node_modules/a-package/index.js': '',
    'app/node_modules/a-package/not-loaded.js': '',
    'shared/settings.mjs': '',
    'shared/settings.cjs': '',
    'shared/settings.json': '{}',
    'shared/.env': 'NAME=one',
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), text);
  }
  app = { folder: join(home, 'app'), command: 'node app.mjs', context: {} };
  cacheFolder = join(home, 'app/.parley/synthesized');
});

let runs = 0;
let steps: string[] = [];
/** Synthesizes the app as a run does. Returns the number that its last synthesis wrote. */
const synthesize = async (
  context: Record<string, unknown> = {},
  command = app.command,
  synthesizeApp = synthesizeIfChanged,
) => {
  runs += 1;
  steps = [];
  const outdir = join(home, `out-${runs}`);
  const onStep = (step: string) => steps.push(step);
  const settings = { outdir, context, cacheFolder, notes: join(home, `notes-${runs}`), onStep };
  await synthesizeApp({ ...app, command }, settings);
  return readFile(join(outdir, 'number'), 'utf8');
};

const isKept = async (...how: [command?: string, synthesizeApp?: typeof synthesizeIfChanged]): Promise<boolean> => {
  const first = await synthesize({}, ...how);
  return (await synthesize({}, ...how)) === first;
};

describe('an app that has been synthesized', () => {
  it('is not synthesized again if nothing has changed, and is complete', async () => {
    const first = await synthesize({ stage: 'dev' });
    expect(steps).toEqual(['Synthesizing the app']);

    expect(await synthesize({ stage: 'dev' })).toBe(first);
    expect(steps).toEqual(['Using the app as synthesized before, because nothing has changed']);
    expect(await synthesize({ stage: 'dev' })).toBe(first);
    expect(existsSync(join(home, `out-${runs}`, 'asset/a-package/index.js'))).toBe(true);
  });

  it.each([
    ['any terminal', 'TERM'],
    ['any terminal', 'COLUMNS'],
    ['SSH', 'SSH_CONNECTION'],
    ['a shell in a shell', 'SHLVL'],
    ['npm', 'npm_lifecycle_script'],
    ['GNOME Terminal', 'GNOME_TERMINAL_SCREEN'],
    ['Konsole', 'KONSOLE_DBUS_SESSION'],
    ['Konsole', 'SHELL_SESSION_ID'],
    ['Terminal of macOS', 'TERM_SESSION_ID'],
    ['iTerm2', 'ITERM_SESSION_ID'],
    ['kitty', 'KITTY_WINDOW_ID'],
    ['WezTerm', 'WEZTERM_PANE'],
    ['Alacritty', 'ALACRITTY_WINDOW_ID'],
    ['Tilix', 'TILIX_ID'],
    ['Terminator', 'TERMINATOR_UUID'],
    ['Windows Terminal', 'WT_SESSION'],
    ['Visual Studio Code', 'VSCODE_IPC_HOOK_CLI'],
    ['tmux', 'TMUX_PANE'],
    ['screen', 'STY'],
    ['systemd', 'INVOCATION_ID'],
    ['systemd', 'JOURNAL_STREAM'],
  ])('is not synthesized again in another tab or window of %s, where %s differs', async (_program, variable) => {
    const first = await synthesize();
    vi.stubEnv(variable, 'another');

    expect(await synthesize()).toBe(first);
    vi.unstubAllEnvs();
  });

  it('is not synthesized again after a run that wrote its own files', async () => {
    const first = await synthesize();
    await mkdir(join(home, 'app/cdk.out'));
    await writeFile(join(home, 'app/.parley/local.json'), '{}');

    expect(await synthesize()).toBe(first);
  });

  it('is not synthesized again with options of Node.js that read no file', async () => {
    expect(await isKept('node --enable-source-maps ./app.mjs an-argument')).toBe(true);
  });

  it('is synthesized again after a change in its packages, also if they are elsewhere', async () => {
    await rename(join(home, 'app/node_modules'), join(home, 'packages'));
    await symlink('../packages', join(home, 'app/node_modules'));
    const first = await synthesize();
    const second = await synthesize();
    await appendFile(join(home, 'packages/a-package/not-loaded.js'), '\n');

    expect(second).toBe(first);
    expect(await synthesize()).not.toBe(first);
  });

  it.each([
    ['a source', 'own.mjs'],
    ['cdk.json', 'cdk.json'],
    ['the lock file', 'package-lock.json'],
    ['a package', 'node_modules/a-package/index.js'],
    ['a file of a package that only a bundler reads', 'node_modules/a-package/not-loaded.js'],
    ['a file that was missing', 'missing.json'],
    ['the list of files of a package', 'node_modules/a-package/new.js'],
  ])('is synthesized again after a change of %s', async (_, file) => {
    const first = await synthesize();
    await appendFile(join(app.folder, file), '\n');

    expect(await synthesize()).not.toBe(first);
  });

  it('is synthesized again after a change that keeps the size and the time of a file', async () => {
    const first = await synthesize();
    const own = join(home, 'app/own.mjs');
    const copy = join(home, 'copy.mjs');
    await cp(own, copy, { preserveTimestamps: true });
    await writeFile(own, 'export const own = 2;');
    await cp(copy, own, { preserveTimestamps: true });

    expect(await synthesize()).not.toBe(first);
  });

  it('is synthesized again with another context, environment, command, or Node.js', async () => {
    const results = [await synthesize(), await synthesize({ stage: 'dev' }), await synthesize({ stage: 'prod' })];
    vi.stubEnv('MY_SETTING', 'one');
    results.push(await synthesize({ stage: 'prod' }));
    vi.stubEnv('MY_SETTING', 'two');
    results.push(await synthesize({ stage: 'prod' }));
    results.push(await synthesize({ stage: 'prod' }, 'node ./app.mjs'));
    const { versions } = process;
    vi.spyOn(process, 'versions', 'get').mockReturnValue({ ...versions, node: '24.99.0' });
    results.push(await synthesize({ stage: 'prod' }, 'node ./app.mjs'));
    vi.restoreAllMocks();
    vi.unstubAllEnvs();

    expect(new Set(results).size).toBe(results.length);
  });
});

describe('an app is synthesized at each start', () => {
  it.each([
    ['imports a module', `await import('../shared/settings.mjs');`],
    ['imports JSON', `await import('../shared/settings.json', { with: { type: 'json' } });`],
    ['requires a module', `require('../shared/settings.cjs');`],
    ['finds a module', `require.resolve('../shared/settings');`],
    ['looks for a module to import', `await import('../shared/missing.mjs').catch(() => {});`],
    ['looks for a module to require', `try { require('../shared/missing.cjs'); } catch {}`],
    ['looks for a package to import', `await import('missing').catch(() => {});`],
    ['looks for a package to require', `try { require.resolve('missing'); } catch {}`],
    ['reads a file', `fs.readFileSync('../shared/settings.json');`],
    ['reads a file by URL', `fs.readFileSync(new URL('../shared/settings.json', import.meta.url));`],
    ['reads a file later', `await fs.promises.readFile('../shared/settings.json');`],
    ['reads a file as a stream', `fs.createReadStream('../shared/settings.json').resume();`],
    ['reads a file from another folder', `process.chdir('../shared'); fs.readFileSync('settings.json');`],
    ['looks for a file', `fs.existsSync('../shared/missing.json');`],
    [
      'looks for a file with a promise',
      `import { promisify } from 'node:util'; await promisify(fs.exists)('../shared/missing.json');`,
    ],
    ['finds the real path of a file', `fs.realpathSync.native('../shared/settings.json');`],
    ['lists a folder', `fs.readdirSync('../shared', { recursive: true });`],
    ['opens a folder', `fs.opendirSync('../shared', { recursive: true }).closeSync();`],
    ['searches a folder', `fs.globSync('*.json', { cwd: '../shared' });`],
    ['searches folders by pattern', `fs.globSync(['own.json', '../shared/*.json']);`],
    ['searches a folder later', `for await (const _ of fs.promises.glob('../shared/*.json'));`],
    ['copies a folder', `fs.cpSync('../shared', process.env.CDK_OUTDIR + '/shared', { recursive: true });`],
    ['links a file', `fs.linkSync('../shared/settings.json', process.env.CDK_OUTDIR + '/settings.json');`],
    ['writes a file', `fs.writeFileSync('../shared/new.json', '{}');`],
    ['copies a file', `fs.copyFileSync('own.json', '../shared/copy.json');`],
    ['loads variables', `process.loadEnvFile('../shared/.env');`],
    ['reads its own output', `fs.existsSync('cdk.out/manifest.json');`],
    ['reads the files of local runs', `process.loadEnvFile('.parley/.env');`],
  ])('if it %s outside its folder', async (_, code) => {
    await mkdir(join(app.folder, '.parley'));
    await writeFile(join(app.folder, '.parley/.env'), '');
    await appendFile(join(app.folder, 'app.mjs'), code);

    expect(await isKept()).toBe(false);
  });

  it.each([
    ['starts another program', `import { execSync } from 'node:child_process'; execSync('true');`],
    [
      'starts a thread without what is preloaded',
      `import { Worker } from 'node:worker_threads';
      fs.writeFileSync(process.env.CDK_OUTDIR + '/thread.cjs', "require('node:fs').readFileSync('../shared/settings.json')");
      const thread = new Worker(process.env.CDK_OUTDIR + '/thread.cjs', { env: {}, execArgv: [] });
      await new Promise((ended) => thread.once('exit', ended));`,
    ],
    [
      'uses the network',
      `import { connect } from 'node:net';
      await new Promise((ended) => connect(9, '127.0.0.1').once('error', ended));`,
    ],
    ['looks up a name', `import { lookup } from 'node:dns/promises'; await lookup('localhost');`],
    ['opens a database', `process.getBuiltinModule('node:sqlite');`],
    ['adds hooks for modules', `import { register } from 'node:module'; register('./own.mjs', import.meta.url);`],
    ['writes a link', `fs.symlinkSync('number', process.env.CDK_OUTDIR + '/link');`],
    ['changes its own folder', `fs.appendFileSync('own.mjs', ' ');`],
  ])('if it %s', async (_, code) => {
    await appendFile(join(app.folder, 'app.mjs'), code);

    expect(await isKept()).toBe(false);
  });

  it.each([
    'node app.mjs && true',
    'node $(echo app.mjs)',
    'npx node app.mjs',
    'node --env-file=../shared/.env app.mjs',
    'node --env-file-if-exists=../shared/.env app.mjs',
    'node --require ../shared/settings.cjs app.mjs',
    'node --import ../shared/settings.mjs app.mjs',
    'node --experimental-config-file=../shared/settings.json app.mjs',
  ])('if its command is %s', async (command) => {
    expect(await isKept(command)).toBe(false);
  });

  it('if a variable has such options', async () => {
    vi.stubEnv('NODE_OPTIONS', `--require ${join(home, 'shared/settings.cjs')}`);

    expect(await isKept()).toBe(false);
    vi.unstubAllEnvs();
  });

  it('if a folder above it says how its modules are read', async () => {
    await rm(join(app.folder, 'package.json'));

    expect(await isKept()).toBe(false);
  });

  it.each(['../shared', '../missing', '.parley'])('if its folder contains a link to %s', async (target) => {
    await symlink(target, join(app.folder, 'link'));

    expect(await isKept()).toBe(false);
  });

  it('if a file was there only while it was synthesized', async () => {
    await appendFile(join(app.folder, 'app.mjs'), `fs.writeFileSync('generated.json', '{}');`);
    const first = await synthesize();
    await rm(join(app.folder, 'generated.json'));

    expect(await synthesize()).not.toBe(first);
  });

  // No test can rely on permissions: root reads every folder.
  it('if a part of its folder cannot be read', async () => {
    const unreadable = join(app.folder, 'node_modules/a-package');
    vi.resetModules();
    vi.doMock('node:fs', async (load) => {
      const fs = await load<typeof import('node:fs')>();
      return {
        ...fs,
        readdirSync: (...args: Parameters<typeof fs.readdirSync>) => {
          if (args[0] === unreadable) throw new Error(`EACCES: permission denied, scandir '${unreadable}'`);
          return fs.readdirSync(...args);
        },
      };
    });
    onTestFinished(() => {
      vi.doUnmock('node:fs');
      vi.resetModules();
    });
    const { synthesizeIfChanged } = await import('../../../../local/stack/synthesis.ts');

    expect(await isKept(app.command, synthesizeIfChanged)).toBe(false);
  });
});

describe('a kept result', () => {
  const ASSET = 'cdk.out/asset/a-package/package.json';
  it.each([
    ['its list of files', (kept: string) => rm(join(kept, 'files.json'))],
    ['one of its files', (kept: string) => rm(join(kept, ASSET))],
    ['the end of one of its files', (kept: string) => truncate(join(kept, ASSET), 1)],
    ['all of its files', (kept: string) => rm(join(kept, 'cdk.out'), { recursive: true })],
  ])('is replaced if %s is missing', async (_, damage) => {
    const first = await synthesize();
    const [kept = ''] = await readdir(cacheFolder);
    await damage(join(cacheFolder, kept));
    const second = await synthesize();

    expect(second).not.toBe(first);
    expect(await synthesize()).toBe(second);
  });

  it('replaces the earlier one, and what a killed start has left, but no files of others', async () => {
    await synthesize({ stage: 'dev' });
    await mkdir(join(cacheFolder, 'new-abc123'));
    await writeFile(join(cacheFolder, 'notes.txt'), 'mine');
    await synthesize({ stage: 'prod' });

    expect(await readdir(cacheFolder)).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), 'notes.txt']);
  });

  it('is whole, whichever of several starts at the same time has written it', async () => {
    await appendFile(
      join(app.folder, 'app.mjs'),
      `for (let index = 0; index < 200; index += 1) fs.writeFileSync(process.env.CDK_OUTDIR + '/' + index, 'x'.repeat(1000));`,
    );
    await Promise.all([synthesize(), synthesize(), synthesize()]);
    const number = await synthesize();

    expect(await synthesize()).toBe(number);
    expect(await readdir(join(home, `out-${runs}`))).toHaveLength(202);
  });
});
