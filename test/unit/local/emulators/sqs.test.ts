import {
  CreateQueueCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACCOUNT_ID, CREDENTIALS, REGION } from '../../../../local/aws-environment.ts';
import { type SqsEmulator, startSqs } from '../../../../local/emulators/sqs.ts';

let emulator: SqsEmulator;
let sqs: SQSClient;

beforeAll(async () => {
  emulator = await startSqs();
  sqs = new SQSClient({ endpoint: emulator.url, region: REGION, credentials: CREDENTIALS });
});
afterAll(async () => {
  sqs?.destroy();
  await emulator?.close();
});

const createQueue = async (name: string, attributes: Record<string, string> = {}): Promise<string> => {
  await sqs.send(new CreateQueueCommand({ QueueName: name, Attributes: attributes }));
  return `${emulator.url}/${ACCOUNT_ID}/${name}`;
};

describe('the characters of a message', () => {
  let QueueUrl: string;
  beforeAll(async () => {
    QueueUrl = await createQueue('characters');
  });

  it.each(['🎉', 'Ñandú 日本語', '\t\n\r', '\ud7ff\ue000\ufffd\u{10000}\u{10ffff}'])(
    'are accepted, as on SQS: %j',
    async (MessageBody) => {
      await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
      const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl }));
      expect(Messages?.[0]?.Body).toBe(MessageBody);
    },
  );

  it.each(['\u0000', '\u001f', '\ufffe', '\uffff'])('are rejected, as on SQS: %j', async (MessageBody) => {
    const sent = sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
    await expect(sent).rejects.toThrow('Invalid characters found');
  });
});

describe('the SQS emulator', () => {
  it.each([
    ['messageGroup', ['a', 'b']],
    ['queue', ['a']],
  ])('deduplicates per %s, and returns the deduplication id unchanged', async (scope, accepted) => {
    const QueueUrl = await createQueue(`${scope}.fifo`, { FifoQueue: 'true', DeduplicationScope: scope });

    for (const MessageGroupId of ['a', 'b', 'a', 'b']) {
      const message = { MessageGroupId, MessageBody: MessageGroupId, MessageDeduplicationId: 'one "id"' };
      await sqs.send(new SendMessageCommand({ QueueUrl, ...message }));
    }

    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, MessageSystemAttributeNames: ['All'] }),
    );
    expect(Messages.map(({ Body }) => Body)).toEqual(accepted);
    expect(Messages.map(({ Attributes }) => Attributes?.MessageDeduplicationId)).toEqual(
      accepted.map(() => 'one "id"'),
    );
  });

  it('finds a queue by name, with a URL on the loopback interface', async () => {
    const queueUrl = await createQueue('named');

    const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: 'named' }));

    expect(QueueUrl).toBe(queueUrl);
  });

  it('ends a visibility timeout when the clock moves past it', async () => {
    const queueUrl = await createQueue('clock', { VisibilityTimeout: '43200' });
    await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: 'hidden' }));
    const receive = async () =>
      (await sqs.send(new ReceiveMessageCommand({ QueueUrl: queueUrl }))).Messages?.length ?? 0;
    const [first, hidden] = [await receive(), await receive()];

    await emulator.setClock(43_201_000);
    const after = await receive();

    expect([first, hidden, after]).toEqual([1, 0, 1]);
  });
});
