import { describe, expect, test } from 'vitest';
import { statementsOf } from '../iam-statements.ts';
import { logicalIdOf, synthesizedStack } from '../synthesized-stack.ts';

const RECEIVE = 'ReceiverFunctionRoleDefaultPolicy: Allow';
const SEND = 'SenderFunctionRoleDefaultPolicy: Allow';
const PUBLISH = 'PublisherFunctionRoleDefaultPolicy: Allow';
const SCHEDULES = 'SenderSchedulesRoleDefaultPolicy: Allow';
const KEEP = 'ManagementKeepDeadLettersRoleDefaultPolicy: Allow';
const MANAGE = 'ManagementFunctionRoleDefaultPolicy: Allow';
const CONSUME = 'sqs:ChangeMessageVisibility, sqs:DeleteMessage, sqs:GetQueueAttributes, sqs:ReceiveMessage';
const WRITE_LOGS = 'logs:CreateLogStream, logs:PutLogEvents';
const OVER_PLAIN_HTTP = 'to * if {"Bool":{"aws:SecureTransport":"false"}}';
const DENIES = 'It denies every unencrypted call by anyone, and a Deny grants nothing.';

/** Every statement of the functions and of the schedules. */
const FUNCTIONS = [
  `${RECEIVE} ${WRITE_LOGS} on ReceiverFunctionLogs.Arn`,
  `${RECEIVE} sqs:SendMessage on ReceiverInboundQueue.Arn, ReceiverInboundQueueDeadLetters.Arn`,
  `${RECEIVE} ${CONSUME} on ReceiverInboundQueue.Arn`,
  `${SEND} ${WRITE_LOGS} on SenderFunctionLogs.Arn`,
  `${SEND} sqs:SendMessage on SenderSendQueueDeadLetters.Arn`,
  `${SEND} secretsmanager:GetSecretValue on SenderAccessToken`,
  `${SEND} ${CONSUME} on SenderSendQueue.Arn`,
  `${SEND} iam:PassRole on SenderSchedulesRole.Arn if {"StringEquals":{"iam:PassedToService":"scheduler.amazonaws.com"}}`,
  `${SCHEDULES} sqs:SendMessage on SenderSchedulesDeadLetters.Arn, SenderSendQueue.Arn`,
  `${PUBLISH} ${WRITE_LOGS} on PublisherFunctionLogs.Arn`,
  `${PUBLISH} dynamodb:DescribeStream, dynamodb:GetRecords, dynamodb:GetShardIterator on Table.StreamArn`,
  `${PUBLISH} events:PutEvents on PublisherEventBus.Arn`,
  `${PUBLISH} sqs:SendMessage on PublisherPublishFailures.Arn`,
  `${MANAGE} ${WRITE_LOGS} on ManagementFunctionLogs.Arn`,
  `${MANAGE} dynamodb:Query on Table.Arn/index/byBroadcast, Table.Arn/index/byContact, Table.Arn/index/byState`,
  `${MANAGE} sqs:SendMessage on ManagementErasureQueue.Arn, ReceiverInboundQueue.Arn, SenderSendQueue.Arn`,
  `${MANAGE} sqs:GetQueueAttributes on SenderSendQueue.Arn`,
  `${MANAGE} secretsmanager:GetSecretValue on SenderAccessToken`,
  `${MANAGE} ${CONSUME} on ManagementErasureQueue.Arn, ManagementErasureQueueDeadLetters.Arn, PublisherPublishFailures.Arn, ReceiverInboundQueueDeadLetters.Arn, SenderSchedulesDeadLetters.Arn, SenderSendQueueDeadLetters.Arn`,
  `${MANAGE} dynamodb:GetRecords, dynamodb:GetShardIterator on Table.StreamArn`,
  `${MANAGE} events:PutEvents on PublisherEventBus.Arn`,
  `${KEEP} lambda:InvokeFunction on ManagementFunction.Arn`,
];

/** A condition that restricts a statement to the items with these partition keys. */
const keys = (...patterns: readonly string[]) =>
  `if ${JSON.stringify({ 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': patterns } })}`;
const unlessSentBy = (...roles: readonly string[]) =>
  `to * if ${JSON.stringify({ ArnNotEquals: { 'aws:PrincipalArn': roles.map((role) => `${role}.Arn`) } })}`;
const KINDS_OF_ITEMS = 'The * stands for an ID: the condition allows only these kinds of items.';
const ONLY_PARLEY = 'It denies everyone but these functions to put events on the queue, and a Deny grants nothing.';

