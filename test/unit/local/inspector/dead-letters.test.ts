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
    sendQueueUrl: await createQueue('send'),
    sendDeadLetterQueueUrl: await createQueue('send-dead'),
    bulkSendQueueUrl: await createQueue('send-bulk'),
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

  it('are redriven one at a time, also behind others of their group, which stay in order', async () => {
    await putRequest('r-1');
    const id = await putRequest('r-2');
    await putRequest('r-3');

    expect(await operations.redrive('send', id)).toEqual({ kind: 'redriven', moved: 1 });

    expect(await requestIds()).toEqual(['r-1', 'r-3']);
    expect(await count(urls.sendQueueUrl)).toBe(1);
    expect(audited()).toEqual([{ action: 'redrive', queue: 'send', deadLetterId: id }]);
    expect(calls[0]).toMatchObject({ deadRequests: 3, signer: 'arn:aws:iam::000000000000:user/local' });
  });

  it('are discarded one at a time', async () => {
    await putRequest('r-1');
    const id = await putRequest('r-2');

    expect(await operations.discard('send', id)).toEqual({ kind: 'discarded' });

    expect(await requestIds()).toEqual(['r-1']);
    expect(await count(urls.sendQueueUrl)).toBe(0);
    expect(audited()).toEqual([{ action: 'dead-letter-deletion', queue: 'send', deadLetterId: id }]);
    expect(calls[0]?.deadRequests).toBe(2);
  });

  it('are all redriven, with an entry in the audit trail', async () => {
    await putRequest('r-1');
    await putRequest('r-2');
    await putRequest('r-3', 'b');

    expect(await operations.redrive('send')).toEqual({ kind: 'redriven', moved: 3 });

    expect(await count(urls.sendQueueUrl)).toBe(3);
    expect(audited()).toEqual([{ action: 'redrive', queue: 'send' }]);
    expect(calls[0]).toMatchObject({ call: 'POST /v1/audit', deadRequests: 3 });
  });

  it('of bulk requests are shown, redriven to their own queue, and discarded', async () => {
    const putBulk = (requestId: string) =>
      put(urls.bulkSendDeadLetterQueueUrl ?? '', JSON.stringify({ requestId }), { groupId: 'a' });
    const [one, two] = [await putBulk('r-1'), await putBulk('r-2'), await putBulk('r-3')];
    await putRequest('other');
    answers['GET /v1/dead-letters?queue=bulk&limit=500'] = [{ deadLetters: [] }];

    expect((await operations.deadLetters('bulk')).map(({ requestId }) => requestId)).toEqual(['r-1', 'r-2', 'r-3']);
    expect(await operations.redrive('bulk', two)).toEqual({ kind: 'redriven', moved: 1 });
    expect(await operations.discard('bulk', one)).toEqual({ kind: 'discarded' });
    expect(await operations.redrive('bulk')).toEqual({ kind: 'redriven', moved: 1 });

    expect(await count(urls.bulkSendQueueUrl ?? '')).toBe(2);
    expect(calls.map(({ call }) => call)).toContain('GET /v1/dead-letters?queue=bulk&limit=500');
    expect(await count(urls.sendQueueUrl)).toBe(0);
    expect(await requestIds()).toEqual(['other']);
    expect(audited()).toEqual([
      { action: 'redrive', queue: 'bulk', deadLetterId: two },
      { action: 'dead-letter-deletion', queue: 'bulk', deadLetterId: one },
      { action: 'redrive', queue: 'bulk' },
    ]);
  });

  it('that are kept in the table are redriven and discarded there', async () => {
    const kept = (id: string) => ({ id, queue: 'send', reason: 'MALFORMED', groupId: 'a', since: NOW, keptAt: NOW });
    answers['GET /v1/dead-letters/kept-1'] = [{ ...kept('kept-1'), body: 'one' }];
    answers['DELETE /v1/dead-letters/kept-1'] = [{ id: 'kept-1' }];
    answers['GET /v1/dead-letters/kept-2'] = [{ ...kept('kept-2'), body: 'two' }];
    answers['DELETE /v1/dead-letters/kept-2'] = [{ id: 'kept-2' }];

    expect(await operations.redrive('send', 'kept-1')).toEqual({ kind: 'redriven', moved: 1 });
    expect(await operations.discard('send', 'kept-2')).toEqual({ kind: 'discarded' });

    expect(await count(urls.sendQueueUrl)).toBe(1);
    expect(calls.map(({ call }) => call)).toEqual([
      'POST /v1/audit',
      'GET /v1/dead-letters/kept-1',
      'DELETE /v1/dead-letters/kept-1',
      'POST /v1/audit',
      'GET /v1/dead-letters/kept-2',
      'DELETE /v1/dead-letters/kept-2',
    ]);
  });

  it('that no longer exist are reported, and the others stay', async () => {
    const gone = { kind: 'refused', status: 404, message: expect.stringMatching(/^Dead letter gone not found\./) };
    await putRequest('r-1');

    expect(await operations.redrive('send', 'gone')).toEqual(gone);
    expect(await operations.discard('send', 'gone')).toEqual(gone);
    answers['POST /v1/redrives'] = [{ moved: 0, left: 0, isComplete: true, before: NOW }];
    expect(await operations.redrive('inbound', 'gone')).toEqual(gone);

    expect(await requestIds()).toEqual(['r-1']);
  });

  it('stay if the audit trail refuses the entry', async () => {
    const id = await putRequest('r-1');
    answers = {};

    for (const result of [await operations.redrive('send', id), await operations.discard('send', id)]) {
      expect(result).toEqual({ kind: 'refused', status: 404, message: 'Not found.' });
    }
    expect(await requestIds()).toEqual(['r-1']);
  });

  it('are found by actions and listings that start during another one', async () => {
    const [one, two, three] = [await putRequest('r-1'), await putRequest('r-2', 'b'), await putRequest('r-3', 'c')];

    const results = await Promise.all([
      operations.redrive('send', two),
      operations.discard('send', three),
      requestIds(),
      operations.redrive('send', 'gone'),
      operations.discard('send', one),
    ]);

    expect(results).toMatchObject([
      { kind: 'redriven' },
      { kind: 'discarded' },
      ['r-1'],
      { kind: 'refused' },
      { kind: 'discarded' },
    ]);
  });
});

