import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { CreateQueueCommand, GetQueueAttributesCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CREDENTIALS, REGION } from '../../../../local/base/aws-environment.ts';
import { createMovableClock } from '../../../../local/base/clock.ts';
import { type ListeningServer, listenLocally } from '../../../../local/base/listen-locally.ts';
import { startSqs } from '../../../../local/emulators/sqs/sqs.ts';
import { authenticate } from '../../../../local/http-api/iam-authorizer.ts';
import { createDeadLetterOperations } from '../../../../local/inspector/dead-letters.ts';
import { createLocalManagementClient } from '../../../../local/inspector/management-client.ts';
import { NOW } from '../../../support/builders.ts';

type Operations = ReturnType<typeof createDeadLetterOperations>;

interface Call {
  readonly call: string;
  readonly body: unknown;
  readonly signer: string | undefined;
  /** How many messages the queue of dead requests had, including those in flight. */
  readonly deadRequests: number;
}

const clock = createMovableClock();
let emulator: ListeningServer;
let management: ListeningServer;
let sqs: SQSClient;
let urls: Parameters<typeof createDeadLetterOperations>[1];
let operations: Operations;
let calls: Call[] = [];
/** The answers of the management API besides 404, by route. */
let answers: Record<string, readonly unknown[]> = {};
let runs = 0;

beforeAll(async () => {
  emulator = await startSqs({ clock, pollSecondMs: 50 });
  sqs = new SQSClient({ region: REGION, credentials: CREDENTIALS, endpoint: emulator.url });
  management = await listenLocally(
    createServer(async (request, response) => {
      const body = await text(request);
      const signer = await authenticate(request, Buffer.from(body), CREDENTIALS, [new Date()]);
      const call = `${request.method} ${request.url}`;
      const deadRequests = await count(urls.sendDeadLetterQueueUrl);
      const before = calls.filter((earlier) => earlier.call === call).length;
      calls.push({ call, body: body === '' ? undefined : JSON.parse(body), signer: signer?.userArn, deadRequests });
      const answer = answers[call]?.[before];
      const notFound = { code: 'DEAD_LETTER_NOT_FOUND', message: 'Not found.' };
      response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer ?? notFound));
    }),
  );
});
afterAll(async () => {
  sqs.destroy();
  await management.close();
  await emulator.close();
});

beforeEach(async () => {
  runs += 1;
  const createQueue = async (name: string) => {
    const QueueName = `${name}-${runs}${name.startsWith('send') ? '.fifo' : ''}`;
    const Attributes = name.startsWith('send') ? { FifoQueue: 'true' } : {};
    await sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
    return `${emulator.url}/000000000000/${QueueName}`;
  };
  urls = {
    sendDeadLetterQueueUrl: await createQueue('send-dead'),
    bulkSendDeadLetterQueueUrl: await createQueue('send-bulk-dead'),
    inboundDeadLetterQueueUrl: await createQueue('inbound-dead'),
  };
  calls = [];
  const record = Array.from({ length: 9 }, () => ({ id: 'audit-1' }));
  answers = { 'POST /v1/audit': record, [LIST_KEPT]: [{ deadLetters: [] }] };
  operations = createDeadLetterOperations(sqs, urls, createLocalManagementClient(management.url));
});

const LIST_KEPT = 'GET /v1/dead-letters?queue=send&limit=500';

const put = async (url: string, body: string, { groupId, reason }: { groupId?: string; reason?: string } = {}) => {
  const { MessageId = '' } = await sqs.send(
    new SendMessageCommand({
      QueueUrl: url,
      MessageBody: body,
      ...(reason && { MessageAttributes: { reason: { DataType: 'String', StringValue: reason } } }),
      ...(groupId && { MessageGroupId: groupId, MessageDeduplicationId: body }),
    }),
  );
  return MessageId;
};
const putRequest = (requestId: string, groupId = 'a') =>
  put(urls.sendDeadLetterQueueUrl, JSON.stringify({ requestId }), { groupId });

const count = async (QueueUrl: string): Promise<number> => {
  const AttributeNames = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...AttributeNames] }),
  );
  return AttributeNames.reduce((sum, name) => sum + Number(Attributes?.[name] ?? 0), 0);
};
const requestIds = async () => (await operations.deadLetters('send')).map(({ requestId }) => requestId);
const audited = () => calls.filter(({ call }) => call === 'POST /v1/audit').map(({ body }) => body);