/** Every statement that contains a `*`, with the reason. */
const WILDCARDS: Record<string, string> = {
  [`${PUBLISH} dynamodb:ListStreams on *`]: 'IAM cannot limit this action to a resource.',
  [`${RECEIVE} dynamodb:UpdateItem on Table.Arn ${keys('CHANNELS', 'CONTACT#*', 'CUSTOMER#*', 'MESSAGE#*', 'SEND#*', 'TRANSACTION#*', 'UNKNOWN#*')}`]:
    KINDS_OF_ITEMS,
  [`${SEND} dynamodb:BatchGetItem, dynamodb:GetItem, dynamodb:UpdateItem on Table.Arn ${keys('ACCOUNT#*', 'CHANNELS', 'CONTACT#*', 'CUSTOMER#*', 'MESSAGE#*', 'SEND#*', 'TRANSACTION#*')}`]:
    KINDS_OF_ITEMS,
  [`${MANAGE} dynamodb:DeleteItem on Table.Arn ${keys('CONTACT#*', 'CUSTOMER#*', 'DEADLETTER#*', 'MESSAGE#*')}`]: `${KINDS_OF_ITEMS} Entries of the audit trail are not among them.`,
  [`${MANAGE} dynamodb:BatchGetItem, dynamodb:GetItem, dynamodb:UpdateItem on Table.Arn ${keys('CONTACT#*', 'CUSTOMER#*', 'DEADLETTER#*', 'MESSAGE#*', 'ACCOUNT#*', 'AUDIT#*', 'CHANNEL#*', 'CHANNELS', 'ERASURE#*', 'SEND#*', 'TRANSACTION#*')}`]:
    KINDS_OF_ITEMS,
  [`ReceiverInboundQueuePolicy: Deny sqs:SendMessage on ReceiverInboundQueue.Arn ${unlessSentBy('ReceiverFunctionRole', 'ManagementFunctionRole')}`]:
    ONLY_PARLEY,
  [`ReceiverInboundQueueDeadLettersPolicy: Deny sqs:SendMessage on ReceiverInboundQueueDeadLetters.Arn ${unlessSentBy('ReceiverFunctionRole')}`]:
    ONLY_PARLEY,
  [`ReceiverInboundQueuePolicy: Deny sqs:* on ReceiverInboundQueue.Arn ${OVER_PLAIN_HTTP}`]: DENIES,
  [`ReceiverInboundQueueDeadLettersPolicy: Deny sqs:* on ReceiverInboundQueueDeadLetters.Arn ${OVER_PLAIN_HTTP}`]:
    DENIES,
  [`SenderSendQueuePolicy: Deny sqs:* on SenderSendQueue.Arn ${OVER_PLAIN_HTTP}`]: DENIES,
  [`SenderSendQueueDeadLettersPolicy: Deny sqs:* on SenderSendQueueDeadLetters.Arn ${OVER_PLAIN_HTTP}`]: DENIES,
  [`SenderSchedulesDeadLettersPolicy: Deny sqs:* on SenderSchedulesDeadLetters.Arn ${OVER_PLAIN_HTTP}`]: DENIES,
  [`PublisherPublishFailuresPolicy: Deny sqs:* on PublisherPublishFailures.Arn ${OVER_PLAIN_HTTP}`]: DENIES,
  [`${MANAGE} scheduler:DeleteSchedule on arn:AWS::Partition:scheduler:AWS::Region:AWS::AccountId:schedule/Parley-prod/*`]:
    "The schedule of a cancelled send is named after its request, in the stack's own group.",
  [`${SEND} scheduler:CreateSchedule, scheduler:DeleteSchedule on arn:AWS::Partition:scheduler:AWS::Region:AWS::AccountId:schedule/Parley-prod/*`]:
    "Each scheduled send has its own schedule, named after its request, in the stack's own group.",
  [`ManagementErasureQueuePolicy: Deny sqs:* on ManagementErasureQueue.Arn ${OVER_PLAIN_HTTP}`]: DENIES,
  [`ManagementErasureQueueDeadLettersPolicy: Deny sqs:* on ManagementErasureQueueDeadLetters.Arn ${OVER_PLAIN_HTTP}`]:
    DENIES,
};

/** The use of the key: only through the service that encrypts with it. */
const useKey = (service: string, ...actions: string[]) =>
  `${actions.map((action) => `kms:${action}`).join(', ')} on TableKey.Arn ` +
  `if {"StringEquals":{"kms:ViaService":"${service}.AWS::Region.AWS::URLSuffix"}}`;

const WRITE_TABLE = useKey(
  'dynamodb',
  'Decrypt',
  'DescribeKey',
  'Encrypt',
  'GenerateDataKey',
  'GenerateDataKeyWithoutPlaintext',
  'ReEncryptFrom',
  'ReEncryptTo',
);
const SEND_MESSAGE = useKey('sqs', 'Decrypt', 'GenerateDataKey');
const READ_SECRET = useKey('secretsmanager', 'Decrypt');
const OF_SCHEDULES =
  '"ArnLike":{"kms:EncryptionContext:aws:scheduler:schedule:arn":' +
  '"arn:AWS::Partition:scheduler:AWS::Region:AWS::AccountId:schedule/Parley-prod/*"}';

