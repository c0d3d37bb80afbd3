import { afterAll, beforeAll, expect, it } from 'vitest';
import { waitFor } from '../../local/demo/wait-for.ts';
import { createLocalClient, type LocalClient } from '../../local/local-client.ts';
import type { LocalCloud } from '../../local/local-cloud.ts';
import { startTestCloud } from '../support/test-cloud.ts';

// A user opts out with a word: from the webhook to the consent, the refusal of what is sent next, and the event.

const CONTACT = '+5491155550501';
let cloud: LocalCloud;
let client: LocalClient;

beforeAll(async () => {
  cloud = await startTestCloud({ settings: { keywords: { languages: ['es'] } } });
  client = createLocalClient(cloud);
});
afterAll(async () => {
  client?.close();
  await cloud?.close();
});

it('records a keyword as the opt-out of the user, who then gets nothing until they write again', async () => {
  await client.userWrites(CONTACT, { text: '¡Baja!' });
  const consent = await waitFor('the opt-out is stored', async () =>
    Object.values(await client.table()).find(({ userOptOutAt }) => userOptOutAt !== undefined),
  );
  expect(consent).toMatchObject({ sk: 'CONSENT', userOptOutSource: 'keyword BAJA' });

  await client.enqueue({ requestId: 'after-stop', platformContactId: CONTACT, messageText: 'Are you sure?' });
  const refused = await waitFor('the request is refused', async () => {
    const send = (await client.table())['SEND#after-stop SEND'];
    return send?.state === 'refused' ? send : undefined;
  });
  expect(refused).toMatchObject({ code: 'OPTED_OUT' });
  expect(await client.outbox()).toEqual([]);

  const published = await waitFor('the opt-out is published', async () =>
    cloud.emulators.buses.events(cloud.eventBusName).find((event) => event['detail-type'] === 'ContactOptedOut'),
  );
  expect(published.detail).toMatchObject({ origin: 'user', source: 'keyword BAJA', at: consent.userOptOutAt });
});
