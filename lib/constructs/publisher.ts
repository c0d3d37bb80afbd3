import { Duration, Stack } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus, type IEventBus } from 'aws-cdk-lib/aws-events';
import { Grant, type IGrantable, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { EventSourceMapping, FilterCriteria, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { Construct, DependencyGroup, type IDependable } from 'constructs';
import type { z } from 'zod';
import type { PublishEnvironment } from '../../lambdas/publish/environment.ts';
import type { TurnEnvironment } from '../../lambdas/publish/turns/environment.ts';
import { PUBLISHED_CHANGES } from '../../lambdas/table/published-changes.ts';
import { publishesContent, reservedPublishCheck, settingsObject } from '../settings/stage-settings.ts';
import { checkedSettings } from './checked-settings.ts';
import { type DeadLetteredQueue, DeadLetterQueue, grantSendMessage } from './dead-lettered-queue.ts';
import { EventTargets } from './event-targets.ts';
import { functionVariables } from './function-variables.ts';
import { type NetworkProps, networkIn } from './network.ts';
import { ParleyFunction } from './parley-function.ts';
import { removalPolicyOf } from './removal-policy.ts';
import { serviceUrl } from './service-url.ts';
import { grantStreamRange, grantStreamRead } from './table.ts';
import { TurnEnd } from './turns/turn-end.ts';

const publisherSettings = settingsObject
  .pick({
    production: true,
    events: true,
    turns: true,
    retentionDays: true,
    reservedConcurrency: true,
    rollout: true,
  })
  .strip()
  .check(reservedPublishCheck);

/** Properties of a {@link ParleyPublisher}: the stage settings with the same names, the table, and the event bus. */
export interface ParleyPublisherProps extends Readonly<z.input<typeof publisherSettings>>, NetworkProps {
  /** The table whose changes are published. It needs a stream with old and new images, like that of a `ParleyTable`. */
  readonly table: ITable;
  /**
   * The event bus that receives Parley's events.
   *
   * @default a new event bus, named after the stack
   */
  readonly eventBus?: IEventBus;
  /**
   * The customer managed key that encrypts the new event bus, queues, secrets, and logs. Its policy must let CloudWatch
   * Logs and EventBridge use it, and it needs the tag `EventBridgeApiDestinations` for https targets.
   *
   * @default keys that the services own
   */
  readonly encryptionKey?: IKey;
}

/** Enough to publish a hundred records in several attempts, with backoff in between. */
const TIMEOUT = Duration.seconds(60);

/** At 10 messages per second, one second saves most of the invocations, and a chat UI may not lag much longer. */
const BATCHING_WINDOW = Duration.seconds(1);

/**
 * Half of the 24 hours for which the stream keeps a record. Lambda puts only a record's position on the queue, so the
 * other half leaves time to read the record from the stream.
 */
const MAX_RECORD_AGE = Duration.hours(12);

/**
 * Publishes events: the event bus, the function that turns changes to the table into events, and the event targets.
 *
 * @throws SettingsError if a setting is invalid.
 * @throws Error if the table has no stream.
 */
export class ParleyPublisher extends Construct {
  readonly handler: ParleyFunction;
  readonly eventBus: IEventBus;
  /**
   * Changes that could not be published: complete records from the function, or positions in the stream from Lambda.
   * With a customer managed key, it also receives events that EventBridge could not encrypt or decrypt.
   */
  readonly publishFailures: DeadLetterQueue;
  /** Where open turns wait until the silence is over. Undefined without the setting `turns`. */
  readonly turnQueue: DeadLetteredQueue | undefined;
  /** How long a user must be silent before a turn ends. Undefined without the setting `turns`. */
  readonly turnSilence: Duration | undefined;
  /** Undefined if the settings list no targets. */
  readonly targets: EventTargets | undefined;
  /** The queues with what could not be published or delivered. */
  readonly deadLetterQueues: readonly DeadLetterQueue[];
  /** Whether events include the content of messages. */
  readonly hasContent: boolean;
  /** What ends turns: the function and its mappings. `receive` may start turns once all of it is deployed. */
  readonly turnEnd: IDependable;
  readonly #table: ITable;
  readonly #streamArn: string;

  constructor(scope: Construct, id: string, props: ParleyPublisherProps) {
    super(scope, id);
    const settings = checkedSettings(this, publisherSettings, props);
    const { production, events } = settings;
    const { encryptionKey } = props;
    const { tableStreamArn } = props.table;
    if (tableStreamArn === undefined) {
      throw new Error(`${this.node.path}: the table ${props.table.node.path} has no stream to publish from.`);
    }
    this.#table = props.table;
    this.#streamArn = tableStreamArn;
    this.hasContent = publishesContent({ production, events });
    const removalPolicy = removalPolicyOf(production);
    this.publishFailures = new DeadLetterQueue(this, 'PublishFailures', { removalPolicy, encryptionKey });
    this.eventBus = props.eventBus ?? this.#createEventBus(encryptionKey);
    const { table } = props;
    const { turns, retentionDays } = settings;
    // A turn that cannot be ended goes to the queue for publish failures: its event was not published.
    const queueProps = { deadLetters: this.publishFailures, removalPolicy, encryptionKey };
    const turnEnd = turns && new TurnEnd(this, { ...queueProps, turns, table, retentionDays, timeout: TIMEOUT });
    this.turnSilence = turnEnd?.silence;
    this.turnQueue = turnEnd?.queue;
    this.handler = new ParleyFunction(this, 'Function', {
      serviceName: 'publish',
      description: 'Publishes changes to the table as events on the event bus',
      memorySize: 512,
      timeout: TIMEOUT,
      ...networkIn(props),
      logs: { ...settings, encryptionKey },
      reservedConcurrency: settings.reservedConcurrency.publish,
      rollout: settings.rollout,
      environment: functionVariables<PublishEnvironment & Partial<TurnEnvironment>>({
        EVENT_BUS_NAME: this.eventBus.eventBusName,
        AWS_ENDPOINT_URL_EVENTBRIDGE: serviceUrl(this, 'events'),
        PUBLISH_DEAD_LETTER_QUEUE_URL: this.publishFailures.queueUrl,
        EVENT_CONTENT: this.hasContent,
        ...turnEnd?.environment,
      }),
    });
    this.#grantPublish(this.handler);
    grantSendMessage(this.handler, this.publishFailures);
    grantStreamRead(props.table, tableStreamArn, this.handler);
    const mapping = new EventSourceMapping(this, 'Mapping', {
      target: this.handler.live,
      eventSourceArn: tableStreamArn,
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: 100,
      maxBatchingWindow: BATCHING_WINDOW,
      bisectBatchOnError: true,
      reportBatchItemFailures: true,
      maxRecordAge: MAX_RECORD_AGE,
      filters: PUBLISHED_CHANGES.map((pattern) => FilterCriteria.filter(pattern)),
      // CDK's `SqsDlq` would also let the function look up the queue's URL and attributes.
      onFailure: { bind: () => ({ destination: this.publishFailures.queueArn }) },
    });
    turnEnd?.connect(this.handler);
    // Not the targets, whose resources can be conditional.
    this.turnEnd = new DependencyGroup(this.handler, mapping, ...(this.turnQueue ? [this.turnQueue] : []));
    this.targets =
      events.targets.length > 0
        ? new EventTargets(this, 'Targets', {
            eventBus: this.eventBus,
            targets: events.targets,
            removalPolicy,
            encryptionKey,
          })
        : undefined;
    this.deadLetterQueues = [this.publishFailures, ...(this.targets ? [this.targets.deadLetters] : [])];
  }

  /** Grants permission to read changes of the table from its stream, and to publish their events again. */
  grantRepublish(grantee: IGrantable): void {
    this.#grantPublish(grantee);
    grantStreamRange(this.#table, this.#streamArn, grantee);
  }

  #grantPublish(grantee: IGrantable): void {
    Grant.addToPrincipal({ grantee, actions: ['events:PutEvents'], resourceArns: [this.eventBus.eventBusArn] });
  }

  /**
   * Creates the event bus. If it has a customer managed key, events that EventBridge cannot encrypt or decrypt go to the
   * queue for publish failures, as EventBridge recommends.
   *
   * Source: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-encryption-event-bus-dlq.html
   */
  #createEventBus(encryptionKey: IKey | undefined): EventBus {
    const eventBus = new EventBus(this, 'EventBus', {
      eventBusName: Stack.of(this).stackName,
      description: "Parley's events: messages, statuses, sends, and consents",
      ...(encryptionKey && { kmsKey: encryptionKey, deadLetterQueue: this.publishFailures }),
    });
    if (encryptionKey) {
      this.publishFailures.addToResourcePolicy(
        new PolicyStatement({
          principals: [new ServicePrincipal('events.amazonaws.com')],
          actions: ['sqs:SendMessage'],
          resources: [this.publishFailures.queueArn],
          conditions: { ArnEquals: { 'aws:SourceArn': eventBus.eventBusArn } },
        }),
      );
    }
    return eventBus;
  }
}
