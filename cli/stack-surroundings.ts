import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { z } from 'zod';
import { CliError } from './cli-error.ts';
import { EXIT } from './exit-codes.ts';
import { ADDRESSES, type Surroundings } from './surroundings.ts';

const addresses = z.record(z.enum(ADDRESSES), z.string());

/** A deployed stack, found by its outputs with the usual credentials of the AWS SDK. */
export const stackSurroundings = async (stackName: string, region: string | undefined): Promise<Surroundings> => {
  const cloudFormation = new CloudFormationClient({ region });
  const resolvedRegion = await regionOf(cloudFormation);
  const place = `the stack ${stackName} in ${resolvedRegion}`;
  const outputs = await outputsOf(cloudFormation, stackName, resolvedRegion);
  const found = Object.fromEntries(ADDRESSES.map((name) => [name, outputs.get(outputName(name))]));
  const missing = ADDRESSES.filter((name) => found[name] === undefined).map(outputName);
  if (missing.length > 0) {
    throw new CliError(
      EXIT.noAccess,
      `${place} has no output ${missing.join(', ')}; deploy this version of Parley there.`,
    );
  }
  const { credentials } = cloudFormation.config;
  return {
    place,
    isLocal: false,
    region: resolvedRegion,
    addresses: addresses.parse(found),
    credentials: () => credentials(),
    sqs: new SQSClient({ region: resolvedRegion, credentials }),
    secretsManager: new SecretsManagerClient({ region: resolvedRegion, credentials }),
  };
};

const outputName = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

const regionOf = async (client: CloudFormationClient): Promise<string> => {
  try {
    return await client.config.region();
  } catch {
    throw new CliError(
      EXIT.noAccess,
      'No AWS region is set; give --region, or set AWS_REGION or the profile’s region.',
    );
  }
};

const outputsOf = async (
  client: CloudFormationClient,
  stackName: string,
  region: string,
): Promise<ReadonlyMap<string | undefined, string | undefined>> => {
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: stackName }));
    return new Map(Stacks[0]?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
  } catch (error) {
    if (!(error instanceof Error) || !error.message.includes('does not exist')) throw error;
    throw new CliError(
      EXIT.noAccess,
      `There is no stack ${stackName} in ${region}; deploy it, or name another with --stage, --stack or --region.`,
    );
  }
};
