import { z } from 'zod';
import { defineOperation, type Operation, queueAt, queueUrl } from './operation.ts';
import { checkAttributeNames, readSettings, writeAttributes } from './queue-attributes.ts';
import { SqsError } from './sqs-error.ts';

/** The operations on queues. */
export const QUEUE_OPERATIONS: Readonly<Record<string, Operation>> = {
  CreateQueue: defineOperation(
    { QueueName: z.string(), Attributes: z.record(z.string(), z.string()).default({}) },
    ({ QueueName, Attributes }, { queues, request }) => {
      const settings = readSettings(QueueName, Attributes, queues.findByArn);
      const existing = queues.find(QueueName);
      if (existing === undefined) queues.create(settings);
      else if (JSON.stringify(existing.settings) !== JSON.stringify(settings)) {
        const sentence = 'A queue already exists with the same name and a different value for an attribute.';
        throw new SqsError('QueueNameExists', sentence);
      }
      return { QueueUrl: queueUrl(QueueName, request) };
    },
  ),

  GetQueueUrl: defineOperation({ QueueName: z.string() }, ({ QueueName }, context) => {
    const url = queueUrl(QueueName, context.request);
    queueAt(url, context);
    return { QueueUrl: url };
  }),

  ListQueues: defineOperation(
    { QueueNamePrefix: z.string().default('') },
    ({ QueueNamePrefix }, { queues, request }) => {
      const names = queues.all().map(({ settings }) => settings.name);
      const matching = names.filter((name) => name.startsWith(QueueNamePrefix));
      return { QueueUrls: matching.map((name) => queueUrl(name, request)) };
    },
  ),

  GetQueueAttributes: defineOperation(
    { QueueUrl: z.string(), AttributeNames: z.array(z.string()).default([]) },
    ({ QueueUrl, AttributeNames }, context) => {
      checkAttributeNames(AttributeNames);
      const attributes = Object.entries(writeAttributes(queueAt(QueueUrl, context)));
      const isWanted = (name: string): boolean => AttributeNames.includes('All') || AttributeNames.includes(name);
      return { Attributes: Object.fromEntries(attributes.filter(([name]) => isWanted(name))) };
    },
  ),

  PurgeQueue: defineOperation({ QueueUrl: z.string() }, ({ QueueUrl }, context) => {
    if (queueAt(QueueUrl, context).purge()) return {};
    throw new SqsError('PurgeQueueInProgress', 'Only one PurgeQueue operation is allowed every 60 seconds.');
  }),
};
