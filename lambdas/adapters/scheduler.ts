import { createHash } from 'node:crypto';
import type { Instant } from '../domain/instant.ts';
import { serializeDueMessage } from '../domain/send-request.ts';
import type { SendScheduler } from '../ports.ts';
import { onFirstUse } from '../runtime/on-first-use.ts';

export interface SchedulerOptions {
  readonly groupName: string;
  readonly target: ScheduleTarget;
}

/** The target of new schedules. */
interface ScheduleTarget {
  /** The role that allows schedules to put messages on the send queue and the dead-letter queue. */
  readonly roleArn: string;
  readonly sendQueueUrl: string;
  readonly deadLetterQueueArn: string;
  /** The customer managed key that encrypts the schedules. Undefined for a key that Scheduler owns. */
  readonly keyArn: string | undefined;
}

/**
 * A universal target, because it can set a deduplication id for a FIFO queue, and the SQS target cannot.
 * Source: https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-targets-universal.html
 */
const SEND_MESSAGE = 'arn:aws:scheduler:::aws-sdk:sqs:sendMessage';

/**
 * Creates a scheduler whose one-time schedules delete themselves. Each schedule is named after its request, so creating
 * it again is harmless. Most sends have no `sendAt`, so the client is loaded on first use.
 */
export const createEventBridgeScheduler = ({ groupName, target }: SchedulerOptions): SendScheduler => {
  const connection = onFirstUse(connect);

  return {
    ...cancelWith(connection, groupName),

    async schedule({ requestId, groupId, at }) {
      const { client, scheduler } = await connection();
      const command = new scheduler.CreateScheduleCommand({
        Name: scheduleName(requestId),
        GroupName: groupName,
        ScheduleExpression: `at(${nextFullSecond(at)})`,
        ScheduleExpressionTimezone: 'UTC',
        FlexibleTimeWindow: { Mode: 'OFF' },
        ActionAfterCompletion: 'DELETE',
        ClientToken: digest(requestId),
        ...(target.keyArn !== undefined && { KmsKeyArn: target.keyArn }),
        Target: {
          Arn: SEND_MESSAGE.replace('arn:aws:', `${partitionOf(target.roleArn)}:`),
          RoleArn: target.roleArn,
          DeadLetterConfig: { Arn: target.deadLetterQueueArn },
          Input: JSON.stringify({
            QueueUrl: target.sendQueueUrl,
            MessageBody: serializeDueMessage(requestId),
            MessageGroupId: groupId,
            // Not the request id, or SQS would drop a message due within five minutes as a duplicate of the request.
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
  };
};

/** Creates a scheduler that can only cancel, for functions that create no schedules. */
export const createScheduleCancellation = (groupName: string): Pick<SendScheduler, 'cancel'> =>
  cancelWith(onFirstUse(connect), groupName);

const cancelWith = (
  connection: () => ReturnType<typeof connect>,
  groupName: string,
): Pick<SendScheduler, 'cancel'> => ({
  async cancel(requestId) {
    const { client, scheduler } = await connection();
    try {
      const Name = scheduleName(requestId);
      await client.send(new scheduler.DeleteScheduleCommand({ Name, GroupName: groupName }));
    } catch (error) {
      if (!(error instanceof scheduler.ResourceNotFoundException)) throw error;
    }
  },
});

/** With these timeouts, the SDK's three attempts take ten seconds at most. */
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

/** A schedule's name is limited to 64 characters, and allows fewer kinds of characters than a request id. */
export const scheduleName = (requestId: string): string => `send-${digest(requestId).slice(0, 43)}`;

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** Rounds up, because `at()` has no fractions of a second and a send must not be early. */
const nextFullSecond = (instant: Instant): string =>
  new Date(Math.ceil(Date.parse(instant) / 1000) * 1000).toISOString().slice(0, 19);

const partitionOf = (arn: string): string => arn.split(':', 2).join(':');
