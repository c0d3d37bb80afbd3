import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { allDependencies, referencesIn } from './dependencies.ts';
import { replacingPropertiesOfTypes } from './replacing-properties-of-types.ts';

const resource = z.looseObject({
  Type: z.string(),
  DependsOn: z.union([z.string(), z.array(z.string())]).optional(),
  Properties: z.record(z.string(), z.unknown()).default({}),
  DeletionPolicy: z.string().default('Delete'),
  UpdateReplacePolicy: z.string().default('Delete'),
});

const stackTemplate = z.looseObject({
  Resources: z.record(z.string(), resource),
  Outputs: z.record(z.string(), z.looseObject({ Value: z.unknown() })).default({}),
});

type Resource = z.output<typeof resource>;
type Template = z.output<typeof stackTemplate>;

/** What an update does to a resource or an output that an operator has to know about. */
export interface Effect {
  readonly kind:
    | 'deleted' // what holds data, with its data
    | 'left behind' // what holds data stays, but the stack no longer uses it
    | 'name taken' // CloudFormation cannot create it, because something with its name exists
    | 'secret generated' // a new secret has a random value
    | 'key not usable' // for a moment, functions may not use the key of what they read or write
    | 'key lost' // what is stored stays encrypted with the earlier key
    | 'not consumed' // a queue or stream stays, but nothing reads it
    | 'consumer replaced' // for a moment, nothing reads a queue or stream
    | 'address changed' // an output with an address has another value, or is gone
    | 'permission removed'; // while the earlier version of the function may still use it
  /** The logical id, or the name of the output. */
  readonly what: string;
  readonly type: string;
}

/** What holds data, or what an operator or another system has stored. */
const STATEFUL: readonly string[] = [
  'AWS::DynamoDB::Table',
  'AWS::Events::EventBus',
  'AWS::KMS::Key',
  'AWS::Logs::LogGroup',
  'AWS::Scheduler::ScheduleGroup',
  'AWS::SecretsManager::Secret',
  'AWS::SQS::Queue',
];

/**
 * The properties that no two resources of a type may share. A type without such properties has a generated name.
 *
 * A second policy for a queue would be accepted, but the removal of the first would delete it.
 */
const UNIQUE_PROPERTIES: Readonly<Record<string, readonly string[]>> = {
  'AWS::ApiGateway::Stage': ['RestApiId', 'StageName'],
  'AWS::ApiGatewayV2::ApiMapping': ['DomainName', 'ApiMappingKey'],
  'AWS::ApiGatewayV2::Route': ['ApiId', 'RouteKey'],
  'AWS::ApiGatewayV2::Stage': ['ApiId', 'StageName'],
  'AWS::CloudWatch::Alarm': ['AlarmName'],
  'AWS::CloudWatch::Dashboard': ['DashboardName'],
  'AWS::Events::EventBus': ['Name'],
  'AWS::IAM::Policy': ['PolicyName', 'Roles'],
  'AWS::Lambda::Alias': ['FunctionName', 'Name'],
  'AWS::Lambda::EventSourceMapping': ['EventSourceArn', 'FunctionName'],
  'AWS::Logs::LogGroup': ['LogGroupName'],
  'AWS::SQS::Queue': ['QueueName'],
  'AWS::SQS::QueuePolicy': ['Queues'],
  'AWS::Scheduler::ScheduleGroup': ['Name'],
  'AWS::SecretsManager::Secret': ['Name'],
};

/** What functions read and write with the permissions of their roles. Other services have those of the key's policy. */
const READ_WITH_ROLES: readonly string[] = ['AWS::DynamoDB::Table', 'AWS::SecretsManager::Secret', 'AWS::SQS::Queue'];

/** The properties with the key that encrypts what a resource stores. */
const KEY_PROPERTIES: readonly string[] = ['KmsMasterKeyId', 'KmsKeyId', 'KmsKeyIdentifier', 'SSESpecification'];

const REPLACING = replacingPropertiesOfTypes();

/** A stack to which templates are deployed one after another. */
export class UpdatedStack {
  #template: Template;
  /** The names of the resources that earlier updates left behind. */
  readonly #taken = new Set<string>();

