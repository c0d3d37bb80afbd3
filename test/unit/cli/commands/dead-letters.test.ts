import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDeadLettersCommand } from '../../../../cli/commands/dead-letters.ts';
import { countMessages } from '../../../../lambdas/adapters/sqs-backlog.ts';
import { NOW } from '../../../support/builders.ts';
import { type LocalTarget, startLocalTarget } from '../../../support/local-target.ts';

let target: LocalTarget;
beforeEach(async () => {
  target = await startLocalTarget();
});
afterEach(async () => {
  vi.useRealTimers();
  await target?.[Symbol.asyncDispose]();
});

const put = async (count: number): Promise<readonly string[]> => {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { MessageId = '' } = await target.sqs.send(
      new SendMessageCommand({ QueueUrl: target.addresses.inboundDeadLetterQueueUrl, MessageBody: `event ${index}` }),
    );
    ids.push(MessageId);
  }
  return ids;
};
const depth = () => countMessages(target.sqs, target.addresses.inboundDeadLetterQueueUrl);
describe('every dead-letter command makes visible again what it does not move', () => {
  it.each([
    ['list --limit', ['list', 'inbound', '--limit', '2'], 0],
    ['list with a reason that none has', ['list', 'inbound', '--reason', 'none'], 0],
    ['show', ['show', 'inbound', 'FIRST'], 0],
    ['show of one that does not exist', ['show', 'inbound', 'nothing'], 3],
    ['redrive of none', ['redrive', 'inbound', '--reason', 'none'], 0],
    ['delete of none', ['delete', 'inbound', '--reason', 'none', '--yes'], 3],
    ['delete without --yes', ['delete', 'inbound', 'FIRST'], 2],
  ])('%s', async (_name, args, exitCode) => {
    const [first = ''] = await put(15);

    const { code } = await target.parley(['dead-letters', ...args.map((arg) => (arg === 'FIRST' ? first : arg))]);

    expect(code).toBe(exitCode);
    expect(await depth()).toEqual({ available: 15, inFlight: 0 });
  });

  it.each([
    ['list', ['list', 'inbound']],
    ['show', ['show', 'inbound', 'nothing']],
    ['redrive', ['redrive', 'inbound']],
    ['delete', ['delete', 'inbound', 'nothing', '--yes']],
  ])('%s, after Ctrl-C', async (_name, args) => {
    await put(15);
    const stop = new AbortController();
    stop.abort();

    const { code, err } = await target.parley(['dead-letters', ...args], stop.signal);

    expect(code).toBe(130);
    expect(err).toContain('Interrupted');
    expect(await depth()).toEqual({ available: 15, inFlight: 0 });
  });
});

const putTo = async (
  QueueUrl = '',
  MessageBody: string,
  attributes: Record<string, string>,
  MessageGroupId?: string,
) => {
  const entries = Object.entries(attributes).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]);
  const fifo = MessageGroupId === undefined ? {} : { MessageGroupId, MessageDeduplicationId: MessageBody };
  const { MessageId = '' } = await target.sqs.send(
    new SendMessageCommand({ QueueUrl, MessageBody, MessageAttributes: Object.fromEntries(entries), ...fifo }),
  );
  return MessageId;
};

it('lists the dead letters of every queue, with the reasons', async () => {
  const { addresses } = target;
  await putTo(addresses.publishFailuresQueueUrl, '{}', { reason: 'UNREADABLE: TypeError' });
  const TARGET_ARN = 'arn:aws:sqs:eu-west-1:111122223333:crm';
  await putTo(addresses.undeliveredEventsQueueUrl, '{}', {
    RULE_ARN: 'rule',
    TARGET_ARN,
    ERROR_CODE: 'NO_PERMISSIONS',
  });

  const { code, out } = await target.parley(['dead-letters', 'list']);

  expect(code).toBe(0);
  expect(out.split('\n').filter((line) => !line.startsWith(' '))).toEqual([
    'send: 0 dead letters',
    'inbound: 0 dead letters',
    'schedules: 0 dead letters',
    'erasures: 0 dead letters',
    'publishing: 1 dead letter',
    'targets: 1 dead letter',
  ]);
  expect(out).toContain('UNREADABLE: TypeError');
  expect(out).toContain(`NO_PERMISSIONS, target ${TARGET_ARN}`);
});

