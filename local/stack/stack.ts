import { ACCOUNT_ID, CREDENTIALS, REGION } from '../base/aws-environment.ts';
import type { MovableClock } from '../base/clock.ts';
import { unsupported } from '../base/local-error.ts';
import { ANY_PORTS, type LocalPorts } from '../base/local-ports.ts';
import {
  type HttpAnswer,
  type RestApiAnswer,
  recordHttpAnswer,
  recordRestApiAnswer,
} from '../emulators/cloudwatch/aws-metrics.ts';
import type { Emulators } from '../emulators/emulators.ts';
import { createApiDestinations } from '../emulators/event-targets.ts';
import { startMappings } from '../event-sources/event-source-mappings.ts';
import type { RunningMapping } from '../event-sources/queue-mapping.ts';
import { startRecurringSchedules } from '../event-sources/recurring-schedules.ts';
import type { FunctionAlias } from '../functions/alias.ts';
import type { FunctionPool } from '../functions/function-pool.ts';
import { type Functions, type LogSettings, startFunctions } from '../functions/functions.ts';
import { type HttpApi, startHttpApi } from '../http-api/http-api.ts';
import { type CloudServices, placeOf } from '../resources/resource-type.ts';
import { resourceTypes } from '../resources/resource-types.ts';
import { type RestApi, startRestApi } from '../rest-api/rest-api.ts';
import { type CreatedResource, conditionHolds, type ResolverContext, resolve } from '../template/resolver.ts';
import { creationOrder, type Template } from '../template/template.ts';
import type { Interposed } from './interposed.ts';

/** The ports of a stack's APIs. */
type ApiPorts = Pick<LocalPorts, 'webhook' | 'managementApi'>;

export interface StackSettings {
  readonly stackName: string;
  readonly template: Template;
  /** The folder that contains the synthesized assets. */
  readonly assetFolder: string;
  /** The run's folder, for copies of the functions' code. */
  readonly folder: string;
  readonly emulators: Emulators;
  readonly clock: MovableClock;
  readonly logs: LogSettings;
  /** Host names that requests to the webhook may be addressed to besides the loopback names. @default none */
  readonly allowedHosts?: readonly string[] | undefined;
  /** The path of the runtime client that each function's process runs. @default the local run's own */
  readonly runtimeClient?: string | undefined;
  /** The intermediaries between the parts. @default none */
  readonly interposed?: Interposed | undefined;
  readonly warn: (message: string) => void;
  /** The ports of the APIs. @default any free ports */
  readonly ports?: ApiPorts | undefined;
}

/** A running stack. Disposing of it stops its functions, HTTP APIs, and event source mappings. */
export interface RunningStack extends AsyncDisposable {
  /** The template's outputs, by key. */
  readonly outputs: Readonly<Record<string, string>>;
  /** The functions, by logical id. */
  readonly functions: ReadonlyMap<string, FunctionPool>;
  /** The functions' aliases, which a stage with gradual rollouts has. */
  readonly aliases: readonly FunctionAlias[];
}

/**
 * Creates the resources of a synthesized template, then starts its functions and event source mappings.
 *
 * @throws LocalError that names the logical id, type, and property of anything that is not supported.
 */
