import { Duration } from 'aws-cdk-lib';
import { TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { MAXIMUM, SUM } from '../metric-period.ts';
import type { ParleySender } from '../sender.ts';
import { addFunctionAlarms } from './function-alarms.ts';
import type { StageAlarms } from './stage-alarms.ts';

/** Twice the longest backoff of a waiting request. */
const MAX_SEND_QUEUE_AGE = Duration.minutes(30);

/** Half of the 24 hours after which the requests of a broadcast expire by default. */
const MAX_BULK_SEND_QUEUE_AGE = Duration.hours(12);

/**
 * SQS looks for message groups only in the first 120,000 messages of a FIFO queue.
 * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/avoid-backlog-with-the-same-message-group-id.html
 */
const MAX_BACKLOG = 100_000;

/** Adds the alarms of what sends messages. */
export function addSenderAlarms(alarms: StageAlarms, sender: ParleySender): void {
  const { handler, sendQueue, bulkSendQueue, schedules } = sender;
  addFunctionAlarms(alarms, 'Send', handler);
  alarms.addDeadLetters(
    'SendDeadLetters',
    sendQueue.deadLetters,
    "Send requests were malformed, reused another request's ID, or could not be processed for a day. They are in the " +
      'send dead-letter queue.',
  );
  alarms.addDeadLetters(
    'ScheduleDeadLetters',
    schedules.deadLetters,
    "EventBridge Scheduler could not put scheduled sends on the send queue. They are in the schedules' dead-letter " +
      'queue.',
  );
  alarms.addAge(
    'SendQueueAge',
    sendQueue,
    handler,
    MAX_SEND_QUEUE_AGE,
    `A send request has waited ${MAX_SEND_QUEUE_AGE.toMinutes()} minutes. An operator may have stopped sending, or the ` +
      'chat service may be unavailable or rejecting calls.',
  );
  if (bulkSendQueue) {
    alarms.addDeadLetters(
      'BulkSendDeadLetters',
      bulkSendQueue.deadLetters,
      "Bulk requests were malformed, reused another request's ID, or could not be processed for a day. They are in the " +
        'bulk dead-letter queue.',
    );
    alarms.addAge(
      'BulkSendQueueAge',
      bulkSendQueue,
      handler,
      MAX_BULK_SEND_QUEUE_AGE,
      `A bulk request has waited ${MAX_BULK_SEND_QUEUE_AGE.toHours()} hours. The backlog may be larger than ` +
        'Parley can send before the requests expire, or sending is held up.',
      'RetriedBulkMessageAge',
    );
    alarms.add('BulkSendQueueBacklog', {
      metric: bulkSendQueue.metricApproximateNumberOfMessagesVisible(MAXIMUM),
      threshold: MAX_BACKLOG,
      meaning:
        `More than ${MAX_BACKLOG.toLocaleString('en-US')} bulk requests wait. SQS looks through the first 120,000 messages ` +
        'of a FIFO queue for other message groups, so those of a few contacts may block all others.',
    });
  }
  alarms.add('AccountOnHold', {
    // 1 while the account is on hold, else 0. In the minute in which it resumes, both are reported.
    metric: handler.customMetric('AccountHeld', { period: Duration.minutes(1), statistic: 'Minimum' }),
    threshold: 1,
    meaning:
      'The account is on hold: it has no credit, its access token is refused, or the chat service is unreachable. ' +
      'Until it recovers, Parley sends only probes.',
    // Keeps the alarm's state while no data arrives, because the function reports the account's state only when there
    // is a request to send.
    treatMissingData: TreatMissingData.IGNORE,
  });
  alarms.add('UncertainSends', {
    metric: handler.customMetric('SendUncertain', SUM),
    threshold: 1,
    meaning: 'It is unknown whether messages were sent. Parley does not send them again by itself.',
  });
  alarms.add('RejectedSends', {
    metric: handler.customMetric('SendRejected', SUM),
    threshold: 1,
    meaning: 'The chat service rejected send requests. They were not sent.',
  });
}
