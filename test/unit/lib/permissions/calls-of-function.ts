import { fileURLToPath } from 'node:url';
import * as dynamodb from '@aws-sdk/client-dynamodb';
import * as streams from '@aws-sdk/client-dynamodb-streams';
import * as eventbridge from '@aws-sdk/client-eventbridge';
import * as scheduler from '@aws-sdk/client-scheduler';
import * as secretsManager from '@aws-sdk/client-secrets-manager';
import * as sqs from '@aws-sdk/client-sqs';
import { buildSync } from 'esbuild';
import type { ServiceName } from '../../../../lambdas/domain/metric-names.ts';
import { liveCode } from './live-code.ts';

const LAMBDAS = fileURLToPath(new URL('../../../../lambdas', import.meta.url));

/** Each service that functions call, by its prefix in IAM. */
const SERVICES: readonly (readonly [prefix: string, client: object])[] = [
  ['dynamodb', dynamodb],
  ['dynamodb', streams],
  ['events', eventbridge],
  ['scheduler', scheduler],
  ['secretsmanager', secretsManager],
  ['sqs', sqs],
];

/** Operations that IAM allows with another action. */
const ACTIONS: Readonly<Record<string, string>> = {
  // https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html
  'dynamodb:TransactWriteItems': 'dynamodb:UpdateItem',
  // https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-api-permissions-reference.html
  'sqs:ChangeMessageVisibilityBatch': 'sqs:ChangeMessageVisibility',
};

/**
 * Returns the IAM actions that a function's own code can need. It finds the operations of AWS's services in the code that
 * can run: the SDK's commands, and the names that Parley's own client sends.
 */
export const callsOfFunction = (name: ServiceName): readonly string[] => {
  const { outputFiles } = buildSync({
    entryPoints: [`${LAMBDAS}/${name}/entry.ts`],
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    write: false,
  });
  const { strings, created } = liveCode(outputFiles.map(({ text }) => text).join('\n'));
  const actions = SERVICES.flatMap(([prefix, client]) =>
    Object.keys(client)
      .filter((command) => command.endsWith('Command') && (created.has(command) || strings.has(operationOf(command))))
      .map((command) => `${prefix}:${operationOf(command)}`),
  );
  return [...new Set(actions.map((action) => ACTIONS[action] ?? action))].toSorted();
};

const operationOf = (command: string): string => command.replace(/Command$/, '');
