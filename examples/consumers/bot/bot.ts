/**
 * A bot: a queue that receives each message that a user writes, and a function that answers through the send queue.
 *
 *   new Bot(this, 'Bot', { eventBus: parley.publisher.eventBus, sendQueue: parley.sender.sendQueue });
 *
 * See examples/app.ts for an app that deploys it. The bot reads the text in the event, so the stage needs
 * `"events": { "content": true }`, which is not the default in production. If the send queue is encrypted with your own
 * key, `grantSendMessages` includes it.
 */
import { Duration } from 'aws-cdk-lib';
import { type IEventBus, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Runtime } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

export interface BotProps {
  /** Parley's bus. */
  readonly eventBus: IEventBus;
  /** Parley's send queue. */
  readonly sendQueue: IQueue;
}

const TIMEOUT = Duration.seconds(30);

export class Bot extends Construct {
  readonly queue: Queue;

  constructor(scope: Construct, id: string, { eventBus, sendQueue }: BotProps) {
    super(scope, id);
    const deadLetters = new Queue(this, 'DeadLetters', { retentionPeriod: Duration.days(14), enforceSSL: true });
    this.queue = new Queue(this, 'Queue', {
      enforceSSL: true,
      visibilityTimeout: Duration.seconds(6 * TIMEOUT.toSeconds()),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: 10 },
    });
    new Rule(this, 'Rule', {
      eventBus,
      eventPattern: { source: ['parley'], detailType: ['MessageReceived'] },
      targets: [new SqsQueue(this.queue)],
    });
    const handler = new NodejsFunction(this, 'Function', {
      entry: `${import.meta.dirname}/handler.ts`,
      runtime: Runtime.NODEJS_24_X,
      timeout: TIMEOUT,
      // The SDK of package-lock.json instead of the runtime's, which changes.
      bundling: { bundleAwsSDK: true },
      environment: { SEND_QUEUE_URL: sendQueue.queueUrl },
    });
    sendQueue.grantSendMessages(handler);
    handler.addEventSource(new SqsEventSource(this.queue, { reportBatchItemFailures: true, maxConcurrency: 10 }));
  }
}
