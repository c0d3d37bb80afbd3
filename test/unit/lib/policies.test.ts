import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { isAllowed } from './policy-evaluation.ts';
import { synthesizedStack } from './synthesized-stack.ts';

// The example policies against the resources of two stages of one account.

const FOLDER = new URL('../../../docs/policies/', import.meta.url);
const AWS = 'eu-west-1:111122223333';

interface Stage {
  readonly name: string;
  /** The ARN of each resource that a policy can name, by a name without the stage and the hash. */
  readonly arns: Readonly<Record<string, string>>;
}

/** CloudFormation names a resource after the stack, except for secrets, whose names have only the logical ID. */
const arnsOf = (stackName: string, template: Template): Readonly<Record<string, string>> => {
  const idsOf = (type: string) => Object.entries(template.findResources(type));
  const nameOf = (logicalId: string) => logicalId.replace(/[0-9A-F]{8}$/, '');
  const chosenId = (id: string) => createHash('sha256').update(`${stackName} ${id}`).digest('hex').slice(0, 10);
  return Object.fromEntries([
    ...idsOf('AWS::SQS::Queue').map(([id, { Properties }]) => {
      const suffix = Properties.FifoQueue ? '.fifo' : '';
      return [nameOf(id), `arn:aws:sqs:${AWS}:${stackName}-${id}-A1B2C3D4E5F6${suffix}`];
    }),
    ...idsOf('AWS::DynamoDB::Table').map(([id]) => [
      nameOf(id),
      `arn:aws:dynamodb:${AWS}:table/${stackName}-${id}-A1B2`,
    ]),
    ...idsOf('AWS::SecretsManager::Secret').map(([id]) => [
      nameOf(id),
      `arn:aws:secretsmanager:${AWS}:secret:${id}-${chosenId(id)}-a1b2c3`,
    ]),
    ...idsOf('AWS::KMS::Key').map(([id]) => [nameOf(id), `arn:aws:kms:${AWS}:key/${chosenId(id)}`]),
    ...idsOf('AWS::ApiGatewayV2::Api').map(([id]) => [
      nameOf(id),
      `arn:aws:execute-api:${AWS}:${chosenId(id)}/$default/GET/v1/sends/billing-1`,
    ]),
    ['Alarm', `arn:aws:cloudwatch:${AWS}:alarm:${stackName}-MonitoringSendErrors0A1B2C3D-XyZ12345`],
    ['Stack', `arn:aws:cloudformation:${AWS}:stack/${stackName}/5f0c9a52`],
    ['Schedule', `arn:aws:scheduler:${AWS}:schedule/${stackName}/order-17`],
  ]);
};

const stageOf = (name: string): Stage => {
  const settings = {
    customerManagedKey: true,
    webhook: { auth: { kind: 'shared-token', header: 'x-token' } },
    sends: { bulkLane: { maxConcurrentCalls: 20 } },
    events: { targets: [{ kind: 'sqs', queueArn: `arn:aws:sqs:${AWS}:crm` }] },
  };
  const { template } = synthesizedStack('dev', settings, { stackName: `Parley-${name}` });
  return { name, arns: arnsOf(`Parley-${name}`, template) };
};

// The name of one starts with the name of the other.
const [own, other] = [stageOf('dev'), stageOf('dev-2')];

/** The placeholders of a policy, in the order in which they are replaced. */
const policyOf = (file: string, { name, arns }: Stage): unknown => {
  const [, , , , , idOfApi = ''] = arns.ManagementApi?.split(/[:/]/) ?? [];
  const text = readFileSync(new URL(file, FOLDER), 'utf8')
    .replaceAll('ACCESS-TOKEN-SECRET-ID', arns.SenderAccessToken ?? '')
    .replaceAll('WEBHOOK-SECRET-ID', arns.ReceiverWebhookSecret ?? '')
    .replaceAll('KEY-ID', arns.TableKey?.split('/').at(-1) ?? '')
    .replaceAll('API-ID', idOfApi)
    .replaceAll('STAGE', name)
    .replaceAll('REGION', 'eu-west-1')
    .replaceAll('ACCOUNT', '111122223333');
  return JSON.parse(text);
};

