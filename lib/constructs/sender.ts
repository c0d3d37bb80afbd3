import { Duration, Size } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { z } from 'zod';
import { seconds } from '../../lambdas/domain/duration.ts';
import { timeLimits } from '../../lambdas/domain/time-limits.ts';
import type { BulkEnvironment } from '../../lambdas/send/bulk/environment.ts';
import type { SendEnvironment } from '../../lambdas/send/environment.ts';
import { spreadCalls } from '../settings/lane-settings.ts';
import { reservedSendCheck, settingsObject } from '../settings/stage-settings.ts';
import { BulkLane } from './bulk/bulk-lane.ts';
import { checkedSettings } from './checked-settings.ts';
import { DeadLetteredQueue, grantSendMessage } from './dead-lettered-queue.ts';
import { functionVariables } from './function-variables.ts';
import { type NetworkProps, networkIn } from './network.ts';
import { ParleyFunction } from './parley-function.ts';
import { removalPolicyOf } from './removal-policy.ts';
import { sendRulesVariables } from './send-rules-variables.ts';
import { SendSchedules } from './send-schedules.ts';
import { serviceUrl } from './service-url.ts';
import { partOf } from './stage-role.ts';
import { StageSecret } from './stage-secret.ts';
import { grantItemActions } from './table.ts';

const senderSettings = settingsObject
  .pick({
    production: true,
    chatService: true,
    chatPlatform: true,
    chatChannelNumber: true,
    sends: true,
    window: true,
    contactCheck: true,
    optOutExemptReasons: true,
    templates: true,
    keywords: true,
    operators: true,
    defaultTemplate: true,
    retentionDays: true,
    reservedConcurrency: true,
    rollout: true,
  })
  .strip()
  .check(reservedSendCheck);

