import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { marshall } from '@aws-sdk/util-dynamodb';
import { z } from 'zod';
import { contactRef } from '../../../lambdas/domain/contact.ts';
import { createLocalClient, type LocalClient, type TableItem } from '../../../local/cloud/local-client.ts';
import type { LocalCloud, LocalOptions } from '../../../local/cloud/local-cloud.ts';
import { waitFor } from '../../../local/demo/wait-for.ts';
import type { FunctionPool } from '../../../local/functions/function-pool.ts';
import { startCheckedCloud } from '../../support/checked-cloud.ts';
import { contactItems } from '../../support/contact-items.ts';

const pendingEvents = z.object({ pending: z.int() });

export const RULE = 'parcel_update';

/** A send request of a resilience test; its one parameter identifies it in the outbox. */
export interface TestRequest {
  readonly requestId: string;
  readonly platformContactId: string;
  readonly [field: string]: unknown;
}

/** A local run with an approved template and any number of opted-in users. */
export interface SendingStage {
  readonly cloud: LocalCloud;
  readonly client: LocalClient;
  readonly send: FunctionPool;
  /** Puts requests on the send queue, in batches. */
  enqueue(requests: readonly TestRequest[]): Promise<void>;
  optIn(contact: string): Promise<void>;
  /** Returns the items of all sends by request id. */
  sends(): Promise<ReadonlyMap<string, TableItem>>;
  /** Counts the sends in each state. */
  states(): Promise<Readonly<Record<string, number>>>;
  /** Returns the request ids in the order in which the chat service accepted their messages. */
  accepted(): Promise<readonly string[]>;
  /** Waits until no process of `send` has been working for a moment. */
  idle(): Promise<void>;
  /** Advances the clock until the send queue is empty. */
  drain(stepSeconds: number): Promise<void>;
  /** Waits until every event of the sandbox is acknowledged. */
  delivered(): Promise<void>;
  close(): Promise<void>;
}

export const contactNumber = (index: number): string => `+54911${String(50_000_000 + index)}`;

/** Creates a template request, so that no window closes when the clock advances by days. */
export const templateRequest = (requestId: string, contact: string): TestRequest => ({
  requestId,
  platformContactId: contact,
  ruleNameOrId: RULE,
  params: { n: requestId },
  reason: 'shipping-status',
});

/** Whether all requests of a contact were sent, each once and in their order. */
export const isInOrder = (contact: string, requests: readonly TestRequest[], accepted: readonly string[]): boolean => {
  const own = requests.filter(({ platformContactId }) => platformContactId === contact);
  const requested = own.map(({ requestId }) => requestId);
  return accepted.filter((requestId) => requested.includes(requestId)).join() === requested.join();
};

export const startSendingStage = async (options: LocalOptions = {}): Promise<SendingStage> => {
  const logFolder = await mkdtemp(join(tmpdir(), 'parley-resilience-'));
  const cloud = await startCheckedCloud({ logFolder, ...options });
  const client = createLocalClient(cloud);
  const send = [...cloud.functions.values()].find(({ declaration }) =>
    declaration.logicalId.startsWith('SenderFunction'),
  );
  if (send === undefined) throw new Error('The stack has no function whose id starts with SenderFunction.');
  const { sqs, dynamodb } = cloud.emulators;
  await client.putRule(RULE, { text: 'Parcel ${n}', category: 'shipping-status' });
  await client.control('PATCH', '/account', { credit: 1_000_000 });

  const stage: SendingStage = {
    cloud,
    client,
    send,
    async enqueue(requests) {
      for (let start = 0; start < requests.length; start += 10) {
        const Entries = requests.slice(start, start + 10).map((request, index) => ({
          Id: String(index),
          MessageBody: JSON.stringify(request),
          MessageGroupId: request.platformContactId,
          MessageDeduplicationId: request.requestId,
        }));
        await sqs.send(new SendMessageBatchCommand({ QueueUrl: cloud.sendQueueUrl, Entries }));
      }
    },
    async optIn(contact) {
      // Consents do not expire.
      for (const item of contactItems(contactRef('chat', contact), { optInAt: '2026-01-01T00:00:00.000Z' })) {
        await dynamodb.send(new PutItemCommand({ TableName: cloud.tableName, Item: marshall(item) }));
      }
    },
    async sends() {
      const items = Object.entries(await client.table());
      return new Map(items.filter(([key]) => key.startsWith('SEND#')).map(([key, item]) => [key.slice(5, -5), item]));
    },
    async states() {
      const groups = Map.groupBy((await stage.sends()).values(), ({ state }) => String(state));
      return Object.fromEntries([...groups].map(([state, sends]) => [state, sends.length]));
    },
    accepted: async () => (await client.outbox()).map(({ body }) => String(Object(body.params).n ?? body.messageText)),
    async idle() {
      for (let quiet = 0; quiet < 4; quiet += 1) {
        await pause(15);
        if (send.working() > 0) quiet = 0;
      }
    },
    async drain(stepSeconds) {
      for (let step = 0; step < 2_000; step += 1) {
        await stage.idle();
        if ((await client.queueDepth(cloud.sendQueueUrl)) === 0) return;
        await cloud.clock.advance(stepSeconds * 1000);
      }
      throw new Error('The send queue did not become empty.');
    },
    async delivered() {
      await waitFor('every event is acknowledged', async () => {
        const { pending } = pendingEvents.parse(await client.control('GET', '/state'));
        return pending === 0 ? true : undefined;
      });
    },
    async close() {
      client.close();
      await cloud.close();
      await rm(logFolder, { recursive: true, force: true });
    },
  };
  return stage;
};
