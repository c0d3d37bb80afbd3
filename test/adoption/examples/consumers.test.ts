import { join } from 'node:path';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { CfnOutput } from 'aws-cdk-lib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Bot } from '../../../examples/consumers/bot/bot.ts';
import { EventConsumer } from '../../../examples/consumers/queue/event-consumer.ts';
import { waitFor } from '../../../local/demo/wait-for.ts';
import type { BusEvent } from '../../../local/emulators/event-buses.ts';
import { createLocalClient, type LocalClient } from '../../../local/local-client.ts';
import type { LocalCloud } from '../../../local/local-cloud.ts';
import { startTestCloud } from '../../support/test-cloud.ts';
import { type ExampleStack, startExampleStack } from './example-stack.ts';
import { runProgram } from './run-example.ts';

const SILENCE_SECONDS = 300;
const BOT_PROCESS = join(import.meta.dirname, 'bot-process.ts');

let cloud: LocalCloud;
let client: LocalClient;
let stack: ExampleStack;

beforeAll(async () => {
  cloud = await startTestCloud({ settings: { turns: { silenceSeconds: SILENCE_SECONDS }, operators: {} } });
  client = createLocalClient(cloud);
  stack = await startExampleStack(cloud, (scope, { eventBus, sendQueue, management }) => {
    const consumer = new EventConsumer(scope, 'Crm', { eventBus });
    const bot = new Bot(scope, 'Bot', { eventBus, sendQueue, management });
    new CfnOutput(scope, 'Notes', { value: consumer.notes.tableName });
    new CfnOutput(scope, 'Queue', { value: consumer.queue.queueUrl });
    new CfnOutput(scope, 'BotQueue', { value: bot.queue.queueUrl });
    new CfnOutput(scope, 'DeadLetters', { value: consumer.deadLetters.queueUrl });
  });
});
afterAll(async () => {
  client?.close();
  await stack?.[Symbol.asyncDispose]();
  await cloud?.close();
});

const notes = async () => {
  const { Items = [] } = await cloud.emulators.dynamodb.send(new ScanCommand({ TableName: stack.outputs.Notes }));
  return Items.map((item) => unmarshall(item));
};
const noteWith = (text: string) =>
  waitFor(`the note "${text}"`, async () => (await notes()).find((note) => note.text === text));
const published = (name: string, field: string, value: unknown): Promise<BusEvent> =>
  waitFor(`${name} of ${value} is published`, async () =>
    cloud.emulators.buses
      .events(cloud.eventBusName)
      .find((event) => event['detail-type'] === name && Object(event.detail)[field] === value),
  );
/** Publishes an event again, as after a retry of PutEvents, and waits until a queue's consumer has handled it. */
const repeat = async (event: BusEvent, queueUrl: string): Promise<void> => {
  const { buses } = cloud.emulators;
  const { source: Source, 'detail-type': DetailType, detail } = event;
  buses.put({ Source, DetailType, Detail: JSON.stringify(detail), EventBusName: cloud.eventBusName });
  await buses.delivered();
  await waitFor('the queue is empty', async () => ((await client.queueDepth(queueUrl)) === 0 ? true : undefined));
};
const output = (name: string): string => stack.outputs[name] ?? '';

describe('the queue consumer', () => {
  it('writes one note for each event, even if the event arrives twice', async () => {
    const id = await client.userWrites('+5491155580001', { text: 'Where is my parcel?' });
    await noteWith('The customer wrote: Where is my parcel?');

    await repeat(await published('MessageReceived', 'messageId', id), output('Queue'));

    const texts = (await notes()).map(({ text }) => text);
    expect(texts.filter((text) => text === 'The customer wrote: Where is my parcel?')).toHaveLength(1);
  });

  it('narrows each event to its own fields, and ignores events of later versions', async () => {
    const { buses } = cloud.emulators;
    const put = (DetailType: string, fields: object) => {
      const Detail = JSON.stringify({ id: `${DetailType}-1`, at: '2026-11-20T12:00:00.000Z', ...fields });
      buses.put({ Source: 'parley', DetailType, Detail, EventBusName: cloud.eventBusName });
    };
    put('SendRefused', { requestId: 'refused-1' });
    put('SendUncertain', { requestId: 'uncertain-1' });
    await client.putMessage(output('Queue'), '{"source":"parley","detail-type":"FromTheFuture","detail":{}}');

    await noteWith('SendRefused at 2026-11-20T12:00:00.000Z');
    await noteWith('Check whether uncertain-1 was sent.');
    expect(await client.queueDepth(output('DeadLetters'))).toBe(0);
  });

  it('retries only the event that failed, until it is on the dead-letter queue', async () => {
    await client.putMessage(output('Queue'), 'not JSON');
    await client.userWrites('+5491155580002', { text: 'Beside a failure' });

    await noteWith('The customer wrote: Beside a failure');
    await waitFor('it is on the dead-letter queue', async () => {
      await client.advanceClock(181);
      return (await client.queueDepth(output('DeadLetters'))) === 1 ? true : undefined;
    });
    expect(await client.takeMessages(output('DeadLetters'))).toMatchObject([{ body: 'not JSON' }]);
  });
});

