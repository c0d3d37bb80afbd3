import { Readable } from 'node:stream';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CommandResult } from '../../../../cli/base/command.ts';
import { testResult } from '../../../../cli/commands/alarm-test.ts';
import { testAlarm } from '../../../../cli/operations/test-alarm.ts';
import { createProgram } from '../../../../cli/program.ts';
import { EXECUTED, FAILED, nameOf, startFakeCloudWatch, TOPIC } from '../../../support/fake-cloudwatch.ts';
import { startLocalTarget } from '../../../support/local-target.ts';

const NOTIFYING = { AlarmActions: [TOPIC] };

let cloudWatch: Awaited<ReturnType<typeof startFakeCloudWatch>>;

afterEach(async () => {
  vi.unstubAllEnvs();
  await cloudWatch.close();
});

const start = async (alarms: Parameters<typeof startFakeCloudWatch>[0]) => {
  cloudWatch = await startFakeCloudWatch(alarms);
  vi.stubEnv('AWS_ENDPOINT_URL_STS', cloudWatch.url);
};
const source = () => ({
  cloudWatchUrl: cloudWatch.url,
  region: 'eu-west-1',
  credentials: async () => ({ accessKeyId: 'key', secretAccessKey: 'secret' }),
});

/** Runs `alarms test` against a stage. */
const run = async (...args: readonly string[]) => {
  const results: CommandResult[] = [];
  const said: string[] = [];
  const program = createProgram(
    {
      target: async () => ({
        ...source(),
        name: 'stack Parley-prod in eu-west-1',
        id: 'Parley-prod.eu-west-1',
        isLocal: false,
        isProtected: true,
        addresses: {
          webhookUrl: '',
          managementUrl: '',
          sendQueueUrl: '',
          sendDeadLetterQueueUrl: '',
          scheduleDeadLetterQueueUrl: '',
          inboundQueueUrl: '',
          inboundDeadLetterQueueUrl: '',
          accessTokenSecretId: '',
        },
        sqs: new SQSClient({ region: 'eu-west-1' }),
        secretsManager: new SecretsManagerClient({ region: 'eu-west-1' }),
        stores: () => Promise.reject(new Error('not searched')),
      }),
      api: () => Promise.reject(new Error('not called')),
      commandFor: (command) => `${command} --stage prod`,
      report: (result) => results.push(result),
      say: (line) => said.push(line),
      stdin: Readable.from(['']),
      progressTerminal: undefined,
      stop: new AbortController().signal,
    },
    { args, print: () => {} },
  );
  await program.parseAsync(['alarms', 'test', ...args], { from: 'user' });
  return { ...results[0], said };
};
const changes = () => cloudWatch.calls.filter(([operation]) => operation === 'SetAlarmState').map(([, input]) => input);

describe('parley alarms test', () => {
  beforeEach(() => start({ ReceiveErrors: {}, SendErrors: NOTIFYING, SendLatency: NOTIFYING }));

  it('sends one alarm through, says by whom, and sets it back', async () => {
    cloudWatch.onAlarm.push({ AlarmName: nameOf('SendErrors'), HistorySummary: EXECUTED, Timestamp: 1000 });

    const { said, lines, exitCode } = await run('--yes');

    expect(said).toEqual([
      `Setting the alarm SendErrors of stack Parley-prod in eu-west-1 to ALARM and back to OK, which notifies ${TOPIC} twice.`,
    ]);
    expect(lines).toEqual([
      `CloudWatch notified ${TOPIC} at 1970-01-01T00:16:40.000Z.`,
      'The alarm SendErrors was set back to OK.',
      'Check that the notification arrived: CloudWatch does not know who is subscribed.',
    ]);
    expect(exitCode).toBe(0);
    const StateReason = 'Test by arn:aws:iam::111122223333:user/ana. No alarm condition was met.';
    expect(changes()).toEqual([
      { AlarmName: nameOf('SendErrors'), StateValue: 'ALARM', StateReason },
      { AlarmName: nameOf('SendErrors'), StateValue: 'OK', StateReason },
    ]);
  });

  it('says why the topic could not be notified, and what to do', async () => {
    cloudWatch.onAlarm.push({ AlarmName: nameOf('SendLatency'), HistorySummary: FAILED, Timestamp: 1000 });

    const { lines = [], exitCode } = await run('SendLatency', '--yes');

    expect(lines[0]).toContain(
      `could not notify ${TOPIC}: CloudWatch Alarms is not authorized to perform: SNS:Publish`,
    );
    expect(lines[1]).toContain('must allow cloudwatch.amazonaws.com');
    expect(exitCode).toBe(6);
    expect(changes().map(({ StateValue }) => StateValue)).toEqual(['ALARM', 'OK']);
  });

  it.each([
    [
      'the alarm is unknown',
      ['Unknown', '--yes'],
      3,
      'There is no alarm Unknown. See parley alarms --json --stage prod.',
    ],
    [
      'the alarm has no action',
      ['ReceiveErrors', '--yes'],
      4,
      'The alarm ReceiveErrors has no action, so nobody is notified.',
    ],
    ['nobody confirms', [], 2, 'Nobody was notified. There is no terminal'],
  ])('changes nothing if %s', async (_case, args, exitCode, message) => {
    await expect(run(...args)).rejects.toMatchObject({ exitCode, message: expect.stringContaining(message) });
    expect(changes()).toEqual([]);
  });
});

