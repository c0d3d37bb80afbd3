import { describe, expect, it } from 'vitest';
import { readSmokeOptions } from '../../../smoke/smoke-options.ts';

const ACCOUNT = ['--account', '111122223333'];
const DEPLOYED = ['--stage', 'smoke', ...ACCOUNT, '--chat-service-url', 'https://sandbox.example/'];
const NETWORK = ['--vpc', 'vpc-0a1b2c3d', '--subnets', 'subnet-0a1b2c3d,subnet-4e5f6a7b'];

const deployed = {
  kind: 'deployed',
  stage: 'smoke',
  account: '111122223333',
  chatServiceUrl: 'https://sandbox.example',
  accessToken: 'sandbox-token',
  region: undefined,
  keep: false,
};

describe('the command line of the smoke test', () => {
  it('is read', () => {
    expect(readSmokeOptions(DEPLOYED)).toEqual(deployed);
    expect(readSmokeOptions(['--local'])).toEqual({ kind: 'local', stage: 'dev', settings: {} });
  });

  it('is read with --matrix', () => {
    expect(readSmokeOptions(['--matrix', ...DEPLOYED, ...NETWORK, '--yes'])).toMatchObject({
      kind: 'matrix',
      deployed,
      network: { vpcId: 'vpc-0a1b2c3d', subnetIds: ['subnet-0a1b2c3d', 'subnet-4e5f6a7b'] },
      yes: true,
    });
    expect(readSmokeOptions(['--matrix', '--local'])).toMatchObject({
      kind: 'matrix',
      stage: 'dev',
      deployed: undefined,
    });
  });

  it('is read with --clean', () => {
    expect(readSmokeOptions(['--clean', ...ACCOUNT])).toMatchObject({
      kind: 'clean',
      account: '111122223333',
      yes: false,
    });
  });

  it.each([
    [[], '--stage is missing.'],
    [['--stage', 'smoke'], '--account must be the 12 digits'],
    [DEPLOYED.with(5, 'http://127.0.0.1:1'), '--chat-service-url must be the https URL'],
    [['--local', '--account', '111122223333'], '--local starts its own sandbox'],
    [['--matrix', '--local', ...NETWORK], '--local starts its own sandbox'],
    [['--local', '--settings', '{'], '--settings must be JSON'],
    [['--everything'], "Unknown option '--everything'"],
    [[...DEPLOYED, ...NETWORK], '--vpc and --subnets work only with --matrix.'],
    [['--matrix', ...DEPLOYED, '--vpc', 'vpc-0a1b2c3d'], '--vpc and --subnets belong together'],
    [['--matrix', ...DEPLOYED, '--vpc', 'main', '--subnets', 'subnet-0a1b2c3d'], '--vpc and --subnets belong together'],
    [['--matrix', ...DEPLOYED, '--keep'], '--keep does not work with --matrix'],
    [[...DEPLOYED, '--yes'], '--yes works only with --matrix and --clean.'],
    [['--clean'], '--account must be the 12 digits'],
    [['--clean', ...ACCOUNT, '--stage', 'smoke'], '--clean takes only --account, --region, and --yes.'],
  ])('is refused: %j', (args, sentence) => {
    expect(() => readSmokeOptions(args)).toThrow(sentence);
  });
});
