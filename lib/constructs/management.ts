import { Duration } from 'aws-cdk-lib';
import { HttpMethod, HttpRoute, HttpRouteKey } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { z } from 'zod';
import type { RouteName } from '../../lambdas/manage/api/route-name.ts';
import { ROUTES } from '../../lambdas/manage/api/routes.ts';
import type { ManageEnvironment } from '../../lambdas/manage/environment.ts';
import { MAX_ERASURE_INVOCATIONS } from '../settings/flood-settings.ts';
import { keywordsOf } from '../settings/keyword-settings.ts';
import { operatorEchoesOf } from '../settings/operator-settings.ts';
import { settingsObject } from '../settings/stage-settings.ts';
import { checkedSettings } from './checked-settings.ts';
import {
  DeadLetteredQueue,
  grantConsume,
  grantSendMessage,
  recommendedVisibilityTimeout,
} from './dead-lettered-queue.ts';
import { functionVariables } from './function-variables.ts';
import { KeepDeadLetters } from './keep-dead-letters.ts';
import { LoggedHttpApi } from './logged-http-api.ts';
import { type NetworkProps, networkIn } from './network.ts';
import { ParleyFunction } from './parley-function.ts';
import type { ParleyPublisher } from './publisher.ts';
import type { ParleyReceiver } from './receiver.ts';
import { removalPolicyOf } from './removal-policy.ts';
import { FunctionIntegration } from './rollout/function-integration.ts';
import { sendRulesVariables } from './send-rules-variables.ts';
import type { ParleySender } from './sender.ts';
import { serviceUrl } from './service-url.ts';
import { partOf } from './stage-role.ts';
import { grantItemActions, grantQuery, type ItemKey } from './table.ts';
import { WatchArrivals } from './watch/watch-arrivals.ts';

const managementSettings = settingsObject
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
  .strip();

/** Properties of {@link ParleyManagement}: the stage settings with the same names, the table, and the sender. */
export interface ParleyManagementProps extends Readonly<z.input<typeof managementSettings>>, NetworkProps {
  /** The table to read and manage, with the keys and indexes of a `ParleyTable`. */
  readonly table: ITable;
  /** The sender, whose queue receives send requests and whose access token is used for contact checks. */
  readonly sender: ParleySender;
  /**
   * The receiver, in the same stack. Its quarantined events can be redriven and are kept in the table, and the erasure
   * of their contact deletes them.
   *
   * @default SQS deletes quarantined events after 14 days
   */
  readonly receiver?: Pick<ParleyReceiver, 'inboundQueue' | 'grantRedrive'> & Partial<Pick<ParleyReceiver, 'watches'>>;
  /**
   * The publisher, in the same stack. Its dead letters can be redriven, and the erasure of their contact deletes them.
   *
   * @default events are published once
   */
  readonly publisher?: Pick<
    ParleyPublisher,
    'deadLetterQueues' | 'eventBus' | 'grantRepublish' | 'hasContent' | 'publishFailures' | 'targets'
  >;
  /**
   * Further dead-letter queues in which an erasure deletes what is about the contact.
   *
   * @default none
   */
  readonly deadLetterQueues?: readonly IQueue[];
  /**
   * The customer managed key that encrypts queues and logs. Its policy must let CloudWatch Logs use it.
   *
   * @default keys that the services own
   */
  readonly encryptionKey?: IKey;
}

/** An API call takes at most 30 seconds. A pass of an erasure takes 20 seconds plus the rest of its last page. */
const TIMEOUT = Duration.seconds(60);

/**
 * The management API: routes for requests signed with AWS Signature Version 4, and the function that handles them and
 * erases contacts.
 *
 * @throws SettingsError if a setting is invalid.
 */
export class ParleyManagement extends Construct {
  readonly handler: ParleyFunction;
  /** Erasures in progress: each receive of a message is one pass. */
  readonly erasureQueue: DeadLetteredQueue;
  readonly api: LoggedHttpApi;
  /** The schedule that looks for what did not arrive. Undefined without the setting `webhook.watch`. */
  readonly watch: WatchArrivals | undefined;
  /** The API's base URL, without a trailing slash. */
  readonly url: string;

