import { Annotations, Duration, Validations } from 'aws-cdk-lib';
import { ApiDestination, Authorization, Connection, type EventBus, HttpMethod, Rule } from 'aws-cdk-lib/aws-events';
import { ApiDestination as ApiDestinationTarget, SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { EventTarget } from '../settings/stage-settings.ts';
import { DeadLetterQueue } from './dead-letter-queue.ts';

/** Where events go beside the bus. */
export interface EventTargetsProps {
  readonly bus: EventBus;
  readonly targets: readonly EventTarget[];
  /**
   * Whether the queue of what could not be delivered outlives its stack.
   *
   * @default false
   */
  readonly production?: boolean;
}

/** EventBridge's longest: it tries for a day, then the event goes to the dead-letter queue. */
const MAX_EVENT_AGE = Duration.hours(24);
const RETRY_ATTEMPTS = 185;

/** A rule on the bus for each place that the stage's settings name: a queue, or an address that is posted to. */
export class EventTargets extends Construct {
  readonly deadLetterQueue: DeadLetterQueue;

  constructor(scope: Construct, id: string, { bus, targets, production }: EventTargetsProps) {
    super(scope, id);
    this.deadLetterQueue = new DeadLetterQueue(this, 'DeadLetterQueue', { production });
    const delivery = {
      deadLetterQueue: this.deadLetterQueue,
      maxEventAge: MAX_EVENT_AGE,
      retryAttempts: RETRY_ATTEMPTS,
    };
    for (const [index, target] of targets.entries()) {
      // By their place in the list: a target's own words may change without its rule being made anew.
      const place = `Target${index + 1}`;
      const rule = new Rule(this, place, {
        eventBus: bus,
        description: `Parley's events to ${target.kind === 'sqs' ? target.queueArn : target.url}`,
        eventPattern: { source: ['parley'], ...(target.events && { detailType: [...target.events] }) },
        targets: [
          target.kind === 'sqs'
            ? new SqsQueue(Queue.fromQueueArn(this, `${place}Queue`, target.queueArn), delivery)
            : new ApiDestinationTarget(this.#destination(place, target), delivery),
        ],
      });
      Annotations.of(rule).acknowledgeWarning(
        '@aws-cdk/aws-events:ruleUnresolvedEnvironment',
        "The stack is made for any account; the queue's own policy lets this rule in.",
      );
    }
  }

  #destination(place: string, { url, header }: Extract<EventTarget, { kind: 'https' }>): ApiDestination {
    const key = new Secret(this, `${place}Key`, {
      description: `What Parley's events show in the header ${header}; give it to ${url}`,
      generateSecretString: { excludePunctuation: true, passwordLength: 48 },
    });
    Validations.of(key).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason: 'The other side has to be told of a new key, so that no function can rotate it.',
    });
    const connection = new Connection(this, `${place}Connection`, {
      authorization: Authorization.apiKey(header, key.secretValue),
    });
    return new ApiDestination(this, `${place}Destination`, { connection, endpoint: url, httpMethod: HttpMethod.POST });
  }
}
