import { Duration, Stack } from 'aws-cdk-lib';
import { HttpApi, HttpMethod, HttpRoute, HttpRouteKey, type HttpStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Construct } from 'constructs';
import type { WindowPer } from '../../lambdas/domain/contact.ts';
import type { ManageEnvironment } from '../../lambdas/manage/environment.ts';
import { ROUTES } from '../../lambdas/manage/routes.ts';
import type { StageSettings } from '../settings/stage-settings.ts';
import { DeadLetteredQueue } from './dead-lettered-queue.ts';
import { loggedStage } from './logged-stage.ts';
import { ParleyFunction } from './parley-function.ts';
import type { Sending } from './sender.ts';
import type { ConversationTable } from './table.ts';

/** What managing needs. */
export interface ManagementProps {
  /** What is asked about. */
  readonly conversations: ConversationTable;
  /** Where requests are queued, and the token with which contacts are checked. */
  readonly sending: Sending;
  /** The chat service's address, and that of its contact check. */
  readonly chatService: StageSettings['chatService'];
  /** The platform of a call that names none. */
  readonly chatPlatform: string;
  /** The business's own number of a call that names none: a plus and digits. */
  readonly chatChannelNumber: string;
  /** Whether windows are kept for each user, or for each user and business number. */
  readonly windowPer: WindowPer;
  /** How long before its 24 hours end a conversation window counts as closed. */
  readonly windowMarginSeconds: number;
  /** Days until a send and its message are removed. */
  readonly retentionDays: number;
  /**
   * Whether the queues outlive their stack, with the erasures in them.
   *
   * @default false
   */
  readonly production?: boolean;
}

// An API call ends within 30 seconds; an erasure's turn takes twenty and the end of its last page.
const TIMEOUT = Duration.seconds(60);

// A turn of an erasure is a receive: ten million messages are through by then, and what fails each time fails for good.
const MAX_RECEIVE_COUNT = 1000;

/** The management API: routes that only a signed call of an allowed principal reaches, and the function behind them. */
export class Management extends Construct {
  readonly manage: ParleyFunction;
  readonly erasures: DeadLetteredQueue;
  readonly stage: HttpStage;
  /** The API's address, without a trailing slash. */
  readonly url: string;

  constructor(scope: Construct, id: string, props: ManagementProps) {
    super(scope, id);
    this.erasures = new DeadLetteredQueue(this, 'Erasures', {
      fifo: false,
      consumerTimeout: TIMEOUT,
      maxReceiveCount: MAX_RECEIVE_COUNT,
      production: props.production,
    });
    const { requests, accessToken } = props.sending;
    this.manage = new ParleyFunction(this, 'Manage', {
      serviceName: 'manage',
      description: 'Answers the management API, and erases contacts',
      entry: `${import.meta.dirname}/../../lambdas/manage/entry.ts`,
      memorySize: 512,
      timeout: TIMEOUT,
      environment: {
        TABLE_NAME: props.conversations.table.tableName,
        SEND_QUEUE_URL: requests.queue.queueUrl,
        ERASURE_QUEUE_URL: this.erasures.queue.queueUrl,
        ACCESS_TOKEN_SECRET_ID: accessToken.secretArn,
        CHAT_SERVICE_URL: props.chatService.baseUrl,
        CONTACT_CHECK_PATH: props.chatService.contactCheckPath,
        CHAT_PLATFORM: props.chatPlatform,
        CHAT_CHANNEL_NUMBER: props.chatChannelNumber,
        WINDOW_PER: props.windowPer,
        WINDOW_MARGIN_SECONDS: String(props.windowMarginSeconds),
        SCHEDULE_GROUP_NAME: props.sending.scheduling.group.scheduleGroupName,
        RETENTION_DAYS: String(props.retentionDays),
      } satisfies ManageEnvironment,
    });
    props.conversations.allow(
      this.manage,
      ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:UpdateItem'],
      ['byContact', 'unsettled'],
    );
    this.manage.allow(['sqs:SendMessage'], [requests.queue.queueArn, this.erasures.queue.queueArn]);
    this.manage.allow(['secretsmanager:GetSecretValue'], [accessToken.secretArn]);
    props.sending.scheduling.allowRemoving(this.manage);
    this.erasures.drainInto(this.manage, 2);

    // An API of its own: the webhook's stays one route that needs no signature of AWS's.
    const api = new HttpApi(this, 'Api', {
      apiName: `${Stack.of(this).stackName}-management`,
      description: 'The management API; every call is signed',
      createDefaultStage: false,
    });
    this.stage = loggedStage(this, api, ACCESS_LOG);
    const authorizer = new HttpIamAuthorizer();
    const integration = new HttpLambdaIntegration('ManageIntegration', this.manage.lambda);
    for (const [name, routeKey] of Object.entries(ROUTES)) {
      const [method = '', path = ''] = routeKey.split(' ');
      new HttpRoute(this, name, {
        httpApi: api,
        routeKey: HttpRouteKey.with(path, METHODS[method]),
        integration,
        authorizer,
      });
    }
    this.url = api.apiEndpoint;
  }
}

const METHODS: Readonly<Record<string, HttpMethod>> = {
  GET: HttpMethod.GET,
  POST: HttpMethod.POST,
  DELETE: HttpMethod.DELETE,
};

// Who called what and how it ended; no path, which names users.
const ACCESS_LOG = {
  requestId: '$context.requestId',
  requestTime: '$context.requestTime',
  caller: '$context.identity.userArn',
  sourceIp: '$context.identity.sourceIp',
  route: '$context.routeKey',
  status: '$context.status',
  responseLatencyMs: '$context.responseLatency',
  integrationLatencyMs: '$context.integrationLatency',
  integrationError: '$context.integrationErrorMessage',
};