describe('dead events', () => {
  const before = '2026-11-20T12:00:00.000Z';

  it('are redriven by signed calls of the management API, which records them, and not by messages', async () => {
    await put(urls.inboundDeadLetterQueueUrl, 'event');
    const answer = { moved: 4, left: 0, before };
    answers['POST /v1/redrives'] = [
      { ...answer, isComplete: false },
      { ...answer, isComplete: true },
    ];

    expect(await operations.redrive('inbound')).toEqual({ kind: 'redriven', moved: 8 });

    const signer = 'arn:aws:iam::000000000000:user/local';
    expect(calls).toMatchObject([
      { call: 'POST /v1/redrives', body: { queue: 'inbound' }, signer },
      { call: 'POST /v1/redrives', body: { queue: 'inbound', before }, signer },
    ]);
    expect(await count(urls.inboundDeadLetterQueueUrl)).toBe(1);
  });

  it('are redriven one at a time', async () => {
    answers['POST /v1/redrives'] = [{ moved: 1, left: 0, before, isComplete: true }];

    expect(await operations.redrive('inbound', 'event-1')).toEqual({ kind: 'redriven', moved: 1 });

    expect(calls.map(({ body }) => body)).toEqual([{ queue: 'inbound', deadLetterId: 'event-1' }]);
  });

  it('are discarded, with an entry in the audit trail', async () => {
    const id = await put(urls.inboundDeadLetterQueueUrl, 'event');

    expect(await operations.discard('inbound', id)).toEqual({ kind: 'discarded' });

    expect(await count(urls.inboundDeadLetterQueueUrl)).toBe(0);
    expect(audited()).toEqual([{ action: 'dead-letter-deletion', queue: 'inbound', deadLetterId: id }]);
  });
});
