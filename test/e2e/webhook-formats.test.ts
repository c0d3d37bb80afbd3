import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import type { TableItem } from '../../local/cloud/local-client.ts';
import { waitFor } from '../../local/demo/wait-for.ts';
import { type CommandRun, startCommandRun } from '../support/command-run.ts';

// The main job with a service that posts what today's services post, authenticated as they do it: a user writes and gets
// a free-form answer, which is delivered and read; 25 hours later, a template is accepted and fails; the user opts out.

let run: CommandRun;

beforeAll(async () => {
  run = await startCommandRun({
    settings: {
      keywords: { languages: ['es'] },
      webhook: { auth: { kind: 'shared-token', header: 'auth-bm-token' } },
      chatService: { contactCheckPath: 'customer/checkWhatsAppContact', numberFormat: 'digits' },
    },
  });
  await run.client.putRule('order_today', { text: 'Tu pedido llega hoy', category: 'shipping-status' });
});
afterAll(async () => {
  await run?.[Symbol.asyncDispose]();
});

const writeEventsIn = (eventFormat: string) => run.client.control('PATCH', '/account', { eventFormat });
const itemWith = (key: string, ...attributes: readonly string[]): Promise<TableItem> =>
  waitFor(`${key} has ${attributes}`, async () => {
    const item = (await run.client.table())[key];
    return attributes.every((name) => item?.[name] !== undefined) ? item : undefined;
  });
const sendIn = (requestId: string, state: string) =>
  waitFor(`${requestId} is ${state}`, async () => {
    const send = (await run.client.table())[`SEND#${requestId} SEND`];
    return send?.state === state ? send : undefined;
  });
const eventsOf = (contact: string) =>
  run.cloud.emulators.buses
    .events(run.cloud.eventBusName)
    .filter(({ detail }) => JSON.stringify(detail).includes(contact.slice(-8)))
    .map((event) => event['detail-type']);

const published = (contact: string, name: string) =>
  waitFor(`${name} is published`, async () => eventsOf(contact).includes(name) || undefined);

it.each([
  ['uppercase', ['uppercase']],
  ['camelCase', ['camelCase']],
  ['v1.1', ['v1.1']],
  ['all formats on one webhook', ['v1.1', 'camelCase', 'uppercase']],
])('does the main job with events in %s', async (name, formats) => {
  const index = ['uppercase', 'camelCase', 'v1.1'].indexOf(name) + 1;
  const contact = `+549115570000${index}`;
  const format = (step: number) => writeEventsIn(formats[step % formats.length] ?? name);
  const template = { reason: 'shipping-status', ruleNameOrId: 'order_today' };

  await format(0);
  const written = await run.client.userWrites(contact, { text: 'Hola' });
  expect(await itemWith(`MESSAGE#${written} MESSAGE`, 'createdAt')).toMatchObject({ direction: 'inbound' });
  await format(1);
  await run.client.enqueue({ requestId: `free-${index}`, platformContactId: contact, messageText: '¡Hola!' });
  const { messageId } = await sendIn(`free-${index}`, 'accepted');
  await itemWith(`MESSAGE#${messageId} MESSAGE`, 'requestId', 'deliveredAt');
  await format(2);
  await run.client.userReads(contact);
  await itemWith(`MESSAGE#${messageId} MESSAGE`, 'readAt');

  await run.client.advanceClock(25 * 3600);
  await run.client.control('PATCH', `/users/${encodeURIComponent(contact)}`, { failWith: '131049' });
  await format(3);
  const both = { platformContactId: contact, messageText: '¿Sigues ahí?', ...template };
  await run.client.enqueue({ requestId: `template-${index}`, ...both });
  expect(await sendIn(`template-${index}`, 'failed')).toMatchObject({
    code: '131049',
    call: { endpoint: 'intent/v2' },
  });
  expect((await run.parley(['status', `template-${index}`])).out).toMatch(/failed.*131049/s);

  await format(4);
  await run.client.control('PATCH', `/users/${encodeURIComponent(contact)}`, { failWith: null });
  await run.client.userWrites(contact, { text: 'BAJA' });
  await published(contact, 'ContactOptedOut');
  await run.client.enqueue({ requestId: `after-stop-${index}`, ...both });
  expect(await sendIn(`after-stop-${index}`, 'refused')).toMatchObject({ code: 'OPTED_OUT' });

  await published(contact, 'SendRefused');
  expect([...new Set(eventsOf(contact))].toSorted()).toEqual(
    [
      ...['MessageReceived', 'SendAccepted', 'MessageDelivered', 'MessageRead'],
      ...['MessageFailed', 'SendFailed', 'ContactOptedOut', 'SendRefused'],
    ].toSorted(),
  );
  expect(await run.client.queueDepth(run.cloud.inboundDeadLetterQueueUrl)).toBe(0);
});

it('stores and publishes every message of a post by itself, whatever its kind', async () => {
  const contact = '+5491155700009';
  await writeEventsIn('v1.1');
  const { messages } = batch.parse(
    await run.client.control('POST', `/users/${encodeURIComponent(contact)}/batches`, {
      messages: [
        { text: 'Hola' },
        { imageUrls: ['https://media.example/i.png'], text: 'La puerta' },
        { location: { name: 'Plaza', latitude: -34.6, longitude: -58.4 } },
        { contacts: [{ name: { formatted_name: 'Juan P' }, phones: [{ phone: '+54 9 11 5000-0002' }] }] },
        { text: 'Mañana', buttonPayload: 'slot-2' },
        { error: 'Unsupported message' },
      ],
    }),
  );
  const contents = await waitFor('all of them are published', async () => {
    const received = run.cloud.emulators.buses
      .events(run.cloud.eventBusName)
      .flatMap(({ detail }) => messageReceived.safeParse(detail).data ?? []);
    const found = messages.map(({ _id_ }) => received.find(({ messageId }) => messageId === _id_)?.content);
    return found.includes(undefined) ? undefined : found;
  });

  expect(contents).toMatchObject([
    { text: 'Hola' },
    { text: 'La puerta', media: { images: ['https://media.example/i.png'] } },
    { location: { name: 'Plaza', latitude: -34.6, longitude: -58.4 } },
    { contactCards: [{ name: 'Juan P', phones: ['+54 9 11 5000-0002'] }] },
    { text: 'Mañana', button: { text: 'Mañana', payload: 'slot-2' } },
    { unsupported: 'Unsupported message' },
  ]);
  for (const content of contents) expect(JSON.parse(String(content?.event)).messages).toHaveLength(1);
});

const batch = z.object({ messages: z.array(z.object({ _id_: z.string() })) });
const messageReceived = z.object({ messageId: z.string(), content: z.record(z.string(), z.unknown()) });