/** What each role may do with a customer managed key, and nothing more. */
const KEY_USES = [
  `${RECEIVE} ${WRITE_TABLE}`,
  `${RECEIVE} ${SEND_MESSAGE}`,
  `${SEND} ${WRITE_TABLE}`,
  `${SEND} ${SEND_MESSAGE}`,
  `${SEND} ${READ_SECRET}`,
  `${SEND} ${useKey('scheduler', 'Decrypt', 'GenerateDataKey').replace(/\}$/, `,${OF_SCHEDULES}}`)}`,
  `${SEND} ${useKey('scheduler', 'DescribeKey')}`,
  `${PUBLISH} ${useKey('dynamodb', 'Decrypt')}`,
  `${PUBLISH} ${SEND_MESSAGE}`,
  `${MANAGE} ${WRITE_TABLE}`,
  `${MANAGE} ${SEND_MESSAGE}`,
  `${MANAGE} ${READ_SECRET}`,
  `${SCHEDULES} ${SEND_MESSAGE}`,
  // Scheduler calls KMS as this role itself.
  `${SCHEDULES} kms:Decrypt on TableKey.Arn if {${OF_SCHEDULES}}`,
  // In policies of their own, which a live stage gets before anything is encrypted.
].map((statement) => statement.replace(/^(\w+)DefaultPolicy:/, 'KeyUse$1:'));

/** The statements of a stage with a key, without the hash of the key in the names of their policies. */
const statementsWithKey = (settings: Readonly<Record<string, unknown>> = {}): readonly string[] =>
  statementsOf(synthesizedStack('prod', { ...settings, customerManagedKey: true }).template).map((statement) =>
    statement.replace(/^(KeyUse\w+)[0-9a-f]{8}:/, '$1:'),
  );

describe('Permissions', () => {
  const { template } = synthesizedStack('prod');

  test('are exactly these', () => {
    expect(statementsOf(template)).toEqual([...FUNCTIONS, ...Object.keys(WILDCARDS)].sort());
  });

  test('contain no * without a documented reason', () => {
    const wild = statementsOf(template).filter((statement) => statement.includes('*'));

    expect(wild).toEqual(Object.keys(WILDCARDS).sort());
  });

  test('of a stage with a customer managed key add these uses of it', () => {
    const statements = statementsWithKey();

    // The test of the key itself covers its policy, and what the event bus may do with its dead-letter queue.
    const added = statements.filter(
      (statement) => !/^(TableKey|PublisherPublishFailuresPolicy: Allow)/.test(statement),
    );
    expect(added).toEqual([...FUNCTIONS, ...Object.keys(WILDCARDS), ...KEY_USES].sort());
  });

  test('of a stage with a customer managed key let the receiver decrypt a webhook secret, if there is one', () => {
    const auth = { kind: 'shared-token', header: 'x-token' };
    const statements = statementsWithKey({ webhook: { auth } });

    expect(statements).toContain(`KeyUseReceiverFunctionRoleWebhookSecret: Allow ${READ_SECRET}`);
  });

  test('come from no managed policy, since the one for logs covers every log group of the account', () => {
    const roles = Object.values(template.findResources('AWS::IAM::Role'));

    const properties = new Set(roles.flatMap((role) => Object.keys(role.Properties)));
    expect([...properties].sort()).toEqual(['AssumeRolePolicyDocument', 'Description']);
  });

  test('of a stage with a webhook secret let only the receiver read it', () => {
    const auth = { kind: 'shared-token', header: 'x-token' };
    const readSecret =
      'ReceiverFunctionRoleWebhookSecret: Allow secretsmanager:GetSecretValue on ReceiverWebhookSecret';

    const statements = statementsOf(synthesizedStack('prod', { webhook: { auth } }).template);

    expect(statements).toEqual([...FUNCTIONS, ...Object.keys(WILDCARDS), readSecret].sort());
  });

  test('to invoke the receiver belong to its API', () => {
    const permissions = Object.values(
      template.findResources('AWS::Lambda::Permission', {
        Properties: { FunctionName: { 'Fn::GetAtt': [logicalIdOf('ReceiverFunction'), 'Arn'] } },
      }),
    );

    // One for all routes, because a function's policy holds 20 KB.
    expect(permissions.map(({ Properties }) => Properties)).toEqual([
      expect.objectContaining({
        Action: 'lambda:InvokeFunction',
        Principal: 'apigateway.amazonaws.com',
        SourceArn: {
          'Fn::Join': ['', expect.arrayContaining([{ Ref: expect.stringMatching(/^ReceiverApi/) }, '/*/*'])],
        },
      }),
    ]);
  });
});
