import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { newUserEnvironment } from '../support/packed-packages.ts';
import { REPOSITORY_FILES, ROOT } from '../unit/documents/markdown.ts';

// What a new user does: the commands of docs/getting-started.md, from a folder with a clone of the repository alone.

const page = readFileSync(join(ROOT, 'docs/getting-started.md'), 'utf8');
const [build = '', check = '', createApp = '', synth = '', start = '', send = ''] = [
  ...page.matchAll(/^```sh\n(.*?)^```$/gms),
].map(([, commands]) => commands);

let home: string;
let environment: Record<string, string | undefined>;
const app = () => join(home, 'my-app');

beforeAll(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'parley-first-run-')));
  await mkdir(join(home, 'bin'));
  await symlink(process.execPath, join(home, 'bin', 'node'));
  environment = newUserEnvironment(home, join(home, 'bin'));
  await cloneRepository(join(home, 'parley'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

/** Creates what a clone contains after `npm ci`, also of what is not committed yet. */
const cloneRepository = async (folder: string): Promise<void> => {
  for (const file of REPOSITORY_FILES) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await copyFile(join(ROOT, file), join(folder, file));
  }
  const copy = (options: string) => promisify(execFile)('cp', [options, join(ROOT, 'node_modules'), folder]);
  // With hard links where the file system allows them.
  await copy('-Rl').catch(() => copy('-R'));
};

/** Runs commands of the page. Returns what they print, standard error last. @throws Error if one of them fails. */
const run = async (commands: string, cwd: string) =>
  promisify(execFile)('bash', ['-euc', commands], { cwd, env: environment, maxBuffer: 16 * 1024 * 1024 });

const processesOf = (group: number): readonly string[] =>
  execFileSync('ps', ['-A', '-o', 'pid=,pgid=,ppid=,args='])
    .toString()
    .split('\n')
    .filter((line) => line.includes(home) || new RegExp(`^ *\\d+ +${group} `).test(line));

describe('the commands of docs/getting-started.md', () => {
  it('build the packages, check them, and create an app from them, without a warning', async () => {
    expect(build).toContain('\nnpm ci\n');

    const { stdout, stderr } = await run(`${build.replace('npm ci\n', '')}${check}${createApp}`, home);

    expect(stdout).toContain('parleyhq-parley-0.1.0.tgz: OK\nparleyhq-local-0.1.0.tgz: OK\n');
    expect(stdout).toContain(`Created a CDK app in ${app()}:\n  package.json\n  cdk.json\n`);
    expect(stdout).toMatch(/added \d+ packages/);
    expect(`${stdout}${stderr}`).not.toMatch(/\bwarn|deprecated|vulnerabilit(?!ies$)/i);
  });

  it("synthesize the stack of the stage dev from the package's bundles", async () => {
    const { stdout } = await run(synth, app());

    expect(stdout).toContain('Type: AWS::Lambda::Function');
    expect(stdout.match(/^ {4}Type: AWS::DynamoDB::/gm)).toHaveLength(1);
  });

  it('run it locally, where a user writes, a reply is accepted and delivered, and nothing is left running', async () => {
    const local = spawn('bash', ['-euc', start], { cwd: app(), env: environment, detached: true });
    const { pid: group } = local;
    if (group === undefined) throw new Error(`${app()} does not exist.`);
    const output = { text: '' };
    for (const stream of [local.stdout, local.stderr]) stream.on('data', (chunk) => (output.text += String(chunk)));
    const ended = once(local, 'close');
    try {
      await eventually(() => (/Press Ctrl-C|rror/.test(output.text) || local.exitCode !== null ? true : undefined));
      expect(output.text).toContain('Parley is running locally. Press Ctrl-C to stop.');
      expect(output.text).toContain('npx --no -- parley send +5491150000001 --text Hello --wait --local');

      // Another run may have the default ports.
      const { consoleUrl } = JSON.parse(readFileSync(join(app(), '.parley/local.json'), 'utf8'));
      const { stdout, stderr } = await run(send.replaceAll('http://127.0.0.1:4760/', consoleUrl), app());

      expect(stdout).toContain('hello-1: accepted');
      expect(stderr).not.toContain('parley:');
      await eventually(async () => {
        const { stdout: conversation } = await run('npx --no -- parley conversation +5491150000001 --local', app());
        return conversation.includes('delivered') ? true : undefined;
      });
      const consolePage = await fetch(consoleUrl);
      expect(await consolePage.text()).toContain('<title>Parley console</title>');
    } finally {
      // As a terminal does for Ctrl-C.
      process.kill(-group, 'SIGINT');
      await ended;
    }
    await eventually(() => (processesOf(group).length === 0 ? true : undefined));
  });

  it('name the only Node.js that can run the stack, if it is another one', async () => {
    const launcher = readFileSync(join(app(), 'node_modules/@parleyhq/local/bin/parley-local.js'), 'utf8');
    const old = launcher.replaceAll('process.versions.node', "'22.20.0'");

    const { stdout } = await run(`node --input-type=module -e '${old.replaceAll("'", "'\\''")}' 2>&1`, app()).catch(
      (error: { stdout: string }) => error,
    );

    expect(stdout).toBe('parley-local: Node.js 22.20.0 is too old. Install Node.js 24 or later.\n');
  });
});
