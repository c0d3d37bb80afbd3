import { randomUUID } from 'node:crypto';
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { z } from 'zod';
import { arnOf } from '../base/aws-environment.ts';
import { parseJson } from '../base/json.ts';
import type { ListeningServer } from '../base/listen-locally.ts';
import { messageOf } from '../base/local-error.ts';
import { stringAttributes } from '../base/string-attributes.ts';
import {
  type AwsRequest,
  type AwsResponse,
  awsError,
  startAwsJsonServer,
  unknownOperation,
} from './aws-json-server.ts';
import type { Schedule, Schedules, TargetFailure } from './schedules.ts';
import { queueUrlOf } from './sqs/sqs.ts';

const AT = /^at\((\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})\)$/;

/** The parameters of SendMessage that a universal target accepts. Like on AWS, any other is rejected. */
const sendMessageInput = z.strictObject({
  QueueUrl: z.url(),
  MessageBody: z.string().min(1),
  MessageGroupId: z.string().optional(),
  MessageDeduplicationId: z.string().optional(),
});

const createScheduleInput = z.strictObject({
  GroupName: z.string().default('default'),
  ClientToken: z.string().optional(),
  // Nothing is encrypted, but GetSchedule returns it.
  KmsKeyArn: z.string().startsWith('arn:').optional(),
  ScheduleExpression: z.string().regex(AT, 'only one-time schedules are supported: at(yyyy-mm-ddThh:mm:ss)'),
  ScheduleExpressionTimezone: z.literal('UTC', 'only UTC is supported').default('UTC'),
  FlexibleTimeWindow: z.strictObject({ Mode: z.literal('OFF', 'flexible time windows are not supported') }),
  ActionAfterCompletion: z.literal('DELETE', 'only schedules that delete themselves are supported'),
  Target: z.strictObject({
    Arn: z.literal('arn:aws:scheduler:::aws-sdk:sqs:sendMessage', 'only the target sqs:sendMessage is supported'),
    RoleArn: z.string(),
    DeadLetterConfig: z.strictObject({ Arn: z.string() }).optional(),
    Input: z.string(),
  }),
});

export interface SchedulerContext {
  readonly schedules: Schedules;
  readonly now: () => Date;
  /** Sends the messages of the targets, and the dead letters. */
  readonly sqs: SQSClient;
  /** @default 0, any free port */
  readonly port?: number;
}

/**
 * Emulates `CreateSchedule`, `GetSchedule`, `ListSchedules`, `DeleteSchedule`, and `ListScheduleGroups` of EventBridge
 * Scheduler, for one-time schedules that send a message to a queue. It rejects everything else.
 *
 * Source: https://docs.aws.amazon.com/scheduler/latest/APIReference/API_Operations.html
 */
export const startScheduler = (context: SchedulerContext): Promise<ListeningServer> =>
  startAwsJsonServer('application/json', (request) => handle(request, context), context.port);

const handle = ({ method, url, operation, input }: AwsRequest, context: SchedulerContext): AwsResponse => {
  if (method === 'GET' && url.pathname === '/schedules') return listSchedules(url.searchParams, context);
  if (method === 'GET' && url.pathname === '/schedule-groups') {
    const ScheduleGroups = context.schedules.groups().map((Name) => ({ Name, State: 'ACTIVE' }));
    return { status: 200, body: { ScheduleGroups } };
  }
  const [, escapedName] = /^\/schedules\/([^/]+)$/.exec(url.pathname) ?? [];
  if (escapedName === undefined || !['POST', 'GET', 'DELETE'].includes(method)) {
    return unknownOperation(`${operation} of EventBridge Scheduler`);
  }
  const name = decodeURIComponent(escapedName);
  if (method === 'POST') return createSchedule(name, input, context);
  const groupName = url.searchParams.get('groupName') ?? 'default';
  const schedule = context.schedules.find(groupName, name);
  if (!schedule) return awsError('ResourceNotFoundException', `Schedule ${name} does not exist.`, 404);
  if (method === 'GET') return { status: 200, body: describe(schedule) };
  context.schedules.remove(groupName, name);
  return { status: 200, body: {} };
};

/** Source: https://docs.aws.amazon.com/scheduler/latest/APIReference/API_ListSchedules.html */
const MAX_RESULTS = 100;

