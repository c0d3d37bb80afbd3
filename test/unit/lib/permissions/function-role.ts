import type { Template } from 'aws-cdk-lib/assertions';
import { z } from 'zod';
import { allDependencies } from '../changes/dependencies.ts';

const resource = z.looseObject({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).default({}),
  DependsOn: z.union([z.string(), z.array(z.string())]).optional(),
});
const reference = z.object({ Ref: z.string() });
const attribute = z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.string()]) });
const oneOrMore = z.union([z.string().transform((one) => [one]), z.array(z.string())]);
const statement = z.looseObject({ Effect: z.string(), Action: oneOrMore, Resource: z.unknown() });
const policy = z.looseObject({
  PolicyDocument: z.object({ Statement: z.array(statement) }),
  Roles: z.array(z.unknown()),
});
const functionProperties = z.looseObject({
  Role: attribute,
  Environment: z.object({ Variables: z.looseObject({ POWERTOOLS_SERVICE_NAME: z.string() }) }),
  LoggingConfig: z.unknown(),
  VpcConfig: z.unknown().optional(),
});
const mapping = z.looseObject({
  FunctionName: z.unknown(),
  EventSourceArn: z.unknown(),
  StartingPosition: z.string().optional(),
  DestinationConfig: z.unknown().optional(),
});

/** What AWS reads for a function: a queue, or the table's stream. */
export interface EventSource {
  readonly kind: 'queue' | 'stream';
  readonly hasDestination: boolean;
}

/** A function of a template, and what its role allows. */
export interface FunctionRole {
  /** The name of its folder in `lambdas`. */
  readonly name: string;
  readonly actions: ReadonlySet<string>;
  /** The logical IDs of the resources on which it allows something, except the stage's key. */
  readonly resources: ReadonlySet<string>;
  /** The logical IDs of the resources that its variables, its event sources, and its configuration name, except the key. */
  readonly named: ReadonlySet<string>;
  /** What it allows on each queue that a variable names, by the variable's name. */
  readonly queues: Readonly<Record<string, readonly string[]>>;
  readonly eventSources: readonly EventSource[];
  readonly isInVpc: boolean;
}

/** Returns Parley's functions in a template. */
export const functionRoles = (template: Template): readonly FunctionRole[] => {
  const resources = Object.entries(z.record(z.string(), resource).parse(template.toJSON().Resources));
  const ofType = (type: string) => resources.filter(([, { Type }]) => Type === type);
  const keys = ofType('AWS::KMS::Key').map(([id]) => id);
  const queueIds = ofType('AWS::SQS::Queue').map(([id]) => id);
  const withoutKeys = (part: unknown) => idsIn(part).filter((id) => !keys.includes(id));
  return ofType('AWS::Lambda::Function').map(([id, { Properties }]) => {
    const { Role, Environment, LoggingConfig, VpcConfig } = functionProperties.parse(Properties);
    const statements = ofType('AWS::IAM::Policy')
      .map(([, one]) => policy.parse(one.Properties))
      .filter(({ Roles }) => idsIn(Roles).includes(Role['Fn::GetAtt'][0]))
      .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
      .filter(({ Effect }) => Effect === 'Allow');
    const aliases = ofType('AWS::Lambda::Alias').filter(([, alias]) =>
      idsIn(alias.Properties.FunctionName).includes(id),
    );
    const mappings = ofType('AWS::Lambda::EventSourceMapping')
      .map(([, one]) => mapping.parse(one.Properties))
      .filter(({ FunctionName }) =>
        idsIn(FunctionName).some((one) => [id, ...aliases.map(([alias]) => alias)].includes(one)),
      );
    const ofMappings = mappings.map(({ EventSourceArn, DestinationConfig }) => [EventSourceArn, DestinationConfig]);
    return {
      name: Environment.Variables.POWERTOOLS_SERVICE_NAME,
      actions: new Set(statements.flatMap(({ Action }) => Action)),
      resources: new Set(withoutKeys(statements.map(({ Resource }) => Resource))),
      named: new Set(withoutKeys([Environment, LoggingConfig, ofMappings])),
      queues: Object.fromEntries(
        Object.entries(Environment.Variables).flatMap(([variable, value]) => {
          const [queue] = idsIn(value).filter((one) => queueIds.includes(one));
          const on = statements.filter(({ Resource }) => queue !== undefined && idsIn(Resource).includes(queue));
          return queue === undefined ? [] : [[variable, on.flatMap(({ Action }) => Action).toSorted()]];
        }),
      ),
      eventSources: mappings.map(({ StartingPosition, DestinationConfig }) => ({
        kind: StartingPosition === undefined ? 'queue' : 'stream',
        hasDestination: DestinationConfig !== undefined,
      })),
      isInVpc: VpcConfig !== undefined,
    };
  });
};

/** Returns the logical IDs of the policies that a function's role may get only after the function exists. */
export const policiesAfterFunctions = (template: Template): readonly string[] => {
  const resources = z.record(z.string(), resource).parse(template.toJSON().Resources);
  return Object.entries(resources).flatMap(([id, { Type, Properties }]) => {
    if (Type !== 'AWS::Lambda::Function') return [];
    const [role] = functionProperties.parse(Properties).Role['Fn::GetAtt'];
    const before = allDependencies(resources, id);
    return Object.entries(resources).flatMap(([policyId, one]) => {
      const isOfRole = one.Type === 'AWS::IAM::Policy' && idsIn(policy.parse(one.Properties).Roles).includes(role);
      return isOfRole && !before.has(policyId) ? [policyId] : [];
    });
  });
};

/** Returns the logical IDs to which a part of a template refers. */
const idsIn = (part: unknown): readonly string[] => {
  if (typeof part !== 'object' || part === null) return [];
  const ref = reference.safeParse(part).data?.Ref ?? attribute.safeParse(part).data?.['Fn::GetAtt'][0];
  if (ref !== undefined) return ref.startsWith('AWS::') ? [] : [ref];
  return Object.values(part).flatMap(idsIn);
};
