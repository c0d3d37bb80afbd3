import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scanQueue } from '../../../../cli/operations/scan-queue.ts';
import { storesOfStack } from '../../../../cli/operations/stack-stores.ts';
import { createTraceSearch } from '../../../../lambdas/domain/traces.ts';
import type { ListeningServer } from '../../../../local/base/listen-locally.ts';
import { startSqs } from '../../../../local/emulators/sqs/sqs.ts';
import { USER } from '../../../support/builders.ts';

const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
const search = createTraceSearch({ ids: [USER] });
let emulator: ListeningServer;
let sqs: SQSClient;

beforeAll(async () => {
  emulator = await startSqs({ pollSecondMs: 50 });
  sqs = new SQSClient({ endpoint: emulator.url, region: 'local', credentials });
});
afterAll(async () => {
  sqs?.destroy();
  await emulator?.close();
});

const createQueue = async (QueueName: string, Attributes: Record<string, string> = {}): Promise<string> => {
  const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
  return QueueUrl;
};
const attribute = async (QueueUrl: string, name: 'QueueArn' | 'ApproximateNumberOfMessagesNotVisible') => {
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [name] }));
  return Attributes?.[name] ?? '';
};
const put = (QueueUrl: string, MessageBody: string, fifo: { readonly MessageGroupId?: string } = {}) =>
  sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, ...fifo }));

describe('the scan of a queue', () => {
  it('finds the messages with a trace, says where, and releases all of them', async () => {
    const url = await createQueue('plain');
    for (let index = 0; index < 12; index += 1) await put(url, `{"n":${index}}`);
    const { MessageId } = await put(url, JSON.stringify({ FROM: USER }));

    expect(await scanQueue(sqs, url, search)).toEqual({
      searched: { store: 'queue plain', kind: 'messages', count: 13, unread: 0 },
      traces: [{ store: 'queue plain', place: MessageId, fields: ['Body', 'FROM'] }],
    });

    expect(await attribute(url, 'ApproximateNumberOfMessagesNotVisible')).toBe('0');
  });

  it('finds a trace in a message group, and counts what another consumer has in flight', async () => {
    const deadLetters = await createQueue('dead.fifo', { FifoQueue: 'true' });
    const deadLetterTargetArn = await attribute(deadLetters, 'QueueArn');
    const url = await createQueue('live.fifo', {
      FifoQueue: 'true',
      ContentBasedDeduplication: 'true',
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 9 }),
    });
    await put(url, 'in flight', { MessageGroupId: 'group' });
    await sqs.send(new ReceiveMessageCommand({ QueueUrl: url, VisibilityTimeout: 60 }));
    await put(url, 'behind it', { MessageGroupId: 'group' });
    await put(url, 'visible', { MessageGroupId: USER });

    const { searched, traces } = await scanQueue(sqs, url, search);

    expect(searched).toMatchObject({ count: 1, unread: 2 });
    expect(traces.map(({ fields }) => fields)).toEqual([['MessageGroupId']]);
    expect(await attribute(url, 'ApproximateNumberOfMessagesNotVisible')).toBe('1');
  });
});

describe('the stores of a stack', () => {
  it('are its tables, schedule groups, and queues; the rest is listed as not searched', async () => {
    const cloudFormation = new CloudFormationClient({ region: 'eu-west-1', credentials });
    const resources = [
      ['AWS::DynamoDB::Table', 'table'],
      ['AWS::SQS::Queue', 'https://sqs/queue'],
      ['AWS::Scheduler::ScheduleGroup', 'group'],
      ['AWS::Logs::LogGroup', 'logs'],
      ['AWS::S3::Bucket', 'bucket'],
      ['AWS::IAM::Role', 'role'],
    ];
    cloudFormation.middlewareStack.add(
      () => async () => ({
        response: {},
        output: {
          $metadata: {},
          StackResourceSummaries: resources.map(([ResourceType, PhysicalResourceId]) => ({
            ResourceType,
            PhysicalResourceId,
          })),
        },
      }),
      { step: 'initialize' },
    );

    const stores = await storesOfStack(cloudFormation, 'Parley-prod', {
      sqs,
      client: { region: 'eu-west-1', credentials },
      existingTableArn: 'arn:aws:dynamodb:eu-west-1:111122223333:table/messaging',
    });

    expect(stores).toMatchObject({
      tables: ['table', 'messaging'],
      queueUrls: ['https://sqs/queue'],
      scheduleGroups: ['group'],
    });
    expect(stores.notSearched.slice(0, 2)).toEqual([expect.stringContaining('log group logs'), 'bucket bucket']);
    expect(stores.notSearched.join()).not.toContain('role');
  });
});
