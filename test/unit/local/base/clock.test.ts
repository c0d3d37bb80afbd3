import { expect, it } from 'vitest';
import { createMovableClock } from '../../../../local/base/clock.ts';
import { startRecurringSchedules } from '../../../../local/event-sources/recurring-schedules.ts';
import { schedule } from '../../../../local/resources/eventbridge.ts';
import type { CloudServices, Declarations } from '../../../../local/resources/resource-type.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

const startDaily = (invoke: (event: string, now: number) => Promise<{ ok: true; payload: string }>) => {
  const clock = createMovableClock();
  const startedAt = clock.now().getTime();
  const warnings: string[] = [];
  const target = { invoke: (event: string) => invoke(event, clock.now().getTime()) };
  const end = startRecurringSchedules(
    [{ logicalId: 'Daily', everyMs: DAY_MS, functionArn: 'arn:daily', input: '{"a":1}' }],
    {
      // Only `invoke` of a function is used.
      functions: { find: (arn) => (arn === 'arn:daily' ? Object.assign(Object.create(null), target) : undefined) },
      clock,
      warn: (message) => warnings.push(message),
    },
  );
  return { clock, startedAt, warnings, end };
};

it('a clock that moves 15 days stops at each day on which a function is due', async () => {
  const days: number[] = [];
  const { clock, startedAt, end } = startDaily(async (event, now) => {
    expect(event).toBe('{"a":1}');
    days.push(Math.round((now - startedAt) / DAY_MS));
    return { ok: true, payload: '' };
  });

  await clock.advance(15 * DAY_MS + 60_000);
  await clock.advance(60_000);
  end();

  expect(days).toEqual(Array.from({ length: 15 }, (_, index) => index + 1));
  expect(Math.round((clock.now().getTime() - startedAt) / 60_000)).toBe((15 * DAY_MS) / 60_000 + 2);
});

it('a clock that moves less than a day invokes nothing', async () => {
  const { clock, end } = startDaily(() => Promise.reject(new Error('Invoked.')));

  await clock.advance(DAY_MS - 60_000);
  end();

  expect(clock.offsetMs).toBe(DAY_MS - 60_000);
});

it.each([
  ['cron(0 12 * * ? *)', {}],
  ['rate(1 day)', { StartDate: '2026-01-01T00:00:00Z' }],
])('a schedule with %s and %j is refused, because the local run does not know it', async (ScheduleExpression, more) => {
  const declared: Declarations = {
    functions: [],
    aliases: [],
    queueMappings: [],
    streamMappings: [],
    recurringSchedules: [],
  };
  const cloud: CloudServices = Object.assign(Object.create(null), { declared, physicalName: (id: string) => id });
  const Target = { Arn: 'arn:aws:lambda:x', Input: '{}', RoleArn: 'r' };
  const properties = { ScheduleExpression, FlexibleTimeWindow: { Mode: 'OFF' }, Target, ...more };
  const resource = { logicalId: 'Daily', type: 'AWS::Scheduler::Schedule', properties, metadata: {} };

  await expect(schedule.create(resource, cloud)).rejects.toThrow('Daily (AWS::Scheduler::Schedule)');
  expect(declared.recurringSchedules).toEqual([]);
});
