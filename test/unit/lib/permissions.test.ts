import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { statementsOf } from './iam-statements.ts';
import { synthesizedStack } from './synthesized-stack.ts';

const RECEIVE = 'WebhookReceiveRoleDefaultPolicy: Allow';
const SEND = 'SendingSendRoleDefaultPolicy: Allow';
const PUBLISH = 'PublishingPublishRoleDefaultPolicy: Allow';
const WAKE = 'SendingSchedulingRoleDefaultPolicy: Allow';
const MANAGE = 'ManagementManageRoleDefaultPolicy: Allow';
const DRAIN = 'sqs:ChangeMessageVisibility, sqs:DeleteMessage, sqs:GetQueueAttributes, sqs:ReceiveMessage';
const WRITE_LOGS = 'logs:CreateLogStream, logs:PutLogEvents';
const OVER_PLAIN_HTTP = 'to * if {"Bool":{"aws:SecureTransport":"false"}}';
const TAKES_AWAY = 'It refuses every unencrypted call, by whomever; a Deny gives nothing.';

/** What the functions, and the schedules of sends, may do: every statement, none left out. */
const FUNCTIONS = [
  `${RECEIVE} ${WRITE_LOGS} on WebhookReceiveLogs.Arn`,
  `${RECEIVE} dynamodb:UpdateItem on ConversationsTable.Arn`,
  `${RECEIVE} sqs:SendMessage on WebhookInboundDeadLetterQueue.Arn, WebhookInboundQueue.Arn`,
  `${RECEIVE} ${DRAIN} on WebhookInboundQueue.Arn`,
  `${SEND} ${WRITE_LOGS} on SendingSendLogs.Arn`,
  `${SEND} dynamodb:BatchGetItem, dynamodb:GetItem, dynamodb:UpdateItem on ConversationsTable.Arn`,
  `${SEND} sqs:SendMessage on SendingRequestsDeadLetterQueue.Arn`,
  `${SEND} secretsmanager:GetSecretValue on SendingAccessToken`,
  `${SEND} ${DRAIN} on SendingRequestsQueue.Arn`,
  `${SEND} iam:PassRole on SendingSchedulingRole.Arn if {"StringEquals":{"iam:PassedToService":"scheduler.amazonaws.com"}}`,
  `${WAKE} sqs:SendMessage on SendingRequestsQueue.Arn, SendingSchedulingDeadLetterQueue.Arn`,
  `${PUBLISH} ${WRITE_LOGS} on PublishingPublishLogs.Arn`,
  `${PUBLISH} dynamodb:DescribeStream, dynamodb:GetRecords, dynamodb:GetShardIterator, dynamodb:ListStreams on ConversationsTable.StreamArn`,
  `${PUBLISH} events:PutEvents on PublishingBus.Arn`,
  `${PUBLISH} sqs:SendMessage on PublishingUntoldChanges.Arn`,
  `${MANAGE} ${WRITE_LOGS} on ManagementManageLogs.Arn`,
  `${MANAGE} dynamodb:DeleteItem, dynamodb:GetItem, dynamodb:UpdateItem on ConversationsTable.Arn`,
  `${MANAGE} dynamodb:Query on ConversationsTable.Arn/index/byContact, ConversationsTable.Arn/index/unsettled`,
  `${MANAGE} sqs:SendMessage on ManagementErasuresQueue.Arn, SendingRequestsQueue.Arn`,
  `${MANAGE} secretsmanager:GetSecretValue on SendingAccessToken`,
  `${MANAGE} ${DRAIN} on ManagementErasuresQueue.Arn`,
];

