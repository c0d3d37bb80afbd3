import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import {
  CloudFormationClient,
  DeleteStackCommand,
  DescribeStacksCommand,
  paginateDescribeStackEvents,
  paginateDescribeStacks,
  paginateListStackResources,
  UpdateTerminationProtectionCommand,
} from '@aws-sdk/client-cloudformation';
import { AWS_CALL } from '../cli/operations/aws-call.ts';
import { awsEndpoint } from '../cli/operations/aws-endpoint.ts';
import { callAws, getFromAws } from '../cli/operations/call-aws.ts';
import { readCaller } from '../cli/operations/caller-identity.ts';
import type { SigningCredentials } from '../cli/operations/signed-fetch.ts';
import { SmokeError } from './smoke-options.ts';

export interface StackResource {
  readonly logicalId: string;
  readonly type: string;
  readonly id: string;
  /** Such as `CREATE_COMPLETE`. */
  readonly status: string;
  /** Why it failed. */
  readonly reason: string;
}

export interface StackState {
  readonly stackId: string;
  readonly status: string;
  readonly isProtected: boolean;
}

/** What a smoke test does in an account, besides what an operator of the stage does. */
export interface AwsAccount {
  readonly account: string;
  readonly region: string;
  readonly credentials: () => Promise<SigningCredentials>;
  /** @throws SmokeError with the end of its output if it fails */
  runCdk(args: readonly string[]): Promise<void>;
  findStack(name: string): Promise<StackState | undefined>;
  /** The names of the stacks that are not deleted. */
  stackNames(): Promise<readonly string[]>;
  /** The resources of a stack. Those of a deleted stack are found by its ID. */
  resources(stack: string): Promise<readonly StackResource[]>;
  /** What could not be created, and why. */
  failures(stack: string): Promise<readonly StackResource[]>;
  setProtection(name: string, isProtected: boolean): Promise<void>;
  /** Deletes a stack, and waits until it is deleted. @throws SmokeError if it cannot be */
  deleteStack(name: string): Promise<void>;
  /** Calls an operation of AWS's JSON protocol. */
  call(service: string, operation: string, input: object): Promise<unknown>;
  /** Gets a resource of an AWS service with a REST API. */
  get(service: string, path: string): Promise<unknown>;
}

/** Opens the account of the AWS credentials. @throws SmokeError if it is not the named one */
export const openAccount = async (named: { account: string; region: string | undefined }): Promise<AwsAccount> => {
  const cloudFormation = new CloudFormationClient({ ...AWS_CALL, region: named.region });
  const region = await cloudFormation.config.region();
  const credentials = () => cloudFormation.config.credentials();
  const { account } = await readCaller({ region, credentials });
  if (account !== named.account) {
    throw new SmokeError(`The AWS credentials belong to the account ${account}, but --account is ${named.account}.`);
  }
  const apiOf = (service: string) => {
    const variable = `AWS_ENDPOINT_URL_${service.toUpperCase()}`;
    return { service, url: awsEndpoint(service, variable, region), region, credentials };
  };
  return {
    account,
    region,
    credentials,
    runCdk: (args) => runCdk(args, region),
    findStack: (name) => findStack(cloudFormation, name),
    stackNames: () => readStackNames(cloudFormation),
    resources: (stack) => readResources(cloudFormation, stack),
    failures: (stack) => readFailures(cloudFormation, stack),
    async setProtection(StackName, EnableTerminationProtection) {
      await cloudFormation.send(new UpdateTerminationProtectionCommand({ StackName, EnableTerminationProtection }));
    },
    deleteStack: (name) => deleteStack(cloudFormation, name),
    call: (service, operation, input) => callAws(apiOf(service), operation, input),
    get: (service, path) => getFromAws(apiOf(service), path),
  };
};

const findStack = async (client: CloudFormationClient, StackName: string): Promise<StackState | undefined> => {
  try {
    const { Stacks: [stack] = [] } = await client.send(new DescribeStacksCommand({ StackName }));
    return (
      stack && {
        stackId: stack.StackId ?? StackName,
        status: stack.StackStatus ?? 'unknown',
        isProtected: stack.EnableTerminationProtection ?? false,
      }
    );
  } catch (error) {
    if (error instanceof Error && error.message.includes('does not exist')) return undefined;
    throw error;
  }
};

const readStackNames = async (client: CloudFormationClient): Promise<readonly string[]> => {
  const names: string[] = [];
  for await (const { Stacks = [] } of paginateDescribeStacks({ client }, {})) {
    names.push(...Stacks.map(({ StackName = '' }) => StackName));
  }
  return names;
};

const readResources = async (client: CloudFormationClient, StackName: string): Promise<readonly StackResource[]> => {
  const resources: StackResource[] = [];
  for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName })) {
    for (const one of StackResourceSummaries) {
      resources.push({
        logicalId: one.LogicalResourceId ?? '',
        type: one.ResourceType ?? '',
        id: one.PhysicalResourceId ?? '',
        status: one.ResourceStatus ?? '',
        reason: one.ResourceStatusReason ?? '',
      });
    }
  }
  return resources;
};

/** Without those that CloudFormation cancelled because of another failure. */
const readFailures = async (client: CloudFormationClient, StackName: string): Promise<readonly StackResource[]> => {
  const failures: StackResource[] = [];
  for await (const { StackEvents = [] } of paginateDescribeStackEvents({ client }, { StackName })) {
    for (const event of StackEvents) {
      const { LogicalResourceId = '', ResourceStatus = '', ResourceStatusReason: reason = '' } = event;
      if (ResourceStatus !== 'CREATE_FAILED' || /cancelled/i.test(reason)) continue;
      const { ResourceType: type = '', PhysicalResourceId: id = '' } = event;
      failures.push({ logicalId: LogicalResourceId, type, id, status: ResourceStatus, reason });
    }
  }
  return failures;
};

/** Removing the network interfaces of functions in a VPC can take most of this time. */
const DELETION_MS = 60 * 60_000;
const POLL_MS = 5_000;

/** A deletion has ended if the stack no longer exists, or is in a state that does not end by itself. */
const deleteStack = async (client: CloudFormationClient, name: string): Promise<void> => {
  await client.send(new DeleteStackCommand({ StackName: name }));
  const deadline = performance.now() + DELETION_MS;
  for (;;) {
    const stack = await findStack(client, name);
    if (stack === undefined || stack.status === 'DELETE_COMPLETE') return;
    if (stack.status === 'DELETE_FAILED' || performance.now() > deadline) {
      const resources = await readResources(client, name);
      const reasons = resources.filter(({ status }) => status === 'DELETE_FAILED').map(describeResource);
      throw new SmokeError(`The stack ${name} was not deleted: ${[stack.status, ...reasons].join('; ')}.`);
    }
    await pause(POLL_MS);
  }
};

export const describeResource = ({ type, id, logicalId, reason }: StackResource): string =>
  `${type} ${id || logicalId}${reason === '' ? '' : ` (${reason})`}`;

const SHOWN_LINES = 20;

const runCdk = async (args: readonly string[], region: string): Promise<void> => {
  const cdk = spawn('npx', ['cdk', ...args, '--progress', 'events'], {
    env: { ...process.env, AWS_REGION: region, AWS_DEFAULT_REGION: region },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [cdk.stdout, cdk.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => cdk.once('close', resolve).once('error', reject));
  if (code === 0) return;
  const end = output.trimEnd().split('\n').slice(-SHOWN_LINES).join('\n');
  throw new SmokeError(`cdk ${args[0]} exited with code ${code}:\n${end}`);
};