// Those for deployments have a test of their own.
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
const CONTEXT = { 'kms:ViaService': 'dynamodb.eu-west-1.amazonaws.com' };
/** Actions that IAM cannot restrict to a resource, or not as the command calls them: it finds alarms by a prefix. */
const UNRESTRICTED = [
  'cloudwatch:DescribeAlarms',
  'cloudwatch:GetMetricStatistics',
  'lambda:GetAccountSettings',
  'scheduler:ListSchedules',
  'sqs:ListQueues',
];
const actionsIn = (policy: unknown): readonly string[] =>
  [...JSON.stringify(policy).matchAll(/"([a-z-]+:[A-Z]\w+)"/g)].flatMap(([, action = '']) => action);

/** What a policy allows on the resources of a stage, such as `sqs:SendMessage SenderSendQueue`. */
const allowedOn = (policy: unknown, stage: Stage): readonly string[] =>
  [...new Set(actionsIn(policy))]
    .filter((action) => !UNRESTRICTED.includes(action))
    .flatMap((action) =>
      Object.entries(stage.arns).flatMap(([name, arn]) =>
        arn.split(':')[2] === action.split(':')[0] && isAllowed([policy], action, arn, CONTEXT)
          ? [`${action} ${name}`]
          : [],
      ),
    )
    .toSorted();

const on = (action: string, ...names: readonly string[]) => names.map((name) => `${action} ${name}`);
const DEAD_LETTERS = [
  'ManagementErasureQueueDeadLetters',
  'PublisherPublishFailures',
  'PublisherTargetsDeadLetters',
  'ReceiverInboundQueueDeadLetters',
  'SenderBulkSendQueueDeadLetters',
  'SenderSchedulesDeadLetters',
  'SenderSendQueueDeadLetters',
];
const QUEUES = [
  ...DEAD_LETTERS,
  'ManagementErasureQueue',
  'ReceiverInboundQueue',
  'SenderBulkSendQueue',
  'SenderSendQueue',
];

const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'confined-system.json': on('execute-api:Invoke', 'ManagementApi'),
  'internal-system.json': on('execute-api:Invoke', 'ManagementApi'),
  'support-desk.json': on('execute-api:Invoke', 'ManagementApi'),
  'operator.json': [
    ...on('execute-api:Invoke', 'ManagementApi'),
    ...on('cloudformation:DescribeStacks', 'Stack'),
    ...on('cloudwatch:DescribeAlarmHistory', 'Alarm'),
    ...on('cloudwatch:SetAlarmState', 'Alarm'),
    ...on(
      'sqs:SendMessage',
      'SenderBulkSendQueue',
      'SenderBulkSendQueueDeadLetters',
      'SenderSendQueue',
      'SenderSendQueueDeadLetters',
    ),
    ...on('sqs:ChangeMessageVisibility', ...DEAD_LETTERS, 'SenderBulkSendQueue'),
    ...on('sqs:DeleteMessage', ...DEAD_LETTERS, 'SenderBulkSendQueue'),
    ...on('sqs:ReceiveMessage', ...DEAD_LETTERS, 'SenderBulkSendQueue'),
    ...on('sqs:GetQueueAttributes', ...QUEUES),
    ...on('secretsmanager:DescribeSecret', 'SenderAccessToken'),
    ...on('secretsmanager:PutSecretValue', 'SenderAccessToken'),
  ],
  'history.json': on('secretsmanager:GetSecretValue', 'SenderAccessToken'),
  'webhook-secret.json': [
    ...on('cloudformation:DescribeStacks', 'Stack'),
    ...on('secretsmanager:GetSecretValue', 'ReceiverWebhookSecret'),
    ...on('secretsmanager:PutSecretValue', 'ReceiverWebhookSecret'),
    ...on('sqs:GetQueueAttributes', 'ReceiverInboundQueue', 'ReceiverInboundQueueDeadLetters'),
  ],
  // It may call one route, which is not the one that stands for the others here.
  'check-table.json': [
    ...on('cloudformation:DescribeStacks', 'Stack'),
    ...on('cloudformation:ListStackResources', 'Stack'),
    ...on('dynamodb:BatchGetItem', 'Table'),
    ...on('dynamodb:DescribeTable', 'Table'),
    ...on('dynamodb:Scan', 'Table'),
    ...on('kms:Decrypt', 'TableKey'),
  ],
  'erasure-scan.json': [
    ...on('cloudformation:DescribeStacks', 'Stack'),
    ...on('cloudformation:ListStackResources', 'Stack'),
    ...on('dynamodb:Scan', 'Table'),
    ...on('kms:Decrypt', 'TableKey'),
    ...on('scheduler:GetSchedule', 'Schedule'),
    ...on('sqs:ChangeMessageVisibility', ...QUEUES),
    ...on('sqs:GetQueueAttributes', ...QUEUES),
    ...on('sqs:ReceiveMessage', ...QUEUES),
  ],
};

