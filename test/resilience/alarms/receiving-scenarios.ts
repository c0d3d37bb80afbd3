import { randomBytes } from 'node:crypto';
import { EVENT_OF_NEW_KIND, messageOfNobody, wireMessage } from '../../support/builders.ts';
import { TOKEN_HEADER } from './alarm-stage.ts';
import type { AlarmScenario } from './run-scenario.ts';

/** A scenario for each alarm of what receives events, except that of Amazon SNS. */
export const RECEIVING_SCENARIOS: readonly AlarmScenario[] = [
  {
    alarm: 'QuarantinedEvents',
    async inject({ client, cloud, filled }) {
      await client.deliverEvent({ FROM: '+5491155571001', MESSAGE: 'An event without an id' });
      await filled(cloud.inboundDeadLetterQueueUrl);
    },
  },
  {
    alarm: 'InboundQueueAge',
    async inject({ client, cloud, filled }) {
      cloud.emulators.pauseTables(true);
      await client.userWrites('+5491155571002', { text: 'Hi' });
      await filled(cloud.inboundQueueUrl);
    },
    async fix({ cloud, advance }) {
      cloud.emulators.pauseTables(false);
      // The longest time until the next attempt.
      await advance(2);
      return undefined;
    },
  },
  {
    alarm: 'OversizedEvents',
    async inject({ post }) {
      await post(wireMessage({ TAGS: randomBytes(3 * 1024 * 1024).toString('base64') }));
    },
  },
  {
    alarm: 'UnauthenticatedWebhooks',
    inject: async () => undefined,
    async meanwhile({ post }) {
      await post(wireMessage(), { headers: {} });
    },
  },
  {
    alarm: 'LikelyEventsRefused',
    async inject({ post }) {
      await post(wireMessage(), { headers: { [TOKEN_HEADER]: 'a-token-that-was-removed' } });
    },
  },
  {
    alarm: 'RefusedWebhooks',
    inject: async () => undefined,
    async meanwhile({ post }) {
      for (let request = 0; request < 20; request += 1) await post({}, { path: '/no/such/path/at/all' });
    },
  },
  {
    alarm: 'WebhookServerErrors',
    async inject({ fail, post }) {
      fail('receive', (event) => event.includes('"routeKey"'));
      await post(wireMessage());
    },
    async fix({ fail }) {
      fail('receive', undefined);
      return undefined;
    },
  },
  {
    alarm: 'EventsWithoutChannel',
    async inject({ post, cloud }) {
      const CREATION_TIME = cloud.clock.now().toISOString();
      await post(wireMessage({ _id_: 'without-channel', FROM: '+5491155571003', CREATION_TIME }));
    },
  },
  {
    alarm: 'UnknownSenders',
    async inject({ post, cloud }) {
      await post(messageOfNobody({ id: 'of-nobody', date: cloud.clock.now().toISOString() }));
    },
  },
  {
    alarm: 'UnreadableEventTimes',
    async inject({ post }) {
      await post(wireMessage({ CREATION_TIME: '20 Nov 2026, 12:00' }));
    },
  },
  {
    alarm: 'NewWebhookEvents',
    async inject({ post }) {
      await post(EVENT_OF_NEW_KIND);
    },
  },
  {
    alarm: 'ReceiveErrors',
    async inject({ fail, post }) {
      fail('receive', () => true);
      await post(wireMessage());
    },
    async fix({ fail }) {
      fail('receive', undefined);
      return undefined;
    },
  },
  {
    alarm: 'ReceiveThrottles',
    async inject({ throttle, post }) {
      throttle('receive', true);
      await post(wireMessage());
    },
    async fix({ throttle }) {
      throttle('receive', false);
      return undefined;
    },
  },
];
