import { describe, expect, test } from 'vitest';
import type { ServiceName } from '../../../../lambdas/domain/metric-names.ts';
import { READ_ACTIONS, WRITE_ACTIONS } from '../../../../lib/settings/key-policy.ts';
import { EXTREME_STAGES } from '../quotas/extreme-stages.ts';
import { STAGE_VARIANTS } from '../rules/stage-variants.ts';
import { synthesizedStack } from '../synthesized-stack.ts';
import { callsOfFunction } from './calls-of-function.ts';
import { type FunctionRole, functionRoles, policiesAfterFunctions } from './function-role.ts';

const NAMES: readonly ServiceName[] = ['manage', 'publish', 'receive', 'send'];
const CALLS = new Map<string, readonly string[]>(NAMES.map((name) => [name, callsOfFunction(name)]));

/** What Lambda does as the role of a function. */
const LOGS = ['logs:CreateLogStream', 'logs:PutLogEvents'];
// https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html
const NETWORK = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
];
const EVENT_SOURCES = {
  // https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
  queue: ['sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'],
  // https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-eventsourcemapping.html
  stream: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator', 'dynamodb:ListStreams'],
};

/** What a service does as the caller of an action: with the key of the stage, or with a role that is passed to it. */
const DEPENDENT: Readonly<Record<string, readonly string[]>> = {
  // https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html
  'dynamodb:BatchGetItem': READ_ACTIONS,
  'dynamodb:DeleteItem': [...READ_ACTIONS, ...WRITE_ACTIONS],
  'dynamodb:GetItem': READ_ACTIONS,
  'dynamodb:GetRecords': ['kms:Decrypt'],
  'dynamodb:Query': READ_ACTIONS,
  'dynamodb:UpdateItem': [...READ_ACTIONS, ...WRITE_ACTIONS],
  // https://docs.aws.amazon.com/scheduler/latest/UserGuide/encryption-rest.html
  'scheduler:CreateSchedule': ['iam:PassRole', 'kms:Decrypt', 'kms:DescribeKey', 'kms:GenerateDataKey'],
  'secretsmanager:GetSecretValue': ['kms:Decrypt'],
  // https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html
  'sqs:ReceiveMessage': ['kms:Decrypt'],
  'sqs:SendMessage': ['kms:Decrypt', 'kms:GenerateDataKey'],
};

/** Returns every action that the role of a function needs, by its own calls and by what AWS does on its behalf. */
const neededBy = ({ name, eventSources, isInVpc }: FunctionRole): ReadonlySet<string> => {
  const direct = [
    ...(CALLS.get(name) ?? []),
    ...LOGS,
    ...(isInVpc ? NETWORK : []),
    ...eventSources.flatMap(({ kind, hasDestination }) => [
      ...EVENT_SOURCES[kind],
      ...(hasDestination ? ['sqs:SendMessage'] : []),
    ]),
  ];
  return new Set([...direct, ...direct.flatMap((action) => DEPENDENT[action] ?? [])]);
};

const without = (all: ReadonlySet<string>, others: ReadonlySet<string>) => [...all].filter((one) => !others.has(one));

const unusedIn = (roles: readonly FunctionRole[]) =>
  roles.flatMap((role) =>
    without(role.actions, neededBy(role)).map(
      (action) => `The role of ${role.name} allows ${action}, which nothing needs.`,
    ),
  );
const missingIn = (roles: readonly FunctionRole[]) =>
  roles.flatMap((role) =>
    without(neededBy(role), role.actions).map(
      (action) => `The role of ${role.name} does not allow ${action}, which it needs.`,
    ),
  );

/** Resources that a variable names, but on which the function needs no permission. */
const PASSED_ON: Readonly<Record<string, string>> = {
  'send: SenderSchedulesDeadLetters': 'EventBridge Scheduler uses it as the role that `send` passes to it.',
};

const withoutHash = (id: string): string => id.replace(/[0-9A-F]{8}$/, '');

