import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readCdkApp } from '../../../../local/stack/cdk-app.ts';
import { readLocalSettings, sandboxPlaceholder, withSandboxOrigin } from '../../../../local/stack/local-settings.ts';
import { synthesizeOnce } from '../../../../local/stack/synthesis.ts';
import { findStack } from '../../../../local/stack/synthesized-stack.ts';

const newFolder = async (files: Readonly<Record<string, unknown>> = {}): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-synthesis-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder;
};

describe('the app of a folder', () => {
  it('is that of its cdk.json, with the lookups of cdk.context.json', async () => {
    const folder = await newFolder({
      'cdk.json': { app: 'node app.js', output: 'out', context: { stage: 'dev', zones: 'mine' } },
      'cdk.context.json': { zones: 'looked up', vpc: 'vpc-1' },
    });

    expect(await readCdkApp(folder)).toEqual({
      folder,
      command: 'node app.js',
      context: { stage: 'dev', zones: 'mine', vpc: 'vpc-1' },
    });
  });

  it.each<[files: Record<string, unknown>, sentence: RegExp]>([
    [{}, /^\/\S+ has no cdk\.json\. Use the folder of a CDK app .* or create one with "parley init"\.$/],
    [{ 'cdk.json': {} }, /cdk\.json has no "app": the command that synthesizes the app/],
    [{ 'cdk.json': { app: ' ' } }, /cdk\.json must be a JSON object/],
    [{ 'cdk.json': '{' }, /cdk\.json must be a JSON object/],
    [{ 'cdk.json': { app: 'node app.js', context: [] } }, /cdk\.json must be a JSON object/],
  ])('is refused with a sentence: %j', async (files, sentence) => {
    const folder = await newFolder(files);

    await expect(readCdkApp(folder)).rejects.toThrow(sentence);
  });
});

const appOf = (folder: string, command: string) => ({ folder, command, context: {} });

describe('a synthesized app', () => {
  it('is what the command writes in its folder, with the Node.js of the run', async () => {
    const folder = await newFolder({
      'app.mjs': `import { mkdirSync, writeFileSync } from 'node:fs';
        const { CDK_OUTDIR, CDK_CONTEXT_JSON } = process.env;
        mkdirSync(CDK_OUTDIR, { recursive: true });
        writeFileSync(CDK_OUTDIR + '/seen.json', JSON.stringify([process.execPath, JSON.parse(CDK_CONTEXT_JSON)]));`,
    });
    const outdir = join(folder, 'out');

    await synthesizeOnce(appOf(folder, 'node app.mjs'), outdir, { stage: 'dev' });

    expect(JSON.parse(await readFile(join(outdir, 'seen.json'), 'utf8'))).toEqual([
      process.execPath,
      { stage: 'dev', 'aws:cdk:enable-asset-metadata': true },
    ]);
  });

  it('is missing if the command fails, with its reason', async () => {
    const folder = await newFolder();

    await expect(synthesizeOnce(appOf(folder, 'echo "no such bus" >&2; exit 3'), folder, {})).rejects.toThrow(
      `The app could not be synthesized. "echo "no such bus" >&2; exit 3" in ${folder} failed:\nno such bus`,
    );
  });

  // The command fails, which shows that it was run again.
  it('is used again only with the same stage and settings', async () => {
    const context = { stages: { dev: {} }, stage: 'dev' };
    const outdir = await newFolder({ 'synthesized-from.json': context });
    const app = appOf(outdir, 'false');

    await expect(synthesizeOnce(app, outdir, context)).resolves.toBeUndefined();
    await expect(synthesizeOnce(app, outdir, { ...context, settings: {} })).rejects.toThrow('could not be synthesized');
  });
});

/** A template of a stack. A `ParleyStack` has settings in it. */
const template = (settings?: object) => ({
  Metadata: { ...(settings && { ParleySettings: settings }) },
  Resources: {},
});

const SETTINGS = {
  chatService: { baseUrl: 'http://127.0.0.1:65535' },
  chatPlatform: 'chat',
  chatChannelNumber: '+5491100000000',
  webhook: { auth: { kind: 'shared-token', header: 'x-token' } },
  retentionDays: { Ref: 'NotKnownAtSynth' },
};