describe('the dead letters', () => {
  it('are shown with their reasons, requests, and times, without being hidden from others', async () => {
    const at = clock.now().getTime();
    const id = await put(urls.sendDeadLetterQueueUrl, '{"requestId":"r-1"}', { groupId: 'a', reason: 'MALFORMED: x' });
    await put(urls.sendDeadLetterQueueUrl, '{"scheduledRequestId":"r-2"}', { groupId: 'a' });
    await put(urls.sendDeadLetterQueueUrl, '{"requestId":3', { groupId: 'b' });
    await put(urls.inboundDeadLetterQueueUrl, '{"requestId":"not-a-request"}');

    const [first, second, third] = await operations.deadLetters('send');

    expect(first).toEqual({
      id,
      body: '{"requestId":"r-1"}',
      reason: 'MALFORMED: x',
      groupId: 'a',
      requestId: 'r-1',
      since: expect.any(String),
      receiveCount: 1,
    });
    expect(Date.parse(first?.since ?? '')).toBeGreaterThanOrEqual(at);
    expect(second).toMatchObject({ requestId: 'r-2', reason: 'maximum receives exceeded' });
    expect(third).toMatchObject({ requestId: undefined, groupId: 'b' });
    expect((await operations.deadLetters('inbound'))[0]?.requestId).toBeUndefined();
    expect(await operations.deadLetters('send')).toHaveLength(3);
    expect(calls).toEqual([]);
  });

  it('are discarded one at a time', async () => {
    await putRequest('r-1');
    const id = await putRequest('r-2');

    expect(await operations.discard('send', id)).toEqual({ kind: 'discarded' });

    expect(await requestIds()).toEqual(['r-1']);
    expect(audited()).toEqual([{ action: 'dead-letter-deletion', queue: 'send', deadLetterId: id }]);
    expect(calls[0]?.deadRequests).toBe(2);
  });

  it('of bulk requests are shown and discarded', async () => {
    const putBulk = (requestId: string) =>
      put(urls.bulkSendDeadLetterQueueUrl ?? '', JSON.stringify({ requestId }), { groupId: 'a' });
    const [one] = [await putBulk('r-1'), await putBulk('r-2')];
    await putRequest('other');

    expect((await operations.deadLetters('bulk')).map(({ requestId }) => requestId)).toEqual(['r-1', 'r-2']);
    expect(await operations.discard('bulk', one)).toEqual({ kind: 'discarded' });

    expect(await requestIds()).toEqual(['other']);
    expect(audited()).toEqual([{ action: 'dead-letter-deletion', queue: 'bulk', deadLetterId: one }]);
  });

  it('that are kept in the table are discarded there', async () => {
    const kept = { id: 'kept-2', queue: 'send', reason: 'MALFORMED', groupId: 'a', since: NOW, keptAt: NOW };
    answers['GET /v1/dead-letters/kept-2'] = [{ ...kept, body: 'two' }];
    answers['DELETE /v1/dead-letters/kept-2'] = [{ id: 'kept-2' }];

    expect(await operations.discard('send', 'kept-2')).toEqual({ kind: 'discarded' });

    expect(calls.map(({ call }) => call)).toEqual([
      'POST /v1/audit',
      'GET /v1/dead-letters/kept-2',
      'DELETE /v1/dead-letters/kept-2',
    ]);
  });

  it('that no longer exist are reported, and the others stay', async () => {
    const gone = { kind: 'refused', status: 404, message: expect.stringMatching(/^Dead letter gone not found\./) };
    await putRequest('r-1');

    expect(await operations.discard('send', 'gone')).toEqual(gone);
    answers['POST /v1/redrives'] = [{ moved: 0, deleted: 0, left: 1, isComplete: true, before: NOW }];
    expect(await operations.redrive('send', 'gone')).toEqual(gone);

    expect(await requestIds()).toEqual(['r-1']);
  });

  it('stay if the audit trail refuses the entry', async () => {
    const id = await putRequest('r-1');
    answers = {};

    expect(await operations.discard('send', id)).toEqual({ kind: 'refused', status: 404, message: 'Not found.' });
    expect(await requestIds()).toEqual(['r-1']);
  });

  it('are found by actions and listings that start during another one', async () => {
    const [one, two, three] = [await putRequest('r-1'), await putRequest('r-2', 'b'), await putRequest('r-3', 'c')];

    const results = await Promise.all([
      operations.discard('send', two),
      operations.discard('send', three),
      requestIds(),
      operations.discard('send', 'gone'),
      operations.discard('send', one),
    ]);

    expect(results).toMatchObject([
      { kind: 'discarded' },
      { kind: 'discarded' },
      ['r-1'],
      { kind: 'refused' },
      { kind: 'discarded' },
    ]);
  });
});

describe.each(['send', 'bulk', 'inbound'] as const)('a redrive of %s', (queue) => {
  const before = '2026-11-20T12:00:00.000Z';
  const answer = { moved: 4, deleted: 0, left: 0, before };

  it('is made by signed calls of the management API, which records it, and touches no queue', async () => {
    await putRequest('r-1');
    answers['POST /v1/redrives'] = [
      { ...answer, isComplete: false },
      { ...answer, isComplete: true },
    ];

    expect(await operations.redrive(queue)).toEqual({ kind: 'redriven', moved: 8 });

    const signer = 'arn:aws:iam::000000000000:user/local';
    expect(calls).toMatchObject([
      { call: 'POST /v1/redrives', body: { queue }, signer },
      { call: 'POST /v1/redrives', body: { queue, before }, signer },
    ]);
    expect(await count(urls.sendDeadLetterQueueUrl)).toBe(1);
  });

  it('can be of one dead letter', async () => {
    answers['POST /v1/redrives'] = [{ ...answer, moved: 1, isComplete: true }];

    expect(await operations.redrive(queue, 'letter-1')).toEqual({ kind: 'redriven', moved: 1 });

    expect(calls.map(({ body }) => body)).toEqual([{ queue, deadLetterId: 'letter-1' }]);
  });

  it('is refused if the API refuses it', async () => {
    expect(await operations.redrive(queue)).toEqual({ kind: 'refused', status: 404, message: 'Not found.' });
  });
});

describe('dead events', () => {
  it('are discarded, with an entry in the audit trail', async () => {
    const id = await put(urls.inboundDeadLetterQueueUrl, 'event');

    expect(await operations.discard('inbound', id)).toEqual({ kind: 'discarded' });

    expect(await count(urls.inboundDeadLetterQueueUrl)).toBe(0);
    expect(audited()).toEqual([{ action: 'dead-letter-deletion', queue: 'inbound', deadLetterId: id }]);
  });
});
