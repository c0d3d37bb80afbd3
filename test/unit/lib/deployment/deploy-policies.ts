/** A part of a policy that lets CloudFormation deploy a stage. */
interface Grant {
  readonly sid: string;
  /** The file in `docs/policies/deploy`, without its extension. A managed policy has at most 6,144 characters. */
  readonly file: 'functions' | 'data';
  readonly actions: RegExp;
  readonly resources: readonly string[];
}

/** The actions that CloudFormation needs for the resource types of the templates. */
export interface NeededActions {
  /** With these, CloudFormation reads a resource whatever properties it has. */
  readonly read: readonly string[];
  /** With these, it creates, updates, and deletes a resource, with each property that the type has. */
  readonly write: readonly string[];
}

/** Actions of features that no template uses, with the feature. Those that read a resource are needed anyway. */
export const UNUSED: readonly (readonly [feature: string, actions: RegExp])[] = [
  ['replicas of tables and secrets', /Replica|ReplicateSecret|RemoveRegions/],
  [
    'imports of tables',
    /ImportTable|DescribeImport|^dynamodb:(BatchWrite|Delete|Get|Put|Update)Item$|^dynamodb:(Query|Scan)$/,
  ],
  ['streams of other services', /KinesisStreaming|^kinesis:|^firehose:/],
  ['resource policies of tables and APIs', /^dynamodb:\w+ResourcePolicy$|UpdateRestApiPolicy/],
  ['file systems', /^elasticfilesystem:|^s3files:/],
  ['layers and signed code', /LayerVersion|CodeSigningConfig/],
  [
    'provisioned concurrency and capacity providers',
    /(Put|Delete)ProvisionedConcurrency|ScalingConfig|CapacityProvider/,
  ],
  ['policies of users and groups', /(Group|User)Policy$/],
  ['managed policies', /^iam:(Attach|Detach)RolePolicy$/],
  ['data protection, indexes, and tokens of logs', /DataProtection|IndexPolic|BearerToken/],
  ['servers outside AWS', /OnPremises/],
  ['definitions of APIs in S3', /^s3:(ListBucket|GetObjectMetadata|REST)/],
  ['names that are not actions', /^apigateway:(Unt|T)agResource$|^kms:ReEncrypt$|AssociateRuntimeAlias/],
];

/** Actions that the schemas of the resource types do not name, with the source. */
const OTHERS: readonly string[] = [
  // For access logs: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-logging.html
  'logs:DeleteLogDelivery',
  'logs:GetLogDelivery',
  'logs:ListLogDeliveries',
  'logs:UpdateLogDelivery',
  // For outputs of another stack of the app:
  // https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference-getstackoutput.html
  'cloudformation:DescribeStacks',
  // For the version of the bootstrap: https://docs.aws.amazon.com/cdk/v2/guide/bootstrapping-env.html
  'ssm:GetParameters',
];

const arn = (service: string, resource: string, place = 'REGION:ACCOUNT'): string =>
  `arn:aws:${service}:${place}:${resource}`;
const STACK = 'Parley-STAGE';

