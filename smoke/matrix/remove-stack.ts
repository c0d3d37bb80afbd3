import { z } from 'zod';
import { type AwsAccount, describeResource, type StackResource } from '../aws-account.ts';
import { eventually, NotYet } from '../eventually.ts';

const PATIENCE_MS = 120_000;
const TABLE = 'AWS::DynamoDB::Table';

/** Whether CloudFormation has left a resource of a deleted stack, such as one that outlives a production stage. */
const isLeft = ({ status }: StackResource): boolean => status !== 'DELETE_COMPLETE';

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
