import { GetQueueAttributesCommand, ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  createSqsDeadLetterSource,
  createSqsQueuedDeadLetters,
} from '../../../../lambdas/adapters/sqs-dead-letters.ts';
import type { DeadLetter } from '../../../../lambdas/domain/dead-letter.ts';
import type { DeadLetterText } from '../../../../lambdas/domain/dead-letter-subject.ts';
import { seconds } from '../../../../lambdas/domain/duration.ts';
import { contractQueues } from '../../../support/contract-queues.ts';

const queues = contractQueues({ pollSecondMs: 50 });
const createQueue = (suffix: '' | '.fifo' = '') =>
  queues.createQueue(suffix === '' ? {} : { FifoQueue: 'true', ContentBasedDeduplication: 'true' });
const put = (QueueUrl: string, MessageBody: string, MessageGroupId?: string, MessageDeduplicationId?: string) =>
  queues.client.send(new SendMessageCommand({ QueueUrl, MessageBody, MessageGroupId, MessageDeduplicationId }));
const visible = async (QueueUrl: string): Promise<readonly string[]> => {
  const bodies: string[] = [];
  for (;;) {
    const { Messages = [] } = await queues.client.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }),
    );
    if (Messages.length === 0) return bodies.toSorted();
    bodies.push(...Messages.map(({ Body = '' }) => Body));
  }
};
const inFlight = async (QueueUrl: string) => {
  const AttributeNames = ['ApproximateNumberOfMessagesNotVisible' as const];
  const { Attributes } = await queues.client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
  return Attributes?.ApproximateNumberOfMessagesNotVisible;
};
const search = (send: string, ...others: string[]) =>
  createSqsQueuedDeadLetters(queues.client, { bulk: undefined, send, others }, keep);
const keep = vi.fn(async (_deadLetter: DeadLetter) => undefined);
const isWanted = ({ body }: DeadLetterText) => body.startsWith('wanted');
const always = () => true;

beforeEach(() => void keep.mockReset());

