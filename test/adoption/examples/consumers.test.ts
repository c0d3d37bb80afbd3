import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { CfnOutput } from 'aws-cdk-lib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Bot } from '../../../examples/consumers/bot/bot.ts';
import { EventConsumer } from '../../../examples/consumers/queue/event-consumer.ts';
import { createLocalClient, type LocalClient } from '../../../local/cloud/local-client.ts';
import type { LocalCloud } from '../../../local/cloud/local-cloud.ts';
import { waitFor } from '../../../local/demo/wait-for.ts';
import type { BusEvent } from '../../../local/emulators/event-buses.ts';
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
    const turn = async () =>
      Object.values(await client.table()).find(
        ({ sk, messageIds }) => sk === 'TURN' && messageIds instanceof Set && ids.every((id) => messageIds.has(id)),
      );
    await waitFor('the messages are in a turn', turn);
    return waitFor('the turn is published', async () => {
      // Not further than needed, because the bot's answer expires.
      if ((await turn()) !== undefined) await client.advanceClock(SILENCE_SECONDS);
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

  const ANSWERS = {
    'An agent, please': 'A colleague will be with you shortly.',
    'Your hours?': 'We are open from nine to five, Monday to Friday.',
  } as const;
  /** Lets a user write a message, and returns the event of a turn of this message as if it ended at once. */
  const endedTurn = async (contact: string, text: string, changes: { at?: string; platform?: string } = {}) => {
    const { at = cloud.clock.now().toISOString(), platform = 'chat' } = changes;
    const messageId = await client.userWrites(contact, { text: 'Hi!' });
    const message = await waitFor(
      'the message is stored',
      async () => (await client.table())[`MESSAGE#${messageId} MESSAGE`],
    );
    const detail = {
      id: `turn-${messageId}`,
      at,
      contact: { platform, channel: '*', key: contact.replace('+549', '54') },
      platformContactId: contact,
      messages: [{ messageId, at: message.createdAt }],
      content: { messages: [{ messageId, text }] },
    };
    const event = JSON.stringify({ source: 'parley', 'detail-type': 'TurnEnded', detail });
    const requestId = `bot-${detail.id}`;
    return {
      requestId,
      run: (...args: readonly string[]) => runProgram(cloud, BOT_PROCESS, [event, ...args]),
      handover: async () => (await client.table())[`CONTACT#${platform}#*#${detail.contact.key} HANDOVER`],
      send: async () => (await client.table())[`SEND#${requestId} SEND`],
    };
  };

  /** Waits until the function that sends has logged that it ignored a copy of the request, which SQS had let through. */
  const droppedByParley = (requestId: string) =>
    waitFor(`a copy of ${requestId} is dropped`, async () => {
      const files = await readdir(cloud.logFolder, { recursive: true, withFileTypes: true });
      const logs = await Promise.all(
        files.filter((file) => file.isFile()).map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8')),
      );
      const lines = logs.flatMap((log) => log.split('\n'));
      return lines.find((line) => line.includes('duplicate request ignored') && line.includes(requestId));
    });

  it.each([
    // Before and after the handover, and before and after the request.
    ['undici:request:create', 'An agent, please', { isHandedOver: false, isQueued: false }],
    ['undici:request:headers', 'An agent, please', { isHandedOver: true, isQueued: false }],
    ['http.client.request.start', 'An agent, please', { isHandedOver: true, isQueued: false }],
    ['http.client.response.finish', 'An agent, please', { isHandedOver: true, isQueued: true }],
    ['http.client.request.start', 'Your hours?', { isHandedOver: false, isQueued: false }],
    ['http.client.response.finish', 'Your hours?', { isHandedOver: false, isQueued: true }],
  ] as const)('killed at %s of "%s", hands over first and answers once', async (place, text, killed) => {
    const contact = `+549115558${place.length}${text.length}`;
    const { requestId, run, handover, send } = await endedTurn(contact, text);

    expect((await run(place)).signal).toBe('SIGKILL');
    if (killed.isQueued) await answered(contact, 1);
    expect({ isHandedOver: (await handover()) !== undefined, isQueued: (await send()) !== undefined }).toEqual(killed);
    // Longer than SQS recognizes the deduplication ID, and shorter than until the answer expires.
    await client.advanceClock(301);
    expect(await run()).toMatchObject({ exitCode: 0 });
    await answered(contact, 1);
    if (killed.isQueued) await droppedByParley(requestId);
    expect(await run()).toMatchObject({ exitCode: 0 });
    await waitFor('the send queue is empty', async () =>
      (await client.queueDepth(cloud.sendQueueUrl)) === 0 ? true : undefined,
    );

    expect(await answersTo(contact)).toEqual([ANSWERS[text]]);
    expect((await handover()) !== undefined).toBe(text === 'An agent, please');
    expect(await client.queueDepth(cloud.sendDeadLetterQueueUrl)).toBe(0);
  });

  it.each([
    ['Your hours?', /^The turn turn-\S+ is too old to answer\.$/m],
    ['An agent, please', /The turn turn-\S+ is too old to answer\. Run parley handover for its user\./],
  ] as const)('neither hands over nor answers "%s" after ten minutes, and says so', async (text, sentence) => {
    // The program does not follow the clock of the local run.
    const at = new Date(Date.now() - 10 * 60 * 1000).toISOString();
    const { run, handover, send } = await endedTurn(`+54911555802${text.length}`, text, { at });

    const { exitCode, stderr } = await run();
    expect(stderr).toMatch(sentence);
    // The user who waits for a person is in a dead letter.
    expect(exitCode === 0).toBe(text === 'Your hours?');
    expect(await client.queueDepth(cloud.sendQueueUrl)).toBe(0);
    expect([await handover(), await send()]).toEqual([undefined, undefined]);
  });

  it('hands over and answers on the platform on which the user wrote', async () => {
    const { run, handover, send } = await endedTurn('+5491155580202', 'An agent, please', { platform: 'other' });

    expect(await run()).toMatchObject({ exitCode: 0 });

    const stored = await waitFor('the answer is decided', async () => {
      const sent = await send();
      return sent?.state === 'refused' ? sent : undefined;
    });
    expect(await handover()).toBeDefined();
    // The user has written only on the platform of the stage.
    expect(stored).toMatchObject({ code: 'WINDOW_CLOSED' });
  });
});
