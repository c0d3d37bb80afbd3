import { createHash } from 'node:crypto';
import { Stack, Tags, Token } from 'aws-cdk-lib';
import { Grant, type IGrantable, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { Construct, type IConstruct } from 'constructs';
import { type KeyStatement, keyStatements } from '../settings/key-policy.ts';
import { removalPolicyOf } from './removal-policy.ts';
import { RolePart, StageRole } from './stage-role.ts';

/** Properties of a {@link StageKey}. */
export interface StageKeyProps {
  /** Whether the key outlives its stack, like the data that it encrypts. */
  readonly production: boolean;
  /** Whether the stack creates an event bus, which EventBridge encrypts with the key. */
  readonly hasEventBus: boolean;
  /** Whether events have targets, whose dead letters EventBridge encrypts with the key. */
  readonly hasEventTargets: boolean;
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

  constructor(scope: Construct, id: string, props: StageKeyProps) {
    const { production, hasEventBus, hasEventTargets: hasEventDeadLetters, hasApiDestinations } = props;
    super(scope, id, {
      description: "Encrypts Parley's table, queues, secrets, logs, schedules, and event bus",
      enableKeyRotation: true,
      removalPolicy: removalPolicyOf(production),
    });
    const { partition, region, urlSuffix, account, stackName } = Stack.of(this);
    const user = { partition, region, urlSuffix, account, stackName, hasEventBus, hasEventDeadLetters };
    for (const statement of keyStatements(user)) this.addToResourcePolicy(policyStatement(statement));
    // EventBridge may use only keys with this tag for the credentials of a connection.
    // https://docs.aws.amazon.com/eventbridge/latest/userguide/encryption-connections.html
    if (hasApiDestinations) Tags.of(this).add('EventBridgeApiDestinations', 'true');
    this.fixed = Key.fromKeyArn(scope, `${id}Reference`, this.keyArn);
  }
}

/** Leaves out the statement's name, which the keys of deployed stages do not have. */
const policyStatement = ({ Principal, Action, Resource, Condition }: KeyStatement): PolicyStatement =>
  new PolicyStatement({
    principals: [new ServicePrincipal(Principal.Service)],
    actions: [...Action],
    resources: [Resource],
    conditions: { ...Condition },
  });

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
    grantee: keyUser(grantee, key),
    actions,
    resourceArns: [key.keyArn],
    conditions: {
      StringEquals: { 'kms:ViaService': `${service}.${key.stack.region}.${key.stack.urlSuffix}` },
      ...(context.length > 0 && { ArnLike: Object.fromEntries(context) }),
    },
  });
}

/** What a stack's roles may do with keys, in policies that are updated before everything that the keys encrypt. */
export const keyUseOf = (scope: IConstruct): Construct => {
  const stack = Stack.of(scope);
  const existing = stack.node.tryFindChild('KeyUse');
  return existing instanceof Construct ? existing : new Construct(stack, 'KeyUse');
};

/**
 * Lets CloudFormation encrypt a resource with a key only after the stack's roles may use the key. Otherwise, every call
 * about the resource would fail from when a live stage gets a key until its roles are updated.
 */
export function updateAfterKeyUse(resource: Construct, key: IKey | undefined): void {
  if (key) resource.node.addDependency(keyUseOf(resource));
}

/**
 * Returns the grantee of permissions to use a key: a separate policy if the grantee is a role of a stage, otherwise the
 * grantee itself.
 *
 * CloudFormation deletes such a policy last, when the key no longer encrypts anything.
 */
export function keyUser(grantee: IGrantable, key: IKey): IGrantable {
  const { grantPrincipal } = grantee;
  const { role, name = '' } = grantPrincipal instanceof RolePart ? grantPrincipal : { role: grantPrincipal };
  if (!(role instanceof StageRole)) return grantee;
  // A role that uses another key than before gets another policy. The ARN of a key that the app creates is not known yet.
  const keyName = Token.isUnresolved(key.keyArn) ? key.node.addr : key.keyArn;
  const hash = createHash('sha256').update(keyName).digest('hex').slice(0, 8);
  const path = role.node.path.slice(Stack.of(role).node.path.length);
  return new RolePart(role, name, { scope: keyUseOf(role), id: `${path}${name}${hash}`.replaceAll('/', '') });
}