  constructor(template: unknown) {
    this.#template = stackTemplate.parse(template);
  }

  /**
   * Updates the stack as CloudFormation does: it creates and updates what the template has, and then deletes the rest.
   *
   * Sources: https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-updating-stacks-monitor-stack.html
   * and https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-updating-stacks-update-behaviors.html
   */
  update(given: unknown): readonly Effect[] {
    const before = this.#template;
    const after = stackTemplate.parse(given);
    const replaced = replacedIn(before.Resources, after.Resources);
    const effects = [
      ...this.#effectsOfCreations(before.Resources, after.Resources, replaced),
      ...this.#effectsOfRemovals(before.Resources, after.Resources, replaced),
      ...effectsOfUpdates(before.Resources, after.Resources, replaced),
      ...changedOutputs(before, after, replaced),
    ];
    this.#template = after;
    return effects;
  }

  #effectsOfCreations(before: Resources, after: Resources, replaced: ReadonlySet<string>): readonly Effect[] {
    const existing = new Set([...this.#taken, ...Object.values(before).flatMap(uniqueNameOf)]);
    return Object.entries(after).flatMap(([what, created]) => {
      if (before[what] && !replaced.has(what)) return [];
      const { Type: type, Properties } = created;
      const isTaken = uniqueNameOf(created).some((name) => existing.has(name));
      const isGenerated = type === 'AWS::SecretsManager::Secret' && Properties.GenerateSecretString !== undefined;
      return [
        ...(isTaken ? [{ kind: 'name taken', what, type } as const] : []),
        ...(isGenerated ? [{ kind: 'secret generated', what, type } as const] : []),
      ];
    });
  }

  #effectsOfRemovals(before: Resources, after: Resources, replaced: ReadonlySet<string>): readonly Effect[] {
    return Object.entries(before).flatMap(([what, removed]): readonly Effect[] => {
      if (after[what] && !replaced.has(what)) return [];
      const { Type: type, Properties, DeletionPolicy, UpdateReplacePolicy } = removed;
      const isKept = (replaced.has(what) ? UpdateReplacePolicy : DeletionPolicy) !== 'Delete';
      if (isKept) for (const name of uniqueNameOf(removed)) this.#taken.add(name);
      if (STATEFUL.includes(type)) return [{ kind: isKept ? 'left behind' : 'deleted', what, type }];
      if (type !== 'AWS::Lambda::EventSourceMapping') return [];
      const consumer = Object.values(after).find(
        (one) => one.Type === type && isDeepStrictEqual(one.Properties.EventSourceArn, Properties.EventSourceArn),
      );
      return [{ kind: consumer ? 'consumer replaced' : 'not consumed', what, type }];
    });
  }
}

type Resources = Readonly<Record<string, Resource>>;

/** Returns the name that no other resource of the type may have, or none if CloudFormation generates it. */
function uniqueNameOf({ Type, Properties }: Resource): readonly string[] {
  const names = UNIQUE_PROPERTIES[Type]?.map((name) => Properties[name]) ?? [];
  return names.every((name) => name === undefined) ? [] : [JSON.stringify([Type, ...names])];
}

/** Returns the ids of what is replaced: another type, or a property that replaces it, or one that refers to such. */
function replacedIn(before: Resources, after: Resources): ReadonlySet<string> {
  const replaced = new Set<string>();
  const isReplaced = ([id, now]: readonly [string, Resource]): boolean => {
    const earlier = before[id];
    if (!earlier || replaced.has(id)) return false;
    if (earlier.Type !== now.Type) return true;
    return (REPLACING.get(now.Type) ?? []).some(
      (name) =>
        !isDeepStrictEqual(earlier.Properties[name], now.Properties[name]) ||
        referencesIn(now.Properties[name]).some((one) => replaced.has(one)),
    );
  };
  for (;;) {
    const found = Object.entries(after).filter(isReplaced);
    if (found.length === 0) return replaced;
    for (const [id] of found) replaced.add(id);
  }
}

