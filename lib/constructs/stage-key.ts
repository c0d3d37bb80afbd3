import { RemovalPolicy, Stack, Tags } from 'aws-cdk-lib';
import { Grant, type IGrantable, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';

/** Properties of a {@link StageKey}. */
export interface StageKeyProps {
  /** Whether the key outlives its stack, like the data that it encrypts. */
  readonly production: boolean;
  /** Whether the stage has an event bus, which EventBridge encrypts with the key. */
  readonly hasEventBus: boolean;
  /** Whether events are delivered to URLs, whose connections EventBridge encrypts with the key. */
  readonly hasApiDestinations: boolean;
}

/**
 * The customer managed key of a stage, which encrypts everything that the stage stores.
 *
 * DynamoDB, SQS, Secrets Manager, and EventBridge Scheduler use it with the permissions of their caller. CloudWatch
 * Logs and EventBridge use it as service principals, so the key's policy names only these two.
 */
export class StageKey extends Key {
  /**
   * An imported reference to the key. Some CDK constructs would otherwise add statements with wildcards to its policy.
   */
  readonly fixed: IKey;

  constructor(scope: Construct, id: string, { production, hasEventBus, hasApiDestinations }: StageKeyProps) {
    super(scope, id, {
      description: "Encrypts Parley's table, queues, secrets, logs, schedules, and event bus",
      enableKeyRotation: true,
      removalPolicy: production ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    const stack = Stack.of(this);
    const statements = [logsStatement(stack), ...(hasEventBus ? eventsStatements(stack) : [])];
    for (const statement of statements) this.addToResourcePolicy(statement);
    // EventBridge may use only keys with this tag for the credentials of a connection.
    // https://docs.aws.amazon.com/eventbridge/latest/userguide/encryption-connections.html
    if (hasApiDestinations) Tags.of(this).add('EventBridgeApiDestinations', 'true');
    this.fixed = Key.fromKeyArn(scope, `${id}Reference`, this.keyArn);
  }
}

const allow = (service: string, actions: string[], conditions: Record<string, Record<string, string>>) =>
  new PolicyStatement({ principals: [new ServicePrincipal(service)], actions, resources: ['*'], conditions });

/**
 * The names of log groups start with the stack's name. References to the groups themselves would be circular.
 *
 * Source: https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/encrypt-log-data-kms.html
 */
const logsStatement = ({ partition, region, account, stackName }: Stack): PolicyStatement =>
  allow(`logs.${region}.amazonaws.com`, [...READ_ACTIONS, ...WRITE_ACTIONS], {
    ArnLike: {
      'kms:EncryptionContext:aws:logs:arn': `arn:${partition}:logs:${region}:${account}:log-group:${stackName}-*`,
    },
  });

const eventsStatements = ({ partition, region, account, stackName }: Stack): PolicyStatement[] => {
  // CloudFormation shortens the name of a stack in the name of a queue, which has at most 80 characters.
  const queues = stackName.length > 20 ? `${stackName.slice(0, 20)}*` : `${stackName}-*`;
  const eventBusArn = `arn:${partition}:events:${region}:${account}:event-bus/${stackName}`;
  return [
    // https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-encryption-event-bus-cmkey.html
    allow('events.amazonaws.com', ['kms:Decrypt', 'kms:GenerateDataKey'], {
      StringEquals: {
        'aws:SourceAccount': account,
        'aws:SourceArn': eventBusArn,
        'kms:EncryptionContext:aws:events:event-bus:arn': eventBusArn,
      },
    }),
    // Separate, because DescribeKey has no encryption context.
    allow('events.amazonaws.com', ['kms:DescribeKey'], { StringEquals: { 'aws:SourceAccount': account } }),
    // For dead letters. AWS documents that a key's policy must not name the source of events for an encrypted topic,
    // and does not say so for queues. So the queue's policy names the source, and the key's policy names the queues.
    // https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html and
    // https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html
    allow('events.amazonaws.com', ['kms:Decrypt', 'kms:GenerateDataKey'], {
      ArnLike: { 'kms:EncryptionContext:aws:sqs:arn': `arn:${partition}:sqs:${region}:${account}:${queues}` },
    }),
  ];
};

/** What a service that reads encrypted data does with a key, without the wildcards of AWS's documentation. */
export const READ_ACTIONS = ['kms:Decrypt', 'kms:DescribeKey'];

/** What a service also does with a key if it writes encrypted data. */
export const WRITE_ACTIONS = [
  'kms:Encrypt',
  'kms:GenerateDataKey',
  'kms:GenerateDataKeyWithoutPlaintext',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
];

/** The services that use the key with the permissions of their caller. */
export type KeyService = 'dynamodb' | 'scheduler' | 'secretsmanager' | 'sqs';

/**
 * Grants these actions with a key, but only through this service. Does nothing without a key.
 *
 * Source: https://docs.aws.amazon.com/kms/latest/developerguide/conditions-kms.html#conditions-kms-via-service
 *
 * @param encryptionContext The values that the service must pass to KMS, by name, such as the ARN of what it encrypts.
 */
export function grantKeyUse(
  key: IKey | undefined,
  grantee: IGrantable,
  service: KeyService,
  actions: string[],
  encryptionContext: Readonly<Record<string, string>> = {},
): Grant {
  if (!key) return Grant.drop(grantee, 'no customer managed key');
  const context = Object.entries(encryptionContext).map(([name, value]) => [`kms:EncryptionContext:${name}`, value]);
  return Grant.addToPrincipal({
    grantee,
    actions,
    resourceArns: [key.keyArn],
    conditions: {
      StringEquals: { 'kms:ViaService': `${service}.${key.stack.region}.amazonaws.com` },
      ...(context.length > 0 && { ArnLike: Object.fromEntries(context) }),
    },
  });
}