export const startStack = async (settings: StackSettings): Promise<RunningStack> => {
  const { template, emulators, clock, warn, ports = ANY_PORTS } = settings;
  const { metrics } = emulators.cloudWatch;
  await using stack = new AsyncDisposableStack();
  const resources = new Map<string, CreatedResource>();
  const localUrls = new Map<string, string>();
  const context: ResolverContext = {
    resources,
    localUrls,
    conditions: template.Conditions,
    pseudoParameters: pseudoParameters(settings.stackName),
  };
  let functions: Functions | undefined;

  const apis = new Map<string, HttpApi>();
  const restApis = new Map<string, RestApi>();
  const services: CloudServices = {
    ...emulators,
    apiDestinations: createApiDestinations(),
    assetFolder: settings.assetFolder,
    declared: { functions: [], aliases: [], queueMappings: [], streamMappings: [], recurringSchedules: [] },
    physicalName: (logicalId) => `${settings.stackName}-${logicalId}`,
    async openHttpApi(apiId, { logicalId, name }) {
      const functionOf = (arn: string) => functions?.find(arn)?.invoke;
      const { allowedHosts } = settings;
      const onAnswer = (answer: HttpAnswer) => recordHttpAnswer(metrics, answer);
      const port = apiPort(logicalId, ports);
      const context = { clock, credentials: CREDENTIALS, functionOf, allowedHosts, onAnswer, port };
      const api = stack.use(await startHttpApi(apiId, name, context));
      apis.set(apiId, api);
      localUrls.set(`https://${apiId}.execute-api.${REGION}.amazonaws.com`, api.url);
      return api;
    },
    httpApi: (apiId) => apis.get(apiId),
    async openRestApi(apiId, { logicalId, name }) {
      const { allowedHosts } = settings;
      const onAnswer = (answer: RestApiAnswer) => recordRestApiAnswer(metrics, answer);
      const port = apiPort(logicalId, ports);
      const api = stack.use(await startRestApi(name, { clock, allowedHosts, onAnswer, port }));
      restApis.set(apiId, api);
      localUrls.set(`https://${apiId}.execute-api.${REGION}.amazonaws.com`, api.url);
      return api;
    },
    restApi: (apiId) => restApis.get(apiId),
  };
  await createResources(template, context, resources, services);

  const mappings: RunningMapping[] = [];
  // Disposed of in reverse order: mappings stop reading batches, functions stop, and so do their last invocations. An
  // invocation can take minutes, so waiting for it before stopping the functions would delay the shutdown.
  stack.defer(async () => {
    await Promise.all(mappings.map(({ ended }) => ended));
  });
  const { folder, logs, interposed } = settings;
  const started = await startFunctions(services.declared.functions, {
    folder,
    awsEnvironment: emulators.env,
    clock,
    logs,
    metrics,
    aliases: services.declared.aliases,
    runtimeClient: settings.runtimeClient,
    interposed,
  });
  functions = stack.use(started);
  stack.defer(() => {
    for (const mapping of mappings) mapping.stop();
  });
  const sources = interposed?.mappings ?? emulators;
  mappings.push(...startMappings(services.declared, { functions, emulators: sources, clock, metrics, warn }));
  stack.defer(startRecurringSchedules(services.declared.recurringSchedules, { functions, clock, warn }));

  const outputs = resolveOutputs(template, context);
  const running = stack.move();
  return {
    outputs,
    functions: functions.byLogicalId,
    aliases: functions.aliases,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
};

/** Returns the port of an API. Its name says less than its logical ID: long ones end in a hash. */
export const apiPort = (logicalId: string, { webhook, managementApi }: ApiPorts): number =>
  logicalId.startsWith('Management') ? managementApi : webhook;

const pseudoParameters = (stackName: string): Record<string, string> => ({
  'AWS::AccountId': ACCOUNT_ID,
  'AWS::Partition': 'aws',
  'AWS::Region': REGION,
  'AWS::StackId': `arn:aws:cloudformation:${REGION}:${ACCOUNT_ID}:stack/${stackName}/local`,
  'AWS::StackName': stackName,
  'AWS::URLSuffix': 'amazonaws.com',
});

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
    const place = placeOf({ logicalId, type });
    if (Condition !== undefined && !conditionHolds({ Condition }, place, context)) continue;
    const resourceType = resourceTypes[type];
    if (!resourceType) throw unsupported(place, 'this resource type', 'local/resources');
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

const resolveOutputs = (template: Template, context: ResolverContext): Record<string, string> => {
  const outputs: Record<string, string> = {};
  for (const [key, { Value, Condition }] of Object.entries(template.Outputs)) {
    if (Condition !== undefined && !conditionHolds({ Condition }, key, context)) continue;
    outputs[key] = String(resolve(Value, `The output ${key}`, context));
  }
  return outputs;
};
