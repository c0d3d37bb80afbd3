import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRootManifest } from '../../build/manifest.ts';
import { writeFunction } from '../../lib/constructs/bundled-code.ts';
import { billOfMaterials } from '../../lib/documents/bill-of-materials.ts';
import { bundleFunctions, integrities } from '../../lib/documents/bundled-functions.ts';
import { newUserEnvironment, packPackages } from '../support/packed-packages.ts';
import { CHECK_PACKAGES, CHECKERS, OLD_TSCONFIG, STACK, STACK_TEST } from './other-apps.ts';

// What a user of the constructs installs, and what the samples of docs/library.md synthesize, outside the repository.

const ROOT = join(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/library.md'), 'utf8');
const [whole = '', receiver = ''] = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, sample]) => sample);

const sender = `
import { App, Stack } from 'aws-cdk-lib';
import { ParleySender, ParleyTable } from '@parleyhq/parley';

const stack = new Stack(new App(), 'Outbound');
new ParleySender(stack, 'Sender', {
  table: new ParleyTable(stack, 'Table', { production: false }),
  chatService: { baseUrl: 'https://chat-service.example' },
  chatPlatform: 'chat',
  chatChannelNumber: '+5491100000000',
});
`;

const consumer = `
import { isParleyEvent, parseParleyEvent, type ParleyEvent, type SendRequest } from '@parleyhq/parley/events';
import events from '@parleyhq/parley/events.schema.json' with { type: 'json' };
import type { StageSettingsInput } from '@parleyhq/parley';

export const addressOf = (event: ParleyEvent): string | undefined =>
  isParleyEvent(event, 'MessageReceived') ? event.detail.platformContactId : undefined;
export const read = (body: string) => parseParleyEvent(body);
export const group = ({ platformContactId, customerId }: SendRequest) => platformContactId ?? customerId;
export const detail = events.$defs.MessageReceived.properties.detail;
export const settings: StageSettingsInput['webhook'] = { auth: { kind: 'shared-token', header: 'x-token' } };
// @ts-expect-error The type rejects what synth would reject.
export const wrong: StageSettingsInput['webhook'] = { auth: { kind: 'no-such-kind' } };
`;

let app: string;
let environment: Record<string, string | undefined>;

