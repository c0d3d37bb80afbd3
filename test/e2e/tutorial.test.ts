import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTutorial, TUTORIAL_TOKEN, type Tutorial } from '../../bench/peers/tutorial/start-tutorial.ts';
import { createSignedFetch } from '../../cli/operations/signed-fetch.ts';
import { CREDENTIALS, REGION } from '../../local/base/aws-environment.ts';
import { createLocalClient, type LocalClient, type TableItem } from '../../local/cloud/local-client.ts';
import { waitFor } from '../../local/demo/wait-for.ts';
import { wireMessage } from '../support/builders.ts';

// The benchmark compares Parley with the tutorial's stack, so that stack has to do the job as well.

let tutorial: Tutorial;
let client: LocalClient;

beforeAll(async () => {
  tutorial = await startTutorial();
  client = createLocalClient(tutorial);
});
afterAll(async () => {
  client?.close();
  await tutorial?.close();
});

const item = (key: string) => client.table().then((items) => items[key]);
const itemWith = (key: string, attribute: string): Promise<TableItem> =>
  waitFor(`${key} has ${attribute}`, async () => {
    const found = await item(key);
    return found?.[attribute] === undefined ? undefined : found;
  });
const answered = (messageId: string, status: number) =>
  waitFor(`the push ${messageId} is answered ${status}`, async () =>
    (await client.deliveries()).find((delivery) => delivery.messageId === messageId && delivery.status === status),
  );
const deliver = async (event: unknown) => answered(await client.deliverEvent(event), 200);
const userWithOpenWindow = async (contact: string): Promise<string> => {
  const id = await client.userWrites(contact, { text: 'Hi' });
  await itemWith(`CONTACT#${contact.slice(1)} CONTACT`, 'lastInboundAt');
  return id;
};
const sentTo = async (contact: string) =>
  (await client.outbox()).filter(({ body }) => body.platformContactId === contact).map(({ endpoint }) => endpoint);
const published = (type: string, id: string) =>
  waitFor(`${type} of ${id} is published`, async () =>
    tutorial.emulators.buses.events(tutorial.eventBusName).find(({ 'detail-type': detailType, detail }) => {
      return detailType === type && typeof detail === 'object' && detail !== null && 'id' in detail && detail.id === id;
    }),
  );

describe('receiving', () => {
  it('stores a message that is delivered twice only once', async () => {
    const contact = '+5491155560001';
    const event = wireMessage({ _id_: 'delivered-twice', FROM: contact, MESSAGE: 'First' });
    await deliver(event);
    await deliver({ ...event, MESSAGE: 'Second' });
    expect(await item('MESSAGE#delivered-twice MESSAGE')).toMatchObject({
      direction: 'inbound',
      text: 'First',
      createdAt: event.CREATION_TIME,
      expiresAt: expect.any(Number),
    });
    expect(await item('CONTACT#5491155560001 CONTACT')).toMatchObject({ lastInboundAt: event.CREATION_TIME });
    expect(await published('MessageCreated', 'delivered-twice')).toMatchObject({ detail: { text: 'First' } });
  });

  it.each([
    { audience: 'another-customer', serviceAccountEmail: TUTORIAL_TOKEN.email },
    { audience: TUTORIAL_TOKEN.audience, serviceAccountEmail: 'another@example-project.iam.gserviceaccount.com' },
    { audience: TUTORIAL_TOKEN.audience, serviceAccountEmail: TUTORIAL_TOKEN.email, issuer: 'https://issuer.example' },
  ])('answers 401 to a token with $audience, $serviceAccountEmail, $issuer', async (claims) => {
    const valid = { audience: TUTORIAL_TOKEN.audience, serviceAccountEmail: TUTORIAL_TOKEN.email };
    const id = JSON.stringify(claims);
    tutorial.sandbox.setWebhook({ url: tutorial.webhookUrl, auth: { kind: 'pubsub-jwt', ...claims } });
    const messageId = await client.deliverEvent(wireMessage({ _id_: id }));
    await answered(messageId, 401);
    expect(await item(`MESSAGE#${id} MESSAGE`)).toBeUndefined();
    tutorial.sandbox.setWebhook({ url: tutorial.webhookUrl, auth: { kind: 'pubsub-jwt', ...valid } });
    await answered(messageId, 200);
    expect(await item(`MESSAGE#${id} MESSAGE`)).toBeDefined();
  });
});

