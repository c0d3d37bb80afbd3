import { CreateQueueCommand, DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACCOUNT_ID, REGION } from '../../local/aws-environment.ts';
import { waitFor } from '../../local/demo/wait-for.ts';
import { createLocalClient, type LocalClient } from '../../local/local-client.ts';
import type { LocalCloud } from '../../local/local-cloud.ts';
import { wireMessage } from '../support/builders.ts';
import { startTestCloud } from '../support/test-cloud.ts';

// The settings of the stage connect a queue to the bus. Every event fails to be published twice or more.

const CONSUMER = 'crm';

interface ConsumedEvent {
  readonly source: string;
  readonly 'detail-type': string;
  readonly detail: Readonly<Record<string, unknown>> & { readonly id: string; readonly at: string };
}

let cloud: LocalCloud;
let client: LocalClient;
let queueUrl: string;
/** How often each event was published. */
const puts = new Map<string, number>();
/** All events the consumer received, including repeats. */
const consumed: ConsumedEvent[] = [];

beforeAll(async () => {
  const queueArn = `arn:aws:sqs:${REGION}:${ACCOUNT_ID}:${CONSUMER}`;
  cloud = await startTestCloud({ settings: { events: { targets: [{ kind: 'sqs', queueArn }] } } });
  client = createLocalClient(cloud);
  await cloud.emulators.sqs.send(new CreateQueueCommand({ QueueName: CONSUMER }));
  queueUrl = `${cloud.emulators.queueBaseUrl}/${CONSUMER}`;
  cloud.emulators.buses.setFault(({ Detail, DetailType }) => {
    const { id } = JSON.parse(Detail);
    const time = (puts.get(id) ?? 0) + 1;
    puts.set(id, time);
    // More often than `publish` itself retries, so that the stream has to deliver the change again.
    if (DetailType === 'SendAccepted' && time <= 5) return { errorCode: 'InternalFailure', message: 'not now' };
    if (time === 1) return { errorCode: 'ThrottlingException', message: 'not now' };
    return time === 2 ? { errorCode: 'InternalFailure', message: 'the answer was lost', accepted: true } : undefined;
  });
});
afterAll(async () => {
  client?.close();
  await cloud?.close();
});

const consumeAll = async (): Promise<void> => {
  const { sqs } = cloud.emulators;
  for (;;) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10 }),
    );
    if (Messages.length === 0) return;
    for (const { Body = '', ReceiptHandle } of Messages) {
      consumed.push(JSON.parse(Body));
      await sqs.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle }));
    }
  }
};
/** Returns the events without repeats, in the order of their own times. */
const events = async () => {
  await consumeAll();
  const unrepeated = [...new Map(consumed.map((event) => [event.detail.id, event])).values()];
  return unrepeated.toSorted((a, b) => (a.detail.at < b.detail.at ? -1 : 1));
};
const eventsWith = async (key: string, value: unknown) =>
  (await events()).filter(({ detail }) => detail[key] === value);
const nextEvent = (name: string, key: string, value: unknown) =>
  waitFor(`${name} of ${value} is published`, async () =>
    (await eventsWith(key, value)).find((event) => event['detail-type'] === name),
  );

