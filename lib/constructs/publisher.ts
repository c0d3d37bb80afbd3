import { Duration } from 'aws-cdk-lib';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { EventSourceMapping, FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { PublishEnvironment } from '../../lambdas/publish/environment.ts';
import type { EventTarget } from '../settings/stage-settings.ts';
import { DeadLetterQueue } from './dead-letter-queue.ts';
import { EventTargets } from './event-targets.ts';
import { ParleyFunction } from './parley-function.ts';
import type { ConversationTable } from './table.ts';

/** What telling needs. */
export interface PublishingProps {
  /** Whose changes are told. */
  readonly conversations: ConversationTable;
  /** The bus's name, by which other stacks' rules find it. */
  readonly busName: string;
  /** Whether events carry messages' content. */
  readonly content: boolean;
  /** Where events go beside the bus. */
  readonly targets: readonly EventTarget[];
  /**
   * Whether the queues outlive their stack.
   *
   * @default false
   */
  readonly production?: boolean;
}

// Some rounds of calls for a hundred records, with the pauses between them.
const TIMEOUT = Duration.seconds(60);

// A record lives for a day. One that could not be told for half of it is given up, so that a person has the other half to
// read it from the stream: all that Lambda tells the queue is where it stands there.
const MAX_RECORD_AGE = Duration.hours(12);

/** The bus on which other systems hear of what happened, and the function that tells it of the table's changes. */
export class Publishing extends Construct {
  readonly bus: EventBus;
  readonly publish: ParleyFunction;
  /** Changes that could not be told, as `publish` or Lambda itself put them there. */
  readonly untoldChanges: DeadLetterQueue;
  /** Only where the stage names targets. */
  readonly targets: EventTargets | undefined;

  constructor(scope: Construct, id: string, props: PublishingProps) {
    super(scope, id);
    this.bus = new EventBus(this, 'Bus', {
      eventBusName: props.busName,
      description: "What happens on Parley's conversations",
    });
    this.untoldChanges = new DeadLetterQueue(this, 'UntoldChanges', props);
    this.publish = new ParleyFunction(this, 'Publish', {
      serviceName: 'publish',
      description: "Tells the bus of the conversation table's changes",
      entry: `${import.meta.dirname}/../../lambdas/publish/entry.ts`,
      memorySize: 512,
      timeout: TIMEOUT,
      environment: {
        EVENT_BUS_NAME: this.bus.eventBusName,
        UNTOLD_CHANGES_QUEUE_URL: this.untoldChanges.queueUrl,
        EVENT_CONTENT: props.content ? 'true' : 'false',
      } satisfies PublishEnvironment,
    });
    this.publish.allow(['events:PutEvents'], [this.bus.eventBusArn]);
    this.publish.allow(['sqs:SendMessage'], [this.untoldChanges.queueArn]);
    const streamArn = props.conversations.allowStream(this.publish);
    new EventSourceMapping(this, 'Mapping', {
      target: this.publish.lambda,
      eventSourceArn: streamArn,
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: 100,
      bisectBatchOnError: true,
      reportBatchItemFailures: true,
      maxRecordAge: MAX_RECORD_AGE,
      // Expired and erased items are no news.
      filters: [FilterCriteria.filter({ eventName: FilterRule.or('INSERT', 'MODIFY') })],
      // Not CDK's `SqsDlq`, which lets the function ask for the queue's address and attributes as well.
      onFailure: { bind: () => ({ destination: this.untoldChanges.queueArn }) },
    });
    this.targets =
      props.targets.length === 0
        ? undefined
        : new EventTargets(this, 'Targets', {
            bus: this.bus,
            targets: props.targets,
            production: props.production,
          });
  }
}