describe('The example policy', () => {
  test.each(FILES)('%s allows this on the resources of its own stage', (file) => {
    expect(allowedOn(policyOf(file, own), own)).toEqual([...(ALLOWED[file] ?? [])].toSorted());
    expect(allowedOn(policyOf(file, other), other)).toEqual([...(ALLOWED[file] ?? [])].toSorted());
  });

  test.each(FILES)('%s allows nothing on the resources of another stage, whose name starts the same', (file) => {
    expect(allowedOn(policyOf(file, own), other)).toEqual([]);
    expect(allowedOn(policyOf(file, other), own)).toEqual([]);
  });

  test.each(FILES)('%s allows everyone only the actions that IAM cannot restrict', (file) => {
    const everything = actionsIn(policyOf(file, own)).filter((action) =>
      isAllowed([policyOf(file, own)], action, 'arn:aws:any:eu-west-1:111122223333:other', CONTEXT),
    );
    expect(everything.filter((action) => !UNRESTRICTED.includes(action))).toEqual([]);
  });

  test.each(FILES)('%s lets nobody put a message on the inbound queue or on its dead-letter queue', (file) => {
    const policy = policyOf(file, own);
    for (const name of ['ReceiverInboundQueue', 'ReceiverInboundQueueDeadLetters']) {
      expect(isAllowed([policy], 'sqs:SendMessage', own.arns[name] ?? '')).toBe(false);
    }
  });
});

describe('The policy of an audit', () => {
  test('check-table.json allows one route of the management API', () => {
    const call = (target: string) => (own.arns.ManagementApi ?? '').replace('GET/v1/sends/billing-1', target);
    const targets = ['GET/v1/stage', 'GET/v1/contacts', 'POST/v1/sends', 'DELETE/v1/contacts/1'];
    const policy = policyOf('check-table.json', own);
    expect(targets.filter((target) => isAllowed([policy], 'execute-api:Invoke', call(target)))).toEqual([
      'GET/v1/stage',
    ]);
  });
});

describe('The policy of an audit, for recent erasures', () => {
  test('check-table.json allows queries of the index byState of its own stage alone', () => {
    const policy = policyOf('check-table.json', own);
    const indexes = [own, other].flatMap(({ arns }) =>
      ['', '/index/byState', '/index/byContact'].map((index) => `${arns.Table}${index}`),
    );
    expect(indexes.filter((arn) => isAllowed([policy], 'dynamodb:Query', arn))).toEqual([
      `${own.arns.Table}/index/byState`,
    ]);
  });
});

describe('A system that is confined to a prefix', () => {
  const policy = policyOf('confined-system.json', own);
  const call = (target: string) =>
    isAllowed([policy], 'execute-api:Invoke', (own.arns.ManagementApi ?? '').replace('GET/v1/sends/billing-1', target));

  test('can queue, cancel, and read sends with its prefix', () => {
    const targets = ['PUT/v1/sends/billing-1', 'PUT/v1/cancellations/billing-1', 'GET/v1/sends/billing-1'];
    expect(targets.filter((target) => !call(target))).toEqual([]);
  });

  test.each([
    'POST/v1/sends',
    'POST/v1/cancellations',
    'POST/v1/resolutions',
    'PUT/v1/sends/orders-1',
    'PUT/v1/sends/-',
    'PUT/v1/sends/bill',
    'GET/v1/sends/-',
    'GET/v1/sends/orders-billing-1',
    'GET/v1/sends',
    'GET/v1/send-counts',
    'GET/v1/uncertain-sends',
    'GET/v1/audit',
    'DELETE/v1/contacts/billing-1',
  ])('cannot call %s', (target) => {
    expect(call(target)).toBe(false);
  });
});
