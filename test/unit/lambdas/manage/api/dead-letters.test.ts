import { CreateQueueCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSqsDeadLetterSource } from '../../../../../lambdas/adapters/sqs-dead-letters.ts';
import { bufferedHeader, bufferedText, parseBufferedRequest } from '../../../../../lambdas/domain/buffered-request.ts';
import { contactRef } from '../../../../../lambdas/domain/contact.ts';
import { type KeptQueue, subjectsOf } from '../../../../../lambdas/domain/dead-letter.ts';
import { seconds } from '../../../../../lambdas/domain/duration.ts';
import { addMs } from '../../../../../lambdas/domain/instant.ts';
import { serializeRequest } from '../../../../../lambdas/domain/serialized-request.ts';
import { createKeepDeadLetters } from '../../../../../lambdas/manage/keep-dead-letters.ts';
import type { KeptDeadLetterRepository } from '../../../../../lambdas/ports.ts';
import { createMovableClock, type MovableClock } from '../../../../../local/base/clock.ts';
import type { ListeningServer } from '../../../../../local/base/listen-locally.ts';
import { startSqs } from '../../../../../local/emulators/sqs/sqs.ts';
import { NOW, USER, wireMessage } from '../../../../support/builders.ts';
import { recordingMetrics, silentLog } from '../../../../support/telemetry.ts';
import { testTables } from '../../../../support/test-tables.ts';
import { createManagedStage, type ManagedStage } from '../managed-stage.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

const tables = testTables();
const OTHER = '+5491150000099';

let clock: MovableClock;
let emulator: ListeningServer;
let sqs: SQSClient;
let stage: ManagedStage;
let url: string;
let queues = 0;

beforeAll(async () => {
  clock = createMovableClock();
  emulator = await startSqs({ clock, pollSecondMs: 50 });
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  sqs = new SQSClient({ region: 'us-east-1', credentials, endpoint: emulator.url });
});
afterAll(async () => {
  sqs.destroy();
  await emulator.close();
});
beforeEach(async () => {
  stage = await createManagedStage(tables);
  url = await createQueue(false);
});

const createQueue = async (isFifo: boolean): Promise<string> => {
  queues += 1;
  const QueueName = `dead-${queues}${isFifo ? '.fifo' : ''}`;
  const Attributes = { MessageRetentionPeriod: String(14 * 86_400), ...(isFifo && { FifoQueue: 'true' }) };
  await sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
  return `${emulator.url}/000000000000/${QueueName}`;
};
const put = async (body: string, { reason = 'X', groupId }: { reason?: string; groupId?: string } = {}) => {
  const MessageAttributes = { reason: { DataType: 'String', StringValue: reason } };
  const fifo = groupId && { MessageGroupId: groupId, MessageDeduplicationId: String(body.length) };
  const command = new SendMessageCommand({ QueueUrl: url, MessageBody: body, MessageAttributes, ...fifo });
  return (await sqs.send(command)).MessageId ?? '';
};
const inQueue = async (): Promise<readonly string[]> => {
  const command = new ReceiveMessageCommand({ QueueUrl: url, MaxNumberOfMessages: 10, VisibilityTimeout: 0 });
  return ((await sqs.send(command)).Messages ?? []).map(({ Body = '' }) => Body);
};
const keep = async (
  queue: KeptQueue = 'inbound',
  deadLetters: KeptDeadLetterRepository = stage.deadLetters,
  hasTime = () => true,
) => {
  const metrics = recordingMetrics();
  const run = createKeepDeadLetters({
    sources: [createSqsDeadLetterSource(sqs, queue, url, { sourceUrl: undefined, hiddenSeconds: seconds(60) })],
    deadLetters,
    clock: { now: () => clock.now().toISOString() },
    randomness: stage.ports.randomness,
    chatPlatform: 'chat',
    log: silentLog,
    metrics,
  });
  await run(hasTime);
  return metrics.counted;
};
/** Calls a route 90 seconds later, when the function that moved the dead letters must have ended. */
const callLater: ManagedStage['call'] = (...parameters) => {
  stage.setNow(addMs(clock.now().toISOString(), 90_000));
  return stage.call(...parameters);
};
const kept = async (queue: KeptQueue = 'inbound') =>
  (await callLater('listDeadLetters', { query: { queue } })).body as { deadLetters: { id: string }[] };

