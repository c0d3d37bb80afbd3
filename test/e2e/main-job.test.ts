import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readStageSettings } from '../../lib/settings/read-stage-settings.ts';
import { createLocalClient, type LocalClient, type TableItem } from '../../local/cloud/local-client.ts';
import type { LocalCloud } from '../../local/cloud/local-cloud.ts';
import { waitFor } from '../../local/demo/wait-for.ts';
import { readCdkApp } from '../../local/stack/cdk-app.ts';
import { wireMessage, wireStatus } from '../support/builders.ts';
import { startTestCloud } from '../support/test-cloud.ts';

// Everything as it is deployed: signed webhook requests, the synthesized template, the bundled functions in their own
// processes, real SDK clients, emulators. Each test has its own users and requests.

let cloud: LocalCloud;
let client: LocalClient;

beforeAll(async () => {
  cloud = await startTestCloud();
  client = createLocalClient(cloud);
});
afterAll(async () => {
  client?.close();
  await cloud?.close();
});

const item = (key: string) => client.table().then((items) => items[key]);
const itemWith = (key: string, attribute: string): Promise<TableItem> =>
  waitFor(`${key} has ${attribute}`, async () => {
    const found = await item(key);
    return found?.[attribute] === undefined ? undefined : found;
  });
const sendIn = (requestId: string, state: string): Promise<TableItem> =>
  waitFor(`${requestId} is ${state}`, async () => {
    const found = await item(`SEND#${requestId} SEND`);
    return found?.state === state ? found : undefined;
  });
const acknowledged = (messageId: string) =>
  waitFor(`the event ${messageId} is acknowledged`, async () =>
    (await client.deliveries()).find((delivery) => delivery.messageId === messageId && delivery.status === 200),
  );
const deliver = async (event: unknown) => acknowledged(await client.deliverEvent(event));
const userWithOpenWindow = async (contact: string) => {
  const id = await client.userWrites(contact, { text: 'Hi' });
  return itemWith(`MESSAGE#${id} MESSAGE`, 'createdAt');
};
const sentTo = async (contact: string) =>
  (await client.outbox()).filter(({ body }) => body.platformContactId === contact).map(({ endpoint }) => endpoint);

describe('receiving', () => {
  it('stores both statuses of a message with their times, even when Read arrives before Delivered', async () => {
    await deliver(wireStatus({ _id_: 'two-statuses', STATUS: 'read', CREATION_TIME: '2026-11-01T10:00:09.000Z' }));
    await deliver(wireStatus({ _id_: 'two-statuses', STATUS: 'delivered', CREATION_TIME: '2026-11-01T10:00:05.000Z' }));
    expect(await item('MESSAGE#two-statuses MESSAGE')).toMatchObject({
      readAt: '2026-11-01T10:00:09.000Z',
      deliveredAt: '2026-11-01T10:00:05.000Z',
    });
  });

  it('stores an echo, which opens no window', async () => {
    const contact = '+5491155550002';
    await deliver(wireMessage({ _id_: 'an-echo', FROM: 'me', TO: contact }));
    expect(await item('MESSAGE#an-echo ECHO')).toMatchObject({ body: expect.stringContaining('an-echo') });
    expect(await item('MESSAGE#an-echo MESSAGE')).toBeUndefined();
    await client.enqueue({ requestId: 'to-echoed', platformContactId: contact, messageText: 'Hi' });
    expect(await sendIn('to-echoed', 'refused')).toMatchObject({ code: 'WINDOW_CLOSED' });
  });

  it('opens no window for a message that arrives six days late', async () => {
    const contact = '+5491155550003';
    const written = new Date(cloud.clock.now().getTime() - 6 * 24 * 3600 * 1000).toISOString();
    await deliver(wireMessage({ _id_: 'six-days-late', FROM: contact, CREATION_TIME: written }));
    expect(await item('MESSAGE#six-days-late MESSAGE')).toMatchObject({ createdAt: written });
    await client.enqueue({ requestId: 'to-late', platformContactId: contact, messageText: 'Hi' });
    expect(await sendIn('to-late', 'refused')).toMatchObject({ code: 'WINDOW_CLOSED' });
  });

  it('answers 401 to a request without a valid signature, and stores nothing', async () => {
    const body = JSON.stringify(wireMessage({ _id_: 'unauthenticated' }));
    for (const authorization of [undefined, 'Bearer x.y.z', 'Basic abc']) {
      const headers = { 'content-type': 'application/json', ...(authorization && { authorization }) };
      const response = await fetch(cloud.webhookUrl, { method: 'POST', headers, body });
      expect([response.status, await response.text()]).toEqual([401, '{"message":"Unauthorized"}']);
    }
    expect(await item('MESSAGE#unauthenticated MESSAGE')).toBeUndefined();
  });

  it('answers 401 to a request signed for another audience; signed for this one, it is redelivered and stored', async () => {
    const { settings } = readStageSettings({ stages: (await readCdkApp(process.cwd())).context.stages, stage: 'dev' });
    if (settings.webhook.auth.kind !== 'pubsub-jwt') throw new Error('The stage dev does not use pubsub-jwt.');
    const { kind, audience, serviceAccountEmail } = settings.webhook.auth;
    const auth = { kind, audience, serviceAccountEmail };
    cloud.sandbox?.setWebhook({ url: cloud.webhookUrl, auth: { ...auth, audience: 'another-customer' } });
    const messageId = await client.deliverEvent(wireMessage({ _id_: 'signed-for-another' }));
    await waitFor('the request is refused', async () =>
      (await client.deliveries()).find((delivery) => delivery.messageId === messageId && delivery.status === 401),
    );
    expect(await item('MESSAGE#signed-for-another MESSAGE')).toBeUndefined();
    cloud.sandbox?.setWebhook({ url: cloud.webhookUrl, auth });
    await acknowledged(messageId);
    expect(await item('MESSAGE#signed-for-another MESSAGE')).toBeDefined();
  });

  it('answers 200 to a signed body that is not an event, and quarantines it', async () => {
    await deliver({ hello: 'world' });
    const [message] = await client.takeMessages(cloud.inboundDeadLetterQueueUrl);
    expect(message?.reason).toContain('Its fields: hello.');
    const quarantined = JSON.parse(message?.body ?? '');
    expect(quarantined).toMatchObject({ reason: message?.reason, receivedAt: expect.any(String), encoding: 'json' });
    const { data } = quarantined.rawBody.message;
    expect(Buffer.from(data, 'base64').toString()).toBe('{"hello":"world"}');
  });

  it('stores an event from the inbound queue, as after a redrive from quarantine', async () => {
    const rawBody = JSON.stringify(wireMessage({ _id_: 'redriven', FROM: '+5491155550004' }));
    const request = { rawBody, encoding: 'utf8', receivedAt: '2026-11-20T12:00:00.000Z', reason: 'unknown then' };
    await client.putMessage(cloud.inboundQueueUrl, JSON.stringify(request));
    expect(await itemWith('MESSAGE#redriven MESSAGE', 'createdAt')).toMatchObject({ direction: 'inbound' });
  });
});

