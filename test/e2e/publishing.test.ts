import { CreateQueueCommand, DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACCOUNT_ID, REGION } from '../../local/aws-environment.ts';
import { waitFor } from '../../local/demo/wait-for.ts';
import { createLocalClient, type LocalClient } from '../../local/local-client.ts';
import { type LocalCloud, startLocal } from '../../local/local-cloud.ts';
import { wireMessage } from '../support/builders.ts';

// What another system hears: a queue that the stage's settings put behind the bus, while every event fails to be put, twice or more.

const CONSUMER = 'crm';

interface HeardEvent {
  readonly source: string;
  readonly 'detail-type': string;
  readonly detail: Readonly<Record<string, unknown>> & { readonly id: string; readonly at: string };
}

let cloud: LocalCloud;
let client: LocalClient;
let queueUrl: string;
/** How often each event was put. */
const puts = new Map<string, number>();
/** All that the consumer was ever given, repeats included. */
const heard: HeardEvent[] = [];

beforeAll(async () => {
  const queueArn = `arn:aws:sqs:${REGION}:${ACCOUNT_ID}:${CONSUMER}`;
  cloud = await startLocal({ settings: { events: { targets: [{ kind: 'sqs', queueArn }] } } });
  client = createLocalClient(cloud);
  await cloud.emulators.sqs.send(new CreateQueueCommand({ QueueName: CONSUMER }));
  queueUrl = `${cloud.emulators.queueBaseUrl}/${CONSUMER}`;
  cloud.emulators.buses.setFault(({ Detail, DetailType }) => {
    const { id } = JSON.parse(Detail);
    const time = (puts.get(id) ?? 0) + 1;
    puts.set(id, time);
    // Once more than publish itself puts an event, so that the stream has to bring the change again.
    if (DetailType === 'SendAccepted' && time <= 5) return { errorCode: 'InternalFailure', message: 'not now' };
    if (time === 1) return { errorCode: 'ThrottlingException', message: 'not now' };
    return time === 2 ? { errorCode: 'InternalFailure', message: 'the answer was lost', accepted: true } : undefined;
  });
});
afterAll(async () => {
  client?.close();
  await cloud?.close();
});

const hearAll = async (): Promise<void> => {
  const { sqs } = cloud.emulators;
  for (;;) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10 }),
    );
    if (Messages.length === 0) return;
    for (const { Body = '', ReceiptHandle } of Messages) {
      heard.push(JSON.parse(Body));
      await sqs.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle }));
    }
  }
};
/** What was heard, without repeats, in the order of the events' own times. */
const events = async () => {
  await hearAll();
  const unrepeated = [...new Map(heard.map((event) => [event.detail.id, event])).values()];
  return unrepeated.toSorted((a, b) => (a.detail.at < b.detail.at ? -1 : 1));
};
const heardOf = async (key: string, value: unknown) => (await events()).filter(({ detail }) => detail[key] === value);
const hear = (name: string, key: string, value: unknown) =>
  waitFor(`${name} of ${value} is heard`, async () =>
    (await heardOf(key, value)).find((event) => event['detail-type'] === name),
  );

describe('a consumer of the bus', () => {
  it('hears a conversation, each thing once after dropping repeats by id, though PutEvents fails again and again', async () => {
    const contact = '+5491155550200';
    const inboundId = await client.userWrites(contact, { text: 'Where is my parcel?' });
    await hear('MessageReceived', 'messageId', inboundId);
    await client.enqueue({ requestId: 'told', platformContactId: contact, messageText: 'On its way.' });
    const { detail: accepted } = await hear('SendAccepted', 'requestId', 'told');
    await hear('MessageDelivered', 'messageId', accepted.messageId);
    await client.userReads(contact);
    await hear('MessageRead', 'messageId', accepted.messageId);

    const told = await events();
    expect(told.map((event) => event['detail-type']).toSorted()).toEqual(
      ['MessageReceived', 'SendAccepted', 'MessageDelivered', 'MessageRead'].toSorted(),
    );
    expect(told.every(({ source }) => source === 'parley')).toBe(true);
    expect(heard.length).toBeGreaterThan(told.length);
    expect(puts.get(accepted.id)).toBe(6);
    expect(told.map(({ detail }) => (puts.get(detail.id) ?? 0) >= 2)).toEqual([true, true, true, true]);
  });

  it('hears nothing of what comes twice', async () => {
    const contact = '+5491155550201';
    const event = wireMessage({ _id_: 'told-twice', FROM: contact });
    await client.deliverEvent(event);
    await hear('MessageReceived', 'messageId', 'told-twice');
    await client.deliverEvent(event);
    await client.deliverEvent(wireMessage({ _id_: 'told-after', FROM: contact }));
    await hear('MessageReceived', 'messageId', 'told-after');

    expect(await heardOf('messageId', 'told-twice')).toHaveLength(1);
  });

  it('hears of a request that is refused, with the rule', async () => {
    await client.enqueue({ requestId: 'refused', platformContactId: '+5491155550202', messageText: 'Hi' });

    const { detail } = await hear('SendRefused', 'requestId', 'refused');

    expect(detail).toMatchObject({ code: 'WINDOW_CLOSED', why: expect.stringContaining('never wrote') });
  });

  it('hears of many messages, each once, although each fails twice', async () => {
    const ids = Array.from({ length: 60 }, (_, index) => `many-${index}`);
    const FROM = '+5491155550203';
    await Promise.all(ids.map((_id_) => client.deliverEvent(wireMessage({ _id_, FROM }))));

    for (const id of ids) await hear('MessageReceived', 'messageId', id);
    expect((await events()).filter(({ detail }) => ids.includes(String(detail.messageId)))).toHaveLength(60);
    expect(await client.queueDepth(untoldChangesUrl())).toBe(0);
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

  it('goes out at its time, once, though it was queued twice; what came later goes out before it', async () => {
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

const untoldChangesUrl = (): string => {
  const [url] = [...cloud.functions.values()].flatMap(
    ({ declaration }) => declaration.variables.UNTOLD_CHANGES_QUEUE_URL ?? [],
  );
  return url ?? '';
};