beforeAll(async () => {
  app = await realpath(await mkdtemp(join(tmpdir(), 'parley-packages-')));
  await mkdir(join(app, 'bin'));
  await symlink(process.execPath, join(app, 'bin', 'node'));
  environment = newUserEnvironment(app, join(app, 'bin'));
  await packPackages(join(app, 'packed'));
  const [archive = ''] = globSync('packed/parleyhq-parley-[0-9]*.tgz', { cwd: app });
  await writeFile(join(app, 'package.json'), '{ "name": "app", "private": true, "type": "module" }');
  const { dependencies, devDependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const exact = ['aws-cdk-lib', 'constructs', '@types/node'].map(
    (name) => `${name}@${dependencies[name] ?? devDependencies[name]}`,
  );
  await run('npm', ['install', '--no-audit', '--no-fund', `./${archive}`, ...exact]);
  for (const [file, text] of Object.entries({ whole, receiver, sender, consumer })) {
    await writeFile(join(app, `${file}.ts`), text);
  }
});
afterAll(() => rm(app, { recursive: true, force: true }));

const run = (command: string, args: readonly string[], env: Record<string, string> = {}, folder = '.') =>
  promisify(execFile)(command, args, {
    cwd: join(app, folder),
    env: { ...environment, ...env },
    maxBuffer: 16 * 1024 * 1024,
  });

const installed = (pattern: string): readonly string[] => globSync(pattern, { cwd: join(app, 'node_modules') });

/** The manifests of all packages of the install. */
const manifests = () =>
  installed('**/package.json')
    .filter((path) => /(^|node_modules\/)(@[^/]+\/)?[^/]+\/package\.json$/.test(path))
    .map((path) => JSON.parse(readFileSync(join(app, 'node_modules', path), 'utf8')));

describe('what a user of the constructs installs', () => {
  it('contains neither emulators nor esbuild', () => {
    const names = manifests().map(({ name }) => name);

    expect(names).toContain('@aws-sdk/client-sqs');
    expect(
      names.filter((name) => /esbuild|dynoxide|fauxqs|hono|vite|preact|@parleyhq\/local|^node-/.test(name)),
    ).toEqual([]);
  });

  it('runs no install scripts', () => {
    const isInstallScript = (script: string) => /^(pre|post)?install$/.test(script);

    const withScripts = manifests().filter(({ scripts = {} }) => Object.keys(scripts).some(isInstallScript));

    expect(withScripts.map(({ name }) => name)).toEqual([]);
    expect(installed('**/binding.gyp')).toEqual([]);
  });

  it('contains no TypeScript but declarations', () => {
    const sources = installed('@parleyhq/parley/**/*.ts').filter((path) => !path.endsWith('.d.ts'));

    expect(sources).toEqual([]);
    expect(installed('@parleyhq/parley/lib/index.{js,d.ts}')).toHaveLength(2);
  });

  it('contains the functions as the repository bundles them', async () => {
    const entries = globSync('lambdas/*/entry.ts', { cwd: ROOT });
    expect(entries.length).toBeGreaterThan(3);
    for (const entry of entries) {
      const name = basename(dirname(entry));
      const expected = join(app, 'expected', name);
      writeFunction(join(ROOT, entry), expected);

      expect(await contentsOf(join(app, 'node_modules/@parleyhq/parley/functions', name))).toEqual(
        await contentsOf(expected),
      );
    }
  });

  it('contains the bill of materials of the functions', async () => {
    const { version } = await readRootManifest(ROOT);
    const expected = billOfMaterials(bundleFunctions(ROOT), version, integrities(ROOT));

    expect(readFileSync(join(app, 'node_modules/@parleyhq/parley/sbom.json'), 'utf8')).toBe(expected);
  });
});

const contentsOf = async (folder: string): Promise<Record<string, string>> => {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map((file) => {
      const path = join(file.parentPath, file.name);
      return [path.slice(folder.length), readFileSync(path, 'utf8')];
    }),
  );
};

/** The template of the stack in the page's first sample, which the package synthesized as an ES module. */
const wholeTemplate = () => readFile(join(app, 'whole.out/Parley-dev.template.json'), 'utf8');

describe('a CDK app with the package', () => {
  it('type-checks, strictly and with the declarations of the package', async () => {
    const strict = ['--strict', '--noUncheckedIndexedAccess', '--verbatimModuleSyntax'];
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const files = ['whole.ts', 'receiver.ts', 'sender.ts', 'consumer.ts'];
    const options = ['--noEmit', '--module', 'nodenext', '--target', 'es2024', '--types', 'node', ...strict];

    const { stdout } = await run('node', [tsc, ...options, ...files]).catch((error: { stdout: string }) => error);

    expect(stdout.split('\n').filter((line) => !isFaultOfCdk(line))).toEqual(['']);
  });

  it.each([
    ['receiver', 'Inbound'],
    ['sender', 'Outbound'],
    ['whole', 'Parley-dev'],
  ])('synthesizes the %s from the bundled functions', async (file, stackName) => {
    const folder = join(app, `${file}.out`);

    await run('node', [`${file}.ts`], { CDK_OUTDIR: folder });

    const template = JSON.parse(await readFile(join(folder, `${stackName}.template.json`), 'utf8'));
    const resources: readonly { Type: string }[] = Object.values(template.Resources);
    const types = Map.groupBy(resources, ({ Type }) => Type);
    const list = [...types].map(([type, all]) => `${type} ${all.length}`).toSorted();
    await expect(`${list.join('\n')}\n`).toMatchFileSnapshot(`resources/${file}.txt`);
  });

  it('says which setting is wrong', async () => {
    await writeFile(join(app, 'wrong.ts'), whole.replace("chatPlatform: 'chat'", "chatPlatform: 'no spaces'"));

    const synth = run('node', ['wrong.ts'], { CDK_OUTDIR: join(app, 'wrong.out') });

    await expect(synth).rejects.toThrow(/SettingsError: Parley-dev\.chatPlatform: .*no spaces.*expected/s);
  });
});

