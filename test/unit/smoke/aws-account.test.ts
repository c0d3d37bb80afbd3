import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ListeningServer, listenLocally } from '../../../local/base/listen-locally.ts';
import { openAccount } from '../../../smoke/aws-account.ts';

const STACK = 'Parley-smoke-12345678-default';

let aws: ListeningServer;
/** The statuses of the stack, one for each reading. Without any, it does not exist. */
let statuses: string[];
let calls: string[];

const answers = new Map<string, () => string>([
  ['GetCallerIdentity', () => '<Arn>arn:aws:iam::111122223333:user/ana</Arn><Account>111122223333</Account>'],
  [
    'DescribeStacks',
    () =>
      `<Stacks><member><StackName>${STACK}</StackName><StackId>${STACK}/1</StackId>` +
      `<StackStatus>${statuses.shift()}</StackStatus><EnableTerminationProtection>true</EnableTerminationProtection>` +
      '<CreationTime>2026-11-28T00:00:00Z</CreationTime></member></Stacks>',
  ],
  [
    'ListStackResources',
    () =>
      '<StackResourceSummaries><member><LogicalResourceId>Group</LogicalResourceId><ResourceType>T</ResourceType>' +
      '<ResourceStatus>DELETE_FAILED</ResourceStatus><ResourceStatusReason>in use</ResourceStatusReason></member>' +
      '</StackResourceSummaries>',
  ],
  [
    'DescribeStackEvents',
    () =>
      `<StackEvents>${[
        ['ForcedFailure', 'CREATE_FAILED', 'WaitCondition timed out.'],
        ['Bus', 'CREATE_FAILED', 'Resource creation cancelled'],
        ['Table', 'CREATE_COMPLETE', ''],
      ]
        .map(
          ([id, status, reason]) =>
            `<member><StackId>1</StackId><EventId>1</EventId><StackName>${STACK}</StackName><LogicalResourceId>${id}` +
            `</LogicalResourceId><ResourceStatus>${status}</ResourceStatus><ResourceStatusReason>${reason}` +
            '</ResourceStatusReason><Timestamp>2026-11-28T00:00:00Z</Timestamp></member>',
        )
        .join('')}</StackEvents>`,
  ],
]);

beforeEach(async () => {
  statuses = ['CREATE_COMPLETE'];
  calls = [];
  aws = await listenLocally(
    createServer(async (request, response) => {
      const action = new URLSearchParams(await text(request)).get('Action') ?? '';
      calls.push(action);
      if (action === 'DescribeStacks' && statuses.length === 0) {
        const message = `Stack with id ${STACK} does not exist`;
        response.writeHead(400, { 'content-type': 'text/xml' });
        response.end(
          `<ErrorResponse><Error><Code>ValidationError</Code><Message>${message}</Message></Error></ErrorResponse>`,
        );
        return;
      }
      const result = answers.get(action)?.() ?? '';
      response.writeHead(200, { 'content-type': 'text/xml' });
      response.end(`<${action}Response><${action}Result>${result}</${action}Result></${action}Response>`);
    }),
  );
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'key');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFORMATION', aws.url);
  vi.stubEnv('AWS_ENDPOINT_URL_STS', aws.url);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await aws.close();
});

const open = (account = '111122223333') => openAccount({ account, region: 'eu-west-1' });

describe('an AWS account', () => {
  it('is refused if the credentials belong to another one', async () => {
    await expect(open('444455556666')).rejects.toThrow(
      'The AWS credentials belong to the account 111122223333, but --account is 444455556666.',
    );
  });

  it('finds a stack, or that there is none', async () => {
    const account = await open();

    expect(await account.findStack(STACK)).toEqual({
      stackId: `${STACK}/1`,
      status: 'CREATE_COMPLETE',
      isProtected: true,
    });
    expect(await account.findStack(STACK)).toBeUndefined();
  });

  it('reads what could not be created, without what CloudFormation cancelled', async () => {
    expect(await (await open()).failures(STACK)).toMatchObject([
      { logicalId: 'ForcedFailure', reason: 'WaitCondition timed out.' },
    ]);
  });

  it('waits until a stack is deleted', async () => {
    statuses = [];

    await (await open()).deleteStack(STACK);

    expect(calls).toEqual(['GetCallerIdentity', 'DeleteStack', 'DescribeStacks']);
  });

  it('says why a stack cannot be deleted', async () => {
    statuses = ['DELETE_FAILED'];

    await expect((await open()).deleteStack(STACK)).rejects.toThrow(
      `The stack ${STACK} was not deleted: DELETE_FAILED; T Group (in use).`,
    );
  });
});
