import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ListScheduleGroupsCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { z } from 'zod';
import { AWS_CALL } from '../operations/aws-call.ts';
import { CliError, EXIT } from './errors.ts';
import { ADDRESSES, addresses, readOptional } from './target-addresses.ts';

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

/**
 * Finds the local run whose state is in a folder.
 *
 * @throws CliError when there is none, when it has stopped, and when another version wrote its file.
 */
export const findLocalRun = async (stateFolder: string) => {
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
