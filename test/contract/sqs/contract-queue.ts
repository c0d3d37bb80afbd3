import { randomUUID } from 'node:crypto';
import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SendMessageCommandInput,
  type SQSClient,
} from '@aws-sdk/client-sqs';

/** An implementation of SQS that the contract is checked against. */
export interface SqsImplementation {
  readonly sqs: SQSClient;
  /** Lets time pass: moves the implementation's clock, or waits. */
  readonly pass: (seconds: number) => Promise<void>;
}

/** What a case sends in addition to the body. */
export type MessageParameters = Partial<Omit<SendMessageCommandInput, 'QueueUrl' | 'MessageBody'>>;

interface ReceiveParameters {
  readonly max?: number;
  readonly visibilitySeconds?: number;
  readonly waitSeconds?: number;
}

/** A queue that only one case uses. */
export interface ContractQueue {
  readonly url: string;
  readonly arn: () => Promise<string>;
  /** Sends a message. Returns its id. */
  readonly send: (body: string, parameters?: MessageParameters) => Promise<string>;
  /** Sends messages to a group, one after another. Each body is also the deduplication id. */
  readonly sendToGroup: (group: string, ...bodies: readonly string[]) => Promise<void>;
  readonly receive: (parameters?: ReceiveParameters) => Promise<readonly Message[]>;
  /** Receives messages. Returns their bodies. */
  readonly bodies: (parameters?: ReceiveParameters) => Promise<readonly string[]>;
  readonly delete: (message: Message | undefined) => Promise<void>;
  readonly changeVisibility: (message: Message | undefined, seconds: number) => Promise<void>;
  /** Returns an attribute of the queue, or undefined if it has none with that name. */
  readonly attribute: (name: 'QueueArn' | CountName) => Promise<string | undefined>;
}

type CountName =
  | 'ApproximateNumberOfMessages'
  | 'ApproximateNumberOfMessagesDelayed'
  | 'ApproximateNumberOfMessagesNotVisible';

/** Creates queues with unique names, also if a case runs again. */
export const createContractQueues = ({ sqs }: SqsImplementation, caseName: string) => {
  const run = randomUUID().slice(0, 8);
  let queues = 0;
  return async (attributes: Record<string, string> = {}): Promise<ContractQueue> => {
    queues += 1;
    const suffix = attributes.FifoQueue === 'true' ? '.fifo' : '';
    const QueueName = `${caseName.replaceAll(/\W+/g, '-').slice(0, 60)}-${run}-${queues}${suffix}`;
    const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName, Attributes: attributes }));
    return contractQueue(sqs, QueueUrl);
  };
};

const contractQueue = (sqs: SQSClient, url: string): ContractQueue => {
  const send = async (body: string, parameters: MessageParameters = {}): Promise<string> => {
    const sent = await sqs.send(new SendMessageCommand({ QueueUrl: url, MessageBody: body, ...parameters }));
    return sent.MessageId ?? '';
  };
  const receive = async (parameters: ReceiveParameters = {}): Promise<readonly Message[]> => {
    const { max = 10, visibilitySeconds, waitSeconds = 0 } = parameters;
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: url,
        MaxNumberOfMessages: max,
        VisibilityTimeout: visibilitySeconds,
        WaitTimeSeconds: waitSeconds,
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['All'],
      }),
    );
    return Messages;
  };
  const attribute: ContractQueue['attribute'] = async (name) => {
    const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['All'] }));
    return Attributes?.[name];
  };
  return {
    url,
    send,
    receive,
    attribute,
    arn: async () => (await attribute('QueueArn')) ?? '',
    async sendToGroup(group, ...bodies) {
      for (const body of bodies) await send(body, { MessageGroupId: group, MessageDeduplicationId: body });
    },
    bodies: async (parameters) => (await receive(parameters)).map(({ Body = '' }) => Body),
    async delete(message) {
      await sqs.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: message?.ReceiptHandle }));
    },
    async changeVisibility(message, VisibilityTimeout) {
      const change = { QueueUrl: url, ReceiptHandle: message?.ReceiptHandle, VisibilityTimeout };
      await sqs.send(new ChangeMessageVisibilityCommand(change));
    },
  };
};

/** Returns the error's name if a request is refused, and `accepted` otherwise. */
export const outcomeOf = (request: Promise<unknown>): Promise<string> =>
  request.then(
    () => 'accepted',
    (error: unknown) => (error instanceof Error ? error.name : String(error)),
  );

/** Returns the value of a system attribute of a message. */
export const systemAttribute = (
  message: Message | undefined,
  name: keyof NonNullable<Message['Attributes']>,
): string | undefined => message?.Attributes?.[name];
