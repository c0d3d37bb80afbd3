/**
 * A queue that receives Parley's events, and a function that handles them.
 *
 *   new EventConsumer(this, 'Crm', { eventBus: parley.publisher.eventBus });
 *
 * See examples/app.ts for an app that deploys it. EventBridge delivers each event at least once and in any order. If the
 * function fails for an event, SQS delivers that event again; after ten attempts, SQS moves it to the dead-letter queue,
 * which needs an alarm.
 */

import type { EventName } from '@parleyhq/parley/events';
import { Duration } from 'aws-cdk-lib';
import { AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb';
import { type IEventBus, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Runtime } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

export interface EventConsumerProps {
  /** Parley's bus. */
  readonly eventBus: IEventBus;
}

const EVENTS: readonly EventName[] = ['MessageReceived', 'SendRefused', 'SendRejected', 'SendUncertain'];
const TIMEOUT = Duration.seconds(30);

export class EventConsumer extends Construct {
  /** The notes that the function writes, by event ID. */
  readonly notes: Table;
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, { eventBus }: EventConsumerProps) {
    super(scope, id);
    this.notes = new Table(this, 'Notes', {
      partitionKey: { name: 'eventId', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
    });
    this.deadLetters = new Queue(this, 'DeadLetters', { retentionPeriod: Duration.days(14), enforceSSL: true });
    this.queue = new Queue(this, 'Queue', {
      enforceSSL: true,
      // AWS recommends six times the function's timeout.
      visibilityTimeout: Duration.seconds(6 * TIMEOUT.toSeconds()),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: 10 },
    });
    new Rule(this, 'Rule', {
      eventBus,
      eventPattern: { source: ['parley'], detailType: [...EVENTS] },
      targets: [new SqsQueue(this.queue)],
    });
    const handler = new NodejsFunction(this, 'Function', {
      entry: `${import.meta.dirname}/handler.ts`,
      runtime: Runtime.NODEJS_24_X,
      timeout: TIMEOUT,
      // The SDK of package-lock.json instead of the runtime's, which changes.
      bundling: { bundleAwsSDK: true },
      environment: { NOTES_TABLE: this.notes.tableName },
    });
    this.notes.grant(handler, 'dynamodb:PutItem');
    handler.addEventSource(new SqsEventSource(this.queue, { reportBatchItemFailures: true, maxConcurrency: 10 }));
  }
}
