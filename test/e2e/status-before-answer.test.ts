import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLocalClient, type LocalClient, type TableItem } from '../../local/cloud/local-client.ts';
import type { LocalCloud } from '../../local/cloud/local-cloud.ts';
import { waitFor } from '../../local/demo/wait-for.ts';
import { wireMessage, wireStatus } from '../support/builders.ts';
import { AUDIENCE, type Issuer, SERVICE_ACCOUNT, startIssuer } from '../support/issuer.ts';
import { startTestCloud } from '../support/test-cloud.ts';

// The sandbox sends a status after its answer; this chat service can send it before its answer.

let issuer: Issuer;
let chatService: Server;
let cloud: LocalCloud;
let client: LocalClient;

const postEvent = async (event: unknown): Promise<number> => {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${await issuer.sign()}` };
  const response = await fetch(cloud.webhookUrl, { method: 'POST', headers, body: JSON.stringify(event) });
  return response.status;
};

/** Answers with the text as the message's id. A text that starts with "early" is delivered before the answer. */
const startChatService = async (): Promise<Server> => {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const id = String(JSON.parse(Buffer.concat(chunks).toString()).messageText);
    if (id.startsWith('early')) await postEvent(delivered(id));
    response.end(JSON.stringify({ id }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
};
const delivered = (id: string) => wireStatus({ _id_: id, CREATION_TIME: '2026-11-01T11:00:05.000Z' });

beforeAll(async () => {
  issuer = await startIssuer(() => Math.floor(Date.now() / 1000));
  chatService = await startChatService();
  const { port } = chatService.address() as AddressInfo;
  const auth = {
    kind: 'pubsub-jwt',
    audience: AUDIENCE,
    serviceAccountEmail: SERVICE_ACCOUNT,
    jwksUrl: issuer.jwksUrl,
  };
  cloud = await startTestCloud({ chatServiceUrl: `http://127.0.0.1:${port}`, settings: { webhook: { auth } } });
  client = createLocalClient(cloud);
});
afterAll(async () => {
  client?.close();
  await cloud?.close();
  chatService?.closeAllConnections();
  chatService?.close();
  await issuer?.close();
});

const send = async (contact: string, messageText: string): Promise<void> => {
  await client.enqueue({ requestId: messageText, platformContactId: contact, messageText });
  await waitFor(`${messageText} is accepted`, async () =>
    (await client.table())[`SEND#${messageText} SEND`]?.state === 'accepted' ? true : undefined,
  );
};
/** Returns the message's item without the attributes that differ between any two messages. */
const messageItem = async (id: string): Promise<TableItem> => {
  const table = await client.table();
  const item = table[`MESSAGE#${id} MESSAGE`] ?? {};
  const { pk, call, requestId, traceparent, createdAt, contactSort, expiresAt, statusBodies, ...rest } = item;
  expect({ pk, call, requestId, traceparent, createdAt, contactSort, expiresAt, statusBodies }).toEqual({
    pk: `MESSAGE#${id}`,
    call: { endpoint: 'message/v3', body: expect.objectContaining({ messageText: id }) },
    requestId: id,
    traceparent: table[`SEND#${id} SEND`]?.traceparent,
    createdAt: expect.any(String),
    contactSort: `MESSAGE#${createdAt}`,
    expiresAt: expect.any(Number),
    statusBodies: new Set([JSON.stringify(delivered(id))]),
  });
  return rest;
};

it('a status leads to the same items before and after the answer of its send is recorded', async () => {
  const contact = '+5491155550100';
  const CREATION_TIME = new Date().toISOString();
  expect(await postEvent(wireMessage({ _id_: 'opens-window', FROM: contact, CREATION_TIME }))).toBe(200);

  await send(contact, 'early-status');
  await send(contact, 'late-status');
  expect(await postEvent(delivered('late-status'))).toBe(200);

  expect(await messageItem('early-status')).toEqual(await messageItem('late-status'));
  expect(await messageItem('early-status')).toMatchObject({
    direction: 'outbound',
    deliveredAt: '2026-11-01T11:00:05.000Z',
  });
});
