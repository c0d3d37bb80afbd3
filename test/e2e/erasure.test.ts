import { writeFile } from 'node:fs/promises';
import { ListQueuesCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ErasureScan } from '../../cli/operations/erasure-scan.ts';
import { waitFor } from '../../local/demo/wait-for.ts';
import { wireMessage, wireStatus } from '../support/builders.ts';
import { type CommandRun, startCommandRun } from '../support/command-run.ts';
import { allDelivered } from '../support/test-cloud.ts';

// An erasure in a whole local run, with one of everything that can be stored about a user.

const USER = '+5491155567777';
const CUSTOMER = 'customer-67777';
const TEXTS = ['parcel 4711', 'form of Ana Erased', 'blocked by the user 4711'];
const AT = { CREATION_TIME: undefined, CUSTOMER_ID: CUSTOMER, FROM: USER };

let run: CommandRun;
let cloud: CommandRun['cloud'];
let client: CommandRun['client'];

beforeAll(async () => {
  run = await startCommandRun();
  ({ cloud, client } = run);
});
afterAll(() => run?.[Symbol.asyncDispose]());

const parley = async (...args: readonly string[]) => {
  const { code, out, err } = await run.parley([...args, '--json']);
  return { code, json: JSON.parse(out || err || '{}') };
};

const scan = async (): Promise<ErasureScan & { readonly code: number }> => {
  const texts = TEXTS.flatMap((text) => ['--text', text]);
  const { code, json } = await parley('erasure-scan', USER, '--customer', CUSTOMER, ...texts);
  return { code, ...json };
};

const itemIs = (key: string, isReady: (item: Readonly<Record<string, unknown>>) => boolean = () => true) =>
  waitFor(`${key} is stored`, async () => {
    const item = (await client.table())[key];
    return item !== undefined && isReady(item) ? true : undefined;
  });

/** Stores one of everything. */
const storeEverything = async (): Promise<void> => {
  // Opens the window at the chat service, too.
  const written = await client.userWrites(USER, { text: 'Hi' });
  await itemIs(`MESSAGE#${written} MESSAGE`);
  await client.deliverEvent(wireMessage({ ...AT, _id_: 'in', MESSAGE: 'Where is my parcel 4711?' }));
  await client.deliverEvent(wireMessage({ ...AT, _id_: 'echo', FROM: 'me', TO: USER, MESSAGE: 'parcel 4711 is late' }));
  await client.deliverEvent(wireMessage({ ...AT, _id_: 'unnamed', FROM: 'me', TO: undefined, MESSAGE: 'parcel 4711' }));
  await client.deliverEvent(
    wireStatus({ ...AT, _id_: 'unknown', STATUS: 'failed', CAUSE: 'blocked by the user 4711' }),
  );
  await client.deliverEvent(wireStatus({ ...AT, _id_: 'other', STATUS: 'blocked by the user 4711' }));
  // Quarantined: it has no id.
  await client.deliverEvent(wireMessage({ ...AT, _id_: undefined, MESSAGE: 'parcel 4711' }));
  for (const id of ['in', 'unknown', 'other']) await itemIs(`MESSAGE#${id} MESSAGE`);
  for (const id of ['echo', 'unnamed']) await itemIs(`MESSAGE#${id} ECHO`);
  await parley('opt-in', USER, '--source', 'form of Ana Erased');
  await writeFile(`${run.folder}/numbers.txt`, USER);
  await parley('contacts', 'check', `${run.folder}/numbers.txt`);

  await client.enqueue({ requestId: 'sent', platformContactId: USER, messageText: 'Your parcel 4711.' });
  await itemIs('SEND#sent SEND', ({ state }) => state === 'accepted');
  const sendAt = new Date(cloud.clock.now().getTime() + 3_600_000).toISOString();
  await client.enqueue({ requestId: 'later', platformContactId: USER, messageText: 'Your parcel 4711.', sendAt });
  await itemIs('SEND#later SEND', ({ state }) => state === 'scheduled');
  await client.putMessage(cloud.sendQueueUrl, `{"requestId":"malformed ${USER}`, { groupId: USER, id: 'malformed' });
  for (const queueUrl of [cloud.sendDeadLetterQueueUrl, cloud.inboundDeadLetterQueueUrl]) {
    await waitFor('the dead letter', async () => ((await client.queueDepth(queueUrl)) > 0 ? true : undefined));
  }
  await allDelivered(client);

  // As EventBridge Scheduler and the function publish put them there.
  const input = { QueueUrl: cloud.sendQueueUrl, MessageGroupId: USER, MessageBody: '{"scheduledRequestId":"later"}' };
  const change = { record: { dynamodb: { NewImage: { contact: { S: 'CONTACT#chat#*#541155567777' } } } } };
  const queues = (await cloud.emulators.sqs.send(new ListQueuesCommand({}))).QueueUrls ?? [];
  const failures = queues.find((url) => url.includes('PublishFailures'));
  for (const [QueueUrl, body] of [
    [cloud.scheduleDeadLetterQueueUrl, input],
    [failures, change],
  ] as const) {
    await cloud.emulators.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(body) }));
  }
};

it('an erasure leaves no trace in the table, the schedules, the queues, and the logs', async () => {
  await storeEverything();

  const before = await scan();
  const { code, json: erasure } = await parley('erase', USER, '--yes');
  const after = await scan();

  const figures = ({ searched, traces }: ErasureScan) =>
    searched.map(
      ({ store, count }) => `${store}: ${count}, ${traces.filter((trace) => trace.store === store).length} traces`,
    );
  if (process.env.PARLEY_SHOW_FIGURES) console.log(figures(before), figures(after));
  const placesIn = (store: RegExp) =>
    before.traces.filter((trace) => store.test(trace.store)).map(({ place }) => place);
  const ids = placesIn(/^table/).map((place) => place.replace(/[0-9a-f-]{32,36}|[A-Z0-9]{20}/, '<id>'));
  expect(ids.toSorted()).toEqual([
    // The opt-in.
    'AUDIT#<id> AUDIT',
    'CONTACT#chat#*#541155567777 CHECK',
    'CONTACT#chat#*#541155567777 CONSENT',
    'CONTACT#chat#*#541155567777 CONTACT',
    'CUSTOMER#chat#<id> CUSTOMER#*',
    'CUSTOMER#chat#customer-67777 CUSTOMER#*',
    // What the user wrote first, and what was sent.
    'MESSAGE#<id> MESSAGE',
    'MESSAGE#<id> MESSAGE',
    'MESSAGE#echo ECHO',
    'MESSAGE#in MESSAGE',
    'MESSAGE#other MESSAGE',
    'MESSAGE#unknown MESSAGE',
    'MESSAGE#unnamed ECHO',
    'SEND#later SEND',
    'SEND#sent SEND',
  ]);
  expect(placesIn(/^schedules/)).toHaveLength(1);
  for (const queue of [/SendQueueDeadLetters/, /InboundQueueDeadLetters/, /SchedulesDeadLetters/, /PublishFailures/]) {
    expect(placesIn(queue)).not.toEqual([]);
  }
  expect(before.code).toBe(6);

  expect(code).toBe(0);
  expect(erasure).toMatchObject({
    state: 'done',
    messages: 7,
    sends: 2,
    deadLetters: placesIn(/DeadLetters|PublishFailures/).length,
  });
  expect(after).toMatchObject({ code: 0, traces: [] });
  expect(after.searched.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['items', 'schedules', 'messages', 'lines']),
  );
  expect(after.searched.flatMap(({ unread = 0 }) => unread).every((unread) => unread === 0)).toBe(true);
});
