import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDeadLettersCommand } from '../../../../cli/commands/dead-letters.ts';
import { queueDepth } from '../../../../cli/operations/dead-letter-queue.ts';
import { type LocalTarget, startLocalTarget } from '../../../support/local-target.ts';

let target: LocalTarget;
beforeEach(async () => {
  target = await startLocalTarget();
});
afterEach(async () => {
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
const depth = () => queueDepth(target.sqs, target.addresses.inboundDeadLetterQueueUrl);
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