/** Properties of a {@link ParleySender}: the stage settings with the same names, and the table. */
export interface ParleySenderProps extends Readonly<z.input<typeof senderSettings>>, NetworkProps {
  /** The table of conversation windows and sends, with the keys of a `ParleyTable`. */
  readonly table: ITable;
  /**
   * The customer managed key that encrypts queues, secrets, schedules, and logs. Its policy must let CloudWatch Logs use
   * it.
   *
   * @default keys that the services own
   */
  readonly encryptionKey?: IKey;
}

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
  /** The bulk queue. Undefined without the setting `sends.bulkLane`. */
  readonly bulkSendQueue: DeadLetteredQueue | undefined;
  /** The chat service's access token. It is a placeholder until you store the real one. */
  readonly accessToken: StageSecret;
  readonly schedules: SendSchedules;
  /** Whether it sends confirmations of opt-outs: whether the setting `keywords.confirmation` is set. */
  readonly confirmsOptOuts: boolean;
  /** Whether it is part of a production stage: the setting `production`. */
  readonly isProduction: boolean;

  constructor(scope: Construct, id: string, props: ParleySenderProps) {
    super(scope, id);
    const settings = checkedSettings(this, senderSettings, props);
    const { chatService, sends, window } = settings;
    const { encryptionKey } = props;
    this.isProduction = settings.production;
    this.confirmsOptOuts = settings.keywords?.confirmation !== undefined;
    const answerTimeoutSeconds = seconds(chatService.answerTimeoutSeconds);
    const { timeoutSeconds, visibilitySeconds } = timeLimits(answerTimeoutSeconds);
    const { invocations, callsPerInvocation } = spreadCalls(chatService.maxConcurrentCalls);
    const removalPolicy = removalPolicyOf(settings.production);
    this.accessToken = new StageSecret(this, 'AccessToken', {
      description: "The chat service's access token. Initially a placeholder; replace it after the deployment.",
      notRotatedBecause:
        "The token is created manually in the chat service's console, so it cannot be rotated automatically.",
      removalPolicy,
      encryptionKey,
    });
    const queueProps = {
      fifo: true,
      // AWS recommends six times the function's timeout, but if a function is killed, its contacts wait for all of it.
      // Throttling, the reason for six times, is rare because the consumer's concurrency is limited.
      visibilityTimeout: Duration.seconds(visibilitySeconds),
      maxMessageSize: MAX_REQUEST_SIZE,
      removalPolicy,
      encryptionKey,
    };
    this.sendQueue = new DeadLetteredQueue(this, 'SendQueue', queueProps);
    const bulk = sends.bulkLane && new BulkLane(this, sends.bulkLane, queueProps);
    this.bulkSendQueue = bulk?.queue;
    const { sendQueue, bulkSendQueue } = this;
    this.schedules = new SendSchedules(this, 'Schedules', { sendQueue, bulkSendQueue, removalPolicy, encryptionKey });
    this.handler = new ParleyFunction(this, 'Function', {
      serviceName: 'send',
      description: 'Sends queued requests to the chat service as free-form messages or templates',
      // A send mostly waits for the chat service, so less memory costs less. See docs/performance.md.
      memorySize: 256,
      timeout: Duration.seconds(timeoutSeconds),
      ...networkIn(props),
      logs: { ...settings, encryptionKey },
      reservedConcurrency: settings.reservedConcurrency.send,
      rollout: settings.rollout,
      environment: functionVariables<SendEnvironment & Partial<BulkEnvironment>>({
        ...sendRulesVariables(settings),
        CLIENT_PAYLOAD: chatService.clientPayload,
        OPT_OUT_CONFIRMATION: settings.keywords?.confirmation,
        TABLE_NAME: props.table.tableName,
        AWS_ENDPOINT_URL_DYNAMODB: serviceUrl(this, 'dynamodb'),
        AWS_ENDPOINT_URL_SECRETS_MANAGER: serviceUrl(this, 'secretsmanager'),
        SEND_QUEUE_URL: this.sendQueue.queueUrl,
        SEND_DEAD_LETTER_QUEUE_URL: this.sendQueue.deadLetters.queueUrl,
        ACCESS_TOKEN_SECRET_ID: this.accessToken.secretArn,
        CHAT_SERVICE_URL: chatService.baseUrl,
        WINDOW_PER: window.per,
        CONTACT_CHECK_PATH: chatService.contactCheckPath,
        ANSWER_TIMEOUT_SECONDS: answerTimeoutSeconds,
        MAX_CONCURRENT_CALLS: callsPerInvocation,
        DEFAULT_NOT_AFTER: sends.notAfter,
        SCHEDULE_GROUP_NAME: this.schedules.group.scheduleGroupName,
        SCHEDULE_ROLE_ARN: this.schedules.role.roleArn,
        SCHEDULE_DEAD_LETTER_QUEUE_ARN: this.schedules.deadLetters.queueArn,
        RETENTION_DAYS: settings.retentionDays,
        SCHEDULE_KEY_ARN: encryptionKey?.keyArn,
        ...bulk?.environment,
      }),
    });
    grantItemActions(
      props.table,
      this.handler,
      ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:UpdateItem'],
      ['ACCOUNT#*', 'CHANNELS', 'CONTACT#*', 'CUSTOMER#*', 'MESSAGE#*', 'SEND#*', 'TRANSACTION#*'],
    );
    grantSendMessage(this.handler, this.sendQueue.deadLetters);
    this.grantReadAccessToken(this.handler);
    this.schedules.grantCreate(this.handler);
    this.schedules.grantDelete(this.handler);
    this.sendQueue.addConsumer(this.handler.live, invocations);
    bulk?.connect(this.handler.live);
  }

  /** Grants permission to put send requests on the queue, and to use its customer managed key for that. */
  grantSend(grantee: IGrantable): Grant {
    return grantSendMessage(grantee, this.sendQueue);
  }

  /**
   * Grants permission to put bulk requests on their queue, and to use its customer managed key for that.
   *
   * @throws Error without the setting `sends.bulkLane`.
   */
  grantSendBulk(grantee: IGrantable): Grant {
    if (!this.bulkSendQueue) throw new Error('There is no bulk queue. Set sends.bulkLane.');
    return grantSendMessage(partOf(grantee, 'Bulk'), this.bulkSendQueue);
  }

  /** Grants permission to count the messages of the send queues. */
  grantCount(grantee: IGrantable): Grant {
    const actions = ['sqs:GetQueueAttributes'];
    const grant = Grant.addToPrincipal({ grantee, actions, resourceArns: [this.sendQueue.queueArn] });
    if (!this.bulkSendQueue) return grant;
    const resourceArns = [this.bulkSendQueue.queueArn];
    return grant.combine(Grant.addToPrincipal({ grantee: partOf(grantee, 'Bulk'), actions, resourceArns }));
  }

  /** Grants permission to read the chat service's access token, and to use its customer managed key for that. */
  grantReadAccessToken(grantee: IGrantable): Grant {
    return this.accessToken.grantReadValue(grantee);
  }
}