  constructor(scope: Construct, id: string, props: ParleyManagementProps) {
    super(scope, id);
    const { table, sender, receiver, publisher, encryptionKey } = props;
    const bulkDeadLetters = sender.bulkSendQueue?.deadLetters;
    const deadLetterQueues = [...(publisher?.deadLetterQueues ?? []), ...(props.deadLetterQueues ?? [])];
    const settings = checkedSettings(this, managementSettings, props);
    const logs = { ...settings, encryptionKey };
    const operatorEchoes = settings.operators && operatorEchoesOf(settings.operators);
    this.erasureQueue = new DeadLetteredQueue(this, 'ErasureQueue', {
      visibilityTimeout: recommendedVisibilityTimeout(TIMEOUT),
      removalPolicy: removalPolicyOf(settings.production),
      encryptionKey,
    });
    this.handler = new ParleyFunction(this, 'Function', {
      serviceName: 'manage',
      description: 'Handles calls to the management API and erases contacts',
      memorySize: 512,
      timeout: TIMEOUT,
      ...networkIn(props),
      logs,
      reservedConcurrency: settings.reservedConcurrency.manage,
      rollout: settings.rollout,
      environment: functionVariables<ManageEnvironment>({
        ...sendRulesVariables(settings),
        TABLE_NAME: table.tableName,
        AWS_ENDPOINT_URL_DYNAMODB: serviceUrl(this, 'dynamodb'),
        AWS_ENDPOINT_URL_SECRETS_MANAGER: serviceUrl(this, 'secretsmanager'),
        SEND_QUEUE_URL: sender.sendQueue.queueUrl,
        ERASURE_QUEUE_URL: this.erasureQueue.queueUrl,
        SEND_DEAD_LETTER_QUEUE_URL: sender.sendQueue.deadLetters.queueUrl,
        BULK_SEND_QUEUE_URL: sender.bulkSendQueue?.queueUrl,
        BULK_SEND_DEAD_LETTER_QUEUE_URL: bulkDeadLetters?.queueUrl,
        SCHEDULE_DEAD_LETTER_QUEUE_URL: sender.schedules.deadLetters.queueUrl,
        ERASURE_DEAD_LETTER_QUEUE_URL: this.erasureQueue.deadLetters.queueUrl,
        INBOUND_DEAD_LETTER_QUEUE_URL: receiver?.inboundQueue.deadLetters.queueUrl,
        INBOUND_QUEUE_URL: receiver?.inboundQueue.queueUrl,
        EVENT_BUS_NAME: publisher?.eventBus.eventBusName,
        EVENT_CONTENT: publisher?.hasContent,
        AWS_ENDPOINT_URL_EVENTBRIDGE: publisher && serviceUrl(this, 'events'),
        AWS_ENDPOINT_URL_DYNAMODB_STREAMS:
          publisher && (props.streamsEndpointUrl ?? serviceUrl(this, 'streams.dynamodb')),
        PUBLISH_FAILURES_QUEUE_URL: publisher?.publishFailures.queueUrl,
        UNDELIVERED_EVENTS_QUEUE_URL: publisher?.targets?.deadLetters.queueUrl,
        DEAD_LETTER_QUEUE_URLS: deadLetterQueues.map(({ queueUrl }) => queueUrl),
        ACCESS_TOKEN_SECRET_ID: sender.accessToken.secretArn,
        CHAT_SERVICE_URL: settings.chatService.baseUrl,
        CONTACT_CHECK_PATH: settings.chatService.contactCheckPath,
        WINDOW_PER: settings.window.per,
        KEYWORDS: settings.keywords && keywordsOf(settings.keywords),
        OPERATOR_ECHOES: operatorEchoes,
        DEFAULT_NOT_AFTER: settings.sends.notAfter,
        WATCH: receiver?.watches || undefined,
        SCHEDULE_GROUP_NAME: sender.schedules.group.scheduleGroupName,
        RETENTION_DAYS: settings.retentionDays,
      }),
    });
    this.#grantAccess(props, deadLetterQueues);
    this.erasureQueue.addConsumer(this.handler.live, MAX_ERASURE_INVOCATIONS);
    this.#keepDeadLetters(props);
    if (receiver?.watches) {
      this.watch = new WatchArrivals(this, 'WatchArrivals', { handler: this.handler.live });
    }

    // Separate from the webhook's API, which accepts requests without an AWS signature.
    this.api = new LoggedHttpApi(this, 'Api', {
      nameSuffix: 'management',
      description: 'The management API. Requests must be signed with AWS Signature Version 4.',
      logs,
      accessLogFields: { route: '$context.routeKey', caller: '$context.identity.userArn' },
    });
    this.#addRoutes();
    this.url = this.api.baseUrl;
  }

