import { resolveAtDeployment } from './resolve-at-deployment.ts';

/** The resources of a template, by logical id. */
export type Resources = Readonly<
  Record<string, { readonly Type: string; readonly Properties?: Readonly<Record<string, unknown>> }>
>;

/** How much of a quota a resource, or a part of the template, uses. */
export interface Use {
  /** The logical id, or the part of the template. */
  readonly where: string;
  readonly used: number;
}

/** A quota that a template can exceed although synth succeeds. Most cannot be raised. */
export interface Quota {
  readonly name: string;
  readonly limit: number;
  readonly source: string;
  readonly usesIn: (resources: Resources) => readonly Use[];
}

type Properties = Readonly<Record<string, unknown>>;

const characters = (value: unknown): number => JSON.stringify(value).length;

const list = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];

const statements = (document: unknown): readonly Properties[] => list(Object(document).Statement).map(Object);

/** Counts for each resource of a type, after replacing references. */
const each =
  (type: string, count: (properties: Properties) => number) =>
  (resources: Resources): readonly Use[] =>
    Object.entries(resources)
      .filter(([, resource]) => resource.Type === type)
      .map(([where, { Properties = {} }]) => ({
        where,
        used: count(Object(resolveAtDeployment(Properties, resources))),
      }));

/** Counts for each owner of resources, such as a role with its policies, after replacing references. */
const perOwner =
  (
    types: readonly string[],
    ownersOf: (properties: Properties) => readonly unknown[],
    count: (properties: Properties) => number,
  ) =>
  (resources: Resources): readonly Use[] => {
    const used = new Map<string, number>();
    for (const { Type, Properties = {} } of Object.values(resources)) {
      if (!types.includes(Type)) continue;
      for (const owner of ownersOf(Properties)) {
        const where = JSON.stringify(owner);
        used.set(where, (used.get(where) ?? 0) + count(Object(resolveAtDeployment(Properties, resources))));
      }
    }
    return [...used].map(([where, sum]) => ({ where, used: sum }));
  };

const QUEUE_POLICY = 'AWS::SQS::QueuePolicy';
const ROLE = 'AWS::IAM::Role';

const inlinePolicies = (resources: Resources): readonly Use[] => {
  const own = each(ROLE, ({ Policies }) =>
    list(Policies).reduce<number>((sum, policy) => sum + characters(Object(policy).PolicyDocument), 0),
  )(resources);
  const attached = perOwner(
    ['AWS::IAM::Policy'],
    ({ Roles }) => list(Roles).map((role) => Object(role).Ref),
    ({ PolicyDocument }) => characters(PolicyDocument),
  )(resources);
  return own.map(({ where, used }) => ({
    where,
    used: used + (attached.find((policy) => policy.where === JSON.stringify(where))?.used ?? 0),
  }));
};

const descriptions = (types: readonly string[]) => (resources: Resources) =>
  types.flatMap((type) => each(type, ({ Description }) => String(Description ?? '').length)(resources));

const IAM = 'https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html';
const SQS = 'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-policies.html';
const LAMBDA = 'https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html';
const EVENTS = 'https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-quota.html';
const CLOUDFORMATION = 'https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html';

