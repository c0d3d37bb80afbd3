import { describe, expect, it } from 'vitest';
import { createSqsPublishDeadLetterQueue, createSqsTurnQueue } from '../../../../lambdas/adapters/sqs.ts';
import { isRejectedBySqs, queueJson } from '../../../../lambdas/domain/queue-json.ts';
import { NOW } from '../../../support/builders.ts';
import { contractQueues } from '../../../support/contract-queues.ts';

const ODD = 'a\ufffe\uffff\u0000\u{1f389}';

describe('JSON for a queue', () => {
  it('has the same value, without the characters that SQS rejects', () => {
    expect(JSON.parse(queueJson({ [ODD]: [ODD] }))).toEqual({ [ODD]: [ODD] });
    expect(isRejectedBySqs(JSON.stringify(ODD))).toBe(true);
    expect(isRejectedBySqs(queueJson(ODD))).toBe(false);
  });

  const queues = contractQueues();
  it.each([
    [
      'a turn',
      (url: string) =>
        createSqsTurnQueue(queues.client, url).put(
          {
            contact: { platform: 'chat', channel: '*', key: ODD },
            firstMessageId: ODD,
            startedAt: NOW,
            messageCount: 1,
          },
          0,
        ),
    ],
    [
      'a change that cannot be published',
      (url: string) =>
        createSqsPublishDeadLetterQueue(queues.client, url).put({ sequenceNumber: '1', record: { id: ODD } }, 'why'),
    ],
  ])('is accepted with any characters: %s', async (_what, put) => {
    await expect(put(await queues.createQueue({}))).resolves.toBeUndefined();
  });
});
