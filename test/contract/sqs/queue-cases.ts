import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  type QueueAttributeName,
} from '@aws-sdk/client-sqs';
import { FIFO, SOURCES, type SqsCase } from './contract-case.ts';
import { outcomeOf } from './contract-queue.ts';

/** Creating, finding, and describing queues. */
export const QUEUE_CASES: readonly SqsCase[] = [
  {
    name: 'queues: creating a queue again with the same attributes returns it; different attributes are refused',
    source: SOURCES.createQueue,
    async observe({ sqs }) {
      const create = (VisibilityTimeout: string) =>
        sqs.send(new CreateQueueCommand({ QueueName: 'created-twice', Attributes: { VisibilityTimeout } }));
      const urls = [(await create('10')).QueueUrl, (await create('10')).QueueUrl];
      return { isSame: urls[0] === urls[1], changed: await outcomeOf(create('20')) };
    },
    expected: { isSame: true, changed: 'QueueNameExists' },
  },
  {
    name: 'queues: names of 1 to 80 letters, digits, hyphens, and underscores; .fifo only for FIFO queues',
    source: SOURCES.createQueue,
    async observe({ sqs }) {
      const create = (QueueName: string, Attributes = {}) =>
        outcomeOf(sqs.send(new CreateQueueCommand({ QueueName, Attributes })));
      return {
        '80 characters': await create('x'.repeat(80)),
        '81 characters': await create('x'.repeat(81)),
        'a space': await create('with a space'),
        'FIFO without .fifo': await create('fifo', FIFO),
        '.fifo without FIFO': await create('standard.fifo'),
      };
    },
    expected: {
      '80 characters': 'accepted',
      '81 characters': 'InvalidParameterValue',
      'a space': 'InvalidParameterValue',
      'FIFO without .fifo': 'InvalidParameterValue',
      '.fifo without FIFO': 'InvalidParameterValue',
    },
  },
  {
    name: 'queues: attributes within their ranges and for the right type of queue',
    source: SOURCES.createQueue,
    async observe({ queue }) {
      const create = (attributes: Record<string, string>) => outcomeOf(queue(attributes));
      return {
        visibility: await create({ VisibilityTimeout: '43201' }),
        retention: await create({ MessageRetentionPeriod: '59' }),
        delay: await create({ DelaySeconds: '901' }),
        wait: await create({ ReceiveMessageWaitTimeSeconds: '21' }),
        size: await create({ MaximumMessageSize: '1048577' }),
        unknown: await create({ Color: 'blue' }),
        'FIFO attribute': await create({ ContentBasedDeduplication: 'true' }),
      };
    },
    expected: {
      visibility: 'InvalidAttributeValue',
      retention: 'InvalidAttributeValue',
      delay: 'InvalidAttributeValue',
      wait: 'InvalidAttributeValue',
      size: 'InvalidAttributeValue',
      unknown: 'InvalidAttributeName',
      'FIFO attribute': 'InvalidAttributeName',
    },
  },
  {
    name: 'queues: requests to a queue that does not exist are refused',
    source: SOURCES.getQueueUrl,
    async observe({ queue, sqs }) {
      const { url } = await queue();
      const QueueUrl = url.replace(/[\w-]+$/, 'missing');
      return [
        await outcomeOf(sqs.send(new GetQueueUrlCommand({ QueueName: 'missing' }))),
        await outcomeOf(sqs.send(new GetQueueAttributesCommand({ QueueUrl }))),
      ];
    },
    expected: ['QueueDoesNotExist', 'QueueDoesNotExist'],
  },
  {
    name: 'queues: message counts, and the attributes that a request names',
    source: SOURCES.getQueueAttributes,
    async observe({ queue, sqs }) {
      const one = await queue({ DelaySeconds: '0', MaximumMessageSize: '2048' });
      for (const body of ['in flight', 'visible', 'also visible']) await one.send(body);
      await one.send('delayed', { DelaySeconds: 900 });
      await one.receive({ max: 1 });
      const ask = async (...names: readonly string[]) => {
        const AttributeNames = names as QueueAttributeName[];
        return (await sqs.send(new GetQueueAttributesCommand({ QueueUrl: one.url, AttributeNames }))).Attributes;
      };
      return {
        counts: [
          await one.attribute('ApproximateNumberOfMessages'),
          await one.attribute('ApproximateNumberOfMessagesNotVisible'),
          await one.attribute('ApproximateNumberOfMessagesDelayed'),
        ],
        named: await ask('MaximumMessageSize', 'DelaySeconds'),
        unknown: await outcomeOf(ask('Color')),
      };
    },
    expected: {
      counts: ['2', '1', '1'],
      named: { MaximumMessageSize: '2048', DelaySeconds: '0' },
      unknown: 'InvalidAttributeName',
    },
  },
];
