import { afterEach, describe, expect, it } from 'vitest';
import { checkActions, checkNotified } from '../../../../cli/commands/doctor-alarm-actions.ts';
import { checkAlarms } from '../../../../cli/commands/doctor-alarms.ts';
import { readAlarms } from '../../../../cli/operations/read-alarms.ts';
import { NOW } from '../../../support/builders.ts';
import { EXECUTED, FAILED, nameOf, startFakeCloudWatch, TOPIC } from '../../../support/fake-cloudwatch.ts';

const SECOND = Date.parse(NOW) / 1000;
const HOUR = 3600;
const NOTIFYING = { AlarmActions: [TOPIC] };

let cloudWatch: Awaited<ReturnType<typeof startFakeCloudWatch>>;

afterEach(() => cloudWatch.close());

const start = async (alarms: Parameters<typeof startFakeCloudWatch>[0], isProtected = true) => {
  cloudWatch = await startFakeCloudWatch(alarms);
  return {
    name: 'stack Parley-prod in eu-west-1',
    isLocal: false,
    isProtected,
    cloudWatchUrl: cloudWatch.url,
    region: 'eu-west-1',
    credentials: async () => ({ accessKeyId: 'key', secretAccessKey: 'secret' }),
  };
};
const happened = (alarm: string, hoursAgo: number, HistorySummary: string) => {
  cloudWatch.history.push({ AlarmName: nameOf(alarm), Timestamp: SECOND - hoursAgo * HOUR, HistorySummary });
};
const check = async (target: Awaited<ReturnType<typeof start>>) =>
  checkActions(target, await readAlarms(target), (command) => `${command} --stage prod`, NOW);

describe('doctor on alarms that nobody hears of', () => {
  it('warns if no alarm of a production stage has an action', async () => {
    const target = await start({ SendErrors: {}, ReceiveErrors: {} });

    expect(checkNotified(target, await readAlarms(target))).toMatchObject([
      { grade: 'warning', message: 'Nobody is notified of 2 of 2 alarms, which have no action.' },
    ]);
  });

  it('names the alarms that have none, and those whose actions are disabled', async () => {
    const target = await start({
      SendErrors: NOTIFYING,
      ReceiveErrors: { ...NOTIFYING, ActionsEnabled: false },
      ManageErrors: {},
    });

    expect(checkNotified(target, await readAlarms(target))).toMatchObject([
      { message: 'Nobody is notified of 2 of 3 alarms, which have no action: ManageErrors, ReceiveErrors.' },
    ]);
  });

  it('says nothing if all have one, or if the stage is not a production stage', async () => {
    const production = await start({ SendErrors: NOTIFYING });
    expect(checkNotified(production, await readAlarms(production))).toEqual([]);
    await cloudWatch.close();

    const other = await start({ SendErrors: {} }, false);
    expect(checkNotified(other, await readAlarms(other))).toEqual([]);
  });
});

describe('doctor on alarms', () => {
  it('shows their states, those without an action, and what CloudWatch could notify', async () => {
    const target = await start({ SendErrors: NOTIFYING, ReceiveErrors: {} });
    happened('SendErrors', 2, FAILED);

    const findings = await checkAlarms(target, (command) => command, NOW);

    expect(findings.map(({ grade, message }) => [grade, message.split(' ').slice(0, 4).join(' ')])).toEqual([
      ['ok', 'No alarm is on.'],
      ['warning', 'Nobody is notified of'],
      ['failing', 'CloudWatch could not notify'],
    ]);
  });
});

describe('doctor on the actions of alarms', () => {
  it('shows when one was last executed', async () => {
    const target = await start({ SendErrors: NOTIFYING, ReceiveErrors: NOTIFYING });
    happened('SendErrors', 3, EXECUTED);
    happened('ReceiveErrors', 2, EXECUTED);

    expect(await check(target)).toEqual([
      {
        check: 'alarms',
        grade: 'ok',
        message: `CloudWatch last notified ${TOPIC} at 2026-11-20T10:00:00.000Z, of ReceiveErrors.`,
      },
    ]);
    expect(cloudWatch.calls.filter(([operation]) => operation === 'DescribeAlarmHistory')).toHaveLength(2);
    expect(cloudWatch.calls.at(-1)).toEqual([
      'DescribeAlarmHistory',
      {
        AlarmName: nameOf('SendErrors'),
        HistoryItemType: 'Action',
        ScanBy: 'TimestampDescending',
        MaxRecords: 10,
        StartDate: SECOND - 7 * 24 * HOUR,
      },
    ]);
  });

  it('fails if the last one failed, with the reason and what to do', async () => {
    const target = await start({ SendErrors: NOTIFYING, ReceiveErrors: NOTIFYING });
    happened('ReceiveErrors', 3, EXECUTED);
    happened('SendErrors', 2, FAILED);

    const [finding, ...others] = await check(target);

    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      grade: 'failing',
      message:
        `CloudWatch could not notify ${TOPIC} of SendErrors at 2026-11-20T10:00:00.000Z: CloudWatch Alarms is not ` +
        `authorized to perform: SNS:Publish on resource: ${TOPIC}`,
      remedy: expect.stringMatching(/cloudwatch\.amazonaws\.com.*region\. Then run parley alarms test --stage prod\.$/),
    });
  });

  it('is satisfied if a failed one was executed since', async () => {
    const target = await start({ SendErrors: NOTIFYING });
    happened('SendErrors', 3, FAILED);
    happened('SendErrors', 2, EXECUTED);

    expect(await check(target)).toMatchObject([{ grade: 'ok' }]);
  });

  it('ignores topics that the alarms no longer notify, and what happened long ago', async () => {
    const target = await start({ SendErrors: NOTIFYING });
    happened('SendErrors', 2, FAILED.replaceAll(TOPIC, `${TOPIC}-old`));
    happened('SendErrors', 8 * 24, FAILED);

    expect(await check(target)).toEqual([
      {
        check: 'alarms',
        grade: 'ok',
        message: `No alarm notified ${TOPIC} in the last 7 days. To test it: parley alarms test --stage prod`,
      },
    ]);
  });

  it('reads no history of alarms without an action', async () => {
    expect(await check(await start({ SendErrors: {} }))).toEqual([]);
    expect(cloudWatch.calls.map(([operation]) => operation)).toEqual(['DescribeAlarms']);
  });

  it('warns if the history may not be read', async () => {
    const target = await start({ SendErrors: NOTIFYING });
    cloudWatch.denied.add('DescribeAlarmHistory');

    expect(await check(target)).toEqual([
      {
        check: 'alarms',
        grade: 'warning',
        message:
          'Whether alarms could notify anyone is unknown. Access denied by stack Parley-prod in eu-west-1: User: x is ' +
          'not authorized. Ask an administrator to grant access.',
        remedy: 'Allow cloudwatch:DescribeAlarmHistory; see docs/policies/operator.json.',
      },
    ]);
  });
});