const listSchedules = (query: URLSearchParams, { schedules }: SchedulerContext): AwsResponse => {
  const listed = schedules.list(query.get('ScheduleGroup') ?? undefined);
  const start = Number(query.get('NextToken') ?? 0);
  const end = start + Number(query.get('MaxResults') ?? MAX_RESULTS);
  return {
    status: 200,
    body: {
      Schedules: listed.slice(start, end).map((schedule) => ({
        Arn: scheduleArn(schedule),
        Name: schedule.name,
        GroupName: schedule.groupName,
        State: 'ENABLED',
        CreationDate: schedule.createdAt.getTime() / 1000,
      })),
      ...(end < listed.length && { NextToken: String(end) }),
    },
  };
};

const createSchedule = (name: string, input: unknown, { schedules, now, sqs }: SchedulerContext): AwsResponse => {
  const { data, error } = createScheduleInput.safeParse(input);
  if (!data) {
    const faults = error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    return awsError('ValidationException', `The local run does not support this schedule. ${faults.join('; ')}`);
  }
  const { GroupName: groupName, ClientToken: clientToken, ScheduleExpression, Target } = data;
  if (!schedules.hasGroup(groupName)) {
    return awsError('ResourceNotFoundException', `Schedule group ${groupName} does not exist.`, 404);
  }
  const message = sendMessageInput.safeParse(parseJson(Target.Input));
  if (!message.success) return awsError('ValidationException', 'Input is not a valid SendMessage request.');
  const deadLetterArn = Target.DeadLetterConfig?.Arn;
  // All queues of a run have the same base URL.
  const queueBaseUrl = message.data.QueueUrl.replace(/\/[^/]*$/, '');
  const schedule: Schedule = {
    name,
    groupName,
    clientToken,
    createdAt: now(),
    dueAt: new Date(`${AT.exec(ScheduleExpression)?.[1]}Z`),
    declaration: data,
    async invoke() {
      await sqs.send(new SendMessageCommand(message.data));
    },
    deadLetter:
      deadLetterArn === undefined
        ? undefined
        : async (failure) => {
            const QueueUrl = queueUrlOf(deadLetterArn, queueBaseUrl);
            const MessageAttributes = deadLetterAttributes(schedule, Target.Arn, failure);
            await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: Target.Input, MessageAttributes }));
          },
  };
  // The same token means that the client is retrying a request after a lost response.
  const existing = schedules.find(groupName, name);
  const isRetry = existing !== undefined && clientToken !== undefined && existing.clientToken === clientToken;
  if (!isRetry && !schedules.add(schedule)) {
    return awsError('ConflictException', `Schedule ${name} already exists.`, 409);
  }
  return { status: 200, body: { ScheduleArn: scheduleArn(schedule) } };
};

/**
 * Returns the attributes of a dead letter, whose body is the target's input.
 * Source: https://docs.aws.amazon.com/scheduler/latest/UserGuide/configuring-schedule-dlq.html
 */
const deadLetterAttributes = (schedule: Schedule, targetArn: string, { error, retries }: TargetFailure) =>
  stringAttributes({
    ERROR_CODE: error instanceof Error ? error.name : 'Error',
    ERROR_MESSAGE: messageOf(error),
    EXECUTION_ID: randomUUID(),
    EXHAUSTED_RETRY_CONDITION: 'MaximumEventAgeInSeconds',
    IS_PAYLOAD_TRUNCATED: 'false',
    RETRY_ATTEMPTS: String(retries),
    SCHEDULED_TIME: schedule.dueAt.toISOString().replace('.000Z', 'Z'),
    SCHEDULE_ARN: scheduleArn(schedule),
    TARGET_ARN: targetArn,
  });

const describe = (schedule: Schedule) => {
  const { ClientToken: _, ...declaration } = schedule.declaration;
  return {
    ...declaration,
    Arn: scheduleArn(schedule),
    Name: schedule.name,
    State: 'ENABLED',
    CreationDate: schedule.createdAt.getTime() / 1000,
  };
};

const scheduleArn = ({ groupName, name }: Schedule): string => arnOf('scheduler', `schedule/${groupName}/${name}`);