describe('the stack to run', () => {
  const stack = (templateFile: string, stackName?: string) => ({
    type: 'aws:cloudformation:stack',
    properties: { templateFile, stackName },
  });
  const assets = { type: 'cdk:asset-manifest', properties: { file: 'assets.json' } };
  const manifest = (artifacts: object) => ({ version: '48.0.0', artifacts });
  const synthesized = (parleys: readonly string[], others: readonly string[] = []) =>
    newFolder({
      'manifest.json': manifest({
        assets,
        ...Object.fromEntries([...parleys, ...others].map((name) => [`${name}1`, stack(`${name}.json`, name)])),
      }),
      ...Object.fromEntries(parleys.map((name) => [`${name}.json`, template(SETTINGS)])),
      ...Object.fromEntries(others.map((name) => [`${name}.json`, template()])),
    });

  it.each<[stacks: string, parleys: string[], others: string[], requested: string | undefined, found: string]>([
    ["the app's only ParleyStack", ['Chat'], ['Bus'], undefined, 'Chat'],
    ['that of the stage', ['Parley-dev', 'Parley-prod'], [], undefined, 'Parley-dev'],
    ['the requested one', ['Parley-dev', 'Parley-prod'], [], 'Parley-prod', 'Parley-prod'],
  ])('is %s', async (_, parleys, others, requested, found) => {
    const outdir = await synthesized(parleys, others);

    expect(await findStack(outdir, requested, 'Parley-dev')).toEqual({
      stackName: found,
      templateFile: join(outdir, `${found}.json`),
      settings: SETTINGS,
    });
  });

  it('may be in a stage of the app, and have the name that its ID gives it', async () => {
    const outdir = await newFolder({
      'manifest.json': manifest({
        Prod: { type: 'cdk:cloud-assembly', properties: { directoryName: 'assembly-Prod' } },
      }),
    });
    await mkdir(join(outdir, 'assembly-Prod'));
    await writeFile(
      join(outdir, 'assembly-Prod/manifest.json'),
      JSON.stringify(manifest({ Chat: stack('chat.json') })),
    );
    await writeFile(join(outdir, 'assembly-Prod/chat.json'), JSON.stringify(template(SETTINGS)));

    expect(await findStack(outdir, undefined, 'Parley-dev')).toMatchObject({
      stackName: 'Chat',
      templateFile: join(outdir, 'assembly-Prod/chat.json'),
    });
  });

  it.each<[parleys: string[], others: string[], requested: string | undefined, sentence: string]>([
    [[], [], undefined, 'The app has no ParleyStack.'],
    [[], ['Inbound'], undefined, 'The local run runs a whole one, not its constructs in stacks of your own.'],
    [['A', 'B'], ['Bus'], undefined, 'The app has several stacks with Parley. Run one of them with --stack: A, B.'],
    [['A'], ['Bus'], 'Bus', 'The stack Bus is not a ParleyStack. Those that can be run: A.'],
    [['A', 'B'], [], 'C', 'The app has no stack C. Those that can be run: A, B.'],
    [[], [], 'C', 'The app has no stack C.'],
  ])('is not clear, and the sentence says what there is: %j and %j', async (parleys, others, requested, sentence) => {
    const outdir = await synthesized(parleys, others);

    await expect(findStack(outdir, requested, 'Parley-dev')).rejects.toThrow(sentence);
  });

  it('is missing if the app wrote its templates elsewhere', async () => {
    await expect(findStack(await newFolder(), undefined, 'Parley-dev')).rejects.toThrow(
      'Its code must call app.synth()',
    );
  });

  it('has the settings that the sandbox and the console need', () => {
    const read = readLocalSettings({ stackName: 'Chat', templateFile: '', settings: SETTINGS });

    expect(read).toMatchObject({
      chatPlatform: 'chat',
      chatService: { contactCheckPath: 'customer/checkChatContact' },
    });
    expect(() =>
      readLocalSettings({ stackName: 'Chat', templateFile: '', settings: { ...SETTINGS, chatPlatform: { Ref: 'P' } } }),
    ).toThrow('Chat.chatPlatform: got {"Ref":"P"}');
  });

  it("gets the sandbox's origin when the sandbox runs", () => {
    const text = JSON.stringify(sandboxPlaceholder('/keys'));

    expect(JSON.parse(withSandboxOrigin(text, 'http://127.0.0.1:4000'))).toEqual({
      baseUrl: 'http://127.0.0.1:4000',
      jwksUrl: 'http://127.0.0.1:4000/keys',
    });
    expect(withSandboxOrigin(text, undefined)).toBe(text);
  });
});
