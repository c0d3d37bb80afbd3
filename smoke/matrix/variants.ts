/** Subnets of a VPC of the account. */
export interface SmokeNetwork {
  readonly vpcId: string;
  /** Private subnets with a route to a NAT gateway. */
  readonly subnetIds: readonly string[];
}

/** A stage as the matrix deploys it. */
export interface Variant {
  readonly name: 'default' | 'network' | 'bus';
  /** What is different about it. */
  readonly title: string;
  /** Settings that override those of the stage. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** What only an account has, so that a local run does without it. */
  readonly onlyInAws: string | undefined;
}

export const VARIANTS: readonly Variant[] = [
  { name: 'default', title: 'the stage as it is in cdk.json', settings: {}, onlyInAws: undefined },
  {
    name: 'network',
    title: 'customer managed key, VPC, gradual rollout',
    settings: { customerManagedKey: true, rollout: 'gradual' },
    onlyInAws: 'a VPC, encryption, and a rollout: a local function has one version',
  },
  {
    name: 'bus',
    title: "the account's default event bus, https target",
    settings: {},
    onlyInAws: 'the default event bus, and an https target: the local sandbox has no https URL',
  },
];

/** The name of what a matrix creates, which cannot be that of a stage in use. */
export const stackNameOf = (id: string, part: Variant['name'] | 'probes'): string => `Parley-smoke-${id}-${part}`;

/** Matches what {@link stackNameOf} names, and the tables, queues, and groups in such a stack. */
export const isMatrixName = (name: string): boolean => /^(Parley|parley)-smoke-\d{8}(-|$)/.test(name);

/** The context key with which a matrix says which of its stacks to synthesize. */
export const MATRIX_CONTEXT = 'parley:smoke';

/** The logical IDs of resources that answer something by being created. */
export const FORCED_FAILURE = 'ForcedFailure';
export const PROBE_FUNCTION = 'Function';
export const PROBE_MAPPING = 'Mapping';

export const TABLE = 'AWS::DynamoDB::Table';