describe('a dead letter', () => {
  it('stays in its queue for a week, and is kept in the table before SQS deletes it, for good', async () => {
    const id = await put('{"nobody":"knows this"}');
    const since = clock.now().toISOString();
    await clock.advance(6 * DAY_MS);
    await keep();
    expect([(await kept()).deadLetters, await inQueue()]).toEqual([[], ['{"nobody":"knows this"}']]);

    await clock.advance(DAY_MS);
    await keep();
    await clock.advance(60 * DAY_MS);

    expect(await inQueue()).toEqual([]);
    expect(await kept()).toMatchObject({ deadLetters: [{ id, queue: 'inbound', reason: 'X' }] });
    const { body } = await callLater('getDeadLetter', { id });
    expect(body).toMatchObject({ id, body: '{"nobody":"knows this"}', reason: 'X' });
    expect(Object(body).since.slice(0, 16)).toBe(since.slice(0, 16));
    const items = Object.entries(await stage.items()).filter(([key]) => key.startsWith('DEADLETTER'));
    expect(items.flatMap(([, item]) => ('expiresAt' in item ? [item] : []))).toEqual([]);
  });

  it('of the maximum size of SQS is kept byte for byte, whatever its characters', async () => {
    const body = 'ñ€😀"'.repeat(100_000);
    await put(body);
    await clock.advance(8 * DAY_MS);
    await keep();

    const [first] = (await kept()).deadLetters;
    expect(Buffer.byteLength(body)).toBeGreaterThan(900_000);
    expect(Object((await callLater('getDeadLetter', { id: first?.id ?? '' })).body).body).toBe(body);
  });

  it('is deleted with everything that was stored for it, and then no longer found', async () => {
    const id = await put(`not JSON, from ${USER}`);
    await clock.advance(8 * DAY_MS);
    await keep();

    expect((await callLater('deleteDeadLetter', { id })).status).toBe(200);
    expect((await callLater('deleteDeadLetter', { id })).status).toBe(404);
    expect((await callLater('getDeadLetter', { id })).status).toBe(404);
    expect((await kept()).deadLetters).toEqual([]);
    expect(Object.keys(await stage.items()).filter((key) => key.startsWith('DEADLETTER'))).toEqual([]);
  });

  it('can be found and deleted only when its writer must have ended, because a late write could add text', async () => {
    const id = await put(`not JSON, from ${USER}`);
    await clock.advance(8 * DAY_MS);
    await keep();
    stage.setNow(addMs(clock.now().toISOString(), 80_000));

    const list = await stage.call('listDeadLetters', { query: { queue: 'inbound' } });
    expect(list.body).toMatchObject({ deadLetters: [] });
    expect((await stage.call('getDeadLetter', { id })).status).toBe(404);
    expect((await stage.call('deleteDeadLetter', { id })).status).toBe(404);
    expect((await stage.call('listAudit')).body).toMatchObject({ entries: [] });
    expect((await kept()).deadLetters).toMatchObject([{ id }]);
  });

  it('that is hidden because a run died makes the next run fail, so that Lambda retries it', async () => {
    const id = await put('{}');
    await clock.advance(8 * DAY_MS);
    await sqs.send(new ReceiveMessageCommand({ QueueUrl: url, VisibilityTimeout: 90 }));
    await expect(keep()).rejects.toThrow('Another consumer has received dead letters of inbound.');

    await clock.advance(90_000);
    await keep();

    expect((await kept()).deadLetters).toMatchObject([{ id }]);
  });

  it('is never lost when a run is interrupted at any point, and is kept once', async () => {
    for (const method of ['before', 'after'] as const) {
      const id = await put(`interrupted ${method}`);
      await clock.advance(8 * DAY_MS);
      const failing: KeptDeadLetterRepository = {
        ...stage.deadLetters,
        async keep(...args) {
          if (method === 'after') await stage.deadLetters.keep(...args);
          throw new Error('killed');
        },
      };
      await expect(keep('inbound', failing)).rejects.toThrow('killed');
      expect(await inQueue()).toEqual([`interrupted ${method}`]);

      await keep();
      expect((await kept()).deadLetters.filter((one) => one.id === id)).toHaveLength(1);
      expect(await inQueue()).toEqual([]);
    }
  });

  it('raises a metric each day until it is handled', async () => {
    const id = await put('waiting');
    expect(await keep()).toEqual([]);
    await clock.advance(8 * DAY_MS);
    await keep();
    expect(await keep()).toEqual(['DeadLettersWaiting']);

    await callLater('deleteDeadLetter', { id });

    expect(await keep()).toEqual([]);
  });

  it('fails the run if there is no time for all, so that Lambda retries it', async () => {
    await put('late');
    await clock.advance(8 * DAY_MS);

    await expect(keep('inbound', stage.deadLetters, () => false)).rejects.toThrow('Time ran out');
    expect(await inQueue()).toEqual(['late']);
  });
});

