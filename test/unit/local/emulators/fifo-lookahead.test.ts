import { expect, it } from 'vitest';
import type { QueueSettings } from '../../../../local/emulators/sqs/queue.ts';
import { createQueues } from '../../../../local/emulators/sqs/queues.ts';

const SETTINGS: QueueSettings = {
  name: 'bulk.fifo',
  arn: 'arn:aws:sqs:us-east-1:111122223333:bulk.fifo',
  isFifo: true,
  contentBasedDeduplication: true,
  deduplicationScope: 'messageGroup',
  delaySeconds: 0,
  visibilityTimeoutSeconds: 30,
  retentionSeconds: 86_400,
  receiveWaitSeconds: 0,
  maximumMessageBytes: 262_144,
};

const queueWith = (lookahead?: number) => {
  const queues = createQueues({ now: () => 0, onChange: () => undefined, lookahead });
  const queue = queues.create(SETTINGS);
  for (const body of ['one 1', 'one 2', 'one 3', 'other 1']) {
    queue.send({ body, groupId: body.split(' ')[0], attributes: {} });
  }
  const receive = (max: number) => {
    const result = queue.receive({ max });
    return result.kind === 'received' ? result.messages : [];
  };
  return { queue, receive, bodiesOf: (max: number) => receive(max).map(({ body }) => body) };
};

it('A FIFO queue returns the messages of another group while those of the first one are in flight', () => {
  const { bodiesOf } = queueWith();

  expect(bodiesOf(1)).toEqual(['one 1']);
  expect(bodiesOf(10)).toEqual(['other 1']);
});

it('It returns none if the backlog of the first group, with what is in flight, is as large as its look-ahead', () => {
  const { queue, receive, bodiesOf } = queueWith(3);
  const [first] = receive(1);

  expect(bodiesOf(10)).toEqual([]);
  expect(queue.depths()).toMatchObject({ visible: 3, inFlight: 1 });

  queue.delete(first?.receiptHandle ?? '');
  expect(bodiesOf(10)).toEqual(['one 2', 'one 3', 'other 1']);
});
