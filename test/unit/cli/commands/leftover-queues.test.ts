import { createServer } from 'node:http';
import { CreateQueueCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { checkLeftoverQueues } from '../../../../cli/commands/doctor-queues.ts';
import {
  findLeftoverQueues,
  moveLeftovers,
  queueName,
  type SendQueueUrls,
} from '../../../../cli/operations/leftover-queues.ts';
import { countMessages } from '../../../../lambdas/adapters/sqs-backlog.ts';
import { listenLocally } from '../../../../local/base/listen-locally.ts';
import { type LocalTarget, startLocalTarget } from '../../../support/local-target.ts';

const BULK = 'Parley-local-SenderBulkSendQueueC3-D4.fifo';
const DEAD_LETTERS = 'Parley-local-SenderBulkSendQueueDeadLettersE5-F6.fifo';

let target: LocalTarget;
/** The bulk queue and its dead-letter queue of a production stage from which `sends.bulkLane` was removed. */
let bulkUrl: string;
let deadLettersUrl: string;
beforeEach(async () => {
  target = await startLocalTarget();
  bulkUrl = await createQueue(BULK);
  deadLettersUrl = await createQueue(DEAD_LETTERS);
});
afterEach(() => target[Symbol.asyncDispose]());

const createQueue = async (QueueName: string, of = target) => {
  const Attributes = { FifoQueue: 'true', DeduplicationScope: 'messageGroup' };
  const { QueueUrl = '' } = await of.sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
  return QueueUrl;
};

const queue = (QueueUrl: string, requestId: string, fields: object = {}, of = target) =>
  of.sqs.send(
    new SendMessageCommand({
      QueueUrl,
      MessageBody: JSON.stringify({ requestId, ...fields }),
      MessageGroupId: 'ana',
      MessageDeduplicationId: requestId,
    }),
  );

/** Returns the requests on the send queue, in order. */
const sent = async (of = target) => {
  const QueueUrl = of.addresses.sendQueueUrl;
  const input = { QueueUrl, MaxNumberOfMessages: 10, MessageSystemAttributeNames: ['All' as const] };
  const { Messages = [] } = await of.sqs.send(new ReceiveMessageCommand(input));
  return Messages.map(({ Body = '', Attributes }) => [JSON.parse(Body).requestId, Attributes?.MessageGroupId]);
};

const check = () => checkLeftoverQueues(target, (command) => `${command} --stage prod`);

describe('doctor on queues that the stage no longer has', () => {
  it('fails while they have requests, and says how to send them', async () => {
    await queue(bulkUrl, 'a');
    await queue(bulkUrl, 'b');

    expect(await check()).toContainEqual({
      check: 'queues',
      grade: 'failing',
      message: expect.stringContaining(
        `2 bulk requests in ${BULK}, which is no longer part of the stage. Nothing sends`,
      ),
      remedy: "Move them to the stage's own queue: parley dead-letters redrive bulk --stage prod.",
    });
  });

  it('says how to delete them once they are empty', async () => {
    expect(await check()).toEqual(
      [deadLettersUrl, bulkUrl].map((url) => ({
        check: 'queues',
        grade: 'warning',
        message: `${queueName(url)} is empty and no longer part of the stage.`,
        remedy: `Delete it: aws sqs delete-queue --queue-url ${url}`,
      })),
    );
  });

  it('finds neither current queues of the stage nor those of another stage', async () => {
    await createQueue('Parley-other-SenderBulkSendQueueC3-D4.fifo');
    const { sendQueueUrl } = target.addresses;
    const current = { sendQueueUrl, bulkSendQueueUrl: bulkUrl, bulkSendDeadLetterQueueUrl: deadLettersUrl };
    const find = (addresses: SendQueueUrls) => findLeftoverQueues({ sqs: target.sqs, addresses });

    expect(await find(current)).toEqual([]);
    expect(await find({ ...current, bulkSendQueueUrl: undefined })).toEqual([bulkUrl]);
    expect(await find({ sendQueueUrl: 'https://sqs.example/1/requests.fifo' })).toEqual([]);
  });

  it('does not find those of another stack whose name is shortened to the same', async () => {
    const { sqs, addresses } = target;
    const find = (metricsNamespace: string) => findLeftoverQueues({ sqs, addresses, metricsNamespace });

    expect(await find('Parley-local')).toEqual([deadLettersUrl, bulkUrl]);
    expect(await find('Parley-local-in-a-long-name')).toEqual([]);
  });

  it('warns if they cannot be listed', async () => {
    const send = () => Promise.reject(new Error('AccessDenied'));
    const findings = await checkLeftoverQueues({ ...target, sqs: Object.assign(target.sqs, { send }) }, String);

    expect(findings).toMatchObject([{ grade: 'warning', remedy: expect.stringContaining('Allow sqs:ListQueues') }]);
  });
});

describe('dead-letters redrive bulk, in a stage without a bulk queue', () => {
  it('moves the requests and the dead letters of the former bulk queue to the send queue, in order', async () => {
    await queue(bulkUrl, 'a');
    await queue(bulkUrl, 'b', { notAfter: 'P2D' });
    await queue(deadLettersUrl, 'c', { notAfter: 'PT1S' });

    const { code, out } = await target.parley(['dead-letters', 'redrive', 'bulk']);

    expect([code, out]).toEqual([0, '3 redriven, 0 left.']);
    expect(await sent()).toEqual([
      ['c', 'ana'],
      ['a', 'ana'],
      ['b', 'ana'],
    ]);
    for (const url of [bulkUrl, deadLettersUrl]) expect((await countMessages(target.sqs, url)).available).toBe(0);
  });

  it('leaves a request whose duration is over, and moves the one behind it, however often it runs', async () => {
    const now = () => late.clock.now().toISOString();
    const sandbox = await listenLocally(createServer((_, response) => response.end(JSON.stringify({ now: now() }))));
    await using late = await startLocalTarget({ chatServiceUrl: sandbox.url });
    bulkUrl = await createQueue(BULK, late);
    await queue(bulkUrl, 'code', { notAfter: 'PT10M' }, late);
    await queue(bulkUrl, 'news', {}, late);
    const redrive = (...options: readonly string[]) => late.parley(['dead-letters', 'redrive', 'bulk', ...options]);

    await late.clock.advance(11 * 60 * 1000);
    await redrive('--reason', 'none of these');
    const [first, second] = [await redrive(), await redrive()];
    await sandbox.close();

    expect([first.out, second.out]).toEqual(['1 redriven, 1 left.', '0 redriven, 1 left.']);
    expect(first.err).toContain('The notAfter of code has passed');
    expect(await sent(late)).toEqual([['news', 'ana']]);
  });

  it('says that there is no bulk queue if there is none', async () => {
    await using other = await startLocalTarget();

    const { code, err } = await other.parley(['dead-letters', 'redrive', 'bulk']);

    expect([code, err]).toEqual([5, expect.stringContaining('the stage has no bulk queue')]);
  });
});

describe('a request of a former bulk queue', () => {
  const QUEUED_AT = '2026-11-20T12:00:00.000Z';
  const move = async (url: string, stop = new AbortController().signal, sqs = target.sqs) => {
    const exceptions: string[] = [];
    const { sendQueueUrl: destinationUrl } = target.addresses;
    const nowMs = target.clock.now().getTime() + 11 * 60 * 1000;
    const onException = (why: string) => void exceptions.push(why);
    const result = await moveLeftovers({ sqs, url }, { destinationUrl, nowMs, filter: {}, onException, stop });
    return [result, exceptions];
  };

  it('stays if its duration has passed, because a move would restart the duration', async () => {
    await queue(bulkUrl, 'code', { notAfter: 'PT10M' });

    expect(await move(bulkUrl)).toEqual([
      { moved: 0, deleted: 0, left: 1 },
      [`The notAfter of code has passed, so it was left in ${BULK}.`],
    ]);
    expect(await countMessages(target.sqs, bulkUrl)).toEqual({ available: 1, inFlight: 0 });
  });

  it.each([{}, { notAfter: 'PT12M' }, { notAfter: QUEUED_AT }, { notAfter: 'PT10M', sendAt: QUEUED_AT }])(
    'is moved if send can judge its deadline: %j',
    async (fields) => {
      await queue(bulkUrl, 'code', fields);
      expect(await move(bulkUrl)).toEqual([{ moved: 1, deleted: 0, left: 0 }, []]);
      expect(await sent()).toEqual([['code', 'ana']]);
    },
  );

  it('is moved if it is a dead letter, because its duration does not restart', async () => {
    await queue(deadLettersUrl, 'code', { notAfter: 'PT10M' });
    expect(await move(deadLettersUrl)).toEqual([{ moved: 1, deleted: 0, left: 0 }, []]);
  });

  it.each(['SendMessage', 'DeleteMessage'])('is in one of the queues after a %s that fails', async (command) => {
    await queue(bulkUrl, 'a');
    const { region, credentials, endpoint } = target.sqs.config;
    const failing = new SQSClient({ region, credentials, endpoint });
    onTestFinished(() => failing.destroy());
    failing.middlewareStack.add(
      (next, { commandName }) =>
        (args) =>
          commandName === `${command}Command` ? Promise.reject(new Error('throttled')) : next(args),
      { step: 'initialize' },
    );

    await expect(move(bulkUrl, undefined, failing)).rejects.toThrow('throttled');

    expect(await countMessages(target.sqs, bulkUrl)).toEqual({ available: 1, inFlight: 0 });
    expect(await move(bulkUrl)).toEqual([{ moved: 1, deleted: 0, left: 0 }, []]);
    expect(await sent()).toEqual([['a', 'ana']]);
  });

  it('stays if the command is interrupted', async () => {
    await queue(bulkUrl, 'a');
    await expect(move(bulkUrl, AbortSignal.abort())).rejects.toThrow('aborted');
    expect(await countMessages(target.sqs, bulkUrl)).toEqual({ available: 1, inFlight: 0 });
  });
});
