import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { SQSClient } from '@aws-sdk/client-sqs';
import { ACCOUNT_ID, awsVariables, REGION } from '../aws-variables.ts';
import type { MovableClock } from '../clock/movable-clock.ts';
import type { Closers } from '../closers.ts';
import { createEventBuses, type EventBuses } from '../events/event-buses.ts';
import { createSchedules, type Schedules } from '../schedules/schedules.ts';
import { startDynamoDb } from './dynamodb.ts';
import { startEventBridge } from './event-bridge.ts';
import { startScheduler } from './scheduler.ts';
import { createSecretStore, type SecretStore } from './secret-store.ts';
import { startSecretsManager } from './secrets-manager.ts';
import { startSqs } from './sqs.ts';

/** The running stand-ins for AWS's services. */
export interface Emulators {
  readonly dynamodb: DynamoDBClient;
  readonly dynamodbStreams: DynamoDBStreamsClient;
  readonly sqs: SQSClient;
  readonly secrets: SecretStore;
  /** Puts the tables out of reach, or back. */
  readonly pauseTables: (paused: boolean) => void;
  readonly buses: EventBuses;
  readonly schedules: Schedules;
  /** The queues' base address, to which a queue's name is joined. */
  readonly queueBaseUrl: string;
  /** The variables with which any AWS SDK talks to them. */
  readonly env: Readonly<Record<string, string>>;
}

/** Starts every emulator side by side; all are closed with `closers`, also when one of them fails. */
export const startEmulators = async (
  folder: string,
  clock: MovableClock,
  closers: Closers,
  warn: (message: string) => void = () => undefined,
): Promise<Emulators> => {
  const secrets = createSecretStore((name) => `arn:aws:secretsmanager:${REGION}:${ACCOUNT_ID}:secret:${name}`);
  const buses = createEventBuses(clock.now, warn);
  const schedules = createSchedules(clock, warn);
  closers.add(schedules.close);
  const closing = async <Started extends { readonly close: () => Promise<void> }>(starting: Promise<Started>) => {
    const started = await starting;
    closers.add(started.close);
    return started;
  };
  const starting = [
    closing(startDynamoDb(folder)),
    closing(startSqs()),
    closing(startSecretsManager(secrets)),
    closing(startEventBridge(buses)),
  ] as const;
  await Promise.allSettled(starting);
  const [tables, queues, secretsManager, eventBridge] = await Promise.all(starting);
  clock.onMove(queues.setClock);

  const client = { region: REGION, credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };
  const dynamodb = new DynamoDBClient({ ...client, endpoint: tables.url });
  const sqs = new SQSClient({ ...client, endpoint: queues.url });
  const dynamodbStreams = new DynamoDBStreamsClient({ ...client, endpoint: tables.url });
  closers.add(() => {
    dynamodb.destroy();
    dynamodbStreams.destroy();
    sqs.destroy();
  });
  const scheduler = await closing(startScheduler({ schedules, now: clock.now, sqs }));
  return {
    dynamodb,
    dynamodbStreams,
    sqs,
    secrets,
    pauseTables: tables.pause,
    buses,
    schedules,
    queueBaseUrl: `${queues.url}/${ACCOUNT_ID}`,
    env: awsVariables({
      dynamodb: tables.url,
      sqs: queues.url,
      secretsManager: secretsManager.url,
      eventBridge: eventBridge.url,
      scheduler: scheduler.url,
    }),
  };
};
