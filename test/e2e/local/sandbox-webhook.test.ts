import { describe, expect, it } from 'vitest';
import { waitFor } from '../../../local/demo/wait-for.ts';
import { createLocalClient } from '../../../local/local-client.ts';
import { startLocal } from '../../../local/local-cloud.ts';

describe('the sandbox of a local run', () => {
  it.each([{ kind: 'standard-webhooks' }, { kind: 'shared-token', header: 'X-Webhook-Token' }])(
    'signs its posts as a stage with $kind asks, with a secret of the run’s own',
    async (auth) => {
      const cloud = await startLocal({ settings: { webhook: { auth } } });
      const client = createLocalClient(cloud);
      try {
        const id = await client.userWrites('+5491155550200', { text: 'Hi' });
        const stored = await waitFor(
          'the message is stored',
          async () => (await client.table())[`MESSAGE#${id} MESSAGE`],
        );
        expect(stored).toMatchObject({ direction: 'inbound', text: 'Hi' });
        const unsigned = await fetch(cloud.webhookUrl, { method: 'POST', body: '{}' });
        expect(unsigned.status).toBe(401);
      } finally {
        client.close();
        await cloud.close();
      }
    },
  );
});
