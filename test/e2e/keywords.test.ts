import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLocalClient, type LocalClient } from '../../local/cloud/local-client.ts';
import type { LocalCloud } from '../../local/cloud/local-cloud.ts';
import { waitFor } from '../../local/demo/wait-for.ts';
import { startTestCloud } from '../support/test-cloud.ts';

// A user opts out with a word: from the webhook to the consent, the refusal of what is sent next, and the event.

const _CONTACT = '+5491155550501';
const CONFIRMATION = 'Listo: no te escribiremos más.';
/** More than the 4 KB of a function's environment, so that the function reads them from a file in its code. */
const TEMPLATES = Object.fromEntries(
  Array.from({ length: 80 }, (_, index) => [`parcel_update_in_language_${index}`, ['name', 'order', 'address']]),
);
let cloud: LocalCloud;
let client: LocalClient;

beforeAll(async () => {
  cloud = await startTestCloud({
    settings: { keywords: { languages: ['es'], confirmation: CONFIRMATION }, templates: TEMPLATES },
  });
  client = createLocalClient(cloud);
});
afterAll(async () => {
  client?.close();
  await cloud?.close();
});

it('records a keyword that is delivered twice as the opt-out of the user, who gets one confirmation', async () => {
  const contact = '+5491155550502';
  // The sandbox, too, must know that the user wrote, and before the keyword.
  await client.userWrites(contact, { text: 'Hola' });
  const stop = {
    _id_: 'stop-delivered-twice',
    CHAT_PLATFORM_ID: 'chat',
    FROM: contact,
    MESSAGE: 'Stop',
    CREATION_TIME: new Date().toISOString(),
  };
  const isAcknowledged = async (id: string) =>
    (await client.deliveries()).find(({ messageId, status }) => messageId === id && status === 200);
  for (const _delivery of [1, 2]) {
    const id = await client.deliverEvent(stop);
    await waitFor('the keyword is acknowledged', () => isAcknowledged(id));
  }
  // Behind both in the contact's message group.
  await client.enqueue({ requestId: 'after-both', platformContactId: contact, messageText: 'Are you sure?' });
  const refused = await waitFor('the request is refused', async () => {
    const send = (await client.table())['SEND#after-both SEND'];
    return send?.state === 'refused' ? send : undefined;
  });

  expect(refused).toMatchObject({ code: 'OPTED_OUT' });
  const sent = (await client.outbox()).filter(({ body }) => body.platformContactId === contact);
  expect(sent.map(({ body }) => body.messageText)).toEqual([CONFIRMATION]);
  expect(await client.queueDepth(cloud.sendDeadLetterQueueUrl)).toBe(0);
});

it('refuses a template whose variables differ from the settings, even if they list too many templates for an environment', async () => {
  await client.enqueue({
    requestId: 'other-variables',
    platformContactId: '+5491155550503',
    ruleNameOrId: 'parcel_update_in_language_79',
    params: { name: 'Ana' },
  });
  const refused = await waitFor('the request is refused', async () => {
    const send = (await client.table())['SEND#other-variables SEND'];
    return send?.state === 'refused' ? send : undefined;
  });

  expect(refused).toMatchObject({ code: 'PARAMS_INVALID' });
});