/** As a stage with buffered ingress puts a request on the queue. */
const buffered = (raw: string) =>
  bufferedText({
    requestId: '',
    receivedAtMs: String(Date.parse(NOW)),
    chatChannelNumber: '',
    headers: bufferedHeader('auth-bm-token', Buffer.from('secret-token').toString('base64')),
    body: Buffer.from(raw).toString('base64'),
  });

describe('a webhook request that was never verified', () => {
  it('is shown without its credentials, and kept with them for a redrive', async () => {
    const body = buffered('{"_id_":"1"}');
    await put(body);
    await clock.advance(8 * DAY_MS);
    await keep();
    await clock.advance(90_000);
    stage.setNow(clock.now().toISOString());
    const [one] = (await kept()).deadLetters;

    const shown = Object((await stage.call('getDeadLetter', { id: one?.id ?? '' })).body).body;
    expect(parseBufferedRequest(shown)).toMatchObject({
      headers: { 'auth-bm-token': '***' },
      unverifiedBody: Buffer.from('{"_id_":"1"}'),
    });
    expect((await stage.deadLetters.read(one?.id ?? ''))?.body).toBe(body);
  });
});

describe('an erasure', () => {
  const event = (raw: string) => serializeRequest({ rawBody: Buffer.from(raw), receivedAt: NOW }, 'reason') ?? '';
  const eventOf = (FROM: string) => event(JSON.stringify({ FROM, CUSTOMER_ID: 'customer-1', STATUS: 7 }));
  const erasureOf = (changes: object) =>
    JSON.stringify({
      erasureId: 'e',
      requestedAt: NOW,
      platform: 'chat',
      customers: [],
      otherCustomers: [],
      ...changes,
    });
  /** Moves a dead letter to the table, and waits until the function that moves it must have ended. */
  const keepAWeek = async (body: string, queue?: KeptQueue) => {
    await put(body);
    await clock.advance(8 * DAY_MS);
    await keep(queue);
    await clock.advance(90_000);
    stage.setNow(clock.now().toISOString());
  };
  /** The keys of the contacts under which a dead letter is kept. */
  const keysOf = (deadLetter: { readonly body: string; readonly groupId?: string }) =>
    subjectsOf({ queue: 'send', ...deadLetter }, 'chat').flatMap((subject) => ('key' in subject ? [subject.key] : []));
  const due = JSON.stringify({ MessageBody: '{"scheduledRequestId":"r"}', MessageGroupId: USER });

  it.each<[string, KeptQueue, string]>([
    ['an event from a spelling of the number', 'inbound', event(JSON.stringify({ FROM: '+54 11 5555-0000' }))],
    ['a request that was never verified', 'inbound', buffered(JSON.stringify({ FROM: USER, MESSAGE: 'secret' }))],
    ['a malformed request', 'send', `{"platformContactId":"${USER}","mess`],
    ['a request', 'send', JSON.stringify({ requestId: 'r', platformContactId: USER })],
    ['a scheduled send', 'schedules', due],
    ['another erasure', 'erasures', erasureOf({ contact: contactRef('chat', USER) })],
  ])('deletes %s', async (_name, queue, body) => {
    await keepAWeek(body, queue);
    expect((await kept(queue)).deadLetters).toHaveLength(1);

    await stage.call('eraseContact', { id: USER });
    await stage.erase();

    expect((await kept(queue)).deadLetters).toEqual([]);
    expect(Object.keys(await stage.items()).filter((key) => key.startsWith('DEADLETTER'))).toEqual([]);
  });

  it('leaves what another user wrote, even if it mentions the number', async () => {
    await keepAWeek(event(JSON.stringify({ FROM: OTHER, MESSAGE: `Call ${USER}` })));

    await stage.call('eraseContact', { id: USER });
    await stage.erase();

    expect((await kept()).deadLetters).toHaveLength(1);
  });

  describe.each<[string, () => Promise<unknown>]>([
    ['a customer', () => stage.call('eraseCustomer', { id: 'customer-1' })],
    ['an address of the customer', () => stage.call('eraseContact', { id: USER })],
  ])('of %s', (_what, erase) => {
    it.each<[string, KeptQueue, string]>([
      ['an event without an address', 'inbound', event('{"CUSTOMER_ID":"customer-1","STATUS":7}')],
      ['an event of an address that is not stored', 'inbound', eventOf(OTHER)],
      ['a request', 'send', '{"requestId":"r","customerId":"customer-1"}'],
      ['a request of the bulk lane', 'bulk', '{"requestId":"r","customerId":"customer-1"}'],
      ['a schedule', 'schedules', '{"MessageBody":"{}","customerId":"customer-1"}'],
      ['the message group of a schedule', 'schedules', '{"MessageBody":"{}","MessageGroupId":"customer-1"}'],
      ['an erasure', 'erasures', erasureOf({ customers: [{ platform: 'chat', customerId: 'customer-1' }] })],
    ])('deletes %s that names only the customer', async (_name, queue, body) => {
      await stage.receive(wireMessage());
      await keepAWeek(body, queue);
      expect((await kept(queue)).deadLetters).toHaveLength(1);

      await erase();
      await stage.erase();

      expect((await kept(queue)).deadLetters).toEqual([]);
    });

    it('leaves those of another customer, and of an address that was separated from the customer', async () => {
      await stage.receive(wireMessage());
      await stage.receive(wireMessage({ _id_: 'm-2', FROM: OTHER }));
      await stage.call('separateCustomer', { body: { platformContactId: OTHER, customerId: 'customer-1' } });
      await keepAWeek(eventOf(OTHER));
      await keepAWeek(event('{"CUSTOMER_ID":"customer-2","MESSAGE":"customer-1"}'));

      await erase();
      await stage.erase();

      expect((await kept()).deadLetters).toHaveLength(2);
    });
  });

  it.each([
    ['before another number', '5491155550000 2026-11-22'],
    ['after another number', '1 5491155550000'],
    ['without a plus', '54 9 11 5555-0000'],
    ['with a plus', '+54 9 (11) 5555-0000'],
  ])('finds a number in a body that is not JSON: %s', (_case, text) => {
    const keys = keysOf({ body: `to ${text}: hello` });
    expect(keys).toContain('541155550000');
  });

  it.each([
    ['platformContactId', '{"requestId":"request-1","platformContactId":"señora-nº-13","messageText":"Hi'],
    ['an escaped FROM', String.raw`{"FROM" : "se\u00f1ora-n\u00ba-13", "MESSAGE": {`],
    ['a contactId', '{"v":"1.1","contactId":"señora-nº-13","messages":['],
    ['a TO behind a FROM', '{"FROM":"me","TO":"señora-nº-13",}'],
  ])('counts the contact that a field names in malformed JSON: %s', (_, body) => {
    // A message group cannot have the name of every contact.
    const keys = keysOf({ body, groupId: '0a4e69cc' });
    expect(keys).toEqual(['señora-nº-13', '0a4e69cc']);
  });

  it('finds at most 50 contacts per dead letter, the first ones', () => {
    const numbers = Array.from({ length: 60 }, (_, index) => `+54115000${1000 + index}`);
    const found = keysOf({ body: numbers.join(', ') });
    expect([found.length, found[0]]).toEqual([50, '54115000' + '1000']);
  });
});
