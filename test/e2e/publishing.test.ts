import { CreateQueueCommand, DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACCOUNT_ID, REGION } from '../../local/base/aws-environment.ts';
import { waitFor } from '../../local/demo/wait-for.ts';
import { wireMessage } from '../support/builders.ts';
import { type CommandRun, startCommandRun } from '../support/command-run.ts';

// The settings of the stage connect two queues to the bus; one of them does not exist until the last tests create it.
// Every event fails to be published twice or more.

const CONSUMER = 'crm';
const LATE_CONSUMER = 'billing';
const arnOfQueue = (name: string) => `arn:aws:sqs:${REGION}:${ACCOUNT_ID}:${name}`;

interface ConsumedEvent {
  readonly source: string;
  readonly 'detail-type': string;
  readonly detail: Readonly<Record<string, unknown>> & { readonly id: string; readonly at: string };
}

let run: CommandRun;
let cloud: CommandRun['cloud'];
let client: CommandRun['client'];
let queueUrl: string;
/** How often each event was published. */
const puts = new Map<string, number>();
/** All events the consumer received, including repeats. */
const consumed: ConsumedEvent[] = [];

beforeAll(async () => {
  const targets = [CONSUMER, LATE_CONSUMER].map((name) => ({ kind: 'sqs', queueArn: arnOfQueue(name) }));
  run = await startCommandRun({ settings: { events: { targets } } });
  ({ cloud, client } = run);
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
afterAll(() => run?.[Symbol.asyncDispose]());

const consume = async (QueueUrl: string): Promise<readonly ConsumedEvent[]> => {
  const { sqs } = cloud.emulators;
  const received: ConsumedEvent[] = [];
  for (;;) {
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
    if (Messages.length === 0) return received;
    for (const { Body = '', ReceiptHandle } of Messages) {
      received.push(JSON.parse(Body));
      await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    }
  }
};
const consumeAll = async (): Promise<void> => {
  consumed.push(...(await consume(queueUrl)));
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

describe('an operator redrives', () => {
  const parley = async (...args: readonly string[]) => {
    const { code, out, err } = await run.parley(['dead-letters', ...args]);
    if (code !== 0) throw new Error(`parley ${args.join(' ')} failed with ${code}: ${err}`);
    return out;
  };

  it('the changes that were not published: each event reaches its consumer, and none is left', async () => {
    const contact = '+5491155550205';
    const ids = ['refused-1', 'refused-2'];
    cloud.emulators.buses.setFault(({ Detail }) =>
      ids.includes(JSON.parse(Detail).messageId) ? { errorCode: 'InvalidArgument', message: 'no' } : undefined,
    );
    for (const _id_ of ids) await client.deliverEvent(wireMessage({ _id_, FROM: contact }));
    await waitFor('both changes are dead letters', async () =>
      (await client.queueDepth(publishDeadLetterQueueUrl())) === 2 ? true : undefined,
    );
    cloud.emulators.buses.setFault(undefined);

    expect(await parley('redrive', 'publishing')).toBe('2 redriven, 0 left.');

    for (const id of ids) {
      await nextEvent('MessageReceived', 'messageId', id);
      expect(await eventsWith('messageId', id)).toHaveLength(1);
    }
    expect(await client.queueDepth(publishDeadLetterQueueUrl())).toBe(0);
  });

  it('the events that a target did not accept: it receives each once, and none is left', async () => {
    const idsOf = (all: readonly ConsumedEvent[]) => [...new Set(all.map(({ detail }) => detail.id))].toSorted();
    const queue = cloud.undeliveredEventsQueueUrl ?? '';
    expect(await client.queueDepth(queue)).toBeGreaterThanOrEqual(60);
    const { targets } = JSON.parse(await parley('list', 'targets', '--json'));
    expect(targets.deadLetters[0].reason).toMatch(/^NO_RESOURCE: .*, target arn:aws:sqs:.*:billing$/);
    const { sqs, queueBaseUrl } = cloud.emulators;
    await sqs.send(new CreateQueueCommand({ QueueName: LATE_CONSUMER }));

    expect(await parley('redrive', 'targets')).toMatch(/^\d+ redriven, 0 left\.$/);

    const received: ConsumedEvent[] = [];
    await waitFor('it has received what the other consumer has', async () => {
      received.push(...(await consume(`${queueBaseUrl}/${LATE_CONSUMER}`)));
      return String(idsOf(received)) === String(idsOf(await events())) ? true : undefined;
    });
    expect(received).toHaveLength(idsOf(received).length);
    expect(await client.queueDepth(queue)).toBe(0);
  });
});

const publishDeadLetterQueueUrl = (): string => {
  const [url] = [...cloud.functions.values()].flatMap(
    ({ declaration }) => declaration.variables.PUBLISH_DEAD_LETTER_QUEUE_URL ?? [],
  );
  return url ?? '';
};