it('says which setting a queue needs, and lists the others', async () => {
  await using quiet = await startLocalTarget({
    publishFailuresQueueUrl: undefined,
    undeliveredEventsQueueUrl: undefined,
  });

  const named = await quiet.parley(['dead-letters', 'list', 'targets']);
  const all = await quiet.parley(['dead-letters', 'list', '--json']);

  expect([named.code, named.err]).toEqual([5, expect.stringContaining('events.targets')]);
  expect([all.code, Object.keys(JSON.parse(all.out))]).toEqual([0, ['send', 'inbound', 'schedules', 'erasures']]);
});

describe('dead letters in the table', () => {
  const calls: string[] = [];
  const keptIds = Array.from({ length: 1200 }, (_, index) => `kept-${index}`);
  const startKept = () =>
    startLocalTarget({}, async (method, path) => {
      calls.push(`${method} ${path}`);
      const { pathname, searchParams } = new URL(path, 'http://api');
      const view = (id: string) => ({
        id,
        queue: 'send',
        groupId: 'group',
        reason: 'MALFORMED',
        since: NOW,
        keptAt: NOW,
      });
      if (method === 'POST') return [200, {}];
      const id = pathname.split('/')[3];
      if (id !== undefined) {
        return keptIds.includes(id)
          ? [200, { ...view(id), body: '{}' }]
          : [404, { code: 'DEAD_LETTER_NOT_FOUND', message: 'Not found.' }];
      }
      const from = Number(searchParams.get('cursor') ?? 0);
      const until = from + Number(searchParams.get('limit'));
      const cursor = until < keptIds.length ? { cursor: String(until) } : {};
      return [200, { deadLetters: keptIds.slice(from, until).map(view), ...cursor }];
    });
  beforeEach(() => {
    calls.length = 0;
  });

  it('are read only up to the limit', async () => {
    await using kept = await startKept();

    const { out } = await kept.parley(['dead-letters', 'list', 'send', '--limit', '5']);

    expect(out.split('\n')).toEqual([
      'send: at least 5 dead letters',
      ...[0, 1, 2, 3, 4].map((index) => expect.stringContaining(`kept-${index} `)),
    ]);
    expect(calls).toEqual(['GET /v1/dead-letters?queue=send&limit=6']);
  });

  it('show since when they have been there, and how long that is', async () => {
    vi.useFakeTimers({ now: Date.parse(NOW) + 180_000, toFake: ['Date'] });
    await using kept = await startKept();
    const described = `kept-7  ${NOW} (3 minutes ago)  group  MALFORMED`;

    expect((await kept.parley(['dead-letters', 'list', 'send', '--limit', '9'])).out).toContain(`  ${described}\n`);
    expect((await kept.parley(['dead-letters', 'show', 'send', 'kept-7'])).out).toBe(`${described}\n{}`);
  });

  it('are all listed if the limit allows it', async () => {
    await using kept = await startKept();

    const { out } = await kept.parley(['dead-letters', 'list', 'send', '--limit', '1200', '--json']);

    expect(JSON.parse(out).send).toMatchObject({ total: 1200, kept: 1200, hasMore: false });
    expect(calls).toHaveLength(3);
  });

  it.each([
    ['show', ['show', 'send', 'kept-1100'], []],
    ['delete', ['delete', 'send', 'kept-1100', '--yes'], ['POST /v1/audit', 'DELETE']],
  ])('are not searched for one: %s', async (_name, args, writes) => {
    await using kept = await startKept();

    const { code } = await kept.parley(['dead-letters', ...args]);

    expect(code).toBe(0);
    const [get, del] = ['GET', 'DELETE'].map((method) => `${method} /v1/dead-letters/kept-1100`);
    expect(new Set(calls)).toEqual(new Set([get, ...writes.map((write) => (write === 'DELETE' ? del : write))]));
  });
});

