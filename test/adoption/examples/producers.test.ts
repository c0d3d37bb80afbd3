import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { queueSends } from '../../../examples/producers/send-batch.ts';
import { CREDENTIALS, REGION } from '../../../local/base/aws-environment.ts';
import { createRunFolder, type RunFolder } from '../../../local/base/run-folder.ts';
import { createLocalClient, type LocalClient, type TableItem } from '../../../local/cloud/local-client.ts';
import type { LocalCloud } from '../../../local/cloud/local-cloud.ts';
import { waitFor } from '../../../local/demo/wait-for.ts';
import { startTestCloud } from '../../support/test-cloud.ts';
import { runExample } from './run-example.ts';

let cloud: LocalCloud;
let client: LocalClient;
let folder: RunFolder;

beforeAll(async () => {
  folder = await createRunFolder();
  cloud = await startTestCloud();
  client = createLocalClient(cloud);
  await client.putRule('order_shipped', { text: 'Your order is on its way.', category: 'shipping-status' });
});
afterAll(async () => {
  client?.close();
  await cloud?.close();
  await folder?.[Symbol.asyncDispose]();
});

const sendIn = (requestId: string, state: string): Promise<TableItem> =>
  waitFor(`${requestId} is ${state}`, async () => {
    const found = (await client.table())[`SEND#${requestId} SEND`];
    return found?.state === state ? found : undefined;
  });
const openWindow = async (contact: string): Promise<void> => {
  const id = await client.userWrites(contact, { text: 'Hi' });
  await waitFor('the message is stored', async () => (await client.table())[`MESSAGE#${id} MESSAGE`]);
};
const createSqsClient = () => {
  const client = new SQSClient({
    region: REGION,
    credentials: CREDENTIALS,
    endpoint: cloud.env.AWS_ENDPOINT_URL_SQS,
  });
  return { client, [Symbol.dispose]: () => client.destroy() };
};
const sentTo = async (contact: string) =>
  (await client.outbox()).filter(({ body }) => body.platformContactId === contact).map(({ body }) => body);

describe('send.ts', () => {
  it('sends a message, and no second one if it runs again', async () => {
    const contact = '+5491155560001';
    await openWindow(contact);
    const args = ['shipment-1', contact, 'Your order is on its way.'];

    const first = await runExample(cloud, 'producers/send.ts', args);
    const second = await runExample(cloud, 'producers/send.ts', args);

    expect(first).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^shipment-1 is queued as .+\.\n$/) });
    expect(second).toMatchObject({ exitCode: 0, stdout: first.stdout });
    await sendIn('shipment-1', 'accepted');
    await runExample(cloud, 'producers/send.ts', ['shipment-2', contact, 'It arrives tomorrow.']);
    await sendIn('shipment-2', 'accepted');
    expect(await sentTo(contact)).toMatchObject([
      { messageText: 'Your order is on its way.' },
      { messageText: 'It arrives tomorrow.' },
    ]);
  });

  it('says what it needs if an argument is missing', async () => {
    expect(await runExample(cloud, 'producers/send.ts', ['shipment-1'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('Usage:'),
    });
  });
});

describe('send-batch.ts', () => {
  it('queues all lines of a file, and reports a request that SQS refuses', async () => {
    const contacts = Array.from({ length: 12 }, (_, index) => `+54911555601${String(index).padStart(2, '0')}`);
    for (const contact of contacts) await client.userWrites(contact, { text: 'Hi' });
    const requests = [
      ...contacts.map((contact, index) => ({
        requestId: `news-${index}`,
        platformContactId: contact,
        messageText: 'We open at nine.',
      })),
      { requestId: 'with a space', platformContactId: contacts[0], messageText: 'We open at nine.' },
    ];
    const file = join(folder.path, 'requests.jsonl');
    await writeFile(file, requests.map((request) => `${JSON.stringify(request)}\n`).join(''));

    const result = await runExample(cloud, 'producers/send-batch.ts', [file]);

    expect(result).toMatchObject({ exitCode: 1, stdout: '12 of 13 are queued.\n' });
    expect(result.stderr).toMatch(/^with a space is not queued: InvalidParameterValue: /);
    for (const [index] of contacts.entries()) await sendIn(`news-${index}`, 'accepted');
  });

  it('splits a batch that has more than 1 MiB', async () => {
    using sqs = createSqsClient();
    const calls: number[] = [];
    sqs.client.middlewareStack.add(
      (next) => async (args) => {
        calls.push(Object(args.input).Entries.length);
        return next(args);
      },
      { step: 'initialize' },
    );
    const requests = Array.from({ length: 10 }, (_, index) => ({
      requestId: `large-${index}`,
      platformContactId: `+54911555603${String(index).padStart(2, '0')}`,
      messageText: 'é'.repeat(60_000),
    }));

    const notQueued = await queueSends(sqs.client, cloud.sendQueueUrl, requests);

    expect(notQueued).toEqual([]);
    expect(calls).toEqual([8, 2]);
  });

  it('retries only the entries that failed at SQS', async () => {
    const contact = '+54 9 11 5556-0200';
    await openWindow(contact);
    using sqs = createSqsClient();
    const calls: number[] = [];
    sqs.client.middlewareStack.add(
      (next) => async (args) => {
        const { Entries } = Object(args.input);
        calls.push(Entries.length);
        if (calls.length > 1) return next(args);
        const { response, output } = await next({ ...args, input: { ...args.input, Entries: [Entries[0]] } });
        const Failed = [{ Id: Entries[1].Id, SenderFault: false, Code: 'InternalError', Message: 'try again' }];
        return { response, output: { ...output, Failed } };
      },
      { step: 'initialize' },
    );
    const requests = ['first', 'second'].map((requestId) => ({
      requestId,
      platformContactId: contact,
      messageText: `The ${requestId} message`,
    }));

    const notQueued = await queueSends(sqs.client, cloud.sendQueueUrl, requests);

    expect(notQueued).toEqual([]);
    expect(calls).toEqual([2, 1]);
    await sendIn('second', 'accepted');
    // The sandbox writes the number without its spaces.
    expect(await sentTo('+5491155560200')).toMatchObject([
      { messageText: 'The first message' },
      { messageText: 'The second message' },
    ]);
  });
});
