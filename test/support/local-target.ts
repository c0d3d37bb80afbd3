import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Target } from '../../cli/base/target.ts';
import { createMovableClock, type MovableClock } from '../../local/base/clock.ts';
import { listenLocally } from '../../local/base/listen-locally.ts';
import { type CloudWatch, startCloudWatch } from '../../local/emulators/cloudwatch/cloudwatch.ts';
import { createSecretStore, type SecretStore, startSecretsManager } from '../../local/emulators/secrets-manager.ts';
import { startSqs } from '../../local/emulators/sqs/sqs.ts';
import { runParley } from './run-parley.ts';

/** Answers a call to the management API: the status and the body. */
export type AnswerCall = (
  method: string,
  path: string,
  sent: string,
) => Promise<readonly [status: number, body: unknown]>;

/** Answers as a stage without kept dead letters does. */
const noneKept: AnswerCall = async (method, path) => {
  if (path.startsWith('/v1/dead-letters?')) return [200, { deadLetters: [] }];
  if (path === '/v1/redrives')
    return [200, { moved: 0, deleted: 0, left: 0, isComplete: true, before: '2026-11-20T12:00:00.000Z' }];
  return method === 'POST' ? [200, {}] : [404, { code: 'DEAD_LETTER_NOT_FOUND', message: 'Not found.' }];
};

/** A target for `parley --local` that consists of queues and an access token, unless a test adds addresses. */
export interface LocalTarget extends AsyncDisposable {
  readonly sqs: SQSClient;
  readonly clock: MovableClock;
  readonly cloudWatch: CloudWatch;
  /** Contains the access token, as a deployment generates it. */
  readonly secrets: SecretStore;
  readonly folder: string;
  readonly addresses: Target['addresses'];
  /** Runs a command line. */
  readonly parley: (
    args: readonly string[],
    stop?: AbortSignal,
  ) => Promise<{ readonly code: number; readonly out: string; readonly err: string }>;
}

const QUEUES = {
  // A name as CloudFormation generates it, because the names of leftover queues are derived from it.
  sendQueueUrl: 'Parley-local-SenderSendQueueA1-B2.fifo',
  sendDeadLetterQueueUrl: 'send-dead.fifo',
  scheduleDeadLetterQueueUrl: 'schedules-dead',
  inboundQueueUrl: 'inbound',
  inboundDeadLetterQueueUrl: 'inbound-dead',
  erasureQueueUrl: 'erasures',
  erasureDeadLetterQueueUrl: 'erasures-dead',
  publishFailuresQueueUrl: 'publish-failures',
  undeliveredEventsQueueUrl: 'undelivered',
} as const;

/** Starts an SQS emulator with the stack's queues, and writes their addresses as the local run does. */
export const startLocalTarget = async (
  others: Partial<Record<keyof Target['addresses'], string>> = {},
  answer: AnswerCall = noneKept,
): Promise<LocalTarget> => {
  const clock = createMovableClock();
  const emulator = await startSqs({ clock, pollSecondMs: 50 });
  const management = await listenLocally(
    createServer(async (request, response) => {
      const [status, body] = await answer(request.method ?? '', request.url ?? '', await text(request));
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    }),
  );
  const cloudWatch = await startCloudWatch({ clock, queues: emulator.gauges });
  const secrets = createSecretStore((name) => `arn:aws:secretsmanager:us-east-1:000000000000:secret:${name}`);
  const accessTokenSecretId = secrets.create('token', 'generated');
  const secretsManager = await startSecretsManager(secrets);
  const folder = mkdtempDisposableSync(join(tmpdir(), 'parley-target-'));
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const sqs = new SQSClient({ region: 'us-east-1', credentials, endpoint: emulator.url });
  for (const QueueName of Object.values(QUEUES)) {
    const Attributes = QueueName.endsWith('.fifo') ? { FifoQueue: 'true', DeduplicationScope: 'messageGroup' } : {};
    await sqs.send(
      new CreateQueueCommand({ QueueName, Attributes: { ...Attributes, MessageRetentionPeriod: '1209600' } }),
    );
  }
  const urls = Object.entries(QUEUES).map(([name, queue]) => [name, `${emulator.url}/000000000000/${queue}`]);
  const addresses = {
    webhookUrl: 'http://127.0.0.1:9/webhook',
    managementUrl: management.url,
    accessTokenSecretId,
    tableName: 'table',
    ...Object.fromEntries(urls),
    ...others,
  };
  writeFileSync(
    join(folder.path, 'local.json'),
    JSON.stringify({
      ...addresses,
      env: {
        AWS_ACCESS_KEY_ID: 'local',
        AWS_SECRET_ACCESS_KEY: 'local',
        AWS_REGION: 'us-east-1',
        AWS_ENDPOINT_URL_CLOUDWATCH: cloudWatch.url,
        AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:9',
        AWS_ENDPOINT_URL_SCHEDULER: 'http://127.0.0.1:9',
        AWS_ENDPOINT_URL_SQS: emulator.url,
        AWS_ENDPOINT_URL_SECRETS_MANAGER: secretsManager.url,
      },
    }),
  );
  return {
    sqs,
    clock,
    cloudWatch,
    secrets,
    folder: folder.path,
    addresses,
    parley: (args, stop) => runParley(args, { stateFolder: folder.path, stop }),
    async [Symbol.asyncDispose]() {
      sqs.destroy();
      await emulator.close();
      await cloudWatch.close();
      await secretsManager.close();
      await management.close();
      folder.remove();
    },
  };
};
