import { DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { z } from 'zod';
import { LocalError } from '../base/local-error.ts';
import type { LocalCloud } from './local-cloud.ts';
import { createQueueClient, type QueueClient } from './queue-client.ts';

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

/** A client for a local run. Acts as the user, as an internal system, and as a developer who inspects its data. */
export interface LocalClient extends QueueClient, Disposable {
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
  /** Returns the table's items by `pk sk`. */
  table(): Promise<Readonly<Record<string, TableItem>>>;
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

  const queues = createQueueClient(sqs);
  const close = (): void => {
    sqs.destroy();
    dynamodb.destroy();
  };

  return {
    control,
    ...queues,
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
      queues.putMessage(cloud.sendQueueUrl, JSON.stringify(request), {
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
    close,
    [Symbol.dispose]: close,
  };
};
