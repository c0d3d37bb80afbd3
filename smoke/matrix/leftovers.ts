import { z } from 'zod';
import type { AwsAccount } from '../aws-account.ts';
import { describeAll, removeStack, removeTable, tableNames } from './remove-stack.ts';
import { isMatrixName } from './variants.ts';

/** What smoke tests left in an account, such as one that was killed. */
export interface Leftovers {
  readonly stacks: readonly string[];
  /** Tables whose stack no longer exists. */
  readonly tables: readonly string[];
  readonly queueUrls: readonly string[];
}

const queues = z.object({ QueueUrls: z.array(z.string()).default([]) });

export const findLeftovers = async (aws: AwsAccount): Promise<Leftovers> => {
  const stacks = (await aws.stackNames()).filter(isMatrixName);
  const ofNoStack = (name: string) => isMatrixName(name) && !stacks.some((stack) => name.startsWith(`${stack}-`));
  const listed = queues.parse(await aws.call('sqs', 'AmazonSQS.ListQueues', { QueueNamePrefix: 'parley-smoke-' }));
  return {
    stacks,
    tables: (await tableNames(aws)).filter(ofNoStack),
    queueUrls: listed.QueueUrls.filter((url) => isMatrixName(url.slice(url.lastIndexOf('/') + 1))),
  };
};

export const listLeftovers = ({ stacks, tables, queueUrls }: Leftovers): readonly string[] => [
  ...stacks.map((name) => `the stack ${name}`),
  ...tables.map((name) => `the table ${name}`),
  ...queueUrls.map((url) => `the queue ${url.slice(url.lastIndexOf('/') + 1)}`),
];

/** Deletes all of it. @returns what CloudFormation leaves of the stacks */
export const removeLeftovers = async (
  aws: AwsAccount,
  { stacks, tables, queueUrls }: Leftovers,
  print: (line: string) => void,
): Promise<readonly string[]> => {
  const left: string[] = [];
  for (const name of stacks) {
    const resources = await removeStack(aws, name);
    print(`The stack ${name} is deleted.`);
    if (resources.length > 0) left.push(describeAll(resources));
  }
  for (const name of tables) {
    await removeTable(aws, name);
    print(`The table ${name} is deleted.`);
  }
  for (const QueueUrl of queueUrls) {
    await aws.call('sqs', 'AmazonSQS.DeleteQueue', { QueueUrl });
    print(`The queue ${QueueUrl} is deleted.`);
  }
  return left;
};