describe('a CDK app of someone else', () => {
  // The compiler of the checker of types.
  const TSC_5 = 'node_modules/typescript/bin/tsc';

  beforeAll(async () => {
    await mkdir(join(app, 'init-app'));
    const cdk = [join(ROOT, 'node_modules/aws-cdk/bin/cdk'), 'init', 'app', '--language', 'typescript'];
    await run('node', [...cdk, '--generate-only'], { PWD: join(app, 'init-app') }, 'init-app');
    await writeFile(join(app, 'init-app/lib/init-app-stack.ts'), STACK);
    await writeFile(join(app, 'init-app/test/init-app.test.ts'), STACK_TEST);
    const { devDependencies } = JSON.parse(await readFile(join(app, 'init-app/package.json'), 'utf8'));
    const { 'aws-cdk': _, typescript: __, ...tools }: Record<string, string> = devDependencies;
    const packages = Object.entries(tools).map(([name, range]) => `${name}@${range}`);
    await run('npm', ['install', '--no-save', '--no-audit', '--no-fund', ...packages, ...CHECKERS]);
  });

  it('works as cdk init writes it today, with its test', async () => {
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');

    await run('node', [tsc, '--project', 'init-app', '--typeRoots', 'node_modules/@types']);
    await run('node', ['node_modules/.bin/tsx', 'init-app/bin/init-app.ts'], { CDK_OUTDIR: join(app, 'init.out') });
    const { stderr } = await run('node', ['../node_modules/.bin/jest'], {}, 'init-app');

    expect(await readFile(join(app, 'init.out/Parley-dev.template.json'), 'utf8')).toBe(await wholeTemplate());
    expect(stderr).toContain('Tests:       1 passed, 1 total');
  });

  it('works with CommonJS, TypeScript 5, and moduleResolution node', async () => {
    await writeFile(join(app, 'init-app/old.json'), JSON.stringify(OLD_TSCONFIG));

    await run('node', [TSC_5, '--project', 'init-app/old.json']);
    await run('node', ['init-app/compiled/bin/init-app.js'], { CDK_OUTDIR: join(app, 'old-app.out') });

    expect(await readFile(join(app, 'old-app.out/Parley-dev.template.json'), 'utf8')).toBe(await wholeTemplate());
  });

  it('finds the right types with every setting of TypeScript, and publint has nothing to say', async () => {
    await writeFile(join(app, 'check-packages.js'), CHECK_PACKAGES);

    const { stdout } = await run('node', ['check-packages.js']);

    expect(JSON.parse(stdout)).toEqual([]);
  });
});

describe('the oldest Node.js that the package supports', () => {
  it('synthesizes the stack and runs the command', async ({ skip }) => {
    const { engines } = JSON.parse(await readFile(join(app, 'node_modules/@parleyhq/parley/package.json'), 'utf8'));
    const version = `${engines.node.replace('>=', '')}.0`;
    const platform = `node-${process.platform}-${process.arch}`;
    const install = run('npm', [
      'install',
      '--no-save',
      '--no-audit',
      '--no-fund',
      '--prefix',
      'old',
      `${platform}@${version}`,
    ]);
    const missing = await install.then(
      () => undefined,
      ({ stderr }: { stderr: string }) => stderr,
    );
    if (missing?.includes('E404')) skip(`npm has no Node.js ${version} for this platform as ${platform}.`);
    expect(missing).toBeUndefined();
    const node = join(app, 'old/node_modules', platform, 'bin/node');
    await writeFile(join(app, 'whole.js'), whole);

    await run(node, ['whole.js'], { CDK_OUTDIR: join(app, 'old.out') });
    const { stdout, stderr } = await run(node, ['node_modules/@parleyhq/parley/bin/parley.js', '--help']);

    const read = (folder: string) => readFile(join(app, folder, 'Parley-dev.template.json'), 'utf8');
    expect(await read('old.out')).toBe(await read('whole.out'));
    expect(stdout).toContain('Usage: parley');
    expect(stderr).toBe('');
  });
});

/** CDK's own declarations are not checked. */
const isFaultOfCdk = (line: string): boolean => line.startsWith('node_modules/aws-cdk-lib/');
