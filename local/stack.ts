import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { ACCOUNT_ID, CREDENTIALS, REGION } from './aws-variables.ts';
import type { MovableClock } from './clock/movable-clock.ts';
import type { Closers } from './closers.ts';
import type { Emulators } from './emulators/emulators.ts';
import {
  type EventSourceMappingDeclaration,
  type RunningMapping,
  startEventSourceMapping,
} from './event-source/event-source-mapping.ts';
import { type StreamMappingDeclaration, startStreamMapping } from './event-source/stream-mapping.ts';
import { createApiDestinations } from './events/api-destinations.ts';
import { type LogSettings, openFunctionLog } from './function-log.ts';
import { type HttpApi, startHttpApi } from './http-api/http-api.ts';
import { buildRuntimeClient } from './lambda/build-runtime-client.ts';
import type { FunctionDeclaration } from './lambda/function-declaration.ts';
import { createFunctionPool, type FunctionPool } from './lambda/function-pool.ts';
import { LocalError } from './local-error.ts';
import type { CloudServices } from './resources/cloud-services.ts';
import { resourceTypes } from './resources/resource-types.ts';
import { creationOrder } from './template/references.ts';
import { type CreatedResource, conditionHolds, type ResolverContext, resolve } from './template/resolver.ts';
import type { Template } from './template/template.ts';

/** What a stack is started with. */
export interface StackSettings {
  readonly stackName: string;
  readonly template: Template;
  /** The folder of the synthesized assets. */
  readonly assetFolder: string;
  /** A folder of the run, for copies of the functions' code. */
  readonly folder: string;
  readonly emulators: Emulators;
  readonly clock: MovableClock;
  readonly logs: LogSettings;
  readonly warn: (message: string) => void;
  readonly closers: Closers;
}

/** A stack that runs. */
export interface RunningStack {
  /** The template's outputs by their keys. */
  readonly outputs: Readonly<Record<string, string>>;
  /** The functions by their logical ids. */
  readonly functions: ReadonlyMap<string, FunctionPool>;
}

/** How many batches one mapping works on here at once: the functions behind the HTTP API must have processes left. */
const MAPPING_CONCURRENCY = 2;

/**
 * Makes what a synthesized template declares, then starts it: functions, HTTP APIs and event source mappings.
 *
 * @throws LocalError that names the logical id, its type and the property, for anything that is not known here.
 */
