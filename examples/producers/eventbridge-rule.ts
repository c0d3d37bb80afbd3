/**
 * Sends a message for each event `OrderShipped` on your bus, without code: a rule, a buffer queue, and a pipe.
 *
 *   new ShipmentMessages(this, 'ShipmentMessages', { eventBus: orders, sendQueue: parley.sender.sendQueue });
 *
 * See examples/app.ts for an app that deploys it. The event's detail:
 *
 *   { "shipmentId": "shipment-1042", "phone": "+5491150000001", "orderNumber": "1042" }
 *
 * EventBridge delivers an event at least once, and a system can publish it twice. `shipmentId` is the same each time, so
 * it is the request ID and the deduplication ID: SQS drops a repeated request for five minutes, and Parley drops it after
 * that. Do not use the event's own `id`, which is new each time it is published, or the deduplication by content, which
 * the send queue does not have.
 *
 * A rule should not target the send queue directly. Its message group ID is a constant, so all contacts would be in one
 * group, and one request that waits would delay them all. A pipe takes the group ID from the event.
 */
import { Duration } from 'aws-cdk-lib';
import { type IEventBus, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnPipe } from 'aws-cdk-lib/aws-pipes';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

export interface ShipmentMessagesProps {
  /** The bus that receives `OrderShipped`. */
  readonly eventBus: IEventBus;
  /** Parley's send queue. */
  readonly sendQueue: IQueue;
}

/** The send request. A path without quotes becomes a JSON value, so that nothing in the event has to be escaped. */
const REQUEST = `{
  "requestId": <$.body.detail.shipmentId>,
  "platformContactId": <$.body.detail.phone>,
  "ruleNameOrId": "order_shipped",
  "params": { "order": <$.body.detail.orderNumber> },
  "reason": "shipping-status"
}`;

export class ShipmentMessages extends Construct {
  readonly pipe: CfnPipe;
  /** Events that could not be turned into a request. It needs an alarm. */
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, { eventBus, sendQueue }: ShipmentMessagesProps) {
    super(scope, id);
    this.deadLetters = new Queue(this, 'DeadLetters', { retentionPeriod: Duration.days(14), enforceSSL: true });
    const buffer = new Queue(this, 'Buffer', {
      enforceSSL: true,
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: 10 },
    });
    new Rule(this, 'Rule', {
      eventBus,
      eventPattern: { source: ['shop.orders'], detailType: ['OrderShipped'] },
      targets: [new SqsQueue(buffer, { deadLetterQueue: this.deadLetters })],
    });
    const role = new Role(this, 'PipeRole', { assumedBy: new ServicePrincipal('pipes.amazonaws.com') });
    buffer.grantConsumeMessages(role);
    sendQueue.grantSendMessages(role);
    this.pipe = new CfnPipe(this, 'Pipe', {
      roleArn: role.roleArn,
      source: buffer.queueArn,
      target: sendQueue.queueArn,
      targetParameters: {
        inputTemplate: REQUEST,
        sqsQueueParameters: {
          messageGroupId: '$.body.detail.phone',
          messageDeduplicationId: '$.body.detail.shipmentId',
        },
      },
    });
    // The pipe reads the queue as soon as it exists.
    this.pipe.node.addDependency(role);
  }
}