  #grantAccess(
    { table, sender, receiver, publisher }: ParleyManagementProps,
    deadLetterQueues: NonNullable<ParleyManagementProps['deadLetterQueues']>,
  ): void {
    this.#grantItems(table);
    grantQuery(table, this.handler, 'byBroadcast', 'byContact', 'byState');
    grantSendMessage(this.handler, this.erasureQueue);
    const ofTargets = publisher?.targets?.deadLetters;
    const others = deadLetterQueues.filter((queue) => queue !== ofTargets);
    if (others.length > 0) grantConsume(this.handler, ...others);
    if (ofTargets) grantConsume(partOf(this.handler, 'Targets'), ofTargets);
    sender.grantSend(this.handler);
    if (sender.bulkSendQueue) sender.grantSendBulk(this.handler);
    sender.grantCount(this.handler);
    receiver?.grantRedrive(this.handler);
    publisher?.grantRepublish(this.handler);
    sender.grantReadAccessToken(this.handler);
    sender.schedules.grantDelete(this.handler);
  }

  #keepDeadLetters({ sender, receiver }: ParleyManagementProps): void {
    const bulkDeadLetters = sender.bulkSendQueue?.deadLetters;
    new KeepDeadLetters(this, 'KeepDeadLetters', {
      handler: this.handler.live,
      deadLetters: [
        sender.sendQueue.deadLetters,
        sender.schedules.deadLetters,
        this.erasureQueue.deadLetters,
        ...(receiver ? [receiver.inboundQueue.deadLetters] : []),
      ],
    });
    if (bulkDeadLetters) grantConsume(partOf(this.handler, 'Bulk'), bulkDeadLetters);
  }

  #addRoutes(): void {
    const authorizer = new HttpIamAuthorizer();
    const integration = new FunctionIntegration(this.handler);
    for (const [name, { route }] of Object.entries(ROUTES)) {
      const { method, path } = parseRoute(route);
      new HttpRoute(this, name, {
        httpApi: this.api,
        routeKey: HttpRouteKey.with(path, HTTP_METHODS[method]),
        integration,
        authorizer,
      });
    }
  }

  /** Excludes audit entries, from which an erasure only removes the contact. */
  #grantItems(table: ITable): void {
    const erasable: ItemKey[] = ['CONTACT#*', 'CUSTOMER#*', 'DEADLETTER#*', 'MESSAGE#*'];
    const written: ItemKey[] = [
      ...erasable,
      'ACCOUNT#*',
      'AUDIT#*',
      'CHANNEL#*',
      'CHANNELS',
      'ERASURE#*',
      'SEND#*',
      'TRANSACTION#*',
    ];
    grantItemActions(table, this.handler, ['dynamodb:DeleteItem'], erasable);
    grantItemActions(
      table,
      this.handler,
      ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:UpdateItem'],
      written,
    );
  }

  /** Grants permission to call these routes of the API, with any path parameters. */
  grantInvoke(grantee: IGrantable, ...routes: RouteName[]): Grant {
    return Grant.addToPrincipal({
      grantee,
      actions: ['execute-api:Invoke'],
      resourceArns: routes.map((name) => {
        const { method, path } = parseRoute(ROUTES[name].route);
        return this.api.arnForExecuteApi(method, path.replace(/\{[^}]+\}/, '*'), '$default');
      }),
    });
  }
}

const HTTP_METHODS: Readonly<Record<string, HttpMethod>> = {
  GET: HttpMethod.GET,
  POST: HttpMethod.POST,
  PUT: HttpMethod.PUT,
  DELETE: HttpMethod.DELETE,
};

function parseRoute(route: string): { readonly method: string; readonly path: string } {
  const [method = '', path = ''] = route.split(' ');
  return { method, path };
}
