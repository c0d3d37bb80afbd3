import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { AWS_CALL } from '../operations/aws-call.ts';
import { cloudWatchUrl } from '../operations/aws-endpoint.ts';
import type { SigningCredentials } from '../operations/signed-fetch.ts';
import { storesOfStack } from '../operations/stack-stores.ts';
import type { Stores } from '../operations/stores.ts';
import { CliError, EXIT } from './errors.ts';
import { findLocalRun } from './local-run.ts';
import { ADDRESSES, addresses, readOptional, type TargetAddresses } from './target-addresses.ts';

/** What a command acts on: a deployed stack, or the local run. */
export interface Target {
  /** For messages, such as `stack Parley-prod in eu-west-1` or `the local run`. */
  readonly name: string;
  /** For file names, such as `Parley-prod.eu-west-1` or `local`. */
  readonly id: string;
  readonly isLocal: boolean;
  /** Whether the stack has termination protection, as those of production stages have. */
  readonly isProtected: boolean;
  /** What the names of the stack's alarms start with. Undefined in the local run, which has no others. */
  readonly alarmNamePrefix?: string;
  /** The namespace of the stack's metrics. Those of the local run cannot be read. */
  readonly metricsNamespace?: string;
  readonly cloudWatchUrl: string;
  readonly region: string;
  readonly addresses: TargetAddresses;
  readonly credentials: () => Promise<SigningCredentials>;
  readonly sqs: SQSClient;
  readonly secretsManager: SecretsManagerClient;
  /** Finds everything that keeps data. */
  readonly stores: () => Promise<Stores>;
}

export interface TargetOptions {
  readonly stage?: string;
  readonly stack?: string;
  readonly region?: string;
  readonly local?: boolean;
}

/** Returns the command with the options that select its target; the environment selects the same one again. */
export const withTarget = (command: string, { stage, stack, region, local }: TargetOptions): string =>
  [
    command,
    ...(local ? ['--local'] : []),
    ...Object.entries({ stage, stack, region }).flatMap(([name, value]) => (value ? [`--${name} ${value}`] : [])),
  ].join(' ');

/**
 * Finds the target that the options select.
 *
 * @param stateFolder Where the local run writes `local.json`.
 * @throws CliError when the options select none, or it does not exist.
 */
export const findTarget = (
  options: TargetOptions,
  environment: NodeJS.ProcessEnv,
  stateFolder: string,
): Promise<Target> => {
  if (options.local) return findLocalRun(stateFolder);
  const stage = options.stage ?? environment.PARLEY_STAGE;
  const stack = options.stack ?? (stage && `Parley-${stage}`);
  if (stack) return findStack(stack, options.region);
  throw new CliError(
    EXIT.usage,
    'No target. Use --stage <name> (or set PARLEY_STAGE) for a deployed stack, or --local for the local run.',
  );
};

const findStack = async (stackName: string, requestedRegion: string | undefined): Promise<Target> => {
  const cloudFormation = new CloudFormationClient({ ...AWS_CALL, region: requestedRegion });
  const region = await resolveRegion(cloudFormation);
  const name = `stack ${stackName} in ${region}`;
  const { outputs, isProtected } = await describeStack(cloudFormation, stackName, region);
  const found = Object.fromEntries(ADDRESSES.map((address) => [address, outputs.get(outputName(address))]));
  const missing = ADDRESSES.filter((address) => found[address] === undefined).map(outputName);
  if (missing.length > 0) {
    throw new CliError(
      EXIT.noAccess,
      `Missing outputs of ${name}: ${missing.join(', ')}. Deploy this version of Parley to it.`,
    );
  }
  const { credentials } = cloudFormation.config;
  const client = { ...AWS_CALL, region, credentials };
  const sqs = new SQSClient(client);
  return {
    name,
    id: `${stackName}.${region}`,
    isLocal: false,
    isProtected,
    // Not the stack's name alone, with which the names of other stacks can start.
    alarmNamePrefix: `${nameOf(stackName)}-Monitoring`,
    metricsNamespace: nameOf(stackName),
    cloudWatchUrl: cloudWatchUrl(region),
    region,
    addresses: {
      ...addresses.parse(found),
      ...readOptional((address) => outputs.get(outputName(address))),
    },
    credentials: () => credentials(),
    sqs,
    secretsManager: new SecretsManagerClient(client),
    stores: () =>
      storesOfStack(cloudFormation, stackName, {
        sqs,
        client: { region, credentials },
        existingTableArn: outputs.get('ExistingTableArn'),
      }),
  };
};

/** Returns the name of a stack that may be given by its ARN. */
const nameOf = (stack: string): string => stack.replace(/^arn:.*:stack\/([^/]+)\/.*$/, '$1');

const outputName = (address: string): string => address.charAt(0).toUpperCase() + address.slice(1);

const resolveRegion = async (client: CloudFormationClient): Promise<string> => {
  try {
    return await client.config.region();
  } catch {
    throw new CliError(
      EXIT.noAccess,
      'No AWS region set. Use --region, or set AWS_REGION or a region in your AWS profile.',
    );
  }
};

const describeStack = async (client: CloudFormationClient, stackName: string, region: string) => {
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: stackName }));
    const [stack] = Stacks;
    return {
      outputs: new Map(stack?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue])),
      isProtected: stack?.EnableTerminationProtection ?? false,
    };
  } catch (error) {
    if (!(error instanceof Error) || !error.message.includes('does not exist')) throw error;
    throw new CliError(
      EXIT.noAccess,
      `Stack ${stackName} does not exist in ${region}. Deploy it, or use another --stage, --stack, or --region.`,
    );
  }
};
