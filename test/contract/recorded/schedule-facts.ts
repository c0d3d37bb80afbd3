import { CreateScheduleCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { SQSClient } from '@aws-sdk/client-sqs';
import { CREDENTIALS, REGION } from '../../../local/base/aws-environment.ts';
import { createMovableClock } from '../../../local/base/clock.ts';
import { startScheduler } from '../../../local/emulators/scheduler.ts';
import { createSchedules } from '../../../local/emulators/schedules.ts';
import { type RecordedFact, recording } from './recorded-fact.ts';

/** Creates a schedule. Returns whether it has an ARN, or the code of the error. */
const create = async (ScheduleExpression: string): Promise<unknown> => {
  const schedules = createSchedules(createMovableClock(), () => undefined);
  schedules.createGroup('group');
  const sqs = new SQSClient({ endpoint: 'http://127.0.0.1:1', region: REGION, credentials: CREDENTIALS });
  const server = await startScheduler({ schedules, now: () => new Date(), sqs });
  const client = new SchedulerClient({ endpoint: server.url, region: REGION, credentials: CREDENTIALS });
  try {
    const { ScheduleArn } = await client.send(
      new CreateScheduleCommand({
        Name: 'schedule',
        GroupName: 'group',
        ScheduleExpression,
        FlexibleTimeWindow: { Mode: 'OFF' },
        ActionAfterCompletion: 'DELETE',
        Target: {
          Arn: 'arn:aws:scheduler:::aws-sdk:sqs:sendMessage',
          RoleArn: 'arn:aws:iam::111122223333:role/role',
          Input: JSON.stringify({ QueueUrl: 'http://127.0.0.1:1/111122223333/queue', MessageBody: 'body' }),
        },
      }),
    );
    return typeof ScheduleArn;
  } catch (error) {
    return error instanceof Error ? error.name : String(error);
  } finally {
    client.destroy();
    sqs.destroy();
    await schedules.close();
    await server.close();
  }
};

const expression = (text: string, expected: string, test: string): RecordedFact => ({
  name: `schedules: ${text} is ${expected === 'string' ? 'accepted' : 'refused'}`,
  source: recording('scheduler/test_scheduler', test),
  observe: () => create(text),
  expected,
});

const invalid = (text: string): RecordedFact =>
  expression(text, 'ValidationException', `tests_create_schedule_with_invalid_schedule_expression[${text}]`);

/** What EventBridge Scheduler did, with the expressions of one-time schedules. */
export const SCHEDULE_FACTS: readonly RecordedFact[] = [
  expression('at(2022-12-31T23:59:59)', 'string', 'tests_create_schedule_with_valid_schedule_expression'),
  invalid('at(2021-12-31T23:59:59Z)'),
  invalid('at(2021-12-31)'),
  invalid('rate(10 seconds)'),
  invalid('cron()'),
];
