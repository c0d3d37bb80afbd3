import { createServer } from 'node:http';
import { afterEach, expect, it, vi } from 'vitest';
import { findTarget } from '../../../../cli/base/target.ts';
import { listenLocally } from '../../../../local/base/listen-locally.ts';

const OUTPUTS = [
  'WebhookUrl',
  'ManagementUrl',
  'SendQueueUrl',
  'SendDeadLetterQueueUrl',
  'ScheduleDeadLetterQueueUrl',
  'InboundQueueUrl',
  'InboundDeadLetterQueueUrl',
  'AccessTokenSecretId',
];

afterEach(() => {
  vi.unstubAllEnvs();
});

it.each([
  ['protected', '<EnableTerminationProtection>true</EnableTerminationProtection>', true],
  ['not protected', '<EnableTerminationProtection>false</EnableTerminationProtection>', false],
  ['without an answer about it', '', false],
])('a stack that is %s is taken for that', async (_case, protection, isProtected) => {
  const outputs = OUTPUTS.map(
    (name) => `<member><OutputKey>${name}</OutputKey><OutputValue>of ${name}</OutputValue></member>`,
  );
  const stack = `<StackName>Parley-prod</StackName>${protection}<Outputs>${outputs.join('')}</Outputs>`;
  const result = `<DescribeStacksResult><Stacks><member>${stack}</member></Stacks></DescribeStacksResult>`;
  await using cloudFormation = await listenLocally(
    createServer((_request, response) => response.end(`<DescribeStacksResponse>${result}</DescribeStacksResponse>`)),
  );
  vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFORMATION', cloudFormation.url);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'key');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');

  const target = await findTarget({ stage: 'prod', region: 'eu-west-1' }, {}, '');

  expect(target).toMatchObject({ isProtected, isLocal: false, addresses: { webhookUrl: 'of WebhookUrl' } });
});
