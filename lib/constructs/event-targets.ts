import { createHash } from 'node:crypto';
import { Annotations, Aws, CfnCondition, Duration, Fn, type RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  ApiDestination,
  Authorization,
  CfnConnection,
  Connection,
  HttpMethod,
  type IEventBus,
  type IRuleTarget,
  Rule,
} from 'aws-cdk-lib/aws-events';
import { ApiDestination as ApiDestinationTarget, SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { CfnRole, PolicyDocument, PolicyStatement, type PolicyStatementProps, Role } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { addressOf, type EventTarget } from '../settings/event-target.ts';
import { DeadLetterQueue } from './dead-lettered-queue.ts';
import { eventsPrincipal } from './service-principals.ts';
import { StageSecret } from './stage-secret.ts';

/** Properties of {@link EventTargets}. */
export interface EventTargetsProps {
  readonly eventBus: IEventBus;
  /** The queues and URLs that receive events. */
  readonly targets: readonly EventTarget[];
  /** What happens to the dead-letter queue when the stack is deleted. */
  readonly removalPolicy: RemovalPolicy;
  /**
   * The customer managed key that encrypts dead letters, and the keys of https targets.
   *
   * @default keys that the services own
   */
  readonly encryptionKey?: IKey;
}

/**
 * The EventBridge maximum: retries for a day, after which the event goes to the dead-letter queue.
 *
 * Source: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-retry-policy.html
 */
const RETRY_POLICY = { maxEventAge: Duration.hours(24), retryAttempts: 185 };

/**
 * Regions without API destinations. Regions are added to EventBridge's features now and then, so this is a warning.
 *
 * Source: the resource types of each region in https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/resource-type-schemas.html
 */
const WITHOUT_API_DESTINATIONS: ReadonlySet<string> = new Set([
  'ap-east-2',
  'ap-southeast-5',
  'ap-southeast-6',
  'ca-west-1',
  'il-central-1',
  'mx-central-1',
  'us-gov-east-1',
  'us-gov-west-1',
]);

/** Creates a rule on the event bus for each target in the stage's settings. */
export class EventTargets extends Construct {
  readonly deadLetters: DeadLetterQueue;
  readonly #eventBusName: string;
  readonly #key: IKey | undefined;

  constructor(scope: Construct, id: string, { eventBus, targets, removalPolicy, encryptionKey }: EventTargetsProps) {
    super(scope, id);
    this.#eventBusName = eventBus.eventBusName;
    this.#key = encryptionKey;
    const { region } = Stack.of(this);
    if (WITHOUT_API_DESTINATIONS.has(region) && targets.some(({ kind }) => kind === 'https')) {
      Annotations.of(this).addWarningV2(
        'parley:https-target',
        `EventBridge may not deliver to URLs in ${region}. If the deployment fails, deliver to a queue instead of each ` +
          'https target of events.targets.',
      );
    }
    this.deadLetters = new DeadLetterQueue(this, 'DeadLetters', { removalPolicy, encryptionKey });
    // One statement for all rules: CDK would add one per rule, but a queue policy can have only 20.
    this.deadLetters.addToResourcePolicy(
      new PolicyStatement({
        principals: [eventsPrincipal(this, this.#eventBusName)],
        actions: ['sqs:SendMessage'],
        resources: [this.deadLetters.queueArn],
      }),
    );
    for (const target of targets) {
      const name = targetId(target);
      const created =
        target.kind === 'sqs'
          ? this.#queueTarget(name, target.queueArn)
          : new ApiDestinationTarget(this.#createDestination(name, target), {
              ...RETRY_POLICY,
              eventRole: this.#destinationRole(),
            });
      new Rule(this, name, {
        eventBus,
        description: describe("Delivers Parley's events to", addressOf(target)),
        eventPattern: { source: ['parley'], ...(target.events && { detailType: [...target.events] }) },
        targets: [
          {
            bind: (rule, id) => ({
              ...created.bind(rule, id),
              deadLetterConfig: { arn: this.deadLetters.queueArn },
            }),
          },
        ],
      });
    }
  }

  /**
   * Creates a queue target. EventBridge delivers to a queue of the stack's own account by the queue's policy alone, but
   * to a queue of another account only if there is also a role. The stack is synthesized for any account, so a
   * condition decides at deployment.
   *
   * Sources: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-service-cross-account.html and
   * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-use-resource-based.html
   */
  #queueTarget(name: string, queueArn: string): IRuleTarget {
    const queue = Queue.fromQueueArn(this, `${name}Queue`, queueArn);
    const target = new SqsQueue(queue, RETRY_POLICY);
    const isElsewhere = new CfnCondition(this, `${name}IsInAnotherAccount`, {
      expression: Fn.conditionNot(Fn.conditionEquals(Aws.ACCOUNT_ID, queue.env.account)),
    });
    const role = new CfnRole(this, `${name}Role`, {
      description: describe("Lets EventBridge deliver Parley's events to", queueArn),
      assumeRolePolicyDocument: policyOf({
        principals: [eventsPrincipal(this, this.#eventBusName)],
        actions: ['sts:AssumeRole'],
      }),
      policies: [
        { policyName: 'Deliver', policyDocument: policyOf({ actions: ['sqs:SendMessage'], resources: [queueArn] }) },
      ],
    });
    role.cfnOptions.condition = isElsewhere;
    const roleArn = Fn.conditionIf(isElsewhere.logicalId, role.attrArn, Aws.NO_VALUE).toString();
    return {
      bind: (rule, id) => ({
        ...target.bind(rule, id),
        role: Role.fromRoleArn(this, `${name}RoleIfNeeded`, roleArn, { mutable: false }),
        // Otherwise, CDK would look for the other account's stack in this app.
        targetResource: undefined,
      }),
    };
  }

  /**
   * Returns the role to which each rule adds the permission to call its URL. All rules share it, because a stack can have
   * only 500 resources, and a stage up to 50 targets.
   */
  #destinationRole(): Role {
    const existing = this.node.tryFindChild('UrlsRole');
    if (existing instanceof Role) return existing;
    return new Role(this, 'UrlsRole', {
      description: "Lets EventBridge deliver Parley's events to URLs",
      assumedBy: eventsPrincipal(this, this.#eventBusName),
    });
  }

  #createDestination(name: string, { url, header }: Extract<EventTarget, { kind: 'https' }>): ApiDestination {
    const key = new StageSecret(this, `${name}Key`, {
      description: describe(`The key that Parley sends in the header ${header} to`, url),
      notRotatedBecause:
        'A new key must also be configured manually on the receiving side, so it cannot be rotated automatically.',
      generateSecretString: { excludePunctuation: true, passwordLength: 48 },
      encryptionKey: this.#key,
    });
    const connection = new Connection(this, `${name}Connection`, {
      authorization: Authorization.apiKey(header, key.secretValue),
    });
    // CDK's construct has no such property.
    const resource = connection.node.children.find((child) => child instanceof CfnConnection);
    if (this.#key && resource) resource.kmsKeyIdentifier = this.#key.keyArn;
    return new ApiDestination(this, `${name}Destination`, { connection, endpoint: url, httpMethod: HttpMethod.POST });
  }
}

/**
 * Returns the id of a target's resources. It depends only on the address, so a target that moves in the list keeps
 * its resources, and a receiver never gets another one's key.
 */
const targetId = (target: EventTarget): string => {
  const address = addressOf(target);
  const name = target.kind === 'sqs' ? address.slice(address.lastIndexOf(':') + 1) : new URL(address).hostname;
  const words = name.split(/[^A-Za-z0-9]+/).map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`);
  const hash = createHash('sha256').update(address).digest('hex').slice(0, 8);
  return `Target${words.join('').slice(0, 20)}${hash}`;
};

/**
 * Returns the description of a resource. EventBridge allows 512 characters.
 *
 * Source: https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutRule.html
 */
const describe = (purpose: string, address: string): string => {
  const description = `${purpose} ${address}`;
  return description.length <= 512 ? description : `${description.slice(0, 509)}...`;
};

const policyOf = (statement: PolicyStatementProps): PolicyDocument =>
  new PolicyDocument({ statements: [new PolicyStatement(statement)] });
