import { beforeEach, describe, expect, it } from 'vitest';
import { createFailedCreate } from '../../../smoke/matrix/failed-create.ts';
import { playSmoke } from '../../../smoke/play-smoke.ts';
import { SmokeError } from '../../../smoke/smoke-options.ts';
import { createScriptedAccount, resource, type ScriptedAccount, stack } from '../../support/scripted-account.ts';

const NAME = 'Parley-smoke-12345678-default';
const FORCED = resource('ForcedFailure', 'AWS::CloudFormation::WaitCondition', { status: 'CREATE_FAILED' });
const TABLE = resource('Table', 'AWS::DynamoDB::Table', { status: 'DELETE_SKIPPED' });
const GROUP = resource('Group', 'AWS::Scheduler::ScheduleGroup', { status: 'DELETE_SKIPPED' });
const deleted = { ...GROUP, status: 'DELETE_COMPLETE' };

let account: ScriptedAccount;

beforeEach(() => {
  account = createScriptedAccount();
  for (const operation of ['UpdateTable', 'DeleteTable']) {
    account.answers.set(operation, ({ TableName }) => void account.log.push(`${operation} ${TableName}`));
  }
});

/** What CloudFormation has after the deployment, which then fails. */
const leaves = (parts: Parameters<typeof stack>[1]) => {
  account.onDeploy = () => {
    const whole = { status: 'ROLLBACK_COMPLETE', isProtected: true, failures: [FORCED], ...parts };
    account.stacks.set(NAME, stack(NAME, whole));
    throw new SmokeError('cdk deploy exited with code 1.');
  };
};

const play = async () => {
  const options = { id: '12345678', stage: 'smoke', chatServiceUrl: 'https://sandbox.example' };
  const host = createFailedCreate({ ...options, account: async () => account });
  const played = await playSmoke(host, [], { id: '12345678', print: () => {}, keep: false });
  return played.map(({ succeeded, title, text }) => `${succeeded ? 'ok' : 'FAILED'} ${title}: ${text}`);
};

describe('a first production deployment that is forced to fail', () => {
  it('leaves its table, and is removed although it is protected', async () => {
    leaves({ resources: [TABLE, deleted] });

    expect(await play()).toEqual([
      'ok A first production deployment is forced to fail: ROLLBACK_COMPLETE, with termination protection',
      'ok It leaves at most its table: AWS::DynamoDB::Table Table-id',
      `ok The failed stack and its table are deleted: ${NAME}`,
    ]);
    expect(account.log).toEqual([
      `deploy ${NAME}`,
      `protection of ${NAME}: false`,
      `delete ${NAME}`,
      'UpdateTable Table-id',
      'DeleteTable Table-id',
    ]);
  });

  it('fails the test if it leaves a fixed name, which would block the next attempt', async () => {
    leaves({ resources: [TABLE, GROUP] });

    expect((await play())[1]).toBe(
      'FAILED It leaves at most its table: Expected: at most the table. Seen: AWS::Scheduler::ScheduleGroup Group-id.',
    );
  });

  it('fails the test if anything else could not be created', async () => {
    leaves({
      failures: [resource('Bus', 'AWS::Events::EventBus', { status: 'CREATE_FAILED', reason: 'limit' }), FORCED],
    });

    expect((await play())[0]).toMatch(/FAILED .*Not only ForcedFailure failed: AWS::Events::EventBus Bus-id \(limit\)/);
  });

  it("shows the CDK's own error if there is no stack", async () => {
    account.onDeploy = () => {
      throw new SmokeError('cdk deploy exited with code 1: not bootstrapped');
    };

    expect((await play())[0]).toMatch(/FAILED .*: cdk deploy exited with code 1: not bootstrapped/);
  });

  it('fails the test if it succeeds', async () => {
    account.onDeploy = () => void account.stacks.set(NAME, stack(NAME));

    expect((await play())[0]).toMatch(/FAILED .*Expected: a failed deployment. Seen: it succeeded./);
  });
});
