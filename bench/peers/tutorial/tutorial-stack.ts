import { CfnOutput, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { HttpApi, HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { AttributeType, BillingMode, StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Architecture, Function as LambdaFunction, Runtime, StartingPosition, Tracing } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsDlq, SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { type TutorialFunction, tutorialCode } from './bundle.ts';

/*
 * Parley's main job, built as the documentation of Powertools for AWS Lambda, middy, jose, and CDK teaches it, to compare
 * Parley with. test/e2e/tutorial.test.ts verifies that it does the job.
 *
 * The code is neither tuned nor slowed down: each utility has its defaults. Where the documentation leaves a choice, this
 * stack has the one that is faster or that Parley has, too, so that only the code differs: memory of 1,024 MB for
 * `receive` and 512 MB for the others (examples often keep CDK's default, 128 MB), arm64, the SDK in the bundle, one
 * DynamoDB client per function, and one concurrent batch of stream records.
 *
 * It does less than Parley. It stores no echoes, quarantines nothing, and has no queue for events that it cannot store. A
 * late event moves the conversation window back. A duplicate is recognized for an hour. A send whose outcome is unknown is
 * sent again. It checks no consents, and has no circuit breaker, schedules, erasure, or alarms. So comparisons favor it.
 */

/** Properties of {@link TutorialStack}. */
export interface TutorialStackProps {
  readonly chatServiceUrl: string;
  readonly chatPlatform: string;
  readonly chatChannelNumber: string;
  /** What the token of a push must contain, and where the keys are that it is verified with. */
  readonly pushToken: {
    readonly jwksUrl: string;
    readonly issuer: string;
    readonly audience: string;
    readonly email: string;
  };
  /** How long messages and sends are kept. */
  readonly retentionDays: number;
}

/** The stack of the tutorial. */
export class TutorialStack extends Stack {
  constructor(scope: Construct, id: string, props: TutorialStackProps) {
    super(scope, id);
    const table = this.#createTable();
    const idempotencyTable = new Table(this, 'IdempotencyTable', {
      partitionKey: { name: 'id', type: AttributeType.STRING },
      timeToLiveAttribute: 'expiration',
      billingMode: BillingMode.PAY_PER_REQUEST,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const bus = new EventBus(this, 'EventBus');
    const accessToken = new Secret(this, 'AccessToken');
    const sendDeadLetters = new Queue(this, 'SendDeadLetters', { fifo: true });
    const sendQueue = new Queue(this, 'SendQueue', {
      fifo: true,
      // Six times the function's timeout, as AWS recommends.
      visibilityTimeout: Duration.minutes(3),
      deadLetterQueue: { queue: sendDeadLetters, maxReceiveCount: 3 },
    });
    const storage = {
      TABLE_NAME: table.tableName,
      IDEMPOTENCY_TABLE_NAME: idempotencyTable.tableName,
      RETENTION_DAYS: String(props.retentionDays),
    };

    const receive = this.#createFunction('receive', 1024, Duration.seconds(10), {
      ...storage,
      JWKS_URL: props.pushToken.jwksUrl,
      TOKEN_ISSUER: props.pushToken.issuer,
      TOKEN_AUDIENCE: props.pushToken.audience,
      TOKEN_EMAIL: props.pushToken.email,
    });
    table.grantReadWriteData(receive);
    idempotencyTable.grantReadWriteData(receive);
    const webhook = new HttpApi(this, 'WebhookApi');
    webhook.addRoutes({
      path: '/webhook',
      methods: [HttpMethod.POST],
      integration: new HttpLambdaIntegration('Integration', receive),
    });

    const send = this.#createFunction('send', 512, Duration.seconds(30), {
      ...storage,
      ACCESS_TOKEN_SECRET_ID: accessToken.secretArn,
      CHAT_SERVICE_URL: props.chatServiceUrl,
      CHAT_PLATFORM: props.chatPlatform,
      CHAT_CHANNEL_NUMBER: props.chatChannelNumber,
    });
    table.grantReadWriteData(send);
    idempotencyTable.grantReadWriteData(send);
    accessToken.grantRead(send);
    send.addEventSource(new SqsEventSource(sendQueue, { batchSize: 10, reportBatchItemFailures: true }));

    const publish = this.#createFunction('publish', 512, Duration.seconds(60), { EVENT_BUS_NAME: bus.eventBusName });
    bus.grantPutEventsTo(publish);
    publish.addEventSource(
      new DynamoEventSource(table, {
        startingPosition: StartingPosition.TRIM_HORIZON,
        batchSize: 100,
        retryAttempts: 2,
        reportBatchItemFailures: true,
        onFailure: new SqsDlq(new Queue(this, 'PublishDeadLetters')),
      }),
    );

    const manage = this.#createFunction('manage', 512, Duration.seconds(30), {
      TABLE_NAME: table.tableName,
      SEND_QUEUE_URL: sendQueue.queueUrl,
    });
    table.grantReadData(manage);
    sendQueue.grantSendMessages(manage);
    const management = new HttpApi(this, 'ManagementApi');
    management.addRoutes({
      path: '/v1/{proxy+}',
      methods: [HttpMethod.ANY],
      integration: new HttpLambdaIntegration('Integration', manage),
      authorizer: new HttpIamAuthorizer(),
    });

    const outputs = {
      WebhookUrl: `${webhook.apiEndpoint}/webhook`,
      ManagementUrl: management.apiEndpoint,
      SendQueueUrl: sendQueue.queueUrl,
      SendDeadLetterQueueUrl: sendDeadLetters.queueUrl,
      TableName: table.tableName,
      IdempotencyTableName: idempotencyTable.tableName,
      EventBusName: bus.eventBusName,
      AccessTokenSecretId: accessToken.secretArn,
    };
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
  }

  #createTable(): Table {
    const table = new Table(this, 'Table', {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      stream: StreamViewType.NEW_AND_OLD_IMAGES,
      timeToLiveAttribute: 'expiresAt',
      removalPolicy: RemovalPolicy.DESTROY,
    });
    table.addGlobalSecondaryIndex({
      indexName: 'byContact',
      partitionKey: { name: 'contact', type: AttributeType.STRING },
      sortKey: { name: 'createdAt', type: AttributeType.STRING },
    });
    return table;
  }

  #createFunction(
    name: TutorialFunction,
    memorySize: number,
    timeout: Duration,
    environment: Readonly<Record<string, string>>,
  ): LambdaFunction {
    return new LambdaFunction(this, name, {
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: tutorialCode(name),
      memorySize,
      timeout,
      // Powertools' tracer is enabled on Lambda by default. The local run samples no trace, so it sends none.
      tracing: Tracing.ACTIVE,
      environment: { ...environment, POWERTOOLS_SERVICE_NAME: name, POWERTOOLS_METRICS_NAMESPACE: this.stackName },
    });
  }
}