describe.each(EXTREME_STAGES)('In a stage with every setting ($name)', ({ settings, share, stackName }) => {
  const roles = functionRoles(synthesizedStack('prod', settings, { share, stackName }).template);

  test('every function may do what its code can call, and what AWS does on its behalf', () => {
    expect(roles.map(({ name }) => name).toSorted()).toEqual(NAMES);
    expect(missingIn(roles)).toEqual([]);
  });

  test('no function may do anything else', () => {
    expect(unusedIn(roles)).toEqual([]);
  });
});

const SEND = ['sqs:SendMessage'];
const COUNT = ['sqs:GetQueueAttributes'];
const CONSUME = ['sqs:ChangeMessageVisibility', ...EVENT_SOURCES.queue].toSorted();

test('On each queue that a variable names, a function may do what it does there, and nothing else', () => {
  const [{ settings, share } = { settings: {}, share: undefined }] = EXTREME_STAGES;
  const roles = functionRoles(synthesizedStack('prod', settings, { share }).template);
  expect(Object.fromEntries(roles.map(({ name, queues }) => [name, queues]))).toEqual({
    receive: {
      INBOUND_QUEUE_URL: [...CONSUME, ...SEND],
      INBOUND_DEAD_LETTER_QUEUE_URL: SEND,
      // For the confirmation of an opt-out.
      SEND_QUEUE_URL: SEND,
    },
    send: {
      SEND_QUEUE_URL: CONSUME,
      SEND_DEAD_LETTER_QUEUE_URL: SEND,
      BULK_SEND_QUEUE_URL: CONSUME,
      BULK_SEND_DEAD_LETTER_QUEUE_URL: SEND,
      // Part of a schedule, which uses it with a role of its own.
      SCHEDULE_DEAD_LETTER_QUEUE_ARN: [],
    },
    publish: {
      PUBLISH_DEAD_LETTER_QUEUE_URL: SEND,
      TURN_QUEUE_URL: [...CONSUME, ...SEND],
    },
    manage: {
      SEND_QUEUE_URL: [...COUNT, ...SEND],
      BULK_SEND_QUEUE_URL: [...COUNT, ...SEND],
      ERASURE_QUEUE_URL: [...CONSUME, ...SEND],
      INBOUND_QUEUE_URL: SEND,
      SEND_DEAD_LETTER_QUEUE_URL: CONSUME,
      BULK_SEND_DEAD_LETTER_QUEUE_URL: CONSUME,
      SCHEDULE_DEAD_LETTER_QUEUE_URL: CONSUME,
      ERASURE_DEAD_LETTER_QUEUE_URL: CONSUME,
      INBOUND_DEAD_LETTER_QUEUE_URL: CONSUME,
      PUBLISH_FAILURES_QUEUE_URL: CONSUME,
      UNDELIVERED_EVENTS_QUEUE_URL: CONSUME,
      DEAD_LETTER_QUEUE_URLS: CONSUME,
    },
  });
});

describe('In every variant of a stage', () => {
  const templates = STAGE_VARIANTS.map(
    ({ stage, settings, share }) => synthesizedStack(stage, settings, { share }).template,
  );
  const variants = templates.map(functionRoles);

  test('CloudFormation creates each function, and so what invokes it, after every policy of its role', () => {
    expect([...new Set(templates.flatMap(policiesAfterFunctions).map(withoutHash))]).toEqual([]);
  });

  test('no function may do anything that its code cannot call', () => {
    expect([...new Set(variants.flatMap(unusedIn))]).toEqual([]);
  });

  test('a role allows something only on resources that the variables or event sources of its function name', () => {
    const found = variants
      .flat()
      .flatMap(({ name, resources, named }) => without(resources, named).map((id) => `${name}: ${withoutHash(id)}`));
    expect([...new Set(found)]).toEqual([]);
  });

  test('a role allows something on every resource that the variables of its function name', () => {
    const found = variants
      .flat()
      .flatMap(({ name, resources, named }) => without(named, resources).map((id) => `${name}: ${withoutHash(id)}`));
    expect([...new Set(found)].toSorted()).toEqual(Object.keys(PASSED_ON));
  });
});
