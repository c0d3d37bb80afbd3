import { Annotations, Duration, type RemovalPolicy, Validations } from 'aws-cdk-lib';
import { ApiDestination, Authorization, Connection, HttpMethod, type IEventBus, Rule } from 'aws-cdk-lib/aws-events';
import { ApiDestination as ApiDestinationTarget, SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { EventTarget } from '../settings/stage-settings.ts';
import { DeadLetterQueue } from './dead-lettered-queue.ts';

/** Properties of {@link EventTargets}. */
export interface EventTargetsProps {
  readonly eventBus: IEventBus;
  /** The queues and URLs that receive events. */
  readonly targets: readonly EventTarget[];
  /** What happens to the dead-letter queue when the stack is deleted. */
  readonly removalPolicy: RemovalPolicy;
}

/**
 * The EventBridge maximum: retries for a day, after which the event goes to the dead-letter queue.
 *
 * Source: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-retry-policy.html
 */
const RETRY_POLICY = { maxEventAge: Duration.hours(24), retryAttempts: 185 };

/** Creates a rule on the event bus for each target in the stage's settings. */
export class EventTargets extends Construct {
  readonly deadLetters: DeadLetterQueue;

  constructor(scope: Construct, id: string, { eventBus, targets, removalPolicy }: EventTargetsProps) {
    super(scope, id);
    this.deadLetters = new DeadLetterQueue(this, 'DeadLetters', { removalPolicy });
    const delivery = { ...RETRY_POLICY, deadLetterQueue: this.deadLetters };
    for (const [index, target] of targets.entries()) {
      // The id is the target's position, so that its settings can change without replacing the rule.
      const name = `Target${index + 1}`;
      const rule = new Rule(this, name, {
        eventBus,
        description: `Delivers Parley's events to ${target.kind === 'sqs' ? target.queueArn : target.url}`,
        eventPattern: { source: ['parley'], ...(target.events && { detailType: [...target.events] }) },
        targets: [
          target.kind === 'sqs'
            ? new SqsQueue(Queue.fromQueueArn(this, `${name}Queue`, target.queueArn), delivery)
            : new ApiDestinationTarget(this.#createDestination(name, target), delivery),
        ],
      });
      Annotations.of(rule).acknowledgeWarning(
        '@aws-cdk/aws-events:ruleUnresolvedEnvironment',
        "The stack is synthesized for any account, so the queue's policy must allow this rule.",
      );
    }
  }

  #createDestination(name: string, { url, header }: Extract<EventTarget, { kind: 'https' }>): ApiDestination {
    const key = new Secret(this, `${name}Key`, {
      description: `The key that Parley sends to ${url} in the header ${header}`,
      generateSecretString: { excludePunctuation: true, passwordLength: 48 },
    });
    Validations.of(key).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason:
        'A new key must also be configured manually on the receiving side, so it cannot be rotated automatically.',
    });
    const connection = new Connection(this, `${name}Connection`, {
      authorization: Authorization.apiKey(header, key.secretValue),
    });
    return new ApiDestination(this, `${name}Destination`, { connection, endpoint: url, httpMethod: HttpMethod.POST });
  }
}