describe('sending', () => {
  it('sends a request that is queued twice only once', async () => {
    const contact = '+5491155550010';
    await userWithOpenWindow(contact);
    const request = JSON.stringify({ requestId: 'twice', platformContactId: contact, messageText: 'Once' });
    await client.putMessage(cloud.sendQueueUrl, request, { groupId: contact, id: 'twice-a' });
    await client.putMessage(cloud.sendQueueUrl, request, { groupId: contact, id: 'twice-b' });
    await client.enqueue({ requestId: 'behind', platformContactId: contact, messageText: 'Behind' });
    await sendIn('behind', 'accepted');
    expect(await sentTo(contact)).toEqual(['message/v3', 'message/v3']);
  });

  it('keeps the order of requests to a contact', async () => {
    const contact = '+5491155550011';
    await userWithOpenWindow(contact);
    const texts = Array.from({ length: 25 }, (_, index) => `message ${index}`);
    for (const [index, messageText] of texts.entries()) {
      await client.enqueue({ requestId: `ordered-${index}`, platformContactId: contact, messageText });
    }
    await sendIn('ordered-24', 'accepted');
    const sent = (await client.outbox()).filter(({ body }) => body.platformContactId === contact);
    expect(sent.map(({ body }) => body.messageText)).toEqual(texts);
  });

  it('puts a malformed request on the dead-letter queue with the reason, and does not delay those behind it', async () => {
    const contact = '+5491155550012';
    await userWithOpenWindow(contact);
    await client.putMessage(cloud.sendQueueUrl, '{"requestId":"malformed"', { groupId: contact, id: 'malformed' });
    await client.enqueue({ requestId: 'behind-malformed', platformContactId: contact, messageText: 'Hi' });
    await sendIn('behind-malformed', 'accepted');
    const [message] = await client.takeMessages(cloud.sendDeadLetterQueueUrl);
    expect(message).toMatchObject({
      body: '{"requestId":"malformed"',
      reason: expect.stringContaining('MALFORMED: The queue message is not JSON'),
      groupId: contact,
    });
  });

  it('waits while the account has no credit, and sends in order once it has', async () => {
    const contact = '+5491155550013';
    await userWithOpenWindow(contact);
    await client.control('PATCH', '/account', { credit: 0 });
    await client.enqueue({ requestId: 'no-credit-1', platformContactId: contact, messageText: 'One' });
    await client.enqueue({ requestId: 'no-credit-2', platformContactId: contact, messageText: 'Two' });
    expect(await sendIn('no-credit-1', 'waiting')).toMatchObject({ outcome: expect.stringContaining('code 101') });
    await client.control('PATCH', '/account', { credit: 1000 });
    await sendIn('no-credit-2', 'accepted');
    const sent = (await client.outbox()).filter(({ body }) => body.platformContactId === contact);
    expect(sent.map(({ body }) => body.messageText)).toEqual(['One', 'Two']);
  });
});
