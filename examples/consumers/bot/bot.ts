/**
 * A bot: a queue that receives the turns of users, and a function that answers them through the send queue.
 *
 *   const { publisher, sender, management } = parley;
 *   new Bot(this, 'Bot', { eventBus: publisher.eventBus, sendQueue: sender.sendQueue, management });
 *
 * See examples/app.ts for an app that deploys it. The stage needs these settings:
 *
 * - `"turns": { "silenceSeconds": 8 }`;
 * - `"operators": {}`, so that contacts can be handed over to people;
 * - `"events": { "content": true }`, because the bot reads the text in the event; the default in production is false.
 *
 * If the send queue is encrypted with your own key, `grantSendMessages` includes the key.
 *
 * The example is for a stage with one business number: all answers come from the stage's `chatChannelNumber`. With several
 * numbers, set `chatChannelNumber` in the request, and in the handover if `window.per` is `channel`.
 */

import type { ParleyManagement } from '@parleyhq/parley';
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
  /** Parley's management API, which hands contacts over to people. */
  readonly management: Pick<ParleyManagement, 'url' | 'grantInvoke'>;
}

const TIMEOUT = Duration.seconds(30);

export class Bot extends Construct {
  readonly queue: Queue;

  constructor(scope: Construct, id: string, { eventBus, sendQueue, management }: BotProps) {
    super(scope, id);
    const deadLetters = new Queue(this, 'DeadLetters', { retentionPeriod: Duration.days(14), enforceSSL: true });
    this.queue = new Queue(this, 'Queue', {
      enforceSSL: true,
      visibilityTimeout: Duration.seconds(6 * TIMEOUT.toSeconds()),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: 10 },
    });
    new Rule(this, 'Rule', {
      eventBus,
      eventPattern: { source: ['parley'], detailType: ['TurnEnded'] },
      targets: [new SqsQueue(this.queue)],
    });
    const handler = new NodejsFunction(this, 'Function', {
      entry: `${import.meta.dirname}/handler.ts`,
      runtime: Runtime.NODEJS_24_X,
      timeout: TIMEOUT,
      // The SDK of package-lock.json instead of the runtime's, which changes.
      bundling: { bundleAwsSDK: true },
      environment: { SEND_QUEUE_URL: sendQueue.queueUrl, MANAGEMENT_URL: management.url },
    });
    sendQueue.grantSendMessages(handler);
    management.grantInvoke(handler, 'handOver');
    handler.addEventSource(new SqsEventSource(this.queue, { reportBatchItemFailures: true, maxConcurrency: 10 }));
  }
}
