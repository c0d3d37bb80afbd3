import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const CDK = join(ROOT, 'node_modules/.bin/cdk');

const folder = mkdtempSync(join(tmpdir(), 'parley-synth-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs `cdk synth` without AWS credentials. */
async function cdkSynth(output: string, ...contextArguments: string[]) {
  const env = {
    PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env.PATH}`,
    HOME: folder,
    AWS_EC2_METADATA_DISABLED: 'true',
    CDK_DISABLE_CLI_TELEMETRY: 'true',
  };
  const args = ['synth', '--quiet', '--no-notices', '--output', join(folder, output), ...contextArguments];
  try {
    const { stdout, stderr } = await promisify(execFile)(CDK, args, { cwd: ROOT, env });
    return { code: 0, stdout, stderr };
  } catch (error) {
    if (error instanceof Error && 'code' in error && 'stdout' in error && 'stderr' in error) {
      return { code: error.code, stdout: String(error.stdout), stderr: String(error.stderr) };
    }
    throw error;
  }
}

describe('cdk synth', () => {
  const addresses = {
    chatService: { baseUrl: 'https://chat-service.bank.internal' },
    chatPlatform: 'chat',
    chatChannelNumber: '+5491144440000',
    webhook: {
      auth: { audience: 'parley-prod', serviceAccountEmail: 'chat-events@bank-messaging.iam.gserviceaccount.com' },
    },
    alarmTopicArn: 'arn:aws:sns:eu-west-1:444455556666:alarms',
  };

  test('writes the template and the bundles without an AWS account', async () => {
    const { code, stderr } = await cdkSynth('prod', '-c', 'stage=prod', '-c', `settings=${JSON.stringify(addresses)}`);

    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringMatching(/error|fail|warn/i) });
    const template = JSON.parse(readFileSync(join(folder, 'prod/Parley-prod.template.json'), 'utf8'));
    const assets = JSON.parse(readFileSync(join(folder, 'prod/Parley-prod.assets.json'), 'utf8'));
    const keys = Object.values<{ Type: string; Properties: { Code: { S3Key: string } } }>(template.Resources)
      .filter(({ Type }) => Type === 'AWS::Lambda::Function')
      .map(({ Properties }) => Properties.Code.S3Key.replace('.zip', ''));
    expect(keys).toHaveLength(4);
    for (const key of keys) {
      expect(existsSync(join(folder, 'prod', assets.files[key].source.path, 'index.js'))).toBe(true);
    }
  });

  test.each(['', 'parley:localRun=true'])(
    'fails on the placeholders of the production stage in cdk.json, and no flag turns this off: %j',
    async (flag) => {
      const { code, stderr } = await cdkSynth('placeholders', '-c', 'stage=prod', ...(flag ? ['-c', flag] : []));

      expect(code).toBe(1);
      expect(stderr).toContain(
        'stages.prod.chatService.baseUrl: got "https://chat-service.example", expected the real address of the chat ' +
          'service, because production is true.\n',
      );
    },
  );

  test('fails on an invalid setting with one sentence and no stack trace', async () => {
    const { code, stderr } = await cdkSynth(
      'wrong',
      '-c',
      'stage=prod',
      '-c',
      'settings={"retentionDays":{"sends":3}}',
    );

    expect(code).toBe(1);
    expect(stderr.split('\n')[0]).toContain(
      'stages.prod.retentionDays.sends: got 3, expected an integer from 15 to 3650: how many days',
    );
    expect(stderr).not.toMatch(/^ {4}at /m);
  });
});