export const startStack = async (settings: StackSettings): Promise<RunningStack> => {
  const { template, stackName, emulators, clock, closers } = settings;
  const resources = new Map<string, CreatedResource>();
  const localAddresses = new Map<string, string>();
  const context: ResolverContext = {
    resources,
    localAddresses,
    conditions: template.Conditions,
    pseudoParameters: {
      'AWS::AccountId': ACCOUNT_ID,
      'AWS::Partition': 'aws',
      'AWS::Region': REGION,
      'AWS::StackId': `arn:aws:cloudformation:${REGION}:${ACCOUNT_ID}:stack/${stackName}/local`,
      'AWS::StackName': stackName,
      'AWS::URLSuffix': 'amazonaws.com',
    },
  };
  const functions = new Map<string, FunctionPool>();
  const declaredFunctions: FunctionDeclaration[] = [];
  const declaredMappings: EventSourceMappingDeclaration[] = [];
  const declaredStreamMappings: StreamMappingDeclaration[] = [];
  const apis = new Map<string, HttpApi>();
  const functionCalled = (nameOrArn: string): FunctionPool | undefined =>
    [...functions.values()].find(({ declaration }) => [declaration.arn, declaration.name].includes(nameOrArn));

  const services: CloudServices = {
    accountId: ACCOUNT_ID,
    region: REGION,
    ...emulators,
    apiDestinations: createApiDestinations(),
    assetFolder: settings.assetFolder,
    physicalName: (logicalId) => `${stackName}-${logicalId}`,
    arn: (service, resource) => `arn:aws:${service}:${REGION}:${ACCOUNT_ID}:${resource}`,
    declareFunction: (declaration) => {
      declaredFunctions.push(declaration);
    },
    declareEventSourceMapping: (declaration) => {
      declaredMappings.push(declaration);
    },
    declareStreamMapping: (declaration) => {
      declaredStreamMappings.push(declaration);
    },
    async openHttpApi(apiId, name) {
      const functionOf = (arn: string) => functionCalled(arn)?.invoke;
      const surroundings = { accountId: ACCOUNT_ID, region: REGION, clock, credentials: CREDENTIALS, functionOf };
      const api = await startHttpApi(apiId, name, surroundings);
      closers.add(api.close);
      apis.set(apiId, api);
      localAddresses.set(`https://${apiId}.execute-api.${REGION}.amazonaws.com`, api.url);
      return api;
    },
    httpApi: (apiId) => apis.get(apiId),
  };

  await createResources(template, context, resources, services);
  const runtimeClient = await buildRuntimeClient(settings.folder);
  for (const declaration of declaredFunctions) {
    const log = await openFunctionLog(declaration.name, settings.logs);
    closers.add(log.close);
    // Away from the repository, so that a module which the bundle forgot is as missing here as it is on Lambda.
    const taskRoot = join(settings.folder, 'functions', declaration.name);
    await cp(declaration.codeFolder, taskRoot, { recursive: true });
    const execution = { region: REGION, runtimeClient, awsVariables: emulators.env, clock };
    const pool = createFunctionPool(declaration, taskRoot, execution, log.stream);
    functions.set(declaration.logicalId, pool);
  }
  const mappings: RunningMapping[] = [];
  closers.add(async () => {
    for (const mapping of mappings) mapping.stop();
    // What a mapping handed over may take minutes, and nothing outlives the run: the functions' end is its end.
    await Promise.all([...functions.values()].map((pool) => pool.close()));
    await Promise.all(mappings.map(({ ended }) => ended));
  });
  for (const mapping of declaredMappings) {
    mappings.push(startMapping(mapping, consumerOf(mapping, functionCalled), settings));
  }

  for (const mapping of declaredStreamMappings) {
    const { invoke, declaration } = consumerOf(mapping, functionCalled);
    const queueUrl = (arn: string) => queueUrlOf(arn, emulators);
    mappings.push(
      startStreamMapping(mapping, {
        streams: emulators.dynamodbStreams,
        sqs: emulators.sqs,
        queueUrl,
        region: REGION,
        functionArn: declaration.arn,
        invoke,
        clock,
        warn: settings.warn,
      }),
    );
  }

  const outputs: Record<string, string> = {};
  for (const [key, output] of Object.entries(template.Outputs)) {
    if (output.Condition === undefined || conditionHolds({ Condition: output.Condition }, key, context)) {
      outputs[key] = String(resolve(output.Value, `The output ${key}`, context));
    }
  }
  return { outputs, functions };
};

const createResources = async (
  template: Template,
  context: ResolverContext,
  resources: Map<string, CreatedResource>,
  services: CloudServices,
): Promise<void> => {
  for (const logicalId of creationOrder(template.Resources)) {
    const declared = template.Resources[logicalId];
    if (!declared) continue;
    const { Type: type, Properties, Condition, Metadata: metadata } = declared;
    const place = `${logicalId} (${type})`;
    if (Condition !== undefined && !conditionHolds({ Condition }, place, context)) continue;
    const resourceType = resourceTypes[type];
    if (!resourceType) {
      throw new LocalError(`${place}: the local run does not know this resource type; teach it to local/resources.`);
    }
    const properties: Record<string, unknown> = {};
    if (resourceType.inert === undefined) {
      for (const [name, value] of Object.entries(Properties)) {
        const resolved = resolve(value, `${place}.${name}`, context);
        if (resolved !== undefined) properties[name] = resolved;
      }
    }
    resources.set(logicalId, await resourceType.create({ logicalId, type, properties, metadata }, services));
  }
};

const queueUrlOf = (arn: string, { queueBaseUrl }: Emulators): string => `${queueBaseUrl}/${arn.split(':').at(-1)}`;

const consumerOf = (
  { logicalId, functionNameOrArn }: { readonly logicalId: string; readonly functionNameOrArn: string },
  functionCalled: (nameOrArn: string) => FunctionPool | undefined,
): FunctionPool => {
  const consumer = functionCalled(functionNameOrArn);
  if (consumer) return consumer;
  throw new LocalError(
    `${logicalId} (AWS::Lambda::EventSourceMapping): FunctionName names ${functionNameOrArn}, which is no function of this run.`,
  );
};

const startMapping = (
  declaration: EventSourceMappingDeclaration,
  consumer: FunctionPool,
  { emulators, warn }: StackSettings,
): RunningMapping =>
  startEventSourceMapping(declaration, {
    sqs: emulators.sqs,
    queueUrl: queueUrlOf(declaration.queueArn, emulators),
    region: REGION,
    invoke: consumer.invoke,
    concurrency: Math.min(MAPPING_CONCURRENCY, declaration.maximumConcurrency ?? MAPPING_CONCURRENCY),
    warn,
  });
