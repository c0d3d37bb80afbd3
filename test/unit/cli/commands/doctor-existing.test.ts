import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkExisting, type ExistingTarget } from '../../../../cli/commands/doctor-existing.ts';
import { keyStatements } from '../../../../lib/settings/key-policy.ts';
import { type ListeningServer, listenLocally } from '../../../../local/base/listen-locally.ts';

const ACCOUNT = '111122223333';
const TABLE = `arn:aws:dynamodb:eu-west-1:${ACCOUNT}:table/messaging`;
const BUS = `arn:aws:events:eu-west-1:${ACCOUNT}:event-bus/company`;
const KEY = `arn:aws:kms:eu-west-1:${ACCOUNT}:key/1234abcd`;
const VARIABLES = ['AWS_ENDPOINT_URL_DYNAMODB', 'AWS_ENDPOINT_URL_EVENTBRIDGE', 'AWS_ENDPOINT_URL_KMS'];

const keys = (...names: readonly string[]) => names.map((AttributeName) => ({ AttributeName, KeyType: 'HASH' }));
const index = (IndexName: string, ...names: readonly string[]) => ({ IndexName, KeySchema: keys(...names) });
const validTable = () => ({
  KeySchema: keys('pk', 'sk'),
  GlobalSecondaryIndexes: [
    index('byContact', 'contact', 'contactSort'),
    index('byState', 'stateShard', 'stateAt'),
    index('byBroadcast', 'broadcastShard', 'broadcastState'),
  ],
  StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  LatestStreamArn: `${TABLE}/stream/1`,
  DeletionProtectionEnabled: true,
});
const NEEDED = keyStatements({
  partition: 'aws',
  region: 'eu-west-1',
  urlSuffix: 'amazonaws.com',
  account: ACCOUNT,
  stackName: 'Parley-prod',
  hasEventBus: true,
  hasEventDeadLetters: true,
});

let aws: ListeningServer;
let table: Partial<ReturnType<typeof validTable>>;
let ttl: { TimeToLiveStatus: string; AttributeName?: string };
let recovery: string;
let policy: readonly unknown[];
let status: number;
let calls: string[];

beforeEach(async () => {
  table = validTable();
  ttl = { TimeToLiveStatus: 'ENABLED', AttributeName: 'expiresAt' };
  recovery = 'ENABLED';
  policy = NEEDED;
  status = 200;
  calls = [];
  aws = await listenLocally(
    createServer(async (request, response) => {
      const operation = String(request.headers['x-amz-target']);
      calls.push(`${operation} ${await text(request)}`);
      const bodies: Readonly<Record<string, unknown>> = {
        'DynamoDB_20120810.DescribeTable': { Table: table },
        'DynamoDB_20120810.DescribeTimeToLive': { TimeToLiveDescription: ttl },
        'DynamoDB_20120810.DescribeContinuousBackups': {
          ContinuousBackupsDescription: { PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: recovery } },
        },
        'AWSEvents.DescribeEventBus': { Name: 'company' },
        'TrentService.GetKeyPolicy': { Policy: JSON.stringify({ Statement: policy }) },
      };
      response.writeHead(status).end(JSON.stringify(status === 200 ? bodies[operation] : { message: 'Not found.' }));
    }),
  );
  for (const name of VARIABLES) process.env[name] = aws.url;
});
afterEach(async () => {
  for (const name of VARIABLES) delete process.env[name];
  await aws.close();
});

const findings = (addresses: Partial<ExistingTarget['addresses']>, isLocal = false) =>
  checkExisting({
    name: 'stack Parley-prod in eu-west-1',
    isLocal,
    region: 'eu-west-1',
    metricsNamespace: 'Parley-prod',
    credentials: async () => ({ accessKeyId: 'key', secretAccessKey: 'secret' }),
    addresses: {
      accessTokenSecretId: `arn:aws:secretsmanager:eu-west-1:${ACCOUNT}:secret:token`,
      publishFailuresQueueUrl: 'https://sqs/failures',
      undeliveredEventsQueueUrl: 'https://sqs/undelivered',
      ...addresses,
    },
  });
const grades = async (addresses: Partial<ExistingTarget['addresses']>) =>
  (await findings(addresses)).map(({ grade, message }) => `${grade}: ${message.replace(/arn:\S+(?= )/, 'ARN')}`);

describe('doctor on existing resources', () => {
  it('says nothing if the stack created everything, or in the local run', async () => {
    expect(await findings({})).toEqual([]);
    expect(await findings({ existingTableArn: TABLE }, true)).toEqual([]);
    expect(calls).toEqual([]);
  });

  it('is content with a table that has everything, and names its stream', async () => {
    expect(await grades({ existingTableArn: TABLE })).toEqual([
      `ok: ARN has Parley's keys, indexes, and TTL. Its latest stream is ${TABLE}/stream/1.`,
    ]);
  });

  it('names everything that a table lacks', async () => {
    table = {
      ...validTable(),
      GlobalSecondaryIndexes: [index('byContact', 'contact', 'sk')],
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
      DeletionProtectionEnabled: false,
    };
    ttl = { TimeToLiveStatus: 'DISABLED' };
    recovery = 'DISABLED';

    expect(await grades({ existingTableArn: TABLE })).toEqual([
      'failing: ARN lacks these keys or indexes: byContact: contact, contactSort; byState: stateShard, stateAt; ' +
        'byBroadcast: broadcastShard, broadcastState.',
      'failing: ARN has no stream with new and old images, so no events are published.',
      'failing: ARN has no TTL on expiresAt, so items never expire.',
      'warning: ARN has no point-in-time recovery.',
      'warning: ARN is not protected from deletion.',
    ]);
  });

  it('checks that the event bus exists, and warns if it cannot be read', async () => {
    expect(await grades({ existingEventBusArn: BUS })).toEqual(['ok: ARN exists.']);
    status = 400;

    expect(await grades({ existingEventBusArn: BUS })).toEqual([
      expect.stringMatching(/^warning: ARN could not be read\. .*Not found\.$/),
    ]);
  });

  it('is content with a key whose policy has the statements, in any form that allows the same', async () => {
    const ok = [expect.stringMatching(/^ok: The policy of ARN lets AWS services use it/)];
    expect(await grades({ existingKeyArn: KEY })).toEqual(ok);
    policy = [
      {
        Effect: 'Allow',
        Principal: { Service: ['logs.eu-west-1.amazonaws.com', 'events.amazonaws.com'] },
        Action: 'kms:*',
      },
    ];

    expect(await grades({ existingKeyArn: KEY })).toEqual(ok);
  });

  it.each(NEEDED)('prints the statement $Sid if it is missing', async (statement) => {
    policy = NEEDED.filter((one) => one !== statement);

    expect(await findings({ existingKeyArn: KEY })).toEqual([
      {
        check: 'existing resources',
        grade: 'failing',
        message: expect.stringContaining(`${statement.Sid} is missing.`),
        remedy: `Add this statement to the key's policy: ${JSON.stringify(statement)}`,
      },
    ]);
  });

  it('does not take the statements of another stack, or those with other conditions, for its own', async () => {
    policy = NEEDED.map((statement) => ({
      ...statement,
      Condition: { ...statement.Condition, Bool: { 'aws:SecureTransport': 'true' } },
    }));
    expect(await findings({ existingKeyArn: KEY })).toHaveLength(NEEDED.length);
    policy = JSON.parse(JSON.stringify(NEEDED).replaceAll('Parley-prod', 'Parley-dev'));

    // The exception is the same for each stack of the account.
    expect(await findings({ existingKeyArn: KEY })).toHaveLength(NEEDED.length - 1);
  });
});