describe('the bot', () => {
  const answersTo = async (contact: string) =>
    (await client.outbox())
      .filter(({ body }) => body.platformContactId === contact)
      .map(({ body }) => body.messageText);
  /** Lets a user write these texts in one turn. Returns the event of the turn, which ends while the clock moves. */
  const turnOf = async (contact: string, texts: readonly string[]): Promise<BusEvent> => {
    const ids: string[] = [];
    for (const text of texts) ids.push(await client.userWrites(contact, { text }));
    await waitFor('the messages are in a turn', async () =>
      Object.values(await client.table()).find(
        ({ sk, messageIds }) => sk === 'TURN' && messageIds instanceof Set && ids.every((id) => messageIds.has(id)),
      ),
    );
    return waitFor('the turn is published', async () => {
      await client.advanceClock(SILENCE_SECONDS);
      return cloud.emulators.buses
        .events(cloud.eventBusName)
        .find(
          (event) => JSON.stringify(event).includes(`[{"messageId":"${ids[0]}`) && event['detail-type'] === 'TurnEnded',
        );
    });
  };
  const answered = (contact: string, count: number) =>
    waitFor(`${count} answers`, async () => ((await answersTo(contact)).length >= count ? true : undefined));

  it('answers a turn once, even if its event arrives twice', async () => {
    const contact = '+5491155580003';
    const event = await turnOf(contact, ['Hi!', 'What are your', 'opening hours?']);
    await answered(contact, 1);

    await repeat(event, output('BotQueue'));
    // By now, SQS no longer recognizes the deduplication ID, so Parley has to drop the request.
    await client.advanceClock(301);
    await repeat(event, output('BotQueue'));
    expect(await answersTo(contact)).toEqual(['We are open from nine to five, Monday to Friday.']);
    expect(await client.queueDepth(cloud.sendDeadLetterQueueUrl)).toBe(0);
  });

  it('does not answer what it does not understand', async () => {
    const contact = '+5491155580004';
    await repeat(await turnOf(contact, ['Thanks']), output('BotQueue'));
    expect(await answersTo(contact)).toEqual([]);
  });

  it('is silent after it has handed the user over to people', async () => {
    const contact = '+5491155580005';
    await turnOf(contact, ['An agent, please']);
    await answered(contact, 1);
    const event = await turnOf(contact, ['What are your opening hours?']);
    const { id } = event.detail as { id: string };
    const send = await waitFor('the answer is refused', async () => {
      const stored = (await client.table())[`SEND#bot-${id} SEND`];
      return stored?.state === 'refused' ? stored : undefined;
    });
    expect(send).toMatchObject({ code: 'HANDED_OVER' });
    expect(await answersTo(contact)).toEqual(['A colleague will be with you shortly.']);
  });

  it.each([
    'undici:request:create',
    'undici:request:headers',
    'http.client.request.start',
    'http.client.response.finish',
  ])('hands over and answers once after it was killed at %s', async (place) => {
    const contact = `+54911555801${place.length}`;
    await client.userWrites(contact, { text: 'Hi!' });
    const detail = {
      id: `turn-${place.replaceAll(/\W/g, '-')}`,
      at: cloud.clock.now().toISOString(),
      contact: { platform: 'chat', channel: '*', key: contact.replace('+549', '54') },
      platformContactId: contact,
      messages: [{ messageId: 'in-1', at: cloud.clock.now().toISOString() }],
      content: { messages: [{ messageId: 'in-1', text: 'An agent, please' }] },
    };
    const event = JSON.stringify({ source: 'parley', 'detail-type': 'TurnEnded', detail });
    const run = (...args: readonly string[]) => runProgram(cloud, BOT_PROCESS, [event, ...args]);

    expect((await run(place)).signal).toBe('SIGKILL');
    expect((await run()).exitCode).toBe(0);
    expect((await run()).exitCode).toBe(0);
    await answered(contact, 1);
    await waitFor('the send queue is empty', async () =>
      (await client.queueDepth(cloud.sendQueueUrl)) === 0 ? true : undefined,
    );
    expect(await answersTo(contact)).toEqual(['A colleague will be with you shortly.']);
    expect((await client.table())[`CONTACT#chat#*#${detail.contact.key} HANDOVER`]).toBeDefined();
    expect(await client.queueDepth(cloud.sendDeadLetterQueueUrl)).toBe(0);
  });
});
