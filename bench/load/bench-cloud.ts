import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { paginateScan } from '@aws-sdk/client-dynamodb';
import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { z } from 'zod';
import { listenLocally } from '../../local/base/listen-locally.ts';
import type { LocalCloud } from '../../local/cloud/local-cloud.ts';

/** What the benchmark needs of a stack that runs on the local cloud. */
export type RunningStack = Pick<
  LocalCloud,
  'webhookUrl' | 'chatServiceUrl' | 'sendQueueUrl' | 'tableName' | 'emulators' | 'functions'
>;

/** How the sandbox signs a push: the claims of its token. */
export interface PushAuth {
  readonly audience: string;
  readonly serviceAccountEmail: string;
}

/** A stack that is measured. */
export interface BenchCloud {
  readonly name: string;
  readonly stack: RunningStack;
  /** The headers of an authentic push. The token is valid for an hour, and Pub/Sub reuses it as well. */
  readonly pushHeaders: Readonly<Record<string, string>>;
  /** Makes users write to the sandbox, which opens their windows. Resolves when the stack has acknowledged every event. */
  usersWrite(contacts: readonly string[]): Promise<void>;
  /** Puts free-form requests on the send queue, ten per call. */
  enqueue(requests: readonly SendRequestBody[]): Promise<void>;
  /** Returns how many messages the sandbox has accepted. */
  accepted(): Promise<number>;
  /** Returns how often each event's id is in the table. */
  stored(): Promise<ReadonlyMap<string, number>>;
  /** Waits until no function has worked for a moment. What a measurement left to do would slow down the next one. */
  idle(): Promise<void>;
}

export interface SendRequestBody {
  readonly requestId: string;
  readonly platformContactId: string;
  readonly messageText: string;
}

/** Far more than all sends of a run. */
const CREDIT = 1_000_000;
/** Longer than the batching window of the table's stream. */
const QUIET_MS = 1_400;
const POLL_MS = 20;

export interface CloudToConnect {
  readonly name: string;
  readonly stack: RunningStack;
  readonly auth: PushAuth;
}

const MESSAGE_PREFIX = 'MESSAGE#';

/** Returns the id of the message that an item stores, in either stack, or undefined for other items. */
const idOf = ({ pk, sk }: Readonly<Record<string, unknown>>): string | undefined =>
  sk === 'MESSAGE' ? String(pk).slice(MESSAGE_PREFIX.length) : undefined;

/** Connects to a running stack. */
export const connectToCloud = async ({ name, stack, auth }: CloudToConnect): Promise<BenchCloud> => {
  const control = controlOf(stack.chatServiceUrl);
  await control('PATCH', '/account', { credit: CREDIT });
  const pushHeaders = await capturePushHeaders(control, stack.webhookUrl, auth);
  return {
    name,
    stack,
    pushHeaders,
    async usersWrite(contacts) {
      for (const contact of contacts) {
        await control('POST', `/users/${encodeURIComponent(contact)}/messages`, { text: 'Hello' });
      }
      while (deliveries.parse(await control('GET', '/deliveries?limit=1')).pending > 0) await pause(POLL_MS);
    },
    async enqueue(requests) {
      for (let start = 0; start < requests.length; start += 10) {
        const Entries = requests.slice(start, start + 10).map((request, index) => ({
          Id: String(index),
          MessageBody: JSON.stringify(request),
          MessageGroupId: request.platformContactId,
          MessageDeduplicationId: request.requestId,
        }));
        await stack.emulators.sqs.send(new SendMessageBatchCommand({ QueueUrl: stack.sendQueueUrl, Entries }));
      }
    },
    // Unlike the outbox, the credit does not become more expensive to read with every message.
    accepted: async () => CREDIT - account.parse(await control('GET', '/account')).credit,
    async stored() {
      const times = new Map<string, number>();
      const table = { TableName: stack.tableName };
      for await (const { Items = [] } of paginateScan({ client: stack.emulators.dynamodb }, table)) {
        for (const id of Items.flatMap((item) => idOf(unmarshall(item)) ?? [])) times.set(id, (times.get(id) ?? 0) + 1);
      }
      return times;
    },
    async idle() {
      for (let quietMs = 0; quietMs < QUIET_MS; quietMs += POLL_MS) {
        await pause(POLL_MS);
        if ([...stack.functions.values()].some(({ working }) => working() > 0)) quietMs = 0;
      }
    },
  };
};

type Control = (method: string, path: string, body?: unknown) => Promise<unknown>;

const account = z.object({ credit: z.int() });
const deliveries = z.object({ pending: z.int() });

const controlOf =
  (chatServiceUrl: string): Control =>
  async (method, path, body) => {
    const response = await fetch(`${chatServiceUrl}/sandbox${path}`, {
      method,
      ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`The sandbox responded to ${method} ${path} with ${response.status}.`);
    return response.json();
  };

/** Redirects the sandbox's webhook for one event, and returns the headers that this event was delivered with. */
const capturePushHeaders = async (
  control: Control,
  webhookUrl: string,
  auth: PushAuth,
): Promise<Readonly<Record<string, string>>> => {
  const { promise: headers, resolve } = Promise.withResolvers<Readonly<Record<string, string>>>();
  const server = createServer(async (request, response) => {
    await text(request);
    const { authorization = '', 'content-type': contentType = '' } = request.headers;
    response.end(() => resolve({ authorization, 'content-type': contentType }));
  });
  await using capture = await listenLocally(server);
  const redirect = (url: string) =>
    control('PUT', '/webhook', { url, auth: { kind: 'pubsub-jwt', ...auth }, wrapped: true });
  await redirect(capture.url);
  await control('POST', '/events', { _id_: 'captured', FROM: '5491155550000', MESSAGE: 'Hello' });
  const captured = await headers;
  await redirect(webhookUrl);
  return captured;
};
