import { createServer } from 'node:http';
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { z } from 'zod';
import { ACCOUNT_ID, REGION } from '../aws-variables.ts';
import { type ListeningServer, listenLocally } from '../listen-locally.ts';
import type { Schedule, Schedules } from '../schedules/schedules.ts';
import { readJson } from './read-json.ts';

const AT = /^at\((\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})\)$/;

/** What a call of SendMessage takes from a universal target; anything else is refused, as on AWS. */
const sendMessage = z.strictObject({
  QueueUrl: z.url(),
  MessageBody: z.string().min(1),
  MessageGroupId: z.string().optional(),
  MessageDeduplicationId: z.string().optional(),
});

const createSchedule = z.strictObject({
  GroupName: z.string().default('default'),
  ClientToken: z.string().optional(),
  ScheduleExpression: z.string().regex(AT, 'only one-time schedules are known: at(yyyy-mm-ddThh:mm:ss)'),
  ScheduleExpressionTimezone: z.literal('UTC', 'only UTC is known').default('UTC'),
  FlexibleTimeWindow: z.strictObject({ Mode: z.literal('OFF', 'no flexible time window is known') }),
  ActionAfterCompletion: z.literal('DELETE', 'only schedules that delete themselves are known'),
  Target: z.strictObject({
    Arn: z.literal('arn:aws:scheduler:::aws-sdk:sqs:sendMessage', 'only the universal target sqs:sendMessage is known'),
    RoleArn: z.string(),
    // A target that cannot be called is called again here until it can.
    DeadLetterConfig: z.strictObject({ Arn: z.string() }).optional(),
    Input: z.string(),
  }),
});

/** What the stand-in works with. */
export interface SchedulerParts {
  readonly schedules: Schedules;
  readonly now: () => Date;
  /** By which targets are called. */
  readonly sqs: SQSClient;
}

interface Answer {
  readonly status: number;
  readonly body: object;
}

/**
 * Stands in for EventBridge Scheduler: `CreateSchedule`, `GetSchedule` and `DeleteSchedule` for one-time schedules that
 * send a message to a queue. Everything else is refused by name.
 *
 * Source: https://docs.aws.amazon.com/scheduler/latest/APIReference/API_Operations.html
 */
export const startScheduler = (parts: SchedulerParts): Promise<ListeningServer> => {
  const server = createServer((request, response) => {
    void readJson(request).then((input) => {
      const url = new URL(request.url ?? '/', 'http://localhost');
      const { status, body } = answer({ method: request.method ?? '', url, input }, parts);
      const type = '__type' in body ? { 'x-amzn-errortype': String(body.__type) } : {};
      response.writeHead(status, { 'content-type': 'application/json', ...type }).end(JSON.stringify(body));
    });
  });
  return listenLocally(server);
};

const answer = (
  { method, url, input }: { readonly method: string; readonly url: URL; readonly input: unknown },
  parts: SchedulerParts,
): Answer => {
  const [, escapedName] = /^\/schedules\/([^/]+)$/.exec(url.pathname) ?? [];
  if (escapedName === undefined || !['POST', 'GET', 'DELETE'].includes(method)) {
    return failure(
      400,
      'UnknownOperationException',
      `The local run does not know ${method} ${url.pathname} of Scheduler.`,
    );
  }
  const name = decodeURIComponent(escapedName);
  if (method === 'POST') return create(name, input, parts);
  const groupName = url.searchParams.get('groupName') ?? 'default';
  const found = parts.schedules.find(groupName, name);
  if (!found) return failure(404, 'ResourceNotFoundException', `Schedule ${name} does not exist.`);
  if (method === 'GET') return { status: 200, body: described(found) };
  parts.schedules.remove(groupName, name);
  return { status: 200, body: {} };
};

const create = (name: string, input: unknown, { schedules, now, sqs }: SchedulerParts): Answer => {
  const { data, error } = createSchedule.safeParse(input);
  if (!data) {
    const faults = error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    return failure(400, 'ValidationException', `The local run cannot hold this schedule. ${faults.join('; ')}`);
  }
  const { GroupName: groupName, ClientToken: clientToken, ScheduleExpression, Target } = data;
  if (!schedules.hasGroup(groupName)) {
    return failure(404, 'ResourceNotFoundException', `Schedule group ${groupName} does not exist.`);
  }
  const message = sendMessage.safeParse(parse(Target.Input));
  if (!message.success) return failure(400, 'ValidationException', 'Input is no request of SendMessage.');
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
  };
  // The same token again is the same request again, whose answer was lost.
  const existing = schedules.find(groupName, name);
  const isRepeated = existing !== undefined && clientToken !== undefined && existing.clientToken === clientToken;
  if (!isRepeated && !schedules.add(schedule)) {
    return failure(409, 'ConflictException', `Schedule ${name} already exists.`);
  }
  return { status: 200, body: { ScheduleArn: arnOf(schedule) } };
};

const described = (schedule: Schedule) => ({
  ...schedule.declaration,
  Arn: arnOf(schedule),
  Name: schedule.name,
  State: 'ENABLED',
  CreationDate: schedule.createdAt.getTime() / 1000,
});

const arnOf = ({ groupName, name }: Schedule): string =>
  `arn:aws:scheduler:${REGION}:${ACCOUNT_ID}:schedule/${groupName}/${name}`;

const failure = (status: number, type: string, message: string): Answer => ({
  status,
  body: { __type: type, Message: message },
});

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
