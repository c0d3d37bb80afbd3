import { mkdirSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { runCommandLine } from '../../../support/run-parley.ts';
import { CDK_CONTEXT } from '../../lib/synthesized-stack.ts';

const ROOT = join(import.meta.dirname, '../../../..');

/** A folder with an app that is the repository's. */
const appFolder = (app: string): string => {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'parley-pin-test-'));
  onTestFinished(() => folder.remove());
  mkdirSync(join(folder.path, 'bin'));
  writeFileSync(join(folder.path, 'cdk.json'), JSON.stringify({ app, context: CDK_CONTEXT }));
  return folder.path;
};

const pin = async (folder: string, ...args: readonly string[]) => {
  const cwd = vi.spyOn(process, 'cwd').mockReturnValue(folder);
  onTestFinished(() => cwd.mockRestore());
  return runCommandLine(['pin', ...args]);
};

const APP = `node ${join(ROOT, 'bin/parley.ts')}`;

describe('parley pin', () => {
  it("writes the pins of a stage's resources, without its functions' code", async () => {
    const folder = appFolder(APP);

    const { code, out } = await pin(folder, '--stage', 'dev');

    expect({ code, out }).toEqual({
      code: 0,
      out: 'Wrote the pins of the stage dev to parley.pins.json. Commit the file.',
    });
    const pins = JSON.parse(readFileSync(join(folder, 'parley.pins.json'), 'utf8'));
    expect(Object.keys(pins)).toEqual(['Parley-dev']);
    expect(pins['Parley-dev'].resources.TableCD117FA1).toEqual({
      type: 'AWS::DynamoDB::Table',
      properties: {
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
      },
    });
  });

  it('says that it was interrupted, and writes nothing', async () => {
    const folder = appFolder('sleep 0.2; exit 130');
    const cwd = vi.spyOn(process, 'cwd').mockReturnValue(folder);
    onTestFinished(() => cwd.mockRestore());

    expect(await runCommandLine(['pin', '--stage', 'dev'], { stop: AbortSignal.abort() })).toMatchObject({
      code: 130,
      err: 'parley: Interrupted while synthesizing the app. Nothing was written.',
    });
  });

  it("says what the app's settings lack", async () => {
    const { code, err } = await pin(appFolder(APP), '--stage', 'staging');

    expect(code).toBe(4);
    expect(err).toContain('unknown stage "staging"');
  });

  it('needs a stage, and the folder of a CDK app', async () => {
    expect(await pin(appFolder(APP))).toMatchObject({ code: 2, err: expect.stringContaining('No stage.') });
    expect(await pin(tmpdir(), '--stage', 'dev')).toMatchObject({
      code: 2,
      err: expect.stringContaining('no cdk.json'),
    });
  });

  it('gives the app what CDK has looked up, and the Node.js that runs parley', async () => {
    const folder = appFolder('node app.js');
    writeFileSync(join(folder, 'cdk.context.json'), JSON.stringify({ 'vpc-provider:vpc-1': { vpcId: 'vpc-1' } }));
    writeFileSync(
      join(folder, 'app.js'),
      `const lookups = JSON.parse(process.env.CDK_CONTEXT_JSON);
       if (lookups['vpc-provider:vpc-1']?.vpcId !== 'vpc-1') throw new Error('no lookups');
       if (process.execPath !== ${JSON.stringify(process.execPath)}) throw new Error('another Node.js');`,
    );
    const path = process.env.PATH;
    vi.stubEnv('PATH', ['/usr/local/bin', '/usr/bin', path].join(':'));
    onTestFinished(() => void vi.unstubAllEnvs());

    expect(await pin(folder, '--stage', 'dev')).toMatchObject({ code: 0, err: '' });
  });
});
