import { createHash } from 'node:crypto';
import type { Instant } from '../domain/instant.ts';
import { writeWakeUp } from '../domain/wake-up.ts';
import type { SendAlarmClock } from '../ports.ts';

export interface EventbridgeSendAlarmClockOptions {
  readonly groupName: string;
  /** What alarms are set with; one who only takes them back does without. */
  readonly setting?: AlarmSetting;
}

interface AlarmSetting {
  /** The role that may put a message on the send queue, and on the dead-letter queue. */
  readonly roleArn: string;
  readonly sendQueueUrl: string;
  readonly deadLetterQueueArn: string;
}

/**
 * A schedule's target that calls any operation with the parameters given: unlike the one made for queues, it can give a
 * FIFO queue the deduplication id.
 * Source: https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-targets-universal.html
 */
const SEND_MESSAGE = 'arn:aws:scheduler:::aws-sdk:sqs:sendMessage';

/**
 * One-time schedules of EventBridge Scheduler that delete themselves, each named by its request: one that exists already
 * is the one that is wanted.
 *
 * The client is loaded when it is first needed: most sends have no `sendAt`, and it would lengthen every cold start.
 */
export const createEventbridgeSendAlarmClock = ({
  groupName,
  setting,
}: EventbridgeSendAlarmClockOptions): SendAlarmClock => {
  let connecting: ReturnType<typeof connect> | undefined;
  const connected = () => {
    connecting ??= connect();
    return connecting;
  };

  return {
    async set({ requestId, groupId, at }) {
      if (setting === undefined) throw new Error('This function takes alarms back and sets none.');
      const { client, scheduler } = await connected();
      const command = new scheduler.CreateScheduleCommand({
        Name: scheduleName(requestId),
        GroupName: groupName,
        ScheduleExpression: `at(${fullSecond(at)})`,
        ScheduleExpressionTimezone: 'UTC',
        FlexibleTimeWindow: { Mode: 'OFF' },
        ActionAfterCompletion: 'DELETE',
        ClientToken: digest(requestId),
        Target: {
          Arn: SEND_MESSAGE.replace('arn:aws:', `${partitionOf(setting.roleArn)}:`),
          RoleArn: setting.roleArn,
          DeadLetterConfig: { Arn: setting.deadLetterQueueArn },
          Input: JSON.stringify({
            QueueUrl: setting.sendQueueUrl,
            MessageBody: writeWakeUp(requestId),
            MessageGroupId: groupId,
            // Not the request id: within five minutes the queue would take it for the request itself come again.
            MessageDeduplicationId: digest(`wake ${requestId}`),
          }),
        },
      });
      try {
        await client.send(command);
      } catch (error) {
        if (!(error instanceof scheduler.ConflictException)) throw error;
      }
    },

    async remove(requestId) {
      const { client, scheduler } = await connected();
      try {
        const Name = scheduleName(requestId);
        await client.send(new scheduler.DeleteScheduleCommand({ Name, GroupName: groupName }));
      } catch (error) {
        if (!(error instanceof scheduler.ResourceNotFoundException)) throw error;
      }
    },
  };
};

/** It answers in milliseconds; three attempts, the SDK's default, take ten seconds at the most. */
const AWS_CALL = { connectionTimeout: 1_000, requestTimeout: 2_000, throwOnRequestTimeout: true };

const connect = async () => {
  const {
    ConflictException,
    CreateScheduleCommand,
    DeleteScheduleCommand,
    ResourceNotFoundException,
    SchedulerClient,
  } = await import('@aws-sdk/client-scheduler');
  return {
    client: new SchedulerClient({ requestHandler: AWS_CALL }),
    scheduler: { ConflictException, CreateScheduleCommand, DeleteScheduleCommand, ResourceNotFoundException },
  };
};

/** A name may have 64 characters, and fewer kinds of them than a request id. */
export const scheduleName = (requestId: string): string => `send-${digest(requestId).slice(0, 43)}`;

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** `at` knows no fractions of a second, and must not be early. */
const fullSecond = (instant: Instant): string =>
  new Date(Math.ceil(Date.parse(instant) / 1000) * 1000).toISOString().slice(0, 19);

const partitionOf = (arn: string): string => arn.split(':', 2).join(':');