it('refuses to test an alarm that is on, because it would not start again', async () => {
  await start({ SendErrors: { ...NOTIFYING, StateValue: 'ALARM' } });

  await expect(run('--yes')).rejects.toMatchObject({
    exitCode: 4,
    message: 'Every alarm that has an action is on, so CloudWatch would not notify again. Test one that is off.',
  });
  expect(changes()).toEqual([]);
});

it('refuses to test alarms without an action', async () => {
  await start({ SendErrors: {} });

  await expect(run('--yes')).rejects.toMatchObject({
    exitCode: 4,
    message:
      'No alarm has an action, so nobody is notified. Set alarmTopicArn to the ARN of an SNS topic and deploy again.',
  });
});

it('refuses to test those of a local run', async () => {
  await start({});
  await using target = await startLocalTarget();

  expect(await target.parley(['alarms', 'test', '--yes'])).toMatchObject({
    code: 4,
    err: expect.stringContaining("The local run's alarms notify nobody."),
  });
});

describe('the test of an alarm', () => {
  const alarm = { alarm: 'SendErrors', name: nameOf('SendErrors'), actions: [TOPIC] };
  const happened = (HistorySummary: string, Timestamp: number) => {
    cloudWatch.history.push({ AlarmName: alarm.name, HistorySummary, Timestamp });
  };

  beforeEach(() => start({ SendErrors: NOTIFYING }));

  it('waits for its own action: earlier ones do not count', async () => {
    happened(EXECUTED, 1000);
    let pauses = 0;
    const pause = async () => {
      pauses += 1;
      if (pauses === 3) happened(FAILED, 1001);
      return true;
    };

    const reported = await testAlarm({ source: source(), alarm, reason: 'Test', pause });

    expect(pauses).toBe(3);
    expect(reported).toMatchObject([{ resource: TOPIC, error: expect.stringContaining('not authorized') }]);
  });

  it('stops waiting, and reports the action as unknown', async () => {
    let pauses = 0;
    const pause = async () => {
      pauses += 1;
      return true;
    };

    const reported = await testAlarm({ source: source(), alarm, reason: 'Test', pause });

    expect(pauses).toBe(29);
    expect(testResult(alarm, reported)).toMatchObject({
      lines: [
        `CloudWatch has not reported yet whether it notified ${TOPIC}.`,
        'The alarm SendErrors was set back to OK.',
      ],
      exitCode: 6,
    });
  });

  it('sets the alarm back if the wait is interrupted, or the history cannot be read', async () => {
    await testAlarm({ source: source(), alarm, reason: 'Test', pause: async () => false });
    const pause = async () => {
      cloudWatch.denied.add('DescribeAlarmHistory');
      return true;
    };

    await expect(testAlarm({ source: source(), alarm, reason: 'Test', pause })).rejects.toThrow('not authorized');
    expect(changes().map(({ StateValue }) => StateValue)).toEqual(['ALARM', 'OK', 'ALARM', 'OK']);
  });
});
