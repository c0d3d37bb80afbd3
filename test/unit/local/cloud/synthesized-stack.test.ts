import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readLocalSettings, sandboxPlaceholder, withSandboxOrigin } from '../../../../local/cloud/local-settings.ts';
import { findStack } from '../../../../local/cloud/synthesized-stack.ts';
import { newFolder } from '../../../support/new-folder.ts';

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
    [[], ['Inbound'], undefined, "The local run cannot run Parley's constructs in other stacks."],
    [
      ['A', 'B'],
      ['Bus'],
      undefined,
      'The app has several ParleyStacks, and none is named Parley-dev. Select one with --stack: A, B.',
    ],
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