function effectsOfUpdates(before: Resources, after: Resources, replaced: ReadonlySet<string>): readonly Effect[] {
  return Object.entries(after).flatMap(([what, now]): readonly Effect[] => {
    const earlier = before[what];
    if (!earlier || replaced.has(what)) return [];
    const { Type: type } = now;
    const hasChanged = (name: string) => !isDeepStrictEqual(earlier.Properties[name], now.Properties[name]);
    const changedKeys = KEY_PROPERTIES.filter(hasChanged);
    const losesKey = changedKeys.some((name) => earlier.Properties[name] !== undefined);
    const isKeyUsable =
      changedKeys.length === 0 || !READ_WITH_ROLES.includes(type) || keyPoliciesAreInOrder(before, after, what);
    return [
      ...(isKeyUsable ? [] : [{ kind: 'key not usable', what, type } as const]),
      ...(losesKey ? [{ kind: 'key lost', what, type } as const] : []),
      ...(hasChanged('GenerateSecretString') ? [{ kind: 'secret generated', what, type } as const] : []),
      ...(removesPermission(earlier, now) ? [{ kind: 'permission removed', what, type } as const] : []),
    ];
  });
}

/**
 * Whether functions may use the key of a resource before and after its update: CloudFormation must update it after the
 * policies that allow the new key, and before those that no longer allow the earlier one.
 */
function keyPoliciesAreInOrder(before: Resources, after: Resources, what: string): boolean {
  const keyUse = (resource: Resource | undefined) =>
    resource?.Type === 'AWS::IAM::Policy' ? [...permissionsIn(resource)].filter((one) => one.startsWith('["kms:')) : [];
  const hasMore = (one: Resource | undefined, other: Resource | undefined) =>
    keyUse(one).some((permission) => !keyUse(other).includes(permission));
  const isUpdatedAfter = (id: string, other: string) => allDependencies(after, id).has(other);
  return Object.entries(after).every(
    ([id, policyOf]) =>
      (!hasMore(policyOf, before[id]) || isUpdatedAfter(what, id)) &&
      (!before[id] || !hasMore(before[id], policyOf) || isUpdatedAfter(id, what)),
  );
}

const policy = z.looseObject({ PolicyDocument: z.looseObject({ Statement: z.array(z.looseObject({})) }) });

/** Whether a role may do less than before. CloudFormation updates a role's policy before the function. */
function removesPermission(earlier: Resource, now: Resource): boolean {
  if (now.Type !== 'AWS::IAM::Policy') return false;
  const [before, after] = [permissionsIn(earlier), permissionsIn(now)];
  return [...before].some((permission) => !after.has(permission));
}

/** Returns what a policy allows: an action on a resource, and on one kind of items if it names several. */
const permissionsIn = ({ Properties }: Resource): ReadonlySet<string> =>
  new Set(
    policy
      .parse(Properties)
      .PolicyDocument.Statement.flatMap(({ Effect: effect, Action, Resource: on, Condition }) =>
        effect === 'Allow'
          ? listOf(Action).flatMap((action) =>
              listOf(on).flatMap((place) =>
                eachKeyOf(Condition).map((condition) => JSON.stringify([action, place, condition])),
              ),
            )
          : [],
      ),
  );

const leadingKeys = z.strictObject({
  'ForAllValues:StringLike': z.strictObject({ 'dynamodb:LeadingKeys': z.array(z.unknown()) }),
});

const eachKeyOf = (condition: unknown): readonly unknown[] =>
  leadingKeys.safeParse(condition).data?.['ForAllValues:StringLike']['dynamodb:LeadingKeys'] ?? [condition ?? null];

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** The outputs that an operator or another system uses as an address. The others describe the stage. */
const ADDRESS = /(Url|Id|Name|Arn)$/;

function changedOutputs(before: Template, after: Template, replaced: ReadonlySet<string>): readonly Effect[] {
  return Object.entries(before.Outputs).flatMap(([what, { Value }]) => {
    const isSame =
      isDeepStrictEqual(Value, after.Outputs[what]?.Value) && !referencesIn(Value).some((id) => replaced.has(id));
    return isSame || !ADDRESS.test(what) ? [] : [{ kind: 'address changed', what, type: 'output' } as const];
  });
}
