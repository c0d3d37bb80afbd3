import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueUrlCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACCOUNT_ID, CREDENTIALS, REGION } from '../../../../local/base/aws-environment.ts';
import { createMovableClock } from '../../../../local/base/clock.ts';
import type { ListeningServer } from '../../../../local/base/listen-locally.ts';
import { startSqs } from '../../../../local/emulators/sqs/sqs.ts';

/** The contract in `test/contract/sqs` covers what SQS does; these tests cover the emulator's own rules. */
const clock = createMovableClock();
const IN_FLIGHT_LIMIT = 3;
let emulator: ListeningServer;
let sqs: SQSClient;

beforeAll(async () => {
  emulator = await startSqs({ clock, inFlightLimit: IN_FLIGHT_LIMIT });
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

const receive = async (QueueUrl: string, options: object = {}): Promise<readonly Message[]> => {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, ...options }),
  );
  return Messages;
};

describe('the SQS emulator', () => {
  it('finds a queue by name, with a URL on the loopback interface', async () => {
    const queueUrl = await createQueue('named');

    const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: 'named' }));

    expect(QueueUrl).toBe(queueUrl);
  });

  it('ends a long poll when the clock moves past a visibility timeout', async () => {
    const queueUrl = await createQueue('clock', { VisibilityTimeout: '43200' });
    await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: 'hidden' }));
    const [first, hidden] = [await receive(queueUrl), await receive(queueUrl)];
    const polling = receive(queueUrl, { WaitTimeSeconds: 20 });

    await clock.advance(43_201_000);

    expect([first.length, hidden.length, (await polling).length]).toEqual([1, 0, 1]);
  });

  it('keeps a message for other clients if the client of a long poll disconnects', async () => {
    const queueUrl = await createQueue('gone');
    const abort = new AbortController();
    const polling = sqs.send(new ReceiveMessageCommand({ QueueUrl: queueUrl, WaitTimeSeconds: 20 }), {
      abortSignal: abort.signal,
    });
    abort.abort();
    await expect(polling).rejects.toThrow();

    await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: 'kept' }));

    expect((await receive(queueUrl, { WaitTimeSeconds: 1 })).map(({ Body }) => Body)).toEqual(['kept']);
  });
});

describe('a queue with the maximum number of messages in flight', () => {
  it('returns an error for short polling and nothing for long polling if it is a standard queue', async () => {
    const QueueUrl = await createQueue('over-limit');
    for (const MessageBody of ['0', '1', '2', '3']) await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
    const received = await receive(QueueUrl);

    expect(received).toHaveLength(IN_FLIGHT_LIMIT);
    await expect(receive(QueueUrl)).rejects.toMatchObject({ name: 'OverLimit' });
    expect(await receive(QueueUrl, { WaitTimeSeconds: 1 })).toEqual([]);

    await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: received[0]?.ReceiptHandle }));
    expect((await receive(QueueUrl)).map(({ Body }) => Body)).toEqual(['3']);
  });

  it('returns nothing if it is a FIFO queue', async () => {
    const QueueUrl = await createQueue('over-limit.fifo', { FifoQueue: 'true' });
    for (const id of ['a', 'b', 'c', 'd']) {
      const fifo = { MessageGroupId: id, MessageDeduplicationId: id };
      await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: id, ...fifo }));
    }

    expect(await receive(QueueUrl)).toHaveLength(IN_FLIGHT_LIMIT);
    expect(await receive(QueueUrl)).toEqual([]);
  });
});

describe('what the SQS emulator does not support', () => {
  it.each(['constructor', '__proto__', 'toString'])('is refused even if every object has it: %s', async (operation) => {
    const response = await fetch(emulator.url, {
      method: 'POST',
      headers: { 'x-amz-target': `AmazonSQS.${operation}` },
      body: '{}',
    });

    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ message: `The local run does not support AmazonSQS.${operation}.` }),
    ]);
  });

  it('is refused: an operation', async () => {
    const setting = sqs.send(new SetQueueAttributesCommand({ QueueUrl: 'any', Attributes: {} }));
    await expect(setting).rejects.toThrow('The local run does not support AmazonSQS.SetQueueAttributes.');
  });

  it('is refused: a parameter', async () => {
    const QueueUrl = await createQueue('parameters.fifo', { FifoQueue: 'true' });
    await expect(receive(QueueUrl, { ReceiveRequestAttemptId: 'once' })).rejects.toThrow(
      "The local run's SQS does not support the parameter ReceiveRequestAttemptId of ReceiveMessage.",
    );
  });

  it('is refused: a parameter of a value', async () => {
    const QueueUrl = await createQueue('values');
    const MessageAttributes = { name: { DataType: 'String', StringValue: 'x', StringListValues: ['x'] } };
    await expect(sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x', MessageAttributes }))).rejects.toThrow(
      'the parameter StringListValues of MessageAttributes.name of SendMessage',
    );
  });

  it('is refused: an attribute of a queue', async () => {
    const creating = createQueue('encrypted', { KmsMasterKeyId: 'alias/aws/sqs' });
    await expect(creating).rejects.toThrow('does not support the queue attribute KmsMasterKeyId');
  });
});

describe('a request with a missing or invalid parameter', () => {
  it.each([
    [{ MessageBody: 'x' }, 'MissingParameter', 'QueueUrl'],
    [{ QueueUrl: 'any', MessageBody: 7 }, 'InvalidParameterValue', 'Value 7 for parameter MessageBody'],
    ['no JSON', 'MissingParameter', 'request'],
  ])('is refused: %j', async (body, code, sentence) => {
    const response = await fetch(emulator.url, {
      method: 'POST',
      headers: { 'x-amz-target': 'AmazonSQS.SendMessage' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      __type: `com.amazonaws.sqs#${code}`,
      message: expect.stringContaining(sentence),
    });
  });

  it('returns an error with the code of the query protocol, which older SDKs show', async () => {
    const changing = sqs.send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: `${emulator.url}/${ACCOUNT_ID}/missing`,
        ReceiptHandle: 'x',
        VisibilityTimeout: 0,
      }),
    );
    await expect(changing).rejects.toMatchObject({
      name: 'QueueDoesNotExist',
      Code: 'AWS.SimpleQueueService.NonExistentQueue',
    });
  });
});