describe('sending', () => {
  it('sends a free-form message while the window is open, and stores its statuses', async () => {
    const contact = '+5491155560010';
    await userWithOpenWindow(contact);
    await client.enqueue({ requestId: 'open', platformContactId: contact, messageText: 'Hello' });
    const { messageId } = await itemWith('SEND#open SEND', 'messageId');
    const message = await itemWith(`MESSAGE#${messageId} MESSAGE`, 'deliveredAt');
    await itemWith(`MESSAGE#${messageId} MESSAGE`, 'requestId');
    expect(message).not.toHaveProperty('readAt');
    await client.userReads(contact);
    expect(await itemWith(`MESSAGE#${messageId} MESSAGE`, 'readAt')).toMatchObject({
      direction: 'outbound',
      requestId: 'open',
      text: 'Hello',
    });
    expect(await sentTo(contact)).toEqual(['message/v3']);
    await published('SendCreated', 'open');
    await published('MessageUpdated', String(messageId));
  });

  it('sends the template to a user who has not written, and refuses a request without one', async () => {
    const contact = '+5491155560011';
    await client.putRule('parcel_update', { text: 'Your parcel has arrived.', category: 'shipping-status' });
    const request = { platformContactId: contact, messageText: 'Hello' };
    await client.enqueue({ requestId: 'template', ...request, ruleNameOrId: 'parcel_update' });
    await client.enqueue({ requestId: 'no-template', ...request });
    expect(await itemWith('SEND#template SEND', 'state')).toMatchObject({ state: 'accepted', endpoint: 'intent/v2' });
    expect(await itemWith('SEND#no-template SEND', 'state')).toMatchObject({ state: 'refused', code: 'WINDOW_CLOSED' });
    expect(await sentTo(contact)).toEqual(['intent/v2']);
  });

  it('sends a request that is queued twice only once', async () => {
    const contact = '+5491155560012';
    await userWithOpenWindow(contact);
    const request = JSON.stringify({ requestId: 'twice', platformContactId: contact, messageText: 'Once' });
    await client.putMessage(tutorial.sendQueueUrl, request, { groupId: contact, id: 'twice-a' });
    await client.putMessage(tutorial.sendQueueUrl, request, { groupId: contact, id: 'twice-b' });
    await client.enqueue({ requestId: 'behind', platformContactId: contact, messageText: 'Behind' });
    await itemWith('SEND#behind SEND', 'state');
    expect(await sentTo(contact)).toEqual(['message/v3', 'message/v3']);
  });

  it('puts a malformed request on the dead-letter queue', async () => {
    // The clock would also make a message visible again that is still being processed.
    await waitFor(
      'the queue is empty',
      async () => (await client.queueDepth(tutorial.sendQueueUrl)) === 0 || undefined,
    );
    await client.putMessage(tutorial.sendQueueUrl, '{"requestId":"malformed"}', {
      groupId: 'malformed',
      id: 'malformed',
    });
    // A message becomes visible again when the processor has reported its failure, or after the visibility timeout.
    const letters = await waitFor('the request is a dead letter', async () => {
      await client.advanceClock(180);
      const taken = await client.takeMessages(tutorial.sendDeadLetterQueueUrl);
      return taken.length > 0 ? taken : undefined;
    });
    expect(letters).toMatchObject([{ body: '{"requestId":"malformed"}' }]);
  });
});

describe('managing', () => {
  const signedFetch = createSignedFetch({ region: REGION, credentials: async () => CREDENTIALS }, 10_000);
  const call = async (method: string, path: string, body?: unknown) => {
    const url = new URL(`${tutorial.managementUrl}${path}`);
    const response = await signedFetch(method, url, body === undefined ? undefined : JSON.stringify(body));
    return { status: response.status, body: await response.json() };
  };

  it('returns a contact and its conversation, and enqueues a send', async () => {
    const contact = '+5491155560020';
    const id = await userWithOpenWindow(contact);
    const path = encodeURIComponent(contact);
    const send = { requestId: 'managed', platformContactId: contact, messageText: 'Hello' };
    expect(await call('POST', '/v1/sends', send)).toEqual({
      status: 202,
      body: { requestId: 'managed', state: 'queued' },
    });
    const { messageId } = await itemWith('SEND#managed SEND', 'messageId');
    await itemWith(`MESSAGE#${messageId} MESSAGE`, 'contact');
    expect(await call('GET', `/v1/contacts/${path}`)).toMatchObject({
      status: 200,
      body: { platformContactId: contact, window: { open: true, lastInboundAt: expect.any(String) } },
    });
    const messages = [
      { id: messageId, direction: 'outbound', text: 'Hello' },
      { id, direction: 'inbound', text: 'Hi' },
    ];
    expect(await call('GET', `/v1/conversations/${path}`)).toMatchObject({ status: 200, body: { messages } });
  });
});

describe('a day later', () => {
  it('sends the template, because the window is closed', async () => {
    const contact = '+5491155560030';
    await userWithOpenWindow(contact);
    await client.putRule('parcel_update', { text: 'Your parcel has arrived.', category: 'shipping-status' });
    await client.advanceClock(24 * 60 * 60);
    await client.enqueue({
      requestId: 'a-day-later',
      platformContactId: contact,
      messageText: 'Hello',
      ruleNameOrId: 'parcel_update',
    });
    await itemWith('SEND#a-day-later SEND', 'state');
    expect(await sentTo(contact)).toEqual(['intent/v2']);
  });
});
