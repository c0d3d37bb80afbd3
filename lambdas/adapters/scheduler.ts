import { createHash } from 'node:crypto';
import type { Instant } from '../domain/instant.ts';
import { serializeDueMessage } from '../domain/send-request.ts';
import type { SendScheduler } from '../ports.ts';

export interface SchedulerOptions {
  readonly groupName: string;
  /** What schedules are created with; a function that only cancels them needs none. */
  readonly target?: ScheduleTarget;
}

interface ScheduleTarget {
  /** The role that may put messages on the send queue and on the dead-letter queue. */
  readonly roleArn: string;
  readonly sendQueueUrl: string;
  readonly deadLetterQueueArn: string;
}

/**
 * A universal target: unlike the SQS target, it can set a FIFO queue's deduplication id.
 * Source: https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-targets-universal.html
 */
const SEND_MESSAGE = 'arn:aws:scheduler:::aws-sdk:sqs:sendMessage';

/**
 * Creates one-time schedules that delete themselves. Each is named after its request, so that one that exists already
 * is the one that is wanted.
 *
 * The client is loaded on first use: most sends have no `sendAt`, and it would lengthen every cold start.
 */
export const createEventBridgeScheduler = ({ groupName, target }: SchedulerOptions): SendScheduler => {
  let connecting: ReturnType<typeof connect> | undefined;
  const connection = () => {
    connecting ??= connect();
    return connecting;
  };

  return {
    async schedule({ requestId, groupId, at }) {
      if (target === undefined) throw new Error('This function cancels schedules and creates none.');
      const { client, scheduler } = await connection();
      const command = new scheduler.CreateScheduleCommand({
        Name: scheduleName(requestId),
        GroupName: groupName,
        ScheduleExpression: `at(${nextFullSecond(at)})`,
        ScheduleExpressionTimezone: 'UTC',
        FlexibleTimeWindow: { Mode: 'OFF' },
        ActionAfterCompletion: 'DELETE',
        ClientToken: digest(requestId),
        Target: {
          Arn: SEND_MESSAGE.replace('arn:aws:', `${partitionOf(target.roleArn)}:`),
          RoleArn: target.roleArn,
          DeadLetterConfig: { Arn: target.deadLetterQueueArn },
          Input: JSON.stringify({
            QueueUrl: target.sendQueueUrl,
            MessageBody: serializeDueMessage(requestId),
            MessageGroupId: groupId,
            // Not the request id: within five minutes, SQS would drop the message as a duplicate of the request itself.
            MessageDeduplicationId: digest(`due ${requestId}`),
          }),
        },
      });
      try {
        await client.send(command);
      } catch (error) {
        if (!(error instanceof scheduler.ConflictException)) throw error;
      }
    },

    async cancel(requestId) {
      const { client, scheduler } = await connection();
      try {
        const Name = scheduleName(requestId);
        await client.send(new scheduler.DeleteScheduleCommand({ Name, GroupName: groupName }));
      } catch (error) {
        if (!(error instanceof scheduler.ResourceNotFoundException)) throw error;
      }
    },
  };
};

/** Three attempts, the SDK's default, then take ten seconds at most. */
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

/** A schedule's name may have 64 characters, and fewer kinds of characters than a request id. */
export const scheduleName = (requestId: string): string => `send-${digest(requestId).slice(0, 43)}`;

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** `at()` has no fractions of a second, and must not be early. */
const nextFullSecond = (instant: Instant): string =>
  new Date(Math.ceil(Date.parse(instant) / 1000) * 1000).toISOString().slice(0, 19);

const partitionOf = (arn: string): string => arn.split(':', 2).join(':');
