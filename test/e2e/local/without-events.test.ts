import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitFor } from '../../../local/demo/wait-for.ts';
import { createLocalClient, type LocalClient } from '../../../local/local-client.ts';
import type { LocalCloud } from '../../../local/local-cloud.ts';
import { startTestCloud } from '../../support/test-cloud.ts';

let cloud: LocalCloud;
let client: LocalClient;

beforeAll(async () => {
  cloud = await startTestCloud({ settings: { events: { publish: false } } });
  client = createLocalClient(cloud);
});
afterAll(async () => {
  client?.close();
  await cloud?.close();
});

describe('a stage that publishes no events', () => {
  it('has no event bus, and no function that publishes', () => {
    expect(cloud.eventBusName).toBeUndefined();
    expect(cloud.publishFailuresQueueUrl).toBeUndefined();
    expect([...cloud.functions.keys()].filter((id) => id.startsWith('Publisher'))).toEqual([]);
  });

  it('stores what a user writes, and sends within the window', async () => {
    const user = '+5491155550098';
    const id = await client.userWrites(user, { text: 'Where is my parcel?' });
    await waitFor('the message is stored', async () => (await client.table())[`MESSAGE#${id} MESSAGE`]);

    await client.enqueue({ requestId: 'without-events', platformContactId: user, messageText: 'On its way.' });

    const send = await waitFor('the send is accepted', async () => {
      const item = (await client.table())['SEND#without-events SEND'];
      return item?.state === 'accepted' ? item : undefined;
    });
    expect(send.decision).toContain('so the window is open');
  });
});
