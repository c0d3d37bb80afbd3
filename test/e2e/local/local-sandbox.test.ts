import { describe, expect, it } from 'vitest';
import { createLocalClient } from '../../../local/cloud/local-client.ts';
import { waitFor } from '../../../local/demo/wait-for.ts';
import { startTestCloud } from '../../support/test-cloud.ts';

describe('the sandbox of a local run', () => {
  it.each([{ kind: 'standard-webhooks' }, { kind: 'shared-token', header: 'X-Webhook-Token', envelope: 'pubsub' }])(
    'signs webhook requests for webhook.auth $kind with a generated secret, in the envelope $envelope',
    async (auth) => {
      await using cloud = await startTestCloud({ settings: { webhook: { auth } } });
      using client = createLocalClient(cloud);
      const id = await client.userWrites('+5491155550200', { text: 'Hi' });
      const stored = await waitFor(
        'the message is stored',
        async () => (await client.table())[`MESSAGE#${id} MESSAGE`],
      );
      expect(stored).toMatchObject({ direction: 'inbound', body: expect.stringContaining('"Hi"') });
      const unsigned = await fetch(cloud.webhookUrl, { method: 'POST', body: '{}' });
      expect(unsigned.status).toBe(401);
    },
  );
});
