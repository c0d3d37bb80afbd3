import { type Stack, Token } from 'aws-cdk-lib';
import type { DomainMappingOptions } from 'aws-cdk-lib/aws-apigatewayv2';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { IGNORED_METADATA, LOCAL_RUN_CONTEXT } from '../settings/check-production.ts';
import { SettingsError } from '../settings/settings-faults.ts';
import { type NetworkProps, networkIn } from './network.ts';

/** What a stack uses instead of creating its own. docs/existing-resources.md lists the requirements. */
export interface ExistingResources extends NetworkProps {
  /**
   * A table in the stack's account and region, with its stream, that no other stage uses.
   *
   * @default a new table
   */
  readonly table?: ITable;
  /**
   * The event bus, in the stack's account and region, that receives Parley's events.
   *
   * @default a new event bus, named after the stack
   */
  readonly eventBus?: IEventBus;
  /**
   * A key in the stack's region that encrypts what the setting `customerManagedKey` would encrypt.
   *
   * @default a new key with `customerManagedKey`; otherwise keys that the services own
   */
  readonly encryptionKey?: IKey;
  /**
   * The domain name, and optionally the path, at which the webhook is served instead of the URL that API Gateway generates.
   *
   * @default the generated URL
   */
  readonly domainMapping?: DomainMappingOptions;
  /**
   * Which functions to connect to `vpc`: `all`, or only the `callers` of the chat service, `send` and `manage`. The
   * callers are enough for a chat service that accepts calls only from fixed IP addresses.
   *
   * @default all
   */
  readonly vpcFunctions?: 'all' | 'callers';
}

/** Apps in JavaScript can pass any other value. */
const VPC_FUNCTIONS: readonly string[] = ['all', 'callers'];

/**
 * Returns the existing resources among a stack's properties: none in the local run, which has nothing of an account.
 *
 * @throws SettingsError for a resource of another account or region, two keys for the same data, and other `vpcFunctions`.
 */
export function existingResources(
  stack: Stack,
  { customerManagedKey }: { readonly customerManagedKey: boolean },
  { table, eventBus, encryptionKey, domainMapping, streamsEndpointUrl, vpcFunctions, ...network }: ExistingResources,
): ExistingResources {
  const existing = {
    table,
    eventBus,
    encryptionKey,
    domainMapping,
    ...networkIn(network),
    streamsEndpointUrl,
    vpcFunctions,
  };
  if (stack.node.tryGetContext(LOCAL_RUN_CONTEXT) === true) {
    const ignored = Object.entries(existing).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    if (ignored.length > 0) stack.addMetadata(IGNORED_METADATA, ignored);
    return {};
  }
  if (vpcFunctions !== undefined && !VPC_FUNCTIONS.includes(vpcFunctions)) {
    throw new SettingsError(
      `${stack.node.path}.vpcFunctions: got ${JSON.stringify(vpcFunctions)}, expected "all" or "callers".`,
    );
  }
  checkPlace(stack, 'table', table?.tableArn);
  checkPlace(stack, 'eventBus', eventBus?.eventBusArn);
  checkPlace(stack, 'encryptionKey', encryptionKey?.keyArn, 'region');
  if (customerManagedKey && encryptionKey) {
    throw new SettingsError(
      `${stack.node.path}.customerManagedKey: got true, expected false with the property encryptionKey.`,
    );
  }
  return existing;
}

/**
 * Rejects a resource of another account or region, as far as both are known at synth. The functions call DynamoDB and
 * EventBridge in their own, by the resource's name alone.
 *
 * @param only Which of the two must be the stack's. @default both
 * @throws SettingsError that names the property or setting
 */
export function checkPlace(
  stack: Stack,
  property: string,
  arn: string | undefined,
  ...only: readonly ('region' | 'account')[]
): void {
  if (arn === undefined || Token.isUnresolved(arn)) return;
  const [, , , region, account] = arn.split(':');
  const found = { region, account };
  for (const part of only.length > 0 ? only : (['region', 'account'] as const)) {
    if (Token.isUnresolved(stack[part]) || found[part] === stack[part]) continue;
    throw new SettingsError(
      `${stack.node.path}.${property}: got ${JSON.stringify(arn)}, expected one in the stack's ${part} ${stack[part]}.`,
    );
  }
}
