import { z } from 'zod';
import { waitFor } from '../../../local/demo/wait-for.ts';
import { jwt } from '../../support/builders.ts';
import type { AlarmStage } from './alarm-stage.ts';
import type { AlarmScenario } from './run-scenario.ts';

/** Calls the management API, whatever it answers. */
const call = async ({ parley }: AlarmStage): Promise<void> => {
  await parley('audit-trail').catch(() => undefined);
};

const records = z.object({ Records: z.array(z.object({ body: z.string() })) });

const isFromQueue = (event: string): boolean => event.includes('"aws:sqs"');

/** A scenario for each alarm of the management API and of erasures. */
export const MANAGING_SCENARIOS: readonly AlarmScenario[] = [
  {
    alarm: 'ErasureDeadLetters',
    async inject(stage) {
      // SQS would move the message after a thousand receives, on the second day.
      const bodies: string[] = [];
      stage.fail('manage', (event) => {
        if (!isFromQueue(event)) return false;
        const { Records } = records.parse(JSON.parse(event));
        bodies.push(...Records.map(({ body }) => body));
        return true;
      });
      await stage.parley('erase +5491155574001 --yes --no-wait');
      const body = await waitFor('the erasure fails', async () => bodies[0]);
      await stage.client.putMessage(stage.cloud.erasureDeadLetterQueueUrl, body);
    },
    async fix({ fail }) {
      fail('manage', undefined);
      return undefined;
    },
  },
  {
    alarm: 'ManagementServerErrors',
    async inject(stage) {
      stage.fail('manage', (event) => !isFromQueue(event));
      await call(stage);
    },
    async fix({ fail }) {
      fail('manage', undefined);
      return undefined;
    },
  },
  {
    alarm: 'ManageErrors',
    async inject(stage) {
      stage.fail('manage', () => true);
      await call(stage);
    },
    async fix({ fail }) {
      fail('manage', undefined);
      return undefined;
    },
  },
  {
    alarm: 'ManageThrottles',
    async inject(stage) {
      stage.throttle('manage', true);
      await call(stage);
    },
    async fix({ throttle }) {
      throttle('manage', false);
      return undefined;
    },
  },
  {
    alarm: 'DeadLettersWaiting',
    stepMinutes: 12 * 60,
    async inject({ client, cloud, filled }) {
      await client.putMessage(cloud.sendQueueUrl, '{}', { groupId: 'old', id: 'old' });
      await filled(cloud.sendDeadLetterQueueUrl);
    },
  },
  {
    alarm: 'AccessTokenExpiring',
    stepMinutes: 12 * 60,
    async inject({ client, cloud, parley }) {
      const expiring = jwt({ exp: cloud.clock.now().getTime() / 1000 + 20 * 24 * 60 * 60 });
      await client.control('PUT', '/tokens', { accessTokens: [expiring, NEW_TOKEN] });
      await parley('token set', expiring);
    },
    fix: async () => ({ stdin: NEW_TOKEN }),
  },
];

/** The token that replaces one that expires. */
const NEW_TOKEN = 'a-token-that-does-not-expire';
