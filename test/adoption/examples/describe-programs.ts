import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRunFolder } from '../../../local/base/run-folder.ts';
import { createLocalClient, type LocalClient } from '../../../local/cloud/local-client.ts';
import type { LocalCloud } from '../../../local/cloud/local-cloud.ts';
import { waitFor } from '../../../local/demo/wait-for.ts';
import { startTestCloud } from '../../support/test-cloud.ts';
import { startPartlyFailingQueue } from './partly-failing-queue.ts';
import { type Program, runProgram, startProgram } from './programs.ts';
import { printSkipped } from './tools.ts';

/** The programs of a language, which take the same arguments in every language. */
export interface Programs {
  readonly send: Program;
  readonly sendBatch: Program;
  readonly manage: Program;
  readonly consume: Program;
  /** Prints a table of the consumer's database. Its arguments are {@link ProgramsOfLanguage.queryArguments}. */
  readonly query: Program;
}

export interface ProgramsOfLanguage {
  readonly language: string;
  /** Installs and builds the programs in a folder. Returns a sentence if something that they need is missing. */
  readonly prepare: (folder: string) => Promise<Programs | string>;
  /** The consumer's argument: its database in a folder. */
  readonly databaseIn: (folder: string) => string;
  readonly queryArguments: (database: string, sql: string) => readonly string[];
  /** The consumer's exit code when it is stopped. */
  readonly exitCodeOnSigterm: number;
}

