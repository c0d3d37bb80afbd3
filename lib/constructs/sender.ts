import { Duration, RemovalPolicy, Size, Validations } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import type { z } from 'zod';
import type { SendEnvironment } from '../../lambdas/send/environment.ts';
import { checkSettings } from '../settings/settings-faults.ts';
import { settingsObject } from '../settings/stage-settings.ts';
import { DeadLetteredQueue } from './dead-lettered-queue.ts';
import { ParleyFunction } from './parley-function.ts';
import { SendSchedules } from './send-schedules.ts';
import { grantItemActions } from './table.ts';

const senderSettings = settingsObject
  .pick({
    production: true,
    chatService: true,
    chatPlatform: true,
    chatChannelNumber: true,
    window: true,
    contactCheck: true,
    defaultTemplate: true,
    retentionDays: true,
  })
  .strip();

/** Properties of a {@link ParleySender}: the stage settings with the same names, and the table. */
export interface ParleySenderProps extends Readonly<z.input<typeof senderSettings>> {
  /** The table of conversation windows and sends, with the keys of a `ParleyTable`. */
  readonly table: ITable;
}

/** A message is started only if the 63 seconds that it may take are left. The rest is for the messages before it. */
const TIMEOUT = Duration.seconds(120);

/** Outlasts the function, plus 30 seconds for clock skew, but ends before the message becomes visible again. */
const CLAIM_LEASE_SECONDS = TIMEOUT.toSeconds() + 30;

/** Twice the maximum size of a request. On the dead-letter queue, this leaves room for the reason. */
const MAX_REQUEST_SIZE = Size.kibibytes(256);

/**
 * Sends messages: the FIFO queue of send requests, the function that sends them, the schedules for later sends, and the
 * chat service's access token.
 *
 * @throws SettingsError if a setting is invalid.
 */
export class ParleySender extends Construct {
  readonly handler: ParleyFunction;
  /** The queue for send requests, ordered per contact. */
  readonly sendQueue: DeadLetteredQueue;
  /** The chat service's access token. It is a placeholder until you store the real one. */
  readonly accessToken: Secret;
  readonly schedules: SendSchedules;

  constructor(scope: Construct, id: string, props: ParleySenderProps) {
    super(scope, id);
    const settings = checkSettings(senderSettings, props, this.node.path);
    const { chatService, window, defaultTemplate } = settings;
    const removalPolicy = settings.production ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
    this.accessToken = new Secret(this, 'AccessToken', {
      description: "The chat service's access token. Initially a placeholder; replace it after the deployment.",
      removalPolicy,
    });
    Validations.of(this.accessToken).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason: "The token is created manually in the chat service's console, so it cannot be rotated automatically.",
    });
    this.sendQueue = new DeadLetteredQueue(this, 'SendQueue', {
      fifo: true,
      consumerTimeout: TIMEOUT,
      maxMessageSize: MAX_REQUEST_SIZE,
      removalPolicy,
    });
    this.schedules = new SendSchedules(this, 'Schedules', { sendQueue: this.sendQueue, removalPolicy });
    this.handler = new ParleyFunction(this, 'Function', {
      serviceName: 'send',
      description: 'Sends queued requests to the chat service as free-form messages or templates',
      entry: `${import.meta.dirname}/../../lambdas/send/entry.ts`,
      memorySize: 512,
      timeout: TIMEOUT,
      environment: {
        TABLE_NAME: props.table.tableName,
        SEND_QUEUE_URL: this.sendQueue.queueUrl,
        SEND_DEAD_LETTER_QUEUE_URL: this.sendQueue.deadLetters.queueUrl,
        ACCESS_TOKEN_SECRET_ID: this.accessToken.secretArn,
        CHAT_SERVICE_URL: chatService.baseUrl,
        CHAT_PLATFORM: settings.chatPlatform,
        CHAT_CHANNEL_NUMBER: settings.chatChannelNumber,
        WINDOW_PER: window.per,
        WINDOW_MARGIN_SECONDS: String(window.marginSeconds),
        NUMBER_FORMAT: chatService.numberFormat,
        CLIENT_PAYLOAD: chatService.clientPayload,
        CONTACT_CHECK: settings.contactCheck,
        CONTACT_CHECK_PATH: chatService.contactCheckPath,
        CLAIM_LEASE_SECONDS: String(CLAIM_LEASE_SECONDS),
        SCHEDULE_GROUP_NAME: this.schedules.group.scheduleGroupName,
        SCHEDULE_ROLE_ARN: this.schedules.role.roleArn,
        SCHEDULE_DEAD_LETTER_QUEUE_ARN: this.schedules.deadLetters.queueArn,
        RETENTION_DAYS: String(settings.retentionDays),
        ...(defaultTemplate && { DEFAULT_TEMPLATE: JSON.stringify(defaultTemplate) }),
      } satisfies SendEnvironment,
    });
    grantItemActions(props.table, this.handler, 'dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:UpdateItem');
    Grant.addToPrincipal({
      grantee: this.handler,
      actions: ['sqs:SendMessage'],
      resourceArns: [this.sendQueue.deadLetters.queueArn],
    });
    this.grantReadAccessToken(this.handler);
    this.schedules.grantCreate(this.handler);
    // Twenty invocations with up to ten message groups each: 200 concurrent calls to the chat service.
    this.sendQueue.addConsumer(this.handler, 20);
  }

  /** Grants permission to put send requests on the queue. */
  grantSend(grantee: IGrantable): Grant {
    return Grant.addToPrincipal({
      grantee,
      actions: ['sqs:SendMessage'],
      resourceArns: [this.sendQueue.queueArn],
    });
  }

  /** Grants permission to read the chat service's access token. */
  grantReadAccessToken(grantee: IGrantable): Grant {
    return Grant.addToPrincipal({
      grantee,
      actions: ['secretsmanager:GetSecretValue'],
      resourceArns: [this.accessToken.secretArn],
    });
  }
}
