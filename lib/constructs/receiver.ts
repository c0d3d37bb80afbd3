import { Duration, Lazy } from 'aws-cdk-lib';
import type { DomainMappingOptions } from 'aws-cdk-lib/aws-apigatewayv2';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { AnyPrincipal, Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { z } from 'zod';
import type { WindowPer } from '../../lambdas/domain/contact.ts';
import { authHeaderOf, hasWebhookSecret, headersOf, type WebhookAuth } from '../../lambdas/domain/webhook-auth.ts';
import type { ReceiveEnvironment } from '../../lambdas/receive/environment.ts';
import { MAX_INBOUND_INVOCATIONS } from '../settings/flood-settings.ts';
import { keywordsOf } from '../settings/keyword-settings.ts';
import { operatorEchoesOf } from '../settings/operator-settings.ts';
import { insecureWebhookCheck, settingsObject } from '../settings/stage-settings.ts';
import { BufferedApi } from './buffered-ingress/buffered-api.ts';
import { checkedSettings } from './checked-settings.ts';
import { DeadLetteredQueue, grantSendMessage, recommendedVisibilityTimeout } from './dead-lettered-queue.ts';
import { createDirectApi } from './direct-api.ts';
import { functionVariables } from './function-variables.ts';
import { OptOutConfirmations } from './keywords/opt-out-confirmations.ts';
import type { LoggedHttpApi, LoggedHttpApiProps } from './logged-http-api.ts';
import { type NetworkProps, networkIn } from './network.ts';
import { ParleyFunction } from './parley-function.ts';
import type { ParleyPublisher } from './publisher.ts';
import { removalPolicyOf } from './removal-policy.ts';
import type { ParleySender } from './sender.ts';
import { serviceUrl } from './service-url.ts';
import { partOf } from './stage-role.ts';
import { StageSecret } from './stage-secret.ts';
import { grantItemActions } from './table.ts';
import { TurnStart } from './turns/turn-start.ts';

const receiverSettings = settingsObject
  .pick({
    production: true,
    webhook: true,
    allowInsecureWebhook: true,
    chatPlatform: true,
    chatChannelNumber: true,
    sends: true,
    window: true,
    keywords: true,
    operators: true,
    turns: true,
    retentionDays: true,
    reservedConcurrency: true,
    rollout: true,
  })
  .strip()
  .check(insecureWebhookCheck);

/** Properties of a {@link ParleyReceiver}: the stage settings with the same names, and the table. */
export interface ParleyReceiverProps extends Readonly<z.input<typeof receiverSettings>>, NetworkProps {
  /** The table in which to store events, with the keys of a `ParleyTable`. */
  readonly table: ITable;
  /**
   * The customer managed key that encrypts queues, secrets, and logs. Its policy must let CloudWatch Logs use it.
   *
   * @default keys that the services own
   */
  readonly encryptionKey?: IKey;
  /**
   * The domain name of the webhook, and the path under it. The URL that API Gateway generates is then disabled.
   *
   * @default the URL that API Gateway generates
   */
  readonly domainMapping?: DomainMappingOptions;
}

/** The ten events of a batch run concurrently, each within the webhook's two seconds. The rest is for a cold start. */
const TIMEOUT = Duration.seconds(10);

const PATH = 'webhook';

/**
 * Receives the chat service's webhook events: the API, the function that verifies and stores events, and the queue
 * where events wait: verified ones while the table is unavailable, or, with buffered ingress, all until they are verified.
 *
 * @throws SettingsError if a setting is invalid.
 */
export class ParleyReceiver extends Construct {
  readonly handler: ParleyFunction;
  /** Events that wait to be stored. The dead-letter queue is the quarantine. */
  readonly inboundQueue: DeadLetteredQueue;
  /** The secrets or tokens that verify webhook requests. Undefined for kinds of `webhook.auth` that need none. */
  readonly webhookSecret: StageSecret | undefined;
  readonly api: LoggedHttpApi | BufferedApi;
  /** Whether API Gateway puts webhook requests on the inbound queue: the setting `webhook.ingress`. */
  readonly isBuffered: boolean;
  /** How webhook requests are verified: the kind of `webhook.auth`. */
  readonly authKind: WebhookAuth['kind'];
  /** The header that has the token or the signature. Undefined for kinds of `webhook.auth` without a secret. */
  readonly authHeader: string | undefined;
  /** Whether what arrives is noted: the setting `webhook.watch`. */
  readonly watches: boolean;
  /** Whether conversation windows are kept per user, or per user and business number. */
  readonly windowPer: WindowPer;
  /** The URL to configure in the chat service. */
  readonly url: string;
  readonly #confirmations: OptOutConfirmations | undefined;
  readonly #turnStart: TurnStart | undefined;
  /** The roles of the functions that redrive events. */
  readonly #redrivers: string[] = [];

  constructor(scope: Construct, id: string, props: ParleyReceiverProps) {
    super(scope, id);
    const settings = checkedSettings(this, receiverSettings, props);
    const { production, webhook, chatPlatform, window, keywords, operators, retentionDays } = settings;
    const { encryptionKey } = props;
    const logs = { production, retentionDays, encryptionKey };
    this.authKind = webhook.auth.kind;
    this.authHeader = authHeaderOf(webhook.auth);
    this.watches = webhook.watch;
    this.isBuffered = webhook.ingress === 'buffered';
    this.windowPer = window.per;
    const removalPolicy = removalPolicyOf(production);
    const visibilityTimeout = recommendedVisibilityTimeout(TIMEOUT);
    const queueProps = { visibilityTimeout, removalPolicy, encryptionKey };
    this.inboundQueue = new DeadLetteredQueue(this, 'InboundQueue', queueProps);
    this.webhookSecret = hasWebhookSecret(webhook.auth)
      ? new StageSecret(this, 'WebhookSecret', {
          description: 'The secrets or tokens that verify webhook requests, one per line. Initially a random value.',
          notRotatedBecause:
            'A new secret must also be configured manually on the sending side, so it cannot be rotated automatically.',
          // 32 letters and digits are valid both as a token and as a base64 secret.
          generateSecretString: { excludePunctuation: true, passwordLength: 32 },
          removalPolicy,
          encryptionKey,
        })
      : undefined;
    this.handler = new ParleyFunction(this, 'Function', {
      serviceName: 'receive',
      description: "Verifies and stores the chat service's webhook events",
      // More memory means more CPU. Parley promises a response within two seconds, even after a cold start.
      memorySize: 1024,
      timeout: TIMEOUT,
      ...networkIn(props),
      logs,
      reservedConcurrency: settings.reservedConcurrency.receive,
      rollout: settings.rollout,
      environment: functionVariables<ReceiveEnvironment>({
        TABLE_NAME: props.table.tableName,
        AWS_ENDPOINT_URL_DYNAMODB: serviceUrl(this, 'dynamodb'),
        AWS_ENDPOINT_URL_SECRETS_MANAGER: serviceUrl(this, 'secretsmanager'),
        INBOUND_QUEUE_URL: this.inboundQueue.queueUrl,
        INBOUND_DEAD_LETTER_QUEUE_URL: this.inboundQueue.deadLetters.queueUrl,
        WEBHOOK_AUTH: webhook.auth,
        WEBHOOK_SECRET_ID: this.webhookSecret?.secretArn,
        WINDOW_PER: window.per,
        KEYWORDS: keywords && keywordsOf(keywords),
        // Set by `OptOutConfirmations`.
        SEND_QUEUE_URL: undefined,
        OPERATOR_ECHOES: operators && operatorEchoesOf(operators),
        TURNS: settings.turns && true,
        WATCH: webhook.watch || undefined,
        CHAT_PLATFORM: chatPlatform,
        CHAT_CHANNEL_NUMBER: settings.chatChannelNumber,
        RETENTION_DAYS: retentionDays,
      }),
    });
    grantItemActions(
      props.table,
      this.handler,
      ['dynamodb:UpdateItem'],
      ['CHANNELS', 'CONTACT#*', 'CUSTOMER#*', 'MESSAGE#*', 'SEND#*', 'TRANSACTION#*', 'UNKNOWN#*'],
    );
    const watch = partOf(this.handler, 'Watch');
    if (this.watches) grantItemActions(props.table, watch, ['dynamodb:UpdateItem'], ['CHANNEL#*']);
    this.#confirmations = keywords?.confirmation === undefined ? undefined : new OptOutConfirmations(this.handler);
    this.#turnStart = settings.turns && new TurnStart(this.handler);
    const parts = [this.#confirmations, this.#turnStart];
    this.node.addValidation({ validate: () => parts.flatMap((part) => part?.faults() ?? []) });
    grantSendMessage(this.handler, this.inboundQueue, this.inboundQueue.deadLetters);
    this.webhookSecret?.grantReadValue(partOf(this.handler, 'WebhookSecret'));
    this.inboundQueue.addConsumer(this.handler.live, MAX_INBOUND_INVOCATIONS);

    this.api = this.#createApi(webhook, logs, props.domainMapping);
    this.#denySendMessage();
    this.url = `${this.api.baseUrl}/${PATH}`;
  }

  #createApi(
    { auth, throttle }: z.output<typeof receiverSettings>['webhook'],
    logs: LoggedHttpApiProps['logs'],
    domainMapping: DomainMappingOptions | undefined,
  ): LoggedHttpApi | BufferedApi {
    const { handler, inboundQueue } = this;
    const props = { path: PATH, logs, throttle, domainMapping };
    if (!this.isBuffered) return createDirectApi(this, { ...props, handler, inboundQueue });
    const api = new BufferedApi(this, 'Api', { ...props, headers: headersOf(auth), queue: inboundQueue });
    // Until both are updated, the function would quarantine the requests, and the queue's policy would refuse them.
    api.stage.node.addDependency(handler, inboundQueue);
    return api;
  }

  /**
   * Lets the function queue the confirmation of an opt-out by keyword. Does nothing without the setting
   * `keywords.confirmation`.
   *
   * @param sender a sender with the same setting, which sends the confirmation
   * @throws Error if the sender does not have the setting.
   */
  confirmOptOuts(sender: Pick<ParleySender, 'confirmsOptOuts' | 'grantSend' | 'handler' | 'sendQueue'>): void {
    this.#confirmations?.connect(sender);
  }

  /**
   * Connects the receiver to the publisher that ends the turns that it starts. A turn that never ends refuses its user's
   * messages once it is full. Does nothing without the setting `turns`.
   *
   * @param publisher a publisher with the same setting and table
   * @throws Error if the publisher does not have the setting.
   */
  endTurns({ turnQueue, turnEnd }: Pick<ParleyPublisher, 'turnEnd' | 'turnQueue'>): void {
    this.#turnStart?.connect({ turnQueue, turnEnd });
  }

  /** Lets a function of the same stack put quarantined events back on the inbound queue. */
  grantRedrive(grantee: ParleyFunction): void {
    this.#redrivers.push(grantee.roleArn);
    grantSendMessage(grantee, this.inboundQueue);
  }

  /**
   * Denies all other principals, including administrators, permission to put messages on the queues, because most of
   * these messages are not verified again. Those of a buffered ingress are verified, and cannot be taken for others.
   * Lambda, which only receives, and SQS, which moves messages to the dead-letter queue, do not need this permission.
   *
   * Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html, `aws:PrincipalArn`:
   * the role's ARN for its sessions, and no value for AWS services, which `ArnNotEquals` denies.
   */
  #denySendMessage(): void {
    const { deadLetters } = this.inboundQueue;
    const ingress = this.api instanceof BufferedApi ? [this.api.role.roleArn] : [];
    for (const queue of [this.inboundQueue, deadLetters]) {
      const senders = () => [this.handler.roleArn, ...(queue === deadLetters ? [] : [...this.#redrivers, ...ingress])];
      queue.addToResourcePolicy(
        new PolicyStatement({
          effect: Effect.DENY,
          principals: [new AnyPrincipal()],
          actions: ['sqs:SendMessage'],
          resources: [queue.queueArn],
          conditions: { ArnNotEquals: { 'aws:PrincipalArn': Lazy.list({ produce: senders }) } },
        }),
      );
    }
  }
}
