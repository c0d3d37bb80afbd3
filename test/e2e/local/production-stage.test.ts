import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocalClient, type LocalClient } from '../../../local/cloud/local-client.ts';
import type { LocalCloud } from '../../../local/cloud/local-cloud.ts';
import { waitFor } from '../../../local/demo/wait-for.ts';
import { startTestCloud } from '../../support/test-cloud.ts';

const SETTINGS = {
  customerManagedKey: true,
  webhook: { throttle: { requestsPerSecond: 1, burst: 2 } },
  reservedConcurrency: { receive: 6, send: 20, publish: 1, manage: 3 },
};

let cloud: LocalCloud;
let client: LocalClient;

beforeAll(async () => {
  cloud = await startTestCloud({ stage: 'prod', settings: SETTINGS });
  client = createLocalClient(cloud);
});
afterAll(async () => {
  client?.close();
  await cloud?.close();
});

describe('a production stage in the local run', () => {
  it('may have placeholder addresses, and creates schedules with the key of the stage', async () => {
    const sendAt = new Date(cloud.clock.now().getTime() + 3_600_000).toISOString();
    await client.enqueue({ requestId: 'later', platformContactId: '+5491155550099', messageText: 'Hi', sendAt });

    const schedule = await waitFor(
      'the send is scheduled',
      async () => cloud.emulators.schedules.list('Parley-prod')[0],
    );

    expect(schedule.declaration.KmsKeyArn).toMatch(/^arn:aws:kms:local:.*:key\//);
  });

  it('throttles the webhook at the configured rate', async () => {
    const post = async () => (await fetch(cloud.webhookUrl, { method: 'POST', body: '{}' })).status;

    const statuses = await Promise.all(Array.from({ length: 10 }, post));

    expect(statuses.filter((status) => status === 401).length).toBeGreaterThanOrEqual(2);
    expect(statuses).toContain(429);
  });
});
