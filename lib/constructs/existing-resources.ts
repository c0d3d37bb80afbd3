import { type Stack, Token } from 'aws-cdk-lib';
import { type ITable, Table } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus, type IEventBus } from 'aws-cdk-lib/aws-events';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { LOCAL_RUN_CONTEXT } from '../settings/check-production.ts';
import type { ExistingResources } from '../settings/existing-resources.ts';
import { SettingsError } from '../settings/settings-faults.ts';

/** The settings that name what exists already. */
interface Settings {
  readonly existing: ExistingResources;
}

/**
 * Returns the stage's existing table. Undefined if the stack creates one, as it does in the local run, which has none
 * of an account's tables.
 */
export function existingTable(stack: Stack, { existing }: Settings): ITable | undefined {
  const { tableArn, tableStreamArn, tableKeyArn } = existing;
  if (tableArn === undefined || isLocalRun(stack)) return undefined;
  checkPlace(stack, 'existing.tableArn', tableArn);
  const encryptionKey = tableKeyArn === undefined ? undefined : Key.fromKeyArn(stack, 'ExistingTableKey', tableKeyArn);
  return Table.fromTableAttributes(stack, 'ExistingTable', { tableArn, tableStreamArn, encryptionKey });
}

/** Returns the stage's existing event bus. Undefined if the stack creates one, as it does in the local run. */
export function existingEventBus(stack: Stack, { existing: { eventBusArn } }: Settings): IEventBus | undefined {
  if (eventBusArn === undefined || isLocalRun(stack)) return undefined;
  checkPlace(stack, 'existing.eventBusArn', eventBusArn);
  return EventBus.fromEventBusArn(stack, 'ExistingEventBus', eventBusArn);
}

/** Returns the stage's existing key. Undefined if the stack creates one or uses none. */
export function existingKey(stack: Stack, { existing: { keyArn } }: Settings): IKey | undefined {
  if (keyArn === undefined) return undefined;
  checkPlace(stack, 'existing.keyArn', keyArn, 'region');
  return Key.fromKeyArn(stack, 'ExistingKey', keyArn);
}

const isLocalRun = (stack: Stack): boolean => stack.node.tryGetContext(LOCAL_RUN_CONTEXT) === true;

/**
 * Rejects a resource of another account or region, as far as the stack's own are known at synth. API Gateway uses only
 * certificates of its own, and the functions call DynamoDB and EventBridge in theirs, by the resource's name alone.
 */
export function checkPlace(
  stack: Stack,
  setting: string,
  arn: string,
  ...only: readonly ('region' | 'account')[]
): void {
  const [, , , region, account] = arn.split(':');
  const found = { region, account };
  for (const part of only.length > 0 ? only : (['region', 'account'] as const)) {
    if (Token.isUnresolved(stack[part]) || found[part] === stack[part]) continue;
    throw new SettingsError(
      `${stack.node.path}.${setting}: got ${JSON.stringify(arn)}, expected one in the stack's ${part} ${stack[part]}.`,
    );
  }
}
