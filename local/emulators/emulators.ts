import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { SQSClient } from '@aws-sdk/client-sqs';
import { ACCOUNT_ID, arnOf, awsEnvironment, CREDENTIALS, REGION } from '../base/aws-environment.ts';
import type { MovableClock } from '../base/clock.ts';
import { ANY_PORTS, type LocalPorts } from '../base/local-ports.ts';
import { type CloudWatch, startCloudWatch } from './cloudwatch/cloudwatch.ts';
import { startDynamoDb } from './dynamodb.ts';
import { startEventBridge } from './event-bridge.ts';
import { createEventBuses, type EventBuses } from './event-buses.ts';
import { startScheduler } from './scheduler.ts';
import { createSchedules, type Schedules } from './schedules.ts';
import { createSecretStore, type SecretStore, startSecretsManager } from './secrets-manager.ts';
import { startSqs } from './sqs/sqs.ts';

/** The running emulators, with clients for them. */
export interface Emulators extends AsyncDisposable {
  readonly dynamodb: DynamoDBClient;
  readonly dynamodbStreams: DynamoDBStreamsClient;
  readonly sqs: SQSClient;
  readonly secrets: SecretStore;
  readonly buses: EventBuses;
  readonly schedules: Schedules;
  readonly cloudWatch: CloudWatch;
  /** The base URL of the queues, without a trailing slash. The rest of a queue's URL is its name. */
  readonly queueBaseUrl: string;
  /** The environment variables that point any AWS SDK at the emulators. */
  readonly env: Readonly<Record<string, string>>;
  /** Makes the tables unreachable, or reachable again. */
  readonly pauseTables: (paused: boolean) => void;
}

export interface EmulatorSettings {
  /** The folder for the DynamoDB emulator's database. */
  readonly folder: string;
  readonly clock: MovableClock;
  readonly warn: (message: string) => void;
  /** @default any free ports */
  readonly ports?: LocalPorts;
}

/** Starts all emulators. @throws LocalError if one does not start, after stopping the others. */
export const startEmulators = async ({
  folder,
  clock,
  warn,
  ports = ANY_PORTS,
}: EmulatorSettings): Promise<Emulators> => {
  await using stack = new AsyncDisposableStack();
  const secrets = createSecretStore((name) => arnOf('secretsmanager', `secret:${name}`));
  const buses = createEventBuses(clock.now, warn);
  const schedules = stack.use(createSchedules(clock, warn));

  const use = async <Started extends AsyncDisposable>(starting: Promise<Started>) => stack.use(await starting);
  const starting = [
    use(startDynamoDb(folder, process.env, ports.tables)),
    use(startSqs({ clock, port: ports.queues })),
    use(startSecretsManager(secrets, ports.secrets)),
    use(startEventBridge(buses, ports.eventBus)),
  ] as const;
  // Wait for all. Otherwise, an emulator that starts after another one has failed would never be stopped.
  await Promise.allSettled(starting);
  const [tables, queues, secretsManager, eventBridge] = await Promise.all(starting);

  const cloudWatch = await use(startCloudWatch({ clock, queues: queues.gauges, port: ports.cloudWatch }));

  const client = { region: REGION, credentials: CREDENTIALS };
  const adopt = <Client extends { destroy(): void }>(created: Client) => stack.adopt(created, (one) => one.destroy());
  const dynamodb = adopt(new DynamoDBClient({ ...client, endpoint: tables.url }));
  const dynamodbStreams = adopt(new DynamoDBStreamsClient({ ...client, endpoint: tables.url }));
  const sqs = adopt(new SQSClient({ ...client, endpoint: queues.url }));
  const scheduler = await use(startScheduler({ schedules, now: clock.now, sqs, port: ports.scheduler }));

  const resources = stack.move();
  return {
    dynamodb,
    dynamodbStreams,
    sqs,
    secrets,
    buses,
    schedules,
    cloudWatch,
    queueBaseUrl: `${queues.url}/${ACCOUNT_ID}`,
    env: awsEnvironment({
      dynamodb: tables.url,
      sqs: queues.url,
      secretsManager: secretsManager.url,
      eventBridge: eventBridge.url,
      scheduler: scheduler.url,
      cloudWatch: cloudWatch.url,
    }),
    pauseTables: tables.pause,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};
