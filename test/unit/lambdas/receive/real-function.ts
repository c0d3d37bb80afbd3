import { randomUUID } from 'node:crypto';
import { CreateQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context, SQSEvent } from 'aws-lambda';
import { vi } from 'vitest';
import type { TIME_BUDGET } from '../../../../lambdas/receive/time-budget.ts';
import { createSecretStore, startSecretsManager } from '../../../../local/emulators/secrets-manager.ts';
import { startSqs } from '../../../../local/emulators/sqs/sqs.ts';
import { RETENTION_DAYS } from '../../../support/builders.ts';
import { type CountingProxy, startCountingProxy } from '../../../support/counting-proxy.ts';
import type { Item } from '../../../support/emulated-table.ts';
import { connectToTestTables } from '../../../support/test-tables.ts';

/** The function `receive`, wired by its own entry with the environment that the stack sets, on the emulators. */
export interface RealFunction {
  /** In front of the table. */
  readonly table: CountingProxy;
  /** In front of the queues. */
  readonly queues: CountingProxy;
  /** Loads the entry again, like a cold start, with a table and queues of its own. */
  start(
    auth: Record<string, unknown>,
    environment?: Record<string, string>,
    budget?: Partial<typeof TIME_BUDGET>,
  ): Promise<void>;
  post(event: Partial<APIGatewayProxyEventV2>): Promise<APIGatewayProxyStructuredResultV2>;
  /** Passes the messages of the inbound queue to the function. Returns how many are to be retried. */
  drain(): Promise<number>;
  putSecret(text: string): void;
  items(): Promise<Record<string, Item>>;
  /** Takes the messages from the inbound dead-letter queue. */
  quarantined(): Promise<readonly Record<string, unknown>[]>;
  /** Everything logged since the start. */
  readonly log: string[];
  close(): Promise<void>;
}

const TIME_BUDGET_MODULE = '../../../../lambdas/receive/time-budget.ts';
/** What a test is not about must not depend on how busy the machine is; the time budget has tests of its own. */
const PATIENT = {
  TIME_BUDGET: { verification: 20_000, table: 20_000, queue: 20_000, drain: 20_000, start: 0 },
  SDK_TIMEOUTS: { connectionTimeout: 20_000, requestTimeout: 20_000, throwOnRequestTimeout: true },
};

const CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };

export const startRealFunction = async (): Promise<RealFunction> => {
  const secrets = createSecretStore((name) => `arn:aws:secretsmanager:local:000000000000:secret:${name}`);
  const tables = connectToTestTables();
  const [queuesEmulator, secretsManager] = await Promise.all([startSqs(), startSecretsManager(secrets)]);
  const [table, queues] = await Promise.all([startCountingProxy(tables.url), startCountingProxy(queuesEmulator.url)]);
  const sqs = new SQSClient({ region: 'local', endpoint: queuesEmulator.url, credentials: CREDENTIALS });
  const secretId = secrets.create('webhook', 'not yet set');
  const log: string[] = [];
  const capture = (chunk: unknown) => log.push(String(chunk)) > 0;
  const spies = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write').mockImplementation(capture));
  let tableName = '';
  let inboundUrl = '';
  let deadLettersUrl = '';
  let handler: (event: APIGatewayProxyEventV2 | SQSEvent, context: Context) => Promise<unknown>;
  // The handler and its middlewares read nothing that is missing here.
  const context = { getRemainingTimeInMillis: () => 600_000 } as Context;

  const createQueue = async () => {
    const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: randomUUID() }));
    return `${queues.url}${new URL(QueueUrl).pathname}`;
  };
  const take = async (url: string) => {
    const QueueUrl = url.replace(queues.url, queuesEmulator.url);
    const command = new ReceiveMessageCommand({
      QueueUrl,
      MaxNumberOfMessages: 10,
      MessageSystemAttributeNames: ['All'],
    });
    return (await sqs.send(command)).Messages ?? [];
  };

  return {
    table,
    queues,
    log,
    async start(auth, environment = {}, budget = {}) {
      tableName = await tables.createTable();
      [inboundUrl, deadLettersUrl] = [await createQueue(), await createQueue()];
      const variables = {
        AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
        AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
        AWS_REGION: 'local',
        AWS_ENDPOINT_URL_DYNAMODB: table.url,
        AWS_ENDPOINT_URL_SQS: queues.url,
        AWS_ENDPOINT_URL_SECRETS_MANAGER: secretsManager.url,
        POWERTOOLS_SERVICE_NAME: 'receive',
        POWERTOOLS_METRICS_NAMESPACE: 'Parley-test',
        TABLE_NAME: tableName,
        INBOUND_QUEUE_URL: inboundUrl,
        INBOUND_DEAD_LETTER_QUEUE_URL: deadLettersUrl,
        WEBHOOK_AUTH: JSON.stringify(auth),
        WEBHOOK_SECRET_ID: secretId,
        WINDOW_PER: 'user',
        CHAT_PLATFORM: 'chat',
        CHAT_CHANNEL_NUMBER: '+5491100000000',
        RETENTION_DAYS: JSON.stringify(RETENTION_DAYS),
        ...environment,
      };
      for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
      vi.resetModules();
      vi.doMock(TIME_BUDGET_MODULE, () => ({ ...PATIENT, TIME_BUDGET: { ...PATIENT.TIME_BUDGET, ...budget } }));
      ({ handler } = await import('../../../../lambdas/receive/entry.ts'));
      table.calls.length = 0;
      queues.calls.length = 0;
      log.length = 0;
    },
    async post(event) {
      const full = { headers: {}, isBase64Encoded: false, ...event };
      // The handler reads nothing else of its event.
      return (await handler(full as APIGatewayProxyEventV2, context)) as APIGatewayProxyStructuredResultV2;
    },
    async drain() {
      const messages = await take(inboundUrl);
      const records = messages.map((message) => ({
        messageId: message.MessageId,
        body: message.Body,
        receiptHandle: message.ReceiptHandle,
        attributes: message.Attributes,
      }));
      const response = await handler({ Records: records } as SQSEvent, context);
      return (response as { batchItemFailures: unknown[] }).batchItemFailures.length;
    },
    putSecret(text) {
      const secret = secrets.find(secretId);
      if (secret) secrets.put(secret, text);
    },
    items: () => tables.items(tableName),
    quarantined: async () => (await take(deadLettersUrl)).map(({ Body = '' }) => JSON.parse(Body)),
    async close() {
      vi.doUnmock(TIME_BUDGET_MODULE);
      // Test files share their modules, and some of these have the patient time budget.
      vi.resetModules();
      for (const spy of spies) spy.mockRestore();
      vi.unstubAllEnvs();
      sqs.destroy();
      await Promise.all([table.close(), queues.close(), secretsManager.close()]);
      await Promise.all([tables.close(), queuesEmulator.close()]);
    },
  };
};