describe('a consumer of the bus', () => {
  it('receives every event of a conversation, once after dropping duplicates by id, even if PutEvents fails repeatedly', async () => {
    const contact = '+5491155550200';
    const inboundId = await client.userWrites(contact, { text: 'Where is my parcel?' });
    await nextEvent('MessageReceived', 'messageId', inboundId);
    await client.enqueue({ requestId: 'published', platformContactId: contact, messageText: 'On its way.' });
    const { detail: accepted } = await nextEvent('SendAccepted', 'requestId', 'published');
    await nextEvent('MessageDelivered', 'messageId', accepted.messageId);
    await client.userReads(contact);
    await nextEvent('MessageRead', 'messageId', accepted.messageId);

    const received = await events();
    expect(received.map((event) => event['detail-type']).toSorted()).toEqual(
      ['MessageReceived', 'SendAccepted', 'MessageDelivered', 'MessageRead'].toSorted(),
    );
    expect(received.every(({ source }) => source === 'parley')).toBe(true);
    expect(consumed.length).toBeGreaterThan(received.length);
    expect(puts.get(accepted.id)).toBe(6);
    expect(received.map(({ detail }) => (puts.get(detail.id) ?? 0) >= 2)).toEqual([true, true, true, true]);
  });

  it('receives one event for a webhook event that is delivered twice', async () => {
    const contact = '+5491155550201';
    const event = wireMessage({ _id_: 'delivered-twice', FROM: contact });
    await client.deliverEvent(event);
    await nextEvent('MessageReceived', 'messageId', 'delivered-twice');
    await client.deliverEvent(event);
    await client.deliverEvent(wireMessage({ _id_: 'delivered-after', FROM: contact }));
    await nextEvent('MessageReceived', 'messageId', 'delivered-after');

    expect(await eventsWith('messageId', 'delivered-twice')).toHaveLength(1);
  });

  it('receives a refusal with its rule', async () => {
    await client.enqueue({ requestId: 'refused', platformContactId: '+5491155550202', messageText: 'Hi' });

    const { detail } = await nextEvent('SendRefused', 'requestId', 'refused');

    expect(detail).toMatchObject({ code: 'WINDOW_CLOSED', decision: expect.stringContaining('never written') });
  });

  it('receives each of many messages once, even if each fails twice', async () => {
    const ids = Array.from({ length: 60 }, (_, index) => `many-${index}`);
    const FROM = '+5491155550203';
    await Promise.all(ids.map((_id_) => client.deliverEvent(wireMessage({ _id_, FROM }))));

    for (const id of ids) await nextEvent('MessageReceived', 'messageId', id);
    expect((await events()).filter(({ detail }) => ids.includes(String(detail.messageId)))).toHaveLength(60);
    expect(await client.queueDepth(publishDeadLetterQueueUrl())).toBe(0);
  });
});

describe('a request with sendAt', () => {
  const HOUR = 60 * 60;
  const inSeconds = (seconds: number) => new Date(cloud.clock.now().getTime() + seconds * 1000).toISOString();
  const stateOf = (requestId: string, state: string) =>
    waitFor(`${requestId} is ${state}`, async () => {
      const item = (await client.table())[`SEND#${requestId} SEND`];
      return item?.state === state ? item : undefined;
    });
  const textsTo = async (contact: string) =>
    (await client.outbox())
      .filter(({ body }) => body.platformContactId === contact)
      .map(({ body }) => body.messageText);

  it('is sent once when it is due even if it was queued twice, and after requests without sendAt', async () => {
    const contact = '+5491155550204';
    await client.userWrites(contact, { text: 'Remind me' });
    const request = {
      requestId: 'reminder',
      platformContactId: contact,
      messageText: 'Later',
      sendAt: inSeconds(HOUR),
    };
    const body = JSON.stringify(request);
    await client.putMessage(cloud.sendQueueUrl, body, { groupId: contact, id: 'reminder-a' });
    await client.putMessage(cloud.sendQueueUrl, body, { groupId: contact, id: 'reminder-b' });
    await client.enqueue({ requestId: 'now', platformContactId: contact, messageText: 'Now' });
    await stateOf('now', 'accepted');
    expect(await stateOf('reminder', 'scheduled')).toMatchObject({ sendAt: request.sendAt });

    await client.advanceClock(HOUR - 120);
    expect(await textsTo(contact)).toEqual(['Now']);
    await client.advanceClock(180);
    await stateOf('reminder', 'accepted');
    await client.enqueue({ requestId: 'after', platformContactId: contact, messageText: 'After' });
    await stateOf('after', 'accepted');

    expect(await textsTo(contact)).toEqual(['Now', 'Later', 'After']);
  });
});

const publishDeadLetterQueueUrl = (): string => {
  const [url] = [...cloud.functions.values()].flatMap(
    ({ declaration }) => declaration.variables.PUBLISH_DEAD_LETTER_QUEUE_URL ?? [],
  );
  return url ?? '';
};
