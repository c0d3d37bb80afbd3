import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeChanges } from '../../../../cli/commands/alarms.ts';
import { type AlarmReport, readAlarms } from '../../../../cli/operations/read-alarms.ts';
import { listenLocally } from '../../../../local/base/listen-locally.ts';
import type { Alarm } from '../../../../local/emulators/cloudwatch/alarm.ts';
import { type LocalTarget, startLocalTarget } from '../../../support/local-target.ts';

const MINUTE_MS = 60_000;
const METRIC = { namespace: 'Parley-dev', name: 'SendRejected', dimensions: { service: 'send' } };
const RUNBOOK = 'Sends were rejected. Runbook: docs/runbook.md#rejectedsends';

const alarm = (name: string, changes: Partial<Alarm> = {}): Alarm => ({
  name: `Parley-dev-Monitoring${name}0A1B2C3D`,
  arn: 'arn',
  description: RUNBOOK,
  highestOf: [{ metric: METRIC, statistic: 'Sum' }],
  periodMs: 5 * MINUTE_MS,
  threshold: 1,
  evaluationPeriods: 1,
  datapointsToAlarm: 1,
  treatMissingData: 'notBreaching',
  ...changes,
});

let target: LocalTarget;

beforeEach(async () => {
  target = await startLocalTarget();
  target.cloudWatch.alarms.add(alarm('RejectedSends'));
  target.cloudWatch.alarms.add(alarm('ReceiveErrors', { threshold: 9 }));
});
afterEach(async () => {
  await target[Symbol.asyncDispose]();
});

const reject = async () => {
  target.cloudWatch.metrics.record(METRIC, 1, target.clock.now().getTime());
  await target.clock.advance(MINUTE_MS);
};

describe('parley alarms', () => {
  it('says that no alarm is on', async () => {
    await target.clock.advance(MINUTE_MS);

    expect(await target.parley(['alarms'])).toMatchObject({ code: 0, out: 'No alarm is on. 2 alarms in total.' });
  });

  it('shows since when an alarm is on, what it means, and the link to the runbook', async () => {
    await reject();
    const { code, out } = await target.parley(['alarms']);

    expect(code).toBe(6);
    expect(out.split('\n')).toEqual([
      expect.stringMatching(/^RejectedSends has been on since \d{4}-.*Z$/),
      `  ${RUNBOOK}`,
      '1 alarm of 2 on.',
    ]);
    const { alarms } = JSON.parse((await target.parley(['alarms', '--json'])).out);
    expect(alarms).toMatchObject([
      { alarm: 'ReceiveErrors', isOn: false },
      { alarm: 'RejectedSends', isOn: true },
    ]);
  });

  it('says which alarms were not evaluated yet', async () => {
    expect((await target.parley(['alarms'])).out).toContain('Not evaluated yet: ReceiveErrors, RejectedSends.');
  });

  it('prints what starts and ends while it watches', () => {
    const report = (isOn: boolean): AlarmReport => ({
      alarm: 'SendErrors',
      isOn,
      since: 'T',
      description: 'Why.',
      name: 'N',
      actions: [],
    });

    expect(describeChanges([report(false)], [report(true)])).toEqual(['T  SendErrors started: Why.']);
    expect(describeChanges([report(true)], [report(false)])).toEqual(['T  SendErrors ended']);
    expect(describeChanges([report(true)], [report(true)])).toEqual([]);
  });

  it('watches until Ctrl-C', async () => {
    await reject();
    const { code, err } = await target.parley(['alarms', '--watch'], AbortSignal.timeout(200));

    expect(code).toBe(6);
    expect(err).toContain('RejectedSends has been on since');
  });

  it('asks CloudWatch for the alarms of the stack only, page by page, with a signed request', async () => {
    const asked: [IncomingHttpHeaders, Record<string, unknown>][] = [];
    const named = (AlarmName: string) => ({ AlarmName, StateValue: 'OK', StateUpdatedTimestamp: 1_763_899_200 });
    await using server = await listenLocally(
      createServer(async (request, response) => {
        const input = JSON.parse(await text(request));
        asked.push([request.headers, input]);
        const MetricAlarms = [named(`Parley-prod-Monitoring${input.NextToken ? 'B' : 'A'}Errors0A1B2C3D-XyZ12345`)];
        response.end(JSON.stringify({ MetricAlarms, ...(!input.NextToken && { NextToken: 'next' }) }));
      }),
    );
    const found = await readAlarms({
      alarmNamePrefix: 'Parley-prod-Monitoring',
      cloudWatchUrl: server.url,
      region: 'eu-west-1',
      credentials: async () => ({ accessKeyId: 'a', secretAccessKey: 's' }),
    });

    expect(found.map((one) => one.alarm)).toEqual(['AErrors', 'BErrors']);
    expect(asked.map(([, { AlarmNamePrefix, NextToken }]) => [AlarmNamePrefix, NextToken])).toEqual([
      ['Parley-prod-Monitoring', undefined],
      ['Parley-prod-Monitoring', 'next'],
    ]);
    expect(asked[0]?.[0]).toMatchObject({
      'x-amz-target': 'GraniteServiceVersion20100801.DescribeAlarms',
      'content-type': 'application/x-amz-json-1.0',
      authorization: expect.stringMatching(/eu-west-1\/monitoring\/aws4_request.*content-type;host.*x-amz-target/),
    });
  });
});

describe('doctor on the alarms', () => {
  it('names the alarms that are on', async () => {
    await reject();
    const { findings } = JSON.parse((await target.parley(['doctor', '--json'])).out);

    expect(findings).toContainEqual({
      check: 'alarms',
      grade: 'warning',
      message: 'Alarms that are on: RejectedSends.',
      remedy: 'See parley alarms --local, and docs/runbook.md for what to do.',
    });
  });
});
