import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCdkApp } from '../../../../local/stack/cdk-app.ts';
import { synthesizeOnce } from '../../../../local/stack/synthesis.ts';
import { newFolder } from '../../../support/new-folder.ts';

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