describe('the dead letters', () => {
  it('that are wanted are removed from all queues; the others are visible again at once', async () => {
    const [one, other] = [await createQueue(), await createQueue()];
    for (let index = 0; index < 25; index += 1) await put(one, `${index % 2 === 0 ? 'wanted' : 'other'} ${index}`);
    await put(other, 'wanted');

    expect(await search(one, other).remove(isWanted, always)).toEqual({
      removed: 14,
      isComplete: true,
    });

    expect(await inFlight(one)).toBe('0');
    expect(await visible(one)).toHaveLength(12);
    expect(await visible(other)).toEqual([]);
  });

  it('of a FIFO queue are removed to the end of their message group', async () => {
    const url = await createQueue('.fifo');
    for (let index = 0; index < 15; index += 1) await put(url, `wanted ${index}`, 'group-1');
    await put(url, 'other', 'group-2');

    const groups: (string | undefined)[] = [];
    const result = await search(url).remove((deadLetter) => {
      groups.push(deadLetter.groupId);
      return isWanted(deadLetter);
    }, always);

    expect(result).toEqual({ removed: 15, isComplete: true });
    expect(new Set(groups)).toEqual(new Set(['group-1', 'group-2']));
    expect(await visible(url)).toEqual(['other']);
  });

  it('of a FIFO queue are removed even if others hide them; those others are moved to the table', async () => {
    const url = await createQueue('.fifo');
    const group = Array.from({ length: 24 }, (_, index) => (index % 12 === 11 ? 'wanted' : `other ${index}`));
    for (const [index, body] of group.entries()) await put(url, body, 'group-1', `${index}`);
    await put(url, 'alone', 'group-2');

    expect(await search(url).remove(isWanted, always)).toEqual({ removed: 2, isComplete: true });

    const kept = keep.mock.calls.map(([{ queue, body, groupId }]) => ({ queue, body, groupId }));
    const left = await visible(url);
    expect([...kept.map(({ body }) => body), ...left].toSorted()).toEqual(
      ['alone', ...group.filter((body) => body !== 'wanted')].toSorted(),
    );
    expect(kept[0]).toEqual({ queue: 'send', body: 'other 0', groupId: 'group-1' });
    expect(left).toContain('alone');
    expect(left.length).toBeGreaterThan(1);
  });

  it('of a FIFO queue stay there if the ones that hide others cannot be kept', async () => {
    const url = await createQueue('.fifo');
    for (let index = 0; index < 12; index += 1) await put(url, `other ${index}`, 'group-1');
    keep.mockResolvedValueOnce(undefined).mockRejectedValueOnce(new Error('The table is unavailable.'));

    await expect(search(url).remove(isWanted, always)).rejects.toThrow('The table is unavailable.');

    expect(await visible(url)).toHaveLength(10);
    expect(await inFlight(url)).not.toBe('0');
  });

  it('of a FIFO queue stay there if they hide none, although another one arrives at the end of the search', async () => {
    const url = await createQueue('.fifo');
    for (const body of ['other-1', 'other-2']) await put(url, body, body, body);
    let counts = 0;
    const putLate = async (command: string) => {
      if (command !== 'GetQueueAttributesCommand') return;
      counts += 1;
      // The first count is before the search.
      if (counts === 2) await put(url, 'late', 'late', 'late');
    };
    queues.client.middlewareStack.add(
      (next, { commandName = '' }) =>
        async (parameters) => {
          await putLate(commandName);
          return next(parameters);
        },
      { name: 'putLate' },
    );
    onTestFinished(() => void queues.client.middlewareStack.remove('putLate'));

    expect(await search(url).remove(isWanted, always)).toEqual({ removed: 0, isComplete: true });

    expect(keep).not.toHaveBeenCalled();
    expect(await visible(url)).toEqual(['late', 'other-1', 'other-2']);
  });

  it('of a FIFO queue stay there if they are the last ones of their message group', async () => {
    const url = await createQueue('.fifo');
    const numbered = (group: string, size: number) =>
      Array.from({ length: size }, (_, index) => `${group}-${index + 1}`);
    for (const body of numbered('one', 12)) await put(url, body, 'one', body);
    for (const body of numbered('two', 11)) await put(url, body, 'two', body);

    expect(await search(url).remove(isWanted, always)).toEqual({ removed: 0, isComplete: true });

    expect(await visible(url)).toEqual(['one-11', 'one-12', 'two-11']);
  });

  it('of a FIFO queue are kept until the time is over', async () => {
    const url = await createQueue('.fifo');
    for (let index = 0; index < 12; index += 1) await put(url, `other ${index}`, 'group-1', `${index}`);

    const hasTime = () => keep.mock.calls.length === 0;
    expect(await search(url).remove(isWanted, hasTime)).toEqual({ removed: 0, isComplete: false });

    expect(keep).toHaveBeenCalledTimes(1);
    expect(await visible(url)).toHaveLength(10);
  });

  it('are not all seen while another consumer has received some, or when the time is over', async () => {
    const url = await createQueue();
    await put(url, 'wanted');
    expect(await search(url).remove(isWanted, () => false)).toEqual({ removed: 0, isComplete: false });
    await queues.client.send(new ReceiveMessageCommand({ QueueUrl: url, VisibilityTimeout: 60 }));

    expect(await search(url).remove(isWanted, always)).toEqual({ removed: 0, isComplete: false });
  });

  it.each([
    ['one process', true],
    ['two processes', false],
  ])('are not missed by the searches of two erasures at once, in %s', async (_case, isShared) => {
    const url = await createQueue();
    for (let index = 0; index < 25; index += 1) await put(url, `${index % 2 === 0 ? 'one' : 'other'} ${index}`);
    const one = search(url);
    const otherSearch = isShared ? one : search(url);

    const results = await Promise.all([
      one.remove(({ body }) => body.startsWith('one'), always),
      otherSearch.remove(({ body }) => body.startsWith('other'), always),
    ]);

    const left = await visible(url);
    for (const [index, name] of ['one', 'other'].entries()) {
      const missed = left.filter((body) => body.startsWith(name));
      if (results[index]?.isComplete) expect(missed).toEqual([]);
    }
    if (isShared)
      expect({ results, left }).toMatchObject({ results: [{ isComplete: true }, { isComplete: true }], left: [] });
  });

  it('are left to a search that began earlier', async () => {
    const url = await createQueue();
    await put(url, 'wanted 1');
    await put(url, 'wanted 2');
    await queues.client.send(
      new ReceiveMessageCommand({ QueueUrl: url, MaxNumberOfMessages: 1, VisibilityTimeout: 60 }),
    );

    expect(await search(url).remove(isWanted, always)).toEqual({
      removed: 0,
      isComplete: false,
    });

    expect(await visible(url)).toHaveLength(1);
  });

  it('are all released before the search of another queue fails', async () => {
    const [one, other] = [await createQueue(), await createQueue()];
    await put(one, 'broken');
    for (let index = 0; index < 30; index += 1) await put(other, `other ${index}`);
    const failing = ({ body }: DeadLetterText) => {
      if (body === 'broken') throw new Error('It cannot be read.');
      return false;
    };

    await expect(search(one, other).remove(failing, always)).rejects.toThrow('cannot be read');

    expect(await visible(other)).toHaveLength(30);
  });

  it('are released even if reading them fails', async () => {
    const url = await createQueue();
    await put(url, 'other');
    await put(url, 'broken');
    const failing = ({ body }: DeadLetterText) => {
      if (body === 'broken') throw new Error('It cannot be read.');
      return false;
    };

    await expect(search(url).remove(failing, always)).rejects.toThrow('cannot be read');

    expect(await visible(url)).toContain('other');
  });
});

describe('a dead-letter queue', () => {
  /** Creates a queue with this dead-letter queue, and lets SQS move a message there. */
  const moveFrom = async (deadLettersUrl: string, MessageBody: string): Promise<string> => {
    const { Attributes } = await queues.client.send(
      new GetQueueAttributesCommand({ QueueUrl: deadLettersUrl, AttributeNames: ['QueueArn'] }),
    );
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: Attributes?.QueueArn, maxReceiveCount: 1 });
    const QueueUrl = await queues.createQueue({ RedrivePolicy });
    await put(QueueUrl, MessageBody);
    for (let receives = 0; receives < 2; receives += 1) {
      await queues.client.send(new ReceiveMessageCommand({ QueueUrl, VisibilityTimeout: 0 }));
    }
    return QueueUrl;
  };

  it('knows what SQS moved there from another queue than its own', async () => {
    const deadLettersUrl = await createQueue();
    const ownUrl = await moveFrom(deadLettersUrl, 'ours');
    await moveFrom(deadLettersUrl, 'invented');
    await put(deadLettersUrl, 'quarantined');

    const received = await createSqsDeadLetterSource(queues.client, 'inbound', deadLettersUrl, {
      hiddenSeconds: seconds(60),
      sourceUrl: ownUrl,
    }).receive();

    expect(received.map(({ body, isForeign = false }) => [body, isForeign]).toSorted()).toEqual([
      ['invented', true],
      ['ours', false],
      ['quarantined', false],
    ]);
  });
});
