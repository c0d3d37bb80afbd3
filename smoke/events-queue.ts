import {
  CreateQueueCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { type ParleyEvent, parseParleyEvent } from '../lib/events.ts';
import type { EventsQueue } from './smoke-stage.ts';

/** Where a stage publishes its events to during a test. */
export interface EventsQueueName {
  readonly queueName: string;
  readonly queueArn: string;
}

export const eventsQueueName = (id: string, region: string, account: string): EventsQueueName => {
  const queueName = `parley-smoke-${id}`;
  const partition = region.startsWith('cn-') ? 'aws-cn' : region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws';
  return { queueName, queueArn: `arn:${partition}:sqs:${region}:${account}:${queueName}` };
};

/** Settings that make a stage deliver its events to the queue, and to no targets but these. */
export const eventsTo = ({ queueArn }: EventsQueueName, others: readonly object[] = []) => ({
  events: { targets: [{ kind: 'sqs', queueArn }, ...others] },
});

/** Returns the attributes of a queue to which EventBridge may deliver from the rules of its own account. */
export const policyFor = ({ queueArn }: EventsQueueName): Record<string, string> => {
  const [, , , , account = ''] = queueArn.split(':');
  const statement = {
    Effect: 'Allow',
    Principal: { Service: 'events.amazonaws.com' },
    Action: 'sqs:SendMessage',
    Resource: queueArn,
    Condition: { StringEquals: { 'aws:SourceAccount': account } },
  };
  return { Policy: JSON.stringify({ Version: '2012-10-17', Statement: [statement] }) };
};

/** Creates the queue. The queues of a local run have no policies, so the attributes are the caller's. */
export const createEventsQueue = async (
  sqs: SQSClient,
  { queueName }: EventsQueueName,
  Attributes: Record<string, string> = {},
): Promise<EventsQueue> => {
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: queueName, Attributes }));
  const received = new Map<string, ParleyEvent>();
  const receiveNext = async (): Promise<readonly ParleyEvent[]> => {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 }),
    );
    const events = Messages.flatMap(({ Body = '' }) => parseParleyEvent(Body) ?? []);
    for (const event of events) received.set(event.detail.id, event);
    for (const { ReceiptHandle } of Messages) await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    return events;
  };
  return {
    name: queueName,
    receiveNext,
    async receive() {
      while ((await receiveNext()).length > 0);
      return [...received.values()];
    },
    async remove() {
      await sqs.send(new DeleteQueueCommand({ QueueUrl }));
    },
  };
};
