import { Duration, RemovalPolicy, Size, Stack, Validations } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import type { WindowPer } from '../../lambdas/domain/contact.ts';
import type { TemplateReference } from '../../lambdas/domain/send-request.ts';
import type { SendEnvironment } from '../../lambdas/send/environment.ts';
import type { StageSettings } from '../settings/stage-settings.ts';
import { DeadLetteredQueue } from './dead-lettered-queue.ts';
import { ParleyFunction } from './parley-function.ts';
import { Scheduling } from './scheduling.ts';
import type { ConversationTable } from './table.ts';

/** What sending needs. */
export interface SendingProps {
  /** Where windows are read and sends recorded. */
  readonly conversations: ConversationTable;
  /** The chat service's address, and how it is spoken to. */
  readonly chatService: StageSettings['chatService'];
  /** The platform of a request that names none. */
  readonly chatPlatform: string;
  /** The business's own number of a request that names none: a plus and digits. */
  readonly chatChannelNumber: string;
  /** Whether windows are kept for each user, or for each user and business number. */
  readonly windowPer: WindowPer;
  /** How long before its 24 hours end a conversation window counts as closed. */
  readonly windowMarginSeconds: number;
  /**
   * What is sent when a free-form request meets a closed window.
   *
   * @default none, such a request is refused
   */
  readonly defaultTemplate?: TemplateReference;
  /** Whether a number is checked on the platform before a template opens a conversation. */
  readonly contactCheck: StageSettings['contactCheck'];
  /** Days until a send and its message are removed. */
  readonly retentionDays: number;
  /**
   * Whether the queues and the secret outlive their stack.
   *
   * @default false
   */
  readonly production?: boolean;
}

// A message is begun only with 63 seconds left, enough for all that it may cost; the rest is for those before it.
const TIMEOUT = Duration.seconds(120);

// Longer than a claimant can live, and over before its message is visible again: half a minute for clocks that disagree.
const CLAIM_LEASE_SECONDS = TIMEOUT.toSeconds() + 30;

// SQS's greatest: it is `notAfter` or the queue's retention that ends waiting, not a count.
const MAX_RECEIVE_COUNT = 1000;

// Twice what a message's text may have, and room in the dead-letter queue for the reason beside it.
const MAX_REQUEST_SIZE = Size.kibibytes(256);

/** The queue of send requests, in order per contact, the function that sends them, and the chat service's access token. */
export class Sending extends Construct {
  readonly send: ParleyFunction;
  readonly requests: DeadLetteredQueue;
  readonly accessToken: Secret;
  readonly scheduling: Scheduling;

  constructor(scope: Construct, id: string, props: SendingProps) {
    super(scope, id);
    this.accessToken = new Secret(this, 'AccessToken', {
      description:
        "The chat service's access token. Made with a placeholder: put the real token in after the deployment.",
      removalPolicy: props.production ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    Validations.of(this.accessToken).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason: "The token is issued by hand in the chat service's console; no function can rotate it.",
    });
    this.requests = new DeadLetteredQueue(this, 'Requests', {
      fifo: true,
      consumerTimeout: TIMEOUT,
      maxReceiveCount: MAX_RECEIVE_COUNT,
      maxMessageSize: MAX_REQUEST_SIZE,
      production: props.production,
    });
    const { queue, deadLetterQueue } = this.requests;
    this.scheduling = new Scheduling(this, 'Scheduling', {
      sendQueue: queue,
      groupName: Stack.of(this).stackName,
      production: props.production,
    });
    this.send = new ParleyFunction(this, 'Send', {
      serviceName: 'send',
      description: 'Sends queued requests to the chat service, free-form or by template',
      entry: `${import.meta.dirname}/../../lambdas/send/entry.ts`,
      memorySize: 512,
      timeout: TIMEOUT,
      environment: {
        TABLE_NAME: props.conversations.table.tableName,
        SEND_QUEUE_URL: queue.queueUrl,
        SEND_DEAD_LETTER_QUEUE_URL: deadLetterQueue.queueUrl,
        ACCESS_TOKEN_SECRET_ID: this.accessToken.secretArn,
        CHAT_SERVICE_URL: props.chatService.baseUrl,
        CHAT_PLATFORM: props.chatPlatform,
        CHAT_CHANNEL_NUMBER: props.chatChannelNumber,
        WINDOW_PER: props.windowPer,
        WINDOW_MARGIN_SECONDS: String(props.windowMarginSeconds),
        NUMBER_FORMAT: props.chatService.numberFormat,
        CLIENT_PAYLOAD: props.chatService.clientPayload,
        CONTACT_CHECK: props.contactCheck,
        CONTACT_CHECK_PATH: props.chatService.contactCheckPath,
        CLAIM_LEASE_SECONDS: String(CLAIM_LEASE_SECONDS),
        SCHEDULE_GROUP_NAME: this.scheduling.group.scheduleGroupName,
        SCHEDULE_ROLE_ARN: this.scheduling.role.roleArn,
        SCHEDULE_DEAD_LETTER_QUEUE_ARN: this.scheduling.deadLetterQueue.queueArn,
        RETENTION_DAYS: String(props.retentionDays),
        ...(props.defaultTemplate && { DEFAULT_TEMPLATE: JSON.stringify(props.defaultTemplate) }),
      } satisfies SendEnvironment,
    });
    props.conversations.allow(this.send, ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:UpdateItem']);
    this.send.allow(['sqs:SendMessage'], [deadLetterQueue.queueArn]);
    this.send.allow(['secretsmanager:GetSecretValue'], [this.accessToken.secretArn]);
    this.scheduling.allowSetting(this.send);
    // Twenty invocations of up to ten groups each: 200 calls to the chat service at once.
    this.requests.drainInto(this.send, 20);
  }
}