/** Runs the programs of a language against a local run: the same tests for every language. */
export const describePrograms = ({
  language,
  prepare,
  databaseIn,
  queryArguments,
  exitCodeOnSigterm,
}: ProgramsOfLanguage): void => {
  describe(`the examples in ${language}`, () => {
    const stack = new AsyncDisposableStack();
    let folder: string;
    let programs: Programs;
    let skipped: string | undefined;
    let cloud: LocalCloud;
    let client: LocalClient;
    let environment: Readonly<Record<string, string>>;
    let eventsQueueUrl: string;

    beforeAll(async () => {
      folder = stack.use(await createRunFolder()).path;
      const prepared = await prepare(folder);
      if (typeof prepared === 'string') {
        skipped = prepared;
        return printSkipped(`the examples in ${language}`, prepared);
      }
      programs = prepared;
      cloud = stack.use(await startTestCloud({ hasEventsQueue: true }));
      client = stack.use(createLocalClient(cloud));
      eventsQueueUrl = cloud.eventsQueueUrl ?? '';
      environment = {
        ...cloud.env,
        SEND_QUEUE_URL: cloud.sendQueueUrl,
        MANAGEMENT_URL: cloud.managementUrl,
        EVENTS_QUEUE_URL: eventsQueueUrl,
      };
      await client.putRule('order_shipped', { text: 'Your order is on its way.', category: 'shipping-status' });
    });
    afterAll(() => stack.disposeAsync());
    beforeEach(({ skip }) => {
      if (skipped !== undefined) skip(skipped);
    });

    const userWithOpenWindow = async (contact: string) => {
      const id = await client.userWrites(contact, { text: 'Where is my order?' });
      await waitFor('the message is stored', async () => (await client.table())[`MESSAGE#${id} MESSAGE`]);
      return id;
    };
    const accepted = (requestId: string) =>
      waitFor(`${requestId} is accepted`, async () => {
        const send = (await client.table())[`SEND#${requestId} SEND`];
        return send?.state === 'accepted' ? send : undefined;
      });
    const acceptedEventId = (requestId: string) =>
      waitFor(`the event of ${requestId} is published`, async () =>
        cloud.emulators.buses
          .events(cloud.eventBusName)
          .filter((event) => event['detail-type'] === 'SendAccepted')
          .map((event): Readonly<Record<string, unknown>> => Object(event.detail))
          .find((detail) => detail.requestId === requestId),
      ).then(({ id }) => String(id));
    const sentTo = async (contact: string) =>
      (await client.outbox())
        .filter(({ body }) => body.platformContactId === contact)
        .map(({ body }) => body.messageText ?? body.ruleNameOrId);
    const queueIsEmpty = (url: string) =>
      waitFor('the queue is empty', async () => ((await client.queueDepth(url)) === 0 ? true : undefined));

    it('queues a request, which is sent once even if the program runs again after six minutes', async () => {
      const contact = '+5491155570001';
      await userWithOpenWindow(contact);
      const args = ['shipment-1042', contact, 'Your order is on its way. 📦'];

      const first = await runProgram(programs.send, args, environment);
      await accepted('shipment-1042');
      // SQS drops duplicates for five minutes. Later ones reach Parley.
      await client.advanceClock(6 * 60);
      const second = await runProgram(programs.send, args, environment);
      await queueIsEmpty(cloud.sendQueueUrl);

      expect([first, second]).toMatchObject([
        { code: 0, err: '', out: expect.stringMatching(/^shipment-1042 is queued as \S+\.\n$/) },
        { code: 0, err: '', out: expect.stringMatching(/^shipment-1042 is queued as \S+\.\n$/) },
      ]);
      expect(await sentTo(contact)).toEqual(['Your order is on its way. 📦']);
      expect(await client.queueDepth(cloud.sendDeadLetterQueueUrl)).toBe(0);
    });

    it('queues a batch: retries what failed at SQS, keeps the order, and reports what SQS refuses', async () => {
      const contacts = Array.from({ length: 12 }, (_, index) => `+54911555701${String(index).padStart(2, '0')}`);
      for (const contact of contacts) await userWithOpenWindow(contact);
      // SQS accepts no spaces in a message group ID, and none in a deduplication ID.
      const [first = '', spaced = ''] = contacts;
      const withSpaces = `${spaced.slice(0, 3)} ${spaced.slice(3)}`;
      const rows = contacts.map((contact, index) => `${index};${contact === spaced ? withSpaces : contact};Ana`);
      const last = [`later;${first};"José; the 2nd"`, `re fused;${contacts[5]};Ana`, ''];
      const file = join(folder, 'shipments.csv');
      // As Excel saves "CSV UTF-8".
      await writeFile(file, ['\ufeffshipment;contact;name', ...rows, ...last].join('\r\n'));
      await using queue = await startPartlyFailingQueue(cloud.env.AWS_ENDPOINT_URL_SQS ?? '');
      const sendQueueUrl = cloud.sendQueueUrl.replace(new URL(cloud.sendQueueUrl).origin, queue.url);

      const { code, out, err } = await runProgram(programs.sendBatch, [file], {
        ...environment,
        AWS_ENDPOINT_URL_SQS: queue.url,
        SEND_QUEUE_URL: sendQueueUrl,
      });

      expect(err).toMatch(/^shipped-re fused is not queued: InvalidParameterValue: .+\n$/);
      expect([code, out]).toEqual([1, '13 of 14 are queued.\n']);
      expect(queue.batches()).toBe(3);
      for (const id of [...contacts.keys(), 'later']) await accepted(`shipped-${id}`);
      expect(await sentTo(first)).toEqual([
        'Ana, your order 0 is on its way.',
        'José; the 2nd, your order later is on its way.',
      ]);
    });

    it.each([
      ['is in windows-1252', 'shipment;contact;name\r\n1;+5491155570001;José\r\n', /Export it as "CSV UTF-8"\./],
      ['has a row without all columns', 'shipment,contact,name\n1,+5491155570001\n', /columns|column values/],
    ])('queues nothing of a file that %s', async (_, text, reason) => {
      const file = join(folder, 'refused.csv');
      await writeFile(file, text, 'latin1');

      const { code, out, err } = await runProgram(programs.sendBatch, [file], environment);

      expect([code, out, err]).toEqual([1, '', expect.stringMatching(reason)]);
    });

    it('calls the management API: records consent, sends once, and reports a conflict', async () => {
      const contact = '+5491155570200';
      const args = [contact, 'welcome-1', 'Welcome!'];

      const first = await runProgram(programs.manage, args, environment);
      const second = await runProgram(programs.manage, args, environment);
      const conflict = await runProgram(programs.manage, [contact, 'welcome-1', 'Something else'], environment);

      expect(first).toMatchObject({ code: 0, err: '' });
      expect(first.out).toMatch(/^\+5491155570200: opted-in, window closed\nwelcome-1: accepted\. .+\n$/);
      expect(second).toEqual(first);
      expect(await sentTo(contact)).toEqual(['order_shipped']);
      expect([conflict.code, conflict.out]).toEqual([1, expect.stringContaining('opted-in')]);
      expect(conflict.err).toMatch(/^The call failed\. 409 [A-Z_]+: .+\n$/);
    });

    it('receives events: drops duplicates, also after a restart, and passes over what it does not know', async () => {
      const database = databaseIn(folder);
      const contact = '+5491155570300';
      const event = (id: string, name: string, detail = {}) =>
        JSON.stringify({ id, source: 'parley', 'detail-type': name, detail: { id: 'event-1', ...detail } });
      const message = event('envelope-1', 'MessageReceived', {
        messageId: 'message-1',
        platformContactId: contact,
        at: '2026-11-20T12:00:00.000Z',
      });
      {
        await using consumer = startProgram(programs.consume, [database], environment);
        await client.putMessage(eventsQueueUrl, message);
        await consumer.prints('MessageReceived event-1 is handled.');
        await client.putMessage(eventsQueueUrl, message.replace('envelope-1', 'envelope-2'));
        await consumer.prints('MessageReceived event-1 is a duplicate.');
        await client.putMessage(eventsQueueUrl, event('envelope-3', 'MessageTranslated', { id: 'event-2' }));
        await consumer.prints('MessageTranslated event-2 is not known to this program.');

        // An event of Parley itself, after one that cannot be handled.
        await client.putMessage(eventsQueueUrl, 'not an event');
        await userWithOpenWindow(contact);
        await runProgram(programs.send, ['consumed-1', contact, 'Hi'], environment);
        await accepted('consumed-1');
        // By its ID, because events of earlier tests can still be on the queue.
        await consumer.prints(`SendAccepted ${await acceptedEventId('consumed-1')} is handled.`);
        // An earlier state arrives later.
        await client.putMessage(
          eventsQueueUrl,
          event('envelope-4', 'SendUncertain', {
            id: 'event-4',
            requestId: 'consumed-1',
            at: '2020-01-01T00:00:00.000Z',
          }),
        );
        await consumer.prints('SendUncertain event-4 is handled.');
        await waitFor('all but the message that is not an event is deleted', async () =>
          (await client.queueDepth(eventsQueueUrl)) === 1 ? true : undefined,
        );
        expect((await consumer.stop()).code).toBe(exitCodeOnSigterm);
      }
      const sql = "SELECT outcome FROM sends WHERE request_id = 'consumed-1'";
      const outcome = async () => (await runProgram(programs.query, queryArguments(database, sql), environment)).out;
      expect(await outcome()).toContain('accepted');
      await using restarted = startProgram(programs.consume, [database], environment);
      await client.putMessage(eventsQueueUrl, message.replace('envelope-1', 'envelope-3'));
      await restarted.prints('MessageReceived event-1 is a duplicate.');
      const failed = { id: 'event-5', requestId: 'consumed-1', at: '2099-01-01T00:00:00.000Z' };
      await client.putMessage(eventsQueueUrl, event('envelope-5', 'SendFailed', failed));
      await restarted.prints('SendFailed event-5 is handled.');
      await restarted.stop();
      expect(await outcome()).toContain('failed');
    });
  });
};
