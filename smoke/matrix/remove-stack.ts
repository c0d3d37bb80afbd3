import { z } from 'zod';
import { type AwsAccount, describeResource, type StackResource } from '../aws-account.ts';
import { eventually, NotYet } from '../eventually.ts';
import type { SmokeHost } from '../play-smoke.ts';
import { SmokeError } from '../smoke-options.ts';
import { TABLE } from './variants.ts';

const PATIENCE_MS = 120_000;

/** Whether CloudFormation has left a resource of a deleted stack, such as one that outlives a production stage. */
export const isLeft = ({ status }: StackResource): boolean => status !== 'DELETE_COMPLETE';

/**
 * Deletes a stack, even a protected one, and the tables that it leaves. Returns what else it leaves.
 *
 * @throws SmokeError if the stack cannot be deleted
 */
export const removeStack = async (aws: AwsAccount, name: string): Promise<readonly StackResource[]> => {
  const stack = await aws.findStack(name);
  if (stack === undefined) return [];
  if (stack.isProtected) await aws.setProtection(name, false);
  await aws.deleteStack(name);
  const left = (await aws.resources(stack.stackId)).filter(isLeft);
  for (const { id } of left.filter(({ type }) => type === TABLE)) await removeTable(aws, id);
  return left.filter(({ type }) => type !== TABLE);
};

/**
 * Returns the last step of a part that deploys a stack of its own.
 *
 * @param deployed the account, once a deployment was tried
 */
export const removalOf = (
  title: string,
  stackName: string,
  deployed: () => AwsAccount | undefined,
): SmokeHost<never>['removal'] => ({
  title,
  later: undefined,
  async run() {
    const aws = deployed();
    if (aws === undefined) return 'nothing was deployed';
    const left = await removeStack(aws, stackName);
    if (left.length > 0) throw new SmokeError(`Left: ${describeAll(left)}.`);
    return stackName;
  },
});

/** Waits for a deployment that may fail. Returns the end of its output if it failed. */
export const failureOf = async (deployment: Promise<void>): Promise<string | undefined> => {
  try {
    await deployment;
    return undefined;
  } catch (error) {
    if (error instanceof SmokeError) return error.message;
    throw error;
  }
};

export const describeAll = (resources: readonly StackResource[]): string => resources.map(describeResource).join('; ');

const operation = (name: string): string => `DynamoDB_20120810.${name}`;

/** A table can be deleted a moment after its protection ended. Does nothing if there is no such table. */
export const removeTable = async (aws: AwsAccount, TableName: string): Promise<void> => {
  const change = async (name: string, input: object) => {
    try {
      await aws.call('dynamodb', operation(name), { TableName, ...input });
      return true;
    } catch (error) {
      if (error instanceof Error && error.name === 'ResourceNotFoundException') return true;
      if (error instanceof Error && error.name === 'ResourceInUseException') return new NotYet('it is in use');
      throw error;
    }
  };
  await change('UpdateTable', { DeletionProtectionEnabled: false });
  await eventually(`the table ${TableName} can be deleted`, PATIENCE_MS, () => change('DeleteTable', {}));
};

const tables = z.object({ TableNames: z.array(z.string()), LastEvaluatedTableName: z.string().optional() });

export const tableNames = async (aws: AwsAccount): Promise<readonly string[]> => {
  const names: string[] = [];
  for (let last: string | undefined, isFirst = true; isFirst || last !== undefined; isFirst = false) {
    const page = tables.parse(await aws.call('dynamodb', operation('ListTables'), { ExclusiveStartTableName: last }));
    names.push(...page.TableNames);
    last = page.LastEvaluatedTableName;
  }
  return names;
};
