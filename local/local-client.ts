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

export type SentMessage = z.output<typeof outbox>['messages'][number];
export type Delivery = z.output<typeof deliveries>['deliveries'][number];
export type TableItem = Readonly<Record<string, unknown>>;
export interface QueuedMessage {
  readonly body: string;
  readonly reason: string | undefined;
  readonly groupId: string | undefined;
}

/** What a person does with a local run: as the user, as an internal system, and looking into table and queues. */
export interface LocalClient {
  /** The user writes. Answers the message's `_id_`. */
  userWrites(contact: string, message: { readonly text?: string; readonly at?: string }): Promise<string>;
  userReads(contact: string): Promise<void>;
  putRule(
    name: string,
    rule: { readonly text: string; readonly category: string; readonly status?: string },
  ): Promise<void>;
  /** The carrier delivers this body as an event, signed like any other. */
  deliverEvent(event: unknown): Promise<string>;
  advanceClock(seconds: number): Promise<void>;
  /** Calls the sandbox's control API; throws on any answer but 2xx. */
  control(method: string, path: string, body?: unknown): Promise<unknown>;
  outbox(): Promise<readonly SentMessage[]>;
  deliveries(): Promise<readonly Delivery[]>;
  /** Puts a request on the send queue, as an internal system does. */
  enqueue(
    request: { readonly requestId: string; readonly platformContactId: string } & Record<string, unknown>,
  ): Promise<void>;
  /** Puts any text on a queue; a group and an id of its own for a FIFO queue. */
  putMessage(queueUrl: string, body: string, fifo?: { readonly groupId: string; readonly id: string }): Promise<void>;
  /** The table's items by `pk sk`. */
  table(): Promise<Readonly<Record<string, TableItem>>>;
  /** Takes what stands in a queue. */
  takeMessages(queueUrl: string): Promise<readonly QueuedMessage[]>;
  /** How many messages a queue holds, those in flight included. */
  queueDepth(queueUrl: string): Promise<number>;
  close(): void;
}

/** Talks to a local run by real SDK clients and the sandbox's control API. */
export const createLocalClient = (cloud: LocalCloud): LocalClient => {
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
    if (!response.ok) throw new LocalError(`The sandbox answered ${method} ${path} with ${response.status}: ${text}`);
    return JSON.parse(text);
  };

  const putMessage: LocalClient['putMessage'] = async (queueUrl, body, fifo) => {
    await sqs.send(
      new SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody: body,
        MessageGroupId: fifo?.groupId,
        MessageDeduplicationId: fifo?.id,
      }),
    );
  };

  return {
    control,
    putMessage,
    async userWrites(contact, message) {
      const answer = await control('POST', `/users/${encodeURIComponent(contact)}/messages`, message);
      return z.object({ _id_: z.string() }).parse(answer)._id_;
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
    close() {
      sqs.destroy();
      dynamodb.destroy();
    },
  };
};
