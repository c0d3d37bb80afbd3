import { randomBytes } from 'node:crypto';
import { PurgeQueueCommand, SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { forEachConcurrently } from '../../../lambdas/runtime/concurrency.ts';
import type { LocalCloud } from '../../../local/cloud/local-cloud.ts';
import { waitFor } from '../../../local/demo/wait-for.ts';
import { wireMessage } from '../../support/builders.ts';
import type { AlarmStage } from './alarm-stage.ts';
import type { AlarmScenario } from './run-scenario.ts';

const NUMBER = '+5491100000000';
const FOREVER = 1_000_000;

/** Opens the conversation window of a contact with the stage's number, for the chat service and for Parley. */
const openWindow = async ({ client, post, cloud }: AlarmStage, contact: string): Promise<void> => {
  await client.userWrites(contact, { text: 'Hi' });
  const CREATION_TIME = cloud.clock.now().toISOString();
  const event = wireMessage({ _id_: `opens-${contact}`, FROM: contact, CREATION_TIME });
  await post(event, { path: `/${encodeURIComponent(NUMBER)}` });
};

const stateOf = async ({ client }: AlarmStage, requestId: string): Promise<unknown> =>
  (await client.table())[`SEND#${requestId} SEND`]?.state;

const reaches = (stage: AlarmStage, requestId: string, state: string) =>
  waitFor(`${requestId} is ${state}`, async () => ((await stateOf(stage, requestId)) === state ? true : undefined));

const request = (requestId: string, platformContactId: string, changes: Record<string, unknown> = {}) => ({
  requestId,
  platformContactId,
  chatChannelNumber: NUMBER,
  messageText: 'Hi',
  ...changes,
});

/** A scenario for each alarm of what sends messages. */
/** More than the threshold, although functions have received some. */
const BACKLOG = 100;

const bulkQueueOf = ({ bulkSendQueueUrl = '' }: Pick<LocalCloud, 'bulkSendQueueUrl'>): string => bulkSendQueueUrl;

export const SENDING_SCENARIOS: readonly AlarmScenario[] = [
  {
    alarm: 'SendDeadLetters',
    async inject({ client, cloud }) {
      const first = request('reused', '+5491155572001');
      await client.enqueue(first);
      await client.putMessage(cloud.sendQueueUrl, JSON.stringify({ ...first, messageText: 'Other' }), {
        groupId: 'reused',
        id: 'reused-2',
      });
      await client.putMessage(cloud.sendQueueUrl, '{}', { groupId: 'malformed', id: 'malformed' });
      await waitFor('both requests are dead-lettered', async () =>
        (await client.queueDepth(cloud.sendDeadLetterQueueUrl)) === 2 ? true : undefined,
      );
    },
  },
  {
    alarm: 'SendQueueAge',
    async inject(stage) {
      await openWindow(stage, '+5491155572002');
      await stage.client.control('POST', '/faults', { answers: { count: FOREVER, status: 503 } });
      await stage.client.enqueue(request('waits', '+5491155572002'));
    },
    async fix({ client }) {
      await client.control('DELETE', '/faults');
      return undefined;
    },
  },
  {
    alarm: 'BulkSendDeadLetters',
    async inject({ client, cloud }) {
      await client.putMessage(bulkQueueOf(cloud), '{}', { groupId: 'malformed', id: 'malformed-bulk' });
      await waitFor('the bulk request is dead-lettered', async () =>
        (await client.queueDepth(cloud.bulkSendDeadLetterQueueUrl ?? '')) === 1 ? true : undefined,
      );
    },
  },
  {
    alarm: 'AccountOnHold',
    async inject(stage) {
      await openWindow(stage, '+5491155572003');
      const token = randomBytes(16).toString('hex');
      await stage.client.control('PUT', '/tokens', { accessTokens: [token] });
      newToken = token;
      await stage.client.enqueue(request('unauthorized', '+5491155572003'));
    },
    fix: async () => ({ stdin: newToken }),
  },
  {
    alarm: 'UncertainSends',
    async inject(stage) {
      await openWindow(stage, '+5491155572004');
      await stage.client.control('POST', '/faults', { answers: { contact: '+5491155572004', status: 502 } });
      await stage.client.enqueue(request('uncertain', '+5491155572004'));
      await reaches(stage, 'uncertain', 'uncertain');
    },
    fix: async () => ({ requestId: 'uncertain' }),
  },
  {
    alarm: 'RejectedSends',
    async inject(stage) {
      await openWindow(stage, '+5491155572005');
      const template = { messageText: undefined, ruleNameOrId: 'unknown_rule' };
      await stage.client.enqueue(request('rejected', '+5491155572005', template));
      await reaches(stage, 'rejected', 'rejected');
    },
    async fix({ client }) {
      await client.putRule('unknown_rule', { text: 'Hi', category: 'shipping-status', status: 'approved' });
      return { requestId: 'rejected' };
    },
  },
  {
    alarm: 'SendErrors',
    async inject({ fail, client }) {
      fail('send', () => true);
      await client.enqueue(request('fails', '+5491155572006'));
    },
    async fix({ fail }) {
      fail('send', undefined);
      return undefined;
    },
  },
  {
    alarm: 'SendThrottles',
    async inject({ throttle, client }) {
      throttle('send', true);
      await client.enqueue(request('throttled', '+5491155572007'));
    },
    async fix({ throttle }) {
      throttle('send', false);
      return undefined;
    },
  },
  {
    alarm: 'ScheduleDeadLetters',
    stepMinutes: 60,
    async inject({ client, cloud }) {
      const { schedules } = cloud.emulators;
      const sendAt = new Date(cloud.clock.now().getTime() + 60 * 60_000).toISOString();
      await client.enqueue(request('scheduled', '+5491155572008', { sendAt }));
      const schedule = await waitFor('the send is scheduled', async () => schedules.list(undefined)[0]);
      // Emulates a role without the permission to call SQS.
      schedules.remove(schedule.groupName, schedule.name);
      schedules.add({ ...schedule, invoke: () => Promise.reject(new Error('AccessDenied')) });
    },
  },
];

/** The token that the chat service accepts since it refused the old one. */
let newToken = '';

/**
 * Scenarios for copies of alarms with lower thresholds, which are given: a hundred thousand messages, and twelve hours of
 * small steps, would take minutes.
 */
export const SCALED_SCENARIOS: readonly (AlarmScenario & { readonly threshold: number })[] = [
  {
    threshold: 20,
    alarm: 'BulkSendQueueBacklog',
    async inject(stage) {
      stage.throttle('send', true);
      const QueueUrl = bulkQueueOf(stage.cloud);
      const batches = Array.from({ length: BACKLOG / 10 }, (_, batch) =>
        Array.from({ length: 10 }, (_, index) => ({
          Id: String(index),
          MessageBody: '{}',
          MessageGroupId: 'backlog',
          MessageDeduplicationId: `${batch}-${index}`,
        })),
      );
      await forEachConcurrently(20, batches, async (Entries) => {
        await stage.cloud.emulators.sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
      });
    },
    async fix({ cloud, throttle }) {
      await cloud.emulators.sqs.send(new PurgeQueueCommand({ QueueUrl: bulkQueueOf(cloud) }));
      throttle('send', false);
      return undefined;
    },
  },
  {
    threshold: 30 * 60,
    alarm: 'BulkSendQueueAge',
    async inject(stage) {
      const contact = '+5491155572009';
      await openWindow(stage, contact);
      await stage.client.control('POST', '/faults', { answers: { count: FOREVER, status: 503 } });
      const body = JSON.stringify(request('waits-in-bulk', contact));
      await stage.client.putMessage(bulkQueueOf(stage.cloud), body, { groupId: contact, id: 'waits-in-bulk' });
    },
    async fix({ client }) {
      await client.control('DELETE', '/faults');
      return undefined;
    },
  },
];
