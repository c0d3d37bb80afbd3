import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ListScheduleGroupsCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { z } from 'zod';
import { AWS_CALL } from '../operations/aws-call.ts';
import { cloudWatchUrl } from '../operations/aws-endpoint.ts';
import type { SigningCredentials } from '../operations/signed-fetch.ts';
import { storesOfStack } from '../operations/stack-stores.ts';
import type { Stores } from '../operations/stores.ts';
import { CliError, EXIT } from './errors.ts';

/** Fields of `local.json`. Capitalized, they are outputs of the stack. */
const ADDRESSES = [
  'webhookUrl',
  'managementUrl',
  'sendQueueUrl',
  'sendDeadLetterQueueUrl',
  'scheduleDeadLetterQueueUrl',
  'inboundQueueUrl',
  'inboundDeadLetterQueueUrl',
  'accessTokenSecretId',
] as const;

/** Addresses that only some commands need. */
const OPTIONAL_ADDRESSES = [
  // Only with turns.
  'turnQueueUrl',
  // Only with a bulk queue.
  'bulkSendQueueUrl',
  'bulkSendDeadLetterQueueUrl',
  'erasureQueueUrl',
  'erasureDeadLetterQueueUrl',
  'publishFailuresQueueUrl',
  // Only with event targets.
  'undeliveredEventsQueueUrl',
  // Only if the stack uses resources that existed already.
  'existingTableArn',
  'existingEventBusArn',
  'existingKeyArn',
  // Only with a domain name, because the webhook's URL then has no ID.
  'webhookApiId',
  // Only with buffered ingress.
  'webhookIngress',
  // Only if the webhook is verified with a secret.
  'webhookSecretId',
  'webhookSecretKind',
  'webhookAuthHeader',
  // Only in the local run.
  'chatServiceUrl',
] as const;

const addresses = z.record(z.enum(ADDRESSES), z.string());
const optionalAddresses = z.partialRecord(z.enum(OPTIONAL_ADDRESSES), z.string());

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
  readonly addresses: Readonly<
    Record<(typeof ADDRESSES)[number], string> & Partial<Record<(typeof OPTIONAL_ADDRESSES)[number], string>>
  >;
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

const readOptional = (read: (address: string) => unknown) =>
  optionalAddresses.parse(
    Object.fromEntries(
      OPTIONAL_ADDRESSES.flatMap((name) => (read(name) === undefined ? [] : [[name, read(name)] as const])),
    ),
  );

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

const localState = z.looseObject({
  ...Object.fromEntries(ADDRESSES.map((name) => [name, z.string()])),
  tableName: z.string(),
  processId: z.number().optional(),
  eventsQueueUrl: z.string().optional(),
  env: z.object({
    AWS_ACCESS_KEY_ID: z.string(),
    AWS_SECRET_ACCESS_KEY: z.string(),
    AWS_REGION: z.string(),
    AWS_ENDPOINT_URL_CLOUDWATCH: z.string(),
    AWS_ENDPOINT_URL_DYNAMODB: z.string(),
    AWS_ENDPOINT_URL_SCHEDULER: z.string(),
    AWS_ENDPOINT_URL_SECRETS_MANAGER: z.string(),
    AWS_ENDPOINT_URL_SQS: z.string(),
  }),
});

const findLocalRun = async (stateFolder: string): Promise<Target> => {
  const file = join(stateFolder, 'local.json');
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) {
    throw new CliError(EXIT.noAccess, `${file} does not exist. Start the local run with npm start, or omit --local.`);
  }
  const state = parseLocalState(text, file);
  refuseStopped(state, file);
  const { env, tableName, eventsQueueUrl } = state;
  const credentials = { accessKeyId: env.AWS_ACCESS_KEY_ID, secretAccessKey: env.AWS_SECRET_ACCESS_KEY };
  const client = { ...AWS_CALL, region: env.AWS_REGION, credentials, maxAttempts: 2 };
  const sqs = new SQSClient({ ...client, endpoint: env.AWS_ENDPOINT_URL_SQS });
  return {
    name: 'the local run',
    id: 'local',
    isLocal: true,
    isProtected: false,
    cloudWatchUrl: env.AWS_ENDPOINT_URL_CLOUDWATCH,
    region: env.AWS_REGION,
    addresses: {
      ...addresses.parse(Object.fromEntries(ADDRESSES.map((name) => [name, Reflect.get(state, name)]))),
      ...readOptional((name) => Reflect.get(state, name)),
    },
    credentials: async () => credentials,
    sqs,
    secretsManager: new SecretsManagerClient({ ...client, endpoint: env.AWS_ENDPOINT_URL_SECRETS_MANAGER }),
    async stores() {
      const scheduler = new SchedulerClient({ ...client, endpoint: env.AWS_ENDPOINT_URL_SCHEDULER });
      const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({}));
      const { ScheduleGroups = [] } = await scheduler.send(new ListScheduleGroupsCommand({}));
      return {
        tables: [tableName],
        scheduleGroups: ScheduleGroups.map(({ Name = '' }) => Name),
        // Like a consumer's own queue, it is not part of the stage.
        queueUrls: QueueUrls.filter((url) => url !== eventsQueueUrl),
        logFolder: join(stateFolder, 'logs'),
        notSearched: [],
        dynamodb: new DynamoDBClient({ ...client, endpoint: env.AWS_ENDPOINT_URL_DYNAMODB }),
        scheduler,
        sqs,
      };
    },
  };
};

/** A run that was killed leaves its file behind. */
const refuseStopped = ({ processId }: z.output<typeof localState>, file: string): void => {
  try {
    if (processId !== undefined) process.kill(processId, 0);
  } catch (error) {
    // Otherwise, it is a process of another user.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) return;
    throw new CliError(EXIT.noAccess, `The local run in ${file} has stopped. Start it again with npm start.`);
  }
};

const parseLocalState = (text: string, file: string): z.output<typeof localState> => {
  try {
    return localState.parse(JSON.parse(text));
  } catch {
    throw new CliError(
      EXIT.noAccess,
      `${file} was written by another version of npm start. Stop the local run and start it again.`,
    );
  }
};