describe('a redrive through the management API', () => {
  const before = NOW;
  const redrive = async (args: readonly string[], ...answers: readonly object[]) => {
    const left = [...answers];
    await using asked = await startLocalTarget({}, async () => [200, { isComplete: true, before, ...left.shift() }]);
    const { code, out, err } = await asked.parley(['dead-letters', 'redrive', ...args]);
    return { code, out, err: err.split('\n') };
  };

  it('of one dead letter does not count those that the search read', async () => {
    const moved = await redrive(['send', 'letter-1'], { moved: 1, deleted: 0, left: 24 });
    expect(moved).toMatchObject({ code: 0, out: '1 redriven, 0 left.' });
  });

  it.each([
    ['deleted', { moved: 0, deleted: 1, left: 4 }, '0 redriven, 1 deleted, 0 left.'],
    ['left', { moved: 0, deleted: 0, left: 5 }, '0 redriven, 1 left.'],
  ])('says why one was %s', async (_result, answer, out) => {
    const notRedriven = [{ id: 'letter-1', why: 'It is gone.' }];
    expect(await redrive(['schedules', 'letter-1'], { ...answer, notRedriven })).toEqual({
      code: 0,
      out,
      err: ['Dead letter letter-1 was not redriven: It is gone.'],
    });
  });

  it('adds up its calls', async () => {
    const one = { moved: 3, deleted: 1, left: 2, notRedriven: [{ id: 'a', why: 'It is gone.' }] };
    const first = { ...one, isComplete: false };
    expect(await redrive(['schedules'], first, { moved: 4, deleted: 0, left: 5 })).toMatchObject({
      code: 0,
      out: '7 redriven, 1 deleted, 7 left.',
    });
  });
});

it('says that a dead letter to redrive was not found', async () => {
  await put(3);

  const [send, inbound] = [
    await target.parley(['dead-letters', 'redrive', 'send', 'nothing']),
    await target.parley(['dead-letters', 'redrive', 'inbound', 'nothing']),
  ];

  expect([send.code, inbound.code]).toEqual([3, 3]);
  expect(send.err).toContain('parley dead-letters list send --local');
});

it('deletes all dead letters of a queue only with --all', async () => {
  await put(12);

  expect((await target.parley(['dead-letters', 'delete', 'inbound', '--yes'])).code).toBe(2);
  expect((await target.parley(['dead-letters', 'delete', 'inbound', '--all', '--reason', 'x', '--yes'])).code).toBe(2);
  expect(await depth()).toEqual({ available: 12, inFlight: 0 });
  expect(await target.parley(['dead-letters', 'delete', 'inbound', '--all', '--yes'])).toMatchObject({
    code: 0,
    out: '12 dead letters deleted.',
  });
});

it('deletes one dead letter and leaves the others', async () => {
  const [, second = ''] = await put(3);

  const { code, out } = await target.parley(['dead-letters', 'delete', 'inbound', second, '--yes']);

  expect([code, out]).toEqual([0, '1 dead letter deleted.']);
  expect(await depth()).toEqual({ available: 2, inFlight: 0 });
  const { out: listed } = await target.parley(['dead-letters', 'list', 'inbound']);
  expect([listed.includes(second), listed.split('\n')[0]]).toEqual([false, 'inbound: 2 dead letters']);
});

it('every dead-letter command is in these tests', () => {
  const names = createDeadLettersCommand(Object.create(null)).commands.map((command) => command.name());

  expect(names.toSorted()).toEqual(['delete', 'list', 'redrive', 'show']);
});
