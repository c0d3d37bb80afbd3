import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { runMatrix } from '../../../smoke/matrix/run-matrix.ts';
import { readSmokeOptions, SmokeError } from '../../../smoke/smoke-options.ts';
import {
  awsError,
  createScriptedAccount,
  resource,
  type ScriptedAccount,
  stack,
} from '../../support/scripted-account.ts';

let account: ScriptedAccount;
let printed: string[];

/** An account where the probes can be created, nothing reaches the sandbox, and a queue is left. */
beforeEach(() => {
  account = createScriptedAccount();
  printed = [];
  account.onDeploy = (name) => {
    if (name.endsWith('-default')) {
      const failures = [resource('ForcedFailure', 'AWS::CloudFormation::WaitCondition', { status: 'CREATE_FAILED' })];
      account.stacks.set(name, stack(name, { status: 'ROLLBACK_COMPLETE', failures }));
      throw new SmokeError('cdk deploy exited with code 1.');
    }
    const resources = [
      resource('Table', 'AWS::DynamoDB::Table'),
      resource('Function', 'AWS::Lambda::Function'),
      resource('Mapping', 'AWS::Lambda::EventSourceMapping'),
    ].map((one) => ({
      ...one,
      get status() {
        return account.log.includes(`delete ${name}`) ? 'DELETE_COMPLETE' : one.status;
      },
    }));
    account.stacks.set(name, stack(name, { resources }));
  };
  account.answers.set('PutItem', () => ({}));
  account.answers.set('DeleteItem', () => {
    throw awsError('ConditionalCheckFailedException');
  });
  account.answers.set('/2015-03-31/event-source-mappings/Mapping-id', () => ({
    State: 'Enabled',
    LastProcessingResult: 'OK',
  }));
  account.answers.set('ListTables', () => ({ TableNames: [] }));
  account.answers.set('ListQueues', () => ({ QueueUrls: [] }));
});

const run = (...more: readonly string[]) => {
  const target = ['--stage', 'dev', '--account', '111122223333', '--chat-service-url', 'https://127.0.0.1:1'];
  const options = readSmokeOptions(['--matrix', ...target, ...more]);
  if (options.kind !== 'matrix') throw new Error('These are not the options of a matrix.');
  const stdin = Object.assign(Readable.from([]), { isTTY: false });
  return runMatrix(options, { stdin, print: (text) => printed.push(text), open: async () => account });
};

describe('a matrix in an account', () => {
  it('deploys nothing without a confirmation, and says what it would create', async () => {
    await expect(run()).rejects.toThrow('Nothing was deployed. There is no terminal to ask for confirmation.');

    expect(account.log).toEqual([]);
  });

  it('tests each part although others fail, and reports why', async () => {
    expect(await run('--yes')).toBe(false);

    const [probes, failed] = account.log.filter((line) => line.startsWith('deploy'));
    expect(probes).toMatch(/^deploy Parley-smoke-\d{8}-probes$/);
    expect(failed).toMatch(/^deploy Parley-smoke-\d{8}-default$/);
    expect(await account.stackNames()).toEqual([]);
    const report = printed.at(-1) ?? '';
    expect(report).toContain('failed');
    expect(report).toContain('| failed | a first production deployment that fails | 3 ok |');
    for (const name of ['default', 'network', 'bus']) {
      expect(report).toMatch(new RegExp(`^- ${name}: The stage, the account, and the sandbox are suitable: `, 'm'));
    }
    expect(report).toContain('- network: a VPC: pass --vpc and --subnets');
    expect(report).toMatch(/aws:SourceAccount.* \| yes: the function was created \| .* \| Use StringEquals/);
    expect(report).toMatch(/CodeDeploy.* \| not asked: its part failed \| .* \| ask again \|/);
    expect(report).toContain('Left behind: nothing.');
    expect(report).not.toContain('111122223333');
  });

  it('prints the report although what is left cannot be listed', async () => {
    account.answers.set('ListQueues', () => {
      throw awsError('AccessDenied', 'No sqs:ListQueues.');
    });

    expect(await run('--yes')).toBe(false);

    expect(printed.at(-1)).toContain(
      'Left behind: unknown, because it could not be listed (Access denied by AWS: No sqs:ListQueues.',
    );
  });

  it('lists what is left, with the command that removes it', async () => {
    account.answers.set('ListQueues', () => {
      const [id] = /\d{8}/.exec(account.log[0] ?? '') ?? [];
      return { QueueUrls: [`https://sqs.example/1/parley-smoke-${id}-bus`] };
    });

    expect(await run('--yes')).toBe(false);

    expect(printed.at(-1)).toMatch(
      /Left behind: the queue parley-smoke-\d{8}-bus. Remove it with `npm run smoke -- --clean --account \*{8}3333 --region eu-west-1`/,
    );
  });
});