/** The quotas that a stage's template could exceed. */
export const QUOTAS: readonly Quota[] = [
  {
    name: 'SQS: bytes of a queue policy',
    limit: 8192,
    source: SQS,
    usesIn: each(QUEUE_POLICY, ({ PolicyDocument }) => characters(PolicyDocument)),
  },
  {
    name: 'SQS: statements of a queue policy',
    limit: 20,
    source: SQS,
    usesIn: each(QUEUE_POLICY, ({ PolicyDocument }) => statements(PolicyDocument).length),
  },
  {
    name: 'SQS: conditions of a queue policy',
    limit: 10,
    source: SQS,
    usesIn: each(QUEUE_POLICY, ({ PolicyDocument }) =>
      statements(PolicyDocument).reduce((sum, { Condition }) => sum + Object.keys(Object(Condition)).length, 0),
    ),
  },
  {
    name: "Lambda: bytes of a function's variables, as JSON",
    limit: 4096,
    source: LAMBDA,
    usesIn: each('AWS::Lambda::Function', ({ Environment }) => characters(Object(Environment).Variables ?? {})),
  },
  {
    name: "Lambda: bytes of a function's resource policy",
    limit: 20_480,
    source: LAMBDA,
    // Lambda adds a statement's id, its effect, and the function's ARN to each permission.
    usesIn: perOwner(
      ['AWS::Lambda::Permission'],
      ({ FunctionName }) => [FunctionName],
      (properties) => characters(properties) + 250,
    ),
  },
  {
    name: "Lambda: characters of a function's description",
    limit: 256,
    source: 'https://docs.aws.amazon.com/lambda/latest/api/API_CreateFunction.html',
    usesIn: descriptions(['AWS::Lambda::Function']),
  },
  { name: "IAM: characters of a role's inline policies", limit: 10_240, source: IAM, usesIn: inlinePolicies },
  {
    name: 'IAM: characters of a trust policy',
    limit: 2048,
    source: IAM,
    usesIn: each(ROLE, ({ AssumeRolePolicyDocument }) => characters(AssumeRolePolicyDocument)),
  },
  {
    name: "IAM: characters of a role's description",
    limit: 1000,
    source: 'https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateRole.html',
    usesIn: descriptions([ROLE]),
  },
  {
    name: 'IAM: characters of a description outside Latin-1',
    limit: 0,
    source: 'https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateRole.html',
    usesIn: each(ROLE, ({ Description }) => String(Description ?? '').replaceAll(/[\t\n\r -~¡-ÿ]/g, '').length),
  },
  {
    name: 'KMS: bytes of a key policy',
    limit: 32_768,
    source: 'https://docs.aws.amazon.com/kms/latest/developerguide/resource-limits.html',
    usesIn: each('AWS::KMS::Key', ({ KeyPolicy }) => characters(KeyPolicy)),
  },
  {
    name: 'EventBridge: characters of an event pattern',
    limit: 2048,
    source: EVENTS,
    usesIn: each('AWS::Events::Rule', ({ EventPattern }) => characters(EventPattern ?? {})),
  },
  {
    name: 'EventBridge: rules of an event bus',
    limit: 300,
    source: EVENTS,
    usesIn: (resources) => [
      { where: 'stage', used: Object.values(resources).filter(({ Type }) => Type === 'AWS::Events::Rule').length },
    ],
  },
  {
    name: 'EventBridge: characters of a description',
    limit: 512,
    source: 'https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutRule.html',
    usesIn: descriptions(['AWS::Events::Rule', 'AWS::Events::EventBus', 'AWS::Events::ApiDestination']),
  },
  {
    name: 'Secrets Manager: characters of a description',
    limit: 2048,
    source: 'https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_CreateSecret.html',
    usesIn: descriptions(['AWS::SecretsManager::Secret']),
  },
  {
    name: "CloudWatch: characters of an alarm's description",
    limit: 1024,
    source: 'https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html',
    usesIn: each('AWS::CloudWatch::Alarm', ({ AlarmDescription }) => String(AlarmDescription ?? '').length),
  },
  {
    name: "CloudWatch: metrics of an alarm's expression",
    limit: 10,
    source: 'https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_limits.html',
    usesIn: each(
      'AWS::CloudWatch::Alarm',
      ({ Metrics }) => list(Metrics).filter((one) => Object(one).MetricStat).length,
    ),
  },
  {
    name: 'CloudWatch: widgets of a dashboard',
    limit: 500,
    source: 'https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_limits.html',
    usesIn: each('AWS::CloudWatch::Dashboard', ({ DashboardBody }) => JSON.parse(String(DashboardBody)).widgets.length),
  },
  {
    name: 'Lambda: filters of an event source',
    limit: 5,
    source: 'https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html',
    usesIn: each(
      'AWS::Lambda::EventSourceMapping',
      ({ FilterCriteria }) => list(Object(FilterCriteria).Filters).length,
    ),
  },
  {
    name: "Lambda: characters of a filter's pattern",
    limit: 4096,
    source: 'https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html',
    usesIn: each('AWS::Lambda::EventSourceMapping', ({ FilterCriteria }) =>
      Math.max(0, ...list(Object(FilterCriteria).Filters).map((filter) => String(Object(filter).Pattern).length)),
    ),
  },
  {
    name: "EventBridge Scheduler: characters of a group's name",
    limit: 64,
    source: 'https://docs.aws.amazon.com/scheduler/latest/APIReference/API_CreateScheduleGroup.html',
    usesIn: each('AWS::Scheduler::ScheduleGroup', ({ Name }) => String(Name).length),
  },
  {
    name: "API Gateway: characters of an API's name",
    limit: 128,
    source: 'https://docs.aws.amazon.com/apigatewayv2/latest/api-reference/apis.html',
    usesIn: each('AWS::ApiGatewayV2::Api', ({ Name }) => String(Name).length),
  },
  {
    name: 'CloudFormation: resources of a template',
    limit: 500,
    source: CLOUDFORMATION,
    usesIn: (resources) => [{ where: 'stage', used: Object.keys(resources).length }],
  },
  {
    name: 'CloudFormation: bytes of a template',
    limit: 1_000_000,
    source: CLOUDFORMATION,
    usesIn: (resources) => [{ where: 'stage', used: Buffer.byteLength(JSON.stringify(resources, null, 1)) }],
  },
  {
    name: 'CloudFormation: characters of a logical id',
    limit: 255,
    source: CLOUDFORMATION,
    usesIn: (resources) => Object.keys(resources).map((where) => ({ where, used: where.length })),
  },
];