/** In this order: an action belongs to the first grant that matches it. */
const GRANTS: readonly Grant[] = [
  {
    // https://docs.aws.amazon.com/service-authorization/latest/reference/reference_policies_actions-resources-contextkeys.html
    sid: 'IamCannotLimit',
    file: 'functions',
    actions:
      /^ec2:Describe|^events:(Put|Remove)Permission$|^lambda:CreateEventSourceMapping$|^logs:(\w+QueryDefinitions?|\w+ResourcePolic(y|ies)|\w+LogDeliver(y|ies)|DescribeLogGroups)$|^codedeploy:StopDeployment$|^cloudwatch:DescribeAlarms$/,
    resources: ['*'],
  },
  {
    sid: 'IamCannotLimit',
    file: 'data',
    actions: /^kms:(CreateKey|ListAliases)$|^secretsmanager:GetRandomPassword$/,
    resources: ['*'],
  },
  {
    sid: 'Functions',
    file: 'functions',
    actions: /^lambda:/,
    resources: [arn('lambda', `function:${STACK}-*`), arn('lambda', 'event-source-mapping:*')],
  },
  {
    sid: 'Rollouts',
    file: 'functions',
    actions: /^codedeploy:/,
    resources: [
      arn('codedeploy', `application:${STACK}-*`),
      arn('codedeploy', `deploymentgroup:${STACK}-*/*`),
      arn('codedeploy', 'deploymentconfig:*'),
    ],
  },
  {
    sid: 'ServiceRoles',
    file: 'functions',
    actions: /^iam:CreateServiceLinkedRole$/,
    resources: [arn('iam', 'role/aws-service-role/*', ':ACCOUNT')],
  },
  { sid: 'Roles', file: 'functions', actions: /^iam:/, resources: [arn('iam', `role/${STACK}-*`, ':ACCOUNT')] },
  { sid: 'Apis', file: 'functions', actions: /^apigateway:/, resources: [arn('apigateway', '/*', 'REGION:')] },
  {
    sid: 'Alarms',
    file: 'functions',
    actions: /^cloudwatch:/,
    resources: [arn('cloudwatch', `alarm:${STACK}-*`), arn('cloudwatch', 'dashboard/*', ':ACCOUNT')],
  },
  {
    sid: 'Logs',
    file: 'functions',
    actions: /^logs:/,
    resources: [arn('logs', `log-group:${STACK}-*`), arn('logs', `log-group:/aws/vendedlogs/${STACK}/*`)],
  },
  {
    sid: 'Network',
    file: 'functions',
    actions: /^ec2:/,
    resources: [arn('ec2', 'security-group/*'), arn('ec2', 'vpc/*')],
  },
  {
    sid: 'Code',
    file: 'functions',
    actions: /^s3:/,
    resources: ['arn:aws:s3:::cdk-hnb659fds-assets-ACCOUNT-REGION/*'],
  },
  { sid: 'Bootstrap', file: 'functions', actions: /^ssm:/, resources: [arn('ssm', 'parameter/cdk-bootstrap/*')] },
  { sid: 'Table', file: 'data', actions: /^dynamodb:/, resources: [arn('dynamodb', `table/${STACK}-*`)] },
  { sid: 'Queues', file: 'data', actions: /^sqs:/, resources: [arn('sqs', `${STACK}-*`)] },
  {
    sid: 'Events',
    file: 'data',
    actions: /^events:/,
    resources: [
      arn('events', `event-bus/${STACK}`),
      arn('events', `rule/${STACK}-*`),
      arn('events', `rule/*/${STACK}-*`),
      arn('events', 'connection/*'),
      arn('events', 'api-destination/*'),
    ],
  },
  {
    sid: 'Schedules',
    file: 'data',
    actions: /^scheduler:/,
    resources: [
      arn('scheduler', `schedule-group/${STACK}`),
      // Who deletes a group deletes its schedules.
      arn('scheduler', `schedule/${STACK}/*`),
      arn('scheduler', `schedule/default/${STACK}-*`),
    ],
  },
  {
    sid: 'Secrets',
    file: 'data',
    actions: /^secretsmanager:/,
    resources: ['Publisher*', 'Receiver*', 'Sender*', 'events!connection/*'].map((name) =>
      arn('secretsmanager', `secret:${name}`),
    ),
  },
  { sid: 'Outputs', file: 'data', actions: /^cloudformation:/, resources: [arn('cloudformation', 'stack/*')] },
  { sid: 'Keys', file: 'data', actions: /^kms:/, resources: [arn('kms', 'key/*')] },
];

/** Returns the policies that let CloudFormation deploy a stage, by the name of their file. */
export const deployPolicies = ({ read, write }: NeededActions): Readonly<Record<string, object>> => {
  const isUnused = (action: string) => UNUSED.some(([, actions]) => actions.test(action));
  const actions = uniqueActions([...read, ...write.filter((action) => !isUnused(action)), ...OTHERS]);
  const granted = actions.map((action) => ({ action, grant: GRANTS.find((one) => one.actions.test(action)) }));
  const without = granted.filter(({ grant }) => grant === undefined).map(({ action }) => action);
  if (without.length > 0) throw new Error(`Add ${without.join(', ')} to a grant of deploy-policies.ts.`);
  const policyOf = (file: Grant['file']) => ({
    Version: '2012-10-17',
    Statement: GRANTS.filter((one) => one.file === file).map((one) => ({
      Sid: one.sid,
      Effect: 'Allow',
      Action: granted.flatMap(({ action, grant }) => (grant === one ? [action] : [])),
      Resource: one.resources,
    })),
  });
  return { functions: policyOf('functions'), data: policyOf('data') };
};

/**
 * Returns the actions, sorted and without those that differ only in upper and lower case, which IAM does not distinguish.
 *
 * Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_action.html
 */
const uniqueActions = (actions: readonly string[]): readonly string[] => {
  const sorted = actions.toSorted();
  const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
  return sorted.filter((action, index) => sorted.findIndex((other) => isSame(action, other)) === index);
};
