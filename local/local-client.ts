import { DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { z } from 'zod';
import type { LocalCloud } from './local-cloud.ts';
import { LocalError } from './local-error.ts';
import { stringAttributes } from './string-attributes.ts';

const outbox = z.object({
  messages: z.array(
    z.object({ id: z.string(), endpoint: z.string(), body: z.record(z.string(), z.unknown()), status: z.string() }),
  ),
});
const deliveries = z.object({
  deliveries: z.array(
    z.object({ messageId: z.string(), event: z.unknown(), attempt: z.int(), status: z.int().nullish() }),
  ),
  pending: z.unknown(),
});

/** A message in the sandbox's outbox. */
export type SentMessage = z.output<typeof outbox>['messages'][number];
/** A webhook attempt of the sandbox. */
export type Delivery = z.output<typeof deliveries>['deliveries'][number];
/** An item of the table as plain values. */
export type TableItem = Readonly<Record<string, unknown>>;

export interface QueuedMessage {
  readonly body: string;
  /** Why the message is a dead letter. Undefined in other queues. */
  readonly reason: string | undefined;
  readonly groupId: string | undefined;
}

/** A client for a local run. Acts as the user, as an internal system, and as a developer who inspects its data. */
export interface LocalClient extends Disposable {
  /** Sends a message as the user. Returns its `_id_`. */
  userWrites(contact: string, message: { readonly text?: string; readonly at?: string }): Promise<string>;
  /** Marks the business's messages as read by the user. */
  userReads(contact: string): Promise<void>;
  /** Creates a rule or template. */
  putRule(
    name: string,
    rule: { readonly text: string; readonly category: string; readonly status?: string },
  ): Promise<void>;
  /** Delivers any body to the webhook as a signed event. Returns the id of the delivery. */
  deliverEvent(event: unknown): Promise<string>;
  advanceClock(seconds: number): Promise<void>;
  /** Calls the sandbox's control API. @throws LocalError if the response is not 2xx. */
  control(method: string, path: string, body?: unknown): Promise<unknown>;
  /** Returns the messages that the sandbox has accepted, oldest first. */
  outbox(): Promise<readonly SentMessage[]>;
  /** Returns every webhook attempt of the sandbox. */
  deliveries(): Promise<readonly Delivery[]>;
  /** Puts a request on the send queue, like an internal system. */
  enqueue(
    request: { readonly requestId: string; readonly platformContactId: string } & Record<string, unknown>,
  ): Promise<void>;
  /** Sends a message to a queue, with a message group and a deduplication id if it is a FIFO queue. */
  putMessage(
    queueUrl: string,
    body: string,
    fifo?: { readonly groupId: string; readonly id: string },
    attributes?: Readonly<Record<string, string>>,
  ): Promise<void>;
  /** Returns the table's items by `pk sk`. */
  table(): Promise<Readonly<Record<string, TableItem>>>;
  /** Receives and deletes up to ten messages. */
  takeMessages(queueUrl: string): Promise<readonly QueuedMessage[]>;
  /** Returns how many messages a queue holds, including those in flight. */
  queueDepth(queueUrl: string): Promise<number>;
  close(): void;
}

/** The parts of a run that a client uses. */
export type ClientTarget = Pick<LocalCloud, 'chatServiceUrl' | 'env' | 'sendQueueUrl' | 'tableName'>;

/** Creates a client that uses AWS SDK clients and the sandbox's control API. */
export const createLocalClient = (cloud: ClientTarget): LocalClient => {
  const credentials = {
    accessKeyId: cloud.env.AWS_ACCESS_KEY_ID ?? '',
    secretAccessKey: cloud.env.AWS_SECRET_ACCESS_KEY ?? '',
  };
  const region = cloud.env.AWS_REGION;
  const sqs = new SQSClient({ region, credentials, endpoint: cloud.env.AWS_ENDPOINT_URL_SQS });
  const dynamodb = new DynamoDBClient({ region, credentials, endpoint: cloud.env.AWS_ENDPOINT_URL_DYNAMODB });

  const control = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`${cloud.chatServiceUrl}/sandbox${path}`, {
      method,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    if (response.ok) return JSON.parse(text);
    throw new LocalError(`The sandbox responded to ${method} /sandbox${path} with ${response.status}: ${text}`);
  };

  const putMessage: LocalClient['putMessage'] = async (queueUrl, body, fifo, attributes = {}) => {
    await sqs.send(
      new SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody: body,
        MessageGroupId: fifo?.groupId,
        MessageDeduplicationId: fifo?.id,
        MessageAttributes: stringAttributes(attributes),
      }),
    );
  };

  const close = (): void => {
    sqs.destroy();
    dynamodb.destroy();
  };

  return {
    control,
    putMessage,
    async userWrites(contact, message) {
      const response = await control('POST', `/users/${encodeURIComponent(contact)}/messages`, message);
      return z.object({ _id_: z.string() }).parse(response)._id_;
    },
    async userReads(contact) {
      await control('POST', `/users/${encodeURIComponent(contact)}/read`);
    },
    async putRule(name, rule) {
      await control('PUT', `/rules/${encodeURIComponent(name)}`, { status: 'approved', ...rule });
    },
    async deliverEvent(event) {
      return z.object({ messageId: z.string() }).parse(await control('POST', '/events', event)).messageId;
    },
    async advanceClock(seconds) {
      await control('POST', '/clock', { advanceSeconds: seconds });
    },
    outbox: async () => outbox.parse(await control('GET', '/outbox')).messages,
    deliveries: async () => deliveries.parse(await control('GET', '/deliveries')).deliveries,
    enqueue: (request) =>
      putMessage(cloud.sendQueueUrl, JSON.stringify(request), {
        groupId: request.platformContactId,
        id: request.requestId,
      }),
    async table() {
      const items: Record<string, TableItem> = {};
      for await (const page of paginateScan({ client: dynamodb }, { TableName: cloud.tableName })) {
        for (const stored of page.Items ?? []) {
          const item = unmarshall(stored);
          items[`${item.pk} ${item.sk}`] = item;
        }
      }
      return items;
    },
    async takeMessages(queueUrl) {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({
          QueueUrl: queueUrl,
          MaxNumberOfMessages: 10,
          MessageAttributeNames: ['All'],
          MessageSystemAttributeNames: ['All'],
        }),
      );
      for (const { ReceiptHandle } of Messages) {
        await sqs.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle }));
      }
      return Messages.map(({ Body, MessageAttributes, Attributes }) => ({
        body: Body ?? '',
        reason: MessageAttributes?.reason?.StringValue,
        groupId: Attributes?.MessageGroupId,
      }));
    },
    async queueDepth(queueUrl) {
      const { Attributes } = await sqs.send(
        new GetQueueAttributesCommand({
          QueueUrl: queueUrl,
          AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
        }),
      );
      return (
        Number(Attributes?.ApproximateNumberOfMessages) + Number(Attributes?.ApproximateNumberOfMessagesNotVisible)
      );
    },
    close,
    [Symbol.dispose]: close,
  };
};
