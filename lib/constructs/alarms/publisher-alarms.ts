import { Duration } from 'aws-cdk-lib';
import { MAXIMUM, SUM } from '../metric-period.ts';
import type { ParleyPublisher } from '../publisher.ts';
import { addFunctionAlarms } from './function-alarms.ts';
import type { StageAlarms } from './stage-alarms.ts';

/** Changes are normally published within seconds; the stream keeps them for a day. */
const MAX_PUBLISH_LAG = Duration.minutes(10);

/** Added to the silence, for which a turn waits on its queue. */
const MAX_TURN_LAG = Duration.minutes(10);

/** A bus that refuses events for longer than a burst of traffic lasts. */
const REPEATED = { evaluationPeriods: 3, datapointsToAlarm: 2 };

/** Adds the alarms of what publishes events. */
export function addPublisherAlarms(alarms: StageAlarms, publisher: ParleyPublisher): void {
  const { handler, publishFailures, targets, turnQueue, turnSilence } = publisher;
  addFunctionAlarms(alarms, 'Publish', handler);
  alarms.addDeadLetters(
    'PublishFailures',
    publishFailures,
    'Changes to the table could not be published as events, and are in the queue for publish failures.',
  );
  alarms.add('PublishLag', {
    metric: handler.metric('IteratorAge', MAXIMUM),
    threshold: MAX_PUBLISH_LAG.toMilliseconds(),
    meaning:
      `Events are published ${MAX_PUBLISH_LAG.toMinutes()} minutes late or more. The event bus may be throttling or ` +
      'unavailable.',
  });
  alarms.add('EventsNotPublished', {
    metric: handler.customMetric('PublishFailed', SUM),
    threshold: 1,
    meaning: 'The event bus refuses events. Parley retries each change for 12 hours.',
    ...REPEATED,
  });
  if (turnQueue && turnSilence) {
    alarms.addAge(
      'TurnQueueAge',
      turnQueue,
      handler,
      turnSilence.plus(MAX_TURN_LAG),
      `A turn should have ended ${MAX_TURN_LAG.toMinutes()} minutes ago. The table may be throttled or unavailable.`,
      'RetriedTurnAge',
    );
  }
  if (targets) {
    alarms.addDeadLetters(
      'UndeliveredEvents',
      targets.deadLetters,
      "A target did not accept events. They are in the targets' dead-letter queue, with the error in the message attributes.",
    );
  }
}
