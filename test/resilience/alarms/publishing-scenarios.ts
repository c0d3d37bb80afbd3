import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { waitFor } from '../../../local/demo/wait-for.ts';
import { wireMessage } from '../../support/builders.ts';
import type { AlarmStage } from './alarm-stage.ts';
import type { AlarmScenario } from './run-scenario.ts';

const DENIED = { errorCode: 'AccessDeniedException', message: 'Not authorized.' };

const DELAYED = 'ApproximateNumberOfMessagesDelayed' as const;

let changes = 0;

/** Changes the table, so that there is an event to publish. */
const change = async ({ post, cloud }: AlarmStage): Promise<void> => {
  changes += 1;
  const CREATION_TIME = cloud.clock.now().toISOString();
  await post(wireMessage({ _id_: `change-${changes}`, FROM: '+5491155573001', CREATION_TIME }));
};

/** Waits until `publish` has failed to publish once more. */
const failedAgain = async ({ cloud }: AlarmStage): Promise<void> => {
  const { metrics } = cloud.emulators.cloudWatch;
  const metric = { namespace: 'Parley-dev', name: 'PublishFailed', dimensions: { service: 'publish' } };
  const count = () => {
    const now = Math.ceil(cloud.clock.now().getTime() / 60_000) * 60_000;
    return metrics.statistic(metric, 'Sum', now - 60 * 60_000, now) ?? 0;
  };
  const before = count();
  await waitFor('publish fails again', async () => (count() > before ? true : undefined));
};

/** A scenario for each alarm of what publishes events. */
export const PUBLISHING_SCENARIOS: readonly AlarmScenario[] = [
  {
    alarm: 'TurnQueueAge',
    async inject(stage) {
      const { sqs, pauseTables } = stage.cloud.emulators;
      await change(stage);
      const counted = { QueueUrl: stage.cloud.turnQueueUrl, AttributeNames: [DELAYED] };
      // The stream is read from the tables.
      await waitFor('the turn is queued', async () => {
        const { Attributes } = await sqs.send(new GetQueueAttributesCommand(counted));
        return Attributes?.[DELAYED] === '0' ? undefined : true;
      });
      pauseTables(true);
    },
    async fix({ cloud, advance }) {
      cloud.emulators.pauseTables(false);
      await advance(2);
      return undefined;
    },
  },
  {
    alarm: 'EventsNotPublished',
    async inject(stage) {
      stage.cloud.emulators.buses.setFault(() => DENIED);
      await change(stage);
      await failedAgain(stage);
      await stage.advance(6);
      await failedAgain(stage);
    },
    async fix({ cloud }) {
      cloud.emulators.buses.setFault(undefined);
      return undefined;
    },
  },
  {
    alarm: 'PublishLag',
    async inject(stage) {
      stage.cloud.emulators.buses.setFault(() => DENIED);
      await change(stage);
      await failedAgain(stage);
      await stage.advance(12);
      await failedAgain(stage);
    },
    async fix({ cloud }) {
      cloud.emulators.buses.setFault(undefined);
      return undefined;
    },
  },
  {
    alarm: 'PublishFailures',
    async inject(stage) {
      // The bus refuses the event for good, so Parley does not retry.
      stage.cloud.emulators.buses.setFault(() => ({ errorCode: 'InvalidArgument', message: 'Refused.' }));
      await change(stage);
      await stage.filled(stage.cloud.publishFailuresQueueUrl ?? '');
    },
    async fix({ cloud }) {
      cloud.emulators.buses.setFault(undefined);
      return undefined;
    },
  },
  {
    alarm: 'UndeliveredEvents',
    async inject(stage) {
      stage.refuseEvents(true);
      await change(stage);
      await stage.filled(stage.cloud.undeliveredEventsQueueUrl ?? '');
    },
    async fix(stage) {
      stage.refuseEvents(false);
      return undefined;
    },
  },
  {
    alarm: 'PublishErrors',
    async inject(stage) {
      stage.fail('publish', () => true);
      await change(stage);
    },
    async fix({ fail }) {
      fail('publish', undefined);
      return undefined;
    },
  },
  {
    alarm: 'PublishThrottles',
    async inject(stage) {
      stage.throttle('publish', true);
      await change(stage);
    },
    async fix({ throttle }) {
      throttle('publish', false);
      return undefined;
    },
  },
];
