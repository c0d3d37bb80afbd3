import { Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { HttpApi, HttpMethod, type HttpStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import type { WindowPer } from '../../lambdas/domain/contact.ts';
import { hasWebhookSecret, type WebhookAuth } from '../../lambdas/receive/auth/webhook-auth.ts';
import type { ReceiveEnvironment } from '../../lambdas/receive/environment.ts';
import { DeadLetteredQueue } from './dead-lettered-queue.ts';
import { loggedStage } from './logged-stage.ts';
import { ParleyFunction } from './parley-function.ts';
import type { ConversationTable } from './table.ts';

/** What receiving needs. */
export interface WebhookProps {
  /** Where events are stored. */
  readonly conversations: ConversationTable;
  /** How the posts are verified. */
  readonly auth: WebhookAuth;
  /** The platform of an event that names none. */
  readonly chatPlatform: string;
  /** Whether windows are kept for each user, or for each user and business number. */
  readonly windowPer: WindowPer;
  /** Days until a stored message is removed. */
  readonly retentionDays: number;
  /**
   * Whether the queues outlive their stack, with the messages in them, and the secret.
   *
   * @default false
   */
  readonly production?: boolean;
}

// Ten events of a batch side by side, each bounded by the webhook's own two seconds, and room for a cold start.
const TIMEOUT = Duration.seconds(10);

// SQS's greatest: an event is tried again each minute at least, so that an outage of the table of some twelve hours passes
// before events wait for a person.
const MAX_RECEIVE_COUNT = 1000;

/** `POST /webhook` and `POST /webhook/{chatChannelNumber}`, the function that receives the events, and the queue where they wait while the table is out of reach. */
export class Webhook extends Construct {
  readonly receive: ParleyFunction;
  readonly inbound: DeadLetteredQueue;
  /** What the posts are verified with, for the kinds of `webhook.auth` that have a secret. */
  readonly secret: Secret | undefined;
  readonly stage: HttpStage;
  /** The address to give to the chat service. */
  readonly url: string;

  constructor(scope: Construct, id: string, props: WebhookProps) {
    super(scope, id);
    this.inbound = new DeadLetteredQueue(this, 'Inbound', {
      fifo: false,
      consumerTimeout: TIMEOUT,
      maxReceiveCount: MAX_RECEIVE_COUNT,
      production: props.production,
    });
    const { queue, deadLetterQueue } = this.inbound;
    this.secret = hasWebhookSecret(props.auth) ? this.#newSecret(props.production ?? false) : undefined;
    this.receive = new ParleyFunction(this, 'Receive', {
      serviceName: 'receive',
      description: "Verifies and stores the chat service's webhook events",
      entry: `${import.meta.dirname}/../../lambdas/receive/entry.ts`,
      // More than it needs at rest: processor time comes with memory, and a cold start has to fit into two seconds.
      memorySize: 1024,
      timeout: TIMEOUT,
      environment: {
        TABLE_NAME: props.conversations.table.tableName,
        INBOUND_QUEUE_URL: queue.queueUrl,
        INBOUND_DEAD_LETTER_QUEUE_URL: deadLetterQueue.queueUrl,
        WEBHOOK_AUTH: JSON.stringify(props.auth),
        ...(this.secret && { WEBHOOK_SECRET_ID: this.secret.secretArn }),
        WINDOW_PER: props.windowPer,
        CHAT_PLATFORM: props.chatPlatform,
        RETENTION_DAYS: String(props.retentionDays),
      } satisfies ReceiveEnvironment,
    });
    props.conversations.allow(this.receive, ['dynamodb:UpdateItem']);
    this.receive.allow(['sqs:SendMessage'], [queue.queueArn, deadLetterQueue.queueArn]);
    if (this.secret) this.receive.allow(['secretsmanager:GetSecretValue'], [this.secret.secretArn]);
    this.inbound.drainInto(this.receive, 5);

    const api = new HttpApi(this, 'Api', {
      apiName: `${Stack.of(this).stackName}-webhook`,
      description: "Receives the chat service's webhook events",
      createDefaultStage: false,
    });
    this.stage = loggedStage(this, api, ACCESS_LOG);
    const integration = new HttpLambdaIntegration('ReceiveIntegration', this.receive.lambda);
    for (const path of [PATH, `${PATH}/{chatChannelNumber}`]) {
      for (const route of api.addRoutes({ path, methods: [HttpMethod.POST], integration })) {
        Validations.of(route).acknowledge({
          id: 'AwsSolutions-APIG4',
          reason: 'The function verifies the signature of every post, as webhook.auth says, before anything else.',
        });
      }
    }
    this.url = `${api.apiEndpoint}${PATH}`;
  }

  #newSecret(production: boolean): Secret {
    const secret = new Secret(this, 'Secret', {
      description: "What the webhook's posts are verified with: one secret or token a line. Made with a random one.",
      // Letters and digits are a token as they are, and as many as these are base64 as well.
      generateSecretString: { excludePunctuation: true, passwordLength: 32 },
      removalPolicy: production ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    Validations.of(secret).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason: 'The carrier has to be told of a new secret, by hand; no function can rotate it.',
    });
    return secret;
  }
}

const PATH = '/webhook';

// What tells a lost post apart (throttled, timed out, refused); no header, since one of them is the signature.
const ACCESS_LOG = {
  requestId: '$context.requestId',
  requestTime: '$context.requestTime',
  sourceIp: '$context.identity.sourceIp',
  route: '$context.routeKey',
  status: '$context.status',
  responseLatencyMs: '$context.responseLatency',
  integrationLatencyMs: '$context.integrationLatency',
  integrationError: '$context.integrationErrorMessage',
};