/** Each statement that holds a `*`, with the reason why it may. */
const WILDCARDS: Record<string, string> = {
  [`WebhookInboundQueuePolicy: Deny sqs:* on WebhookInboundQueue.Arn ${OVER_PLAIN_HTTP}`]: TAKES_AWAY,
  [`WebhookInboundDeadLetterQueuePolicy: Deny sqs:* on WebhookInboundDeadLetterQueue.Arn ${OVER_PLAIN_HTTP}`]:
    TAKES_AWAY,
  [`SendingRequestsQueuePolicy: Deny sqs:* on SendingRequestsQueue.Arn ${OVER_PLAIN_HTTP}`]: TAKES_AWAY,
  [`SendingRequestsDeadLetterQueuePolicy: Deny sqs:* on SendingRequestsDeadLetterQueue.Arn ${OVER_PLAIN_HTTP}`]:
    TAKES_AWAY,
  [`SendingSchedulingDeadLetterQueuePolicy: Deny sqs:* on SendingSchedulingDeadLetterQueue.Arn ${OVER_PLAIN_HTTP}`]:
    TAKES_AWAY,
  [`PublishingUntoldChangesPolicy: Deny sqs:* on PublishingUntoldChanges.Arn ${OVER_PLAIN_HTTP}`]: TAKES_AWAY,
  [`${MANAGE} scheduler:DeleteSchedule on arn:AWS::Partition:scheduler:AWS::Region:AWS::AccountId:schedule/Parley-prod/*`]:
    "A cancelled send's schedule is named by its request, in the stack's own group.",
  [`${SEND} scheduler:CreateSchedule on arn:AWS::Partition:scheduler:AWS::Region:AWS::AccountId:schedule/Parley-prod/*`]:
    "Each scheduled send has a schedule of its own, named by its request; they are all in the stack's own group.",
  [`ManagementErasuresQueuePolicy: Deny sqs:* on ManagementErasuresQueue.Arn ${OVER_PLAIN_HTTP}`]: TAKES_AWAY,
  [`ManagementErasuresDeadLetterQueuePolicy: Deny sqs:* on ManagementErasuresDeadLetterQueue.Arn ${OVER_PLAIN_HTTP}`]:
    TAKES_AWAY,
};

const KEY_ADMINISTRATION = 'ConversationsKey: Allow kms:* on * to arn:AWS::Partition:iam::AWS::AccountId:root';

const WILDCARDS_OF_THE_KEY: Record<string, string> = {
  [KEY_ADMINISTRATION]:
    "AWS's default key policy: the account's own IAM policies decide; in a key policy the resource * is this key alone.",
};

const USE_OF_THE_KEY =
  'kms:Decrypt, kms:DescribeKey, kms:Encrypt, kms:GenerateDataKey, kms:GenerateDataKeyWithoutPlaintext, ' +
  'kms:ReEncryptFrom, kms:ReEncryptTo on ConversationsKey.Arn ' +
  'if {"StringEquals":{"kms:ViaService":"dynamodb.AWS::Region.amazonaws.com"}}';

describe('Permissions', () => {
  const { template } = synthesizedStack('prod');

  test('are exactly these', () => {
    expect(statementsOf(template)).toEqual([...FUNCTIONS, ...Object.keys(WILDCARDS)].sort());
  });

  test('hold no * without a written reason', () => {
    const wild = statementsOf(template).filter((statement) => statement.includes('*'));

    expect(wild).toEqual(Object.keys(WILDCARDS).sort());
  });

  test("of a stage with a key of its own add that key's use, through DynamoDB alone", () => {
    const ofTheKey = [
      `${RECEIVE} ${USE_OF_THE_KEY}`,
      `${SEND} ${USE_OF_THE_KEY}`,
      `${PUBLISH} ${USE_OF_THE_KEY}`,
      `${MANAGE} ${USE_OF_THE_KEY}`,
      ...Object.keys(WILDCARDS_OF_THE_KEY),
    ];

    const statements = statementsOf(synthesizedStack('prod', { customerManagedKey: true }).template);

    expect(statements).toEqual([...FUNCTIONS, ...Object.keys(WILDCARDS), ...ofTheKey].sort());
  });

  test('come by no managed policy, since the one for logs opens every log group of the account', () => {
    const roles = Object.values(template.findResources('AWS::IAM::Role'));

    const properties = new Set(roles.flatMap((role) => Object.keys(role.Properties)));
    expect([...properties].sort()).toEqual(['AssumeRolePolicyDocument', 'Description']);
  });

  test('of a stage with a secret for its webhook add the reading of that secret, by receive alone', () => {
    const auth = { kind: 'shared-token', header: 'x-token' };
    const ofTheSecret = `${RECEIVE} secretsmanager:GetSecretValue on WebhookSecret`;

    const statements = statementsOf(synthesizedStack('prod', { webhook: { auth } }).template);

    expect(statements).toEqual([...FUNCTIONS, ...Object.keys(WILDCARDS), ofTheSecret].sort());
  });

  test('to call receive are the API’s for its routes', () => {
    const permissions = Object.values(
      template.findResources('AWS::Lambda::Permission', {
        Properties: { FunctionName: { 'Fn::GetAtt': [Match.stringLikeRegexp('^WebhookReceiveFunction'), 'Arn'] } },
      }),
    );

    // The two wildcards are the API's stage and method.
    expect(permissions.map(({ Properties }) => Properties)).toEqual(
      ['/*/*/webhook', '/*/*/webhook/{chatChannelNumber}'].map((route) =>
        expect.objectContaining({
          Action: 'lambda:InvokeFunction',
          Principal: 'apigateway.amazonaws.com',
          SourceArn: { 'Fn::Join': ['', expect.arrayContaining([route])] },
        }),
      ),
    );
  });
});
