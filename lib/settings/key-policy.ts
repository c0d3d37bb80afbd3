/** A statement of a key's policy, in the form of IAM's JSON. */
export interface KeyStatement {
  readonly Sid: string;
  readonly Effect: 'Allow';
  readonly Principal: { readonly Service: string };
  readonly Action: readonly string[];
  readonly Resource: '*';
  readonly Condition: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** The stack that uses a key, and what it has. */
export interface KeyUser {
  readonly partition: string;
  readonly region: string;
  /** The partition's domain, such as `amazonaws.com`. */
  readonly urlSuffix: string;
  readonly account: string;
  readonly stackName: string;
  /** Whether the stack creates an event bus, which EventBridge encrypts with the key. */
  readonly hasEventBus: boolean;
  /** Whether EventBridge puts dead letters on queues that are encrypted with the key. */
  readonly hasEventDeadLetters: boolean;
}

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

/**
 * Returns what a key's policy must let services do for a stack. DynamoDB, SQS, Secrets Manager, and EventBridge Scheduler
 * are not among them, because they use a key with the permissions of their caller.
 */
export function keyStatements(user: KeyUser): KeyStatement[] {
  const { hasEventBus, hasEventDeadLetters } = user;
  return [
    ...logsStatements(user),
    ...(hasEventBus ? eventBusStatements(user) : []),
    ...(hasEventBus || hasEventDeadLetters ? [deadLettersStatement(user)] : []),
  ];
}

/**
 * Returns the start of the names of log groups to which a service such as API Gateway delivers its own logs.
 *
 * Source: https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/AWS-logs-infrastructure-V2-CloudWatchLogs.html
 */
export const vendedLogsOf = (stackName: string): string => `/aws/vendedlogs/${stackName}/`;

const allow = (
  Sid: string,
  service: string,
  Action: readonly string[],
  Condition: KeyStatement['Condition'],
): KeyStatement => ({ Sid, Effect: 'Allow', Principal: { Service: service }, Action, Resource: '*', Condition });

/**
 * Log groups are matched by name, because references to them would be circular. Their names start with the stack's name,
 * after a prefix for those of the APIs. AWS's example also allows DescribeKey, which has no encryption context, so the
 * condition would never hold.
 *
 * Source: https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/encrypt-log-data-kms.html
 */
const logsStatements = ({ partition, region, urlSuffix, account, stackName }: KeyUser): KeyStatement[] => {
  const encrypt = (id: string, groups: string) =>
    allow(id, `logs.${region}.${urlSuffix}`, ['kms:Decrypt', ...WRITE_ACTIONS], {
      ArnLike: {
        'kms:EncryptionContext:aws:logs:arn': `arn:${partition}:logs:${region}:${account}:log-group:${groups}`,
      },
    });
  return [encrypt('EncryptLogs', `${stackName}-*`), encrypt('EncryptAccessLogs', `${vendedLogsOf(stackName)}*`)];
};

const eventBusStatements = ({ partition, region, account, stackName }: KeyUser): KeyStatement[] => {
  const eventBusArn = `arn:${partition}:events:${region}:${account}:event-bus/${stackName}`;
  return [
    // https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-encryption-event-bus-cmkey.html
    allow('EncryptEvents', 'events.amazonaws.com', ['kms:Decrypt', 'kms:GenerateDataKey'], {
      StringEquals: {
        'aws:SourceAccount': account,
        'aws:SourceArn': eventBusArn,
        'kms:EncryptionContext:aws:events:event-bus:arn': eventBusArn,
      },
    }),
    // Separate, because DescribeKey has no encryption context.
    allow('ValidateKeyOfEvents', 'events.amazonaws.com', ['kms:DescribeKey'], {
      StringEquals: { 'aws:SourceAccount': account },
    }),
  ];
};

/**
 * AWS documents that a key's policy must not name the source of events for an encrypted topic, and does not say so for
 * queues. So the queue's policy names the source, and the key's policy names the queues.
 *
 * Sources: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html and
 * https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html
 */
const deadLettersStatement = ({ partition, region, account, stackName }: KeyUser): KeyStatement => {
  // CloudFormation shortens the name of a stack in the name of a queue, which has at most 80 characters.
  const queues = stackName.length > 20 ? `${stackName.slice(0, 20)}*` : `${stackName}-*`;
  return allow('EncryptDeadLettersOfEvents', 'events.amazonaws.com', ['kms:Decrypt', 'kms:GenerateDataKey'], {
    ArnLike: { 'kms:EncryptionContext:aws:sqs:arn': `arn:${partition}:sqs:${region}:${account}:${queues}` },
  });
};
