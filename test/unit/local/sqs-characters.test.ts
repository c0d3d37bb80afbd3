import { CreateQueueCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SqsEmulator, startSqs } from '../../../local/emulators/sqs.ts';

let emulator: SqsEmulator;
let client: SQSClient;
let QueueUrl: string | undefined;

beforeAll(async () => {
  emulator = await startSqs();
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  client = new SQSClient({ endpoint: emulator.url, region: 'local', credentials });
  ({ QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: 'characters' })));
});
afterAll(async () => {
  client?.destroy();
  await emulator?.close();
});

describe('the SQS emulator', () => {
  it.each(['🎉', 'Ñandú 日本語', '\t\n\r', '\ud7ff\ue000\ufffd\u{10000}\u{10ffff}'])(
    'takes %j as SQS does',
    async (MessageBody) => {
      await client.send(new SendMessageCommand({ QueueUrl, MessageBody }));
      const { Messages } = await client.send(new ReceiveMessageCommand({ QueueUrl }));
      expect(Messages?.[0]?.Body).toBe(MessageBody);
    },
  );

  it.each(['\u0000', '\u001f', '\ufffe', '\uffff'])('refuses %j as SQS does', async (MessageBody) => {
    const sent = client.send(new SendMessageCommand({ QueueUrl, MessageBody }));
    await expect(sent).rejects.toThrow('Invalid characters found');
  });
});
