import { fork } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeBundle } from '../../lib/constructs/bundled-code.ts';
import { RETENTION_DAYS } from '../../test/support/builders.ts';
import { AUDIENCE, SERVICE_ACCOUNT } from '../../test/support/issuer.ts';
import type { Batch, BatchResult } from './function-process.ts';

/** The function `receive`, bundled as it is deployed, in a process of its own. */
export interface ReceiveFunction extends AsyncDisposable {
  readonly handle: (batch: Batch) => Promise<BatchResult>;
}

export interface ReceiveFunctionSettings {
  /** A folder for the bundle. */
  readonly folder: string;
  readonly tableUrl: string;
  readonly tableName: string;
  readonly jwksUrl: string;
}

export const startReceiveFunction = async (settings: ReceiveFunctionSettings): Promise<ReceiveFunction> => {
  const { folder, tableUrl, tableName, jwksUrl } = settings;
  writeBundle(fileURLToPath(new URL('../../lambdas/receive/entry.ts', import.meta.url)), folder);
  const auth = { kind: 'pubsub-jwt', audience: AUDIENCE, serviceAccountEmail: SERVICE_ACCOUNT, jwksUrl };
  const child = fork(fileURLToPath(new URL('./function-process.ts', import.meta.url)), [join(folder, 'index.js')], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_REGION: 'us-east-1',
      AWS_ENDPOINT_URL_DYNAMODB: tableUrl,
      POWERTOOLS_SERVICE_NAME: 'receive',
      POWERTOOLS_METRICS_NAMESPACE: 'Parley-bench',
      TABLE_NAME: tableName,
      // No event of this measurement may need a queue.
      INBOUND_QUEUE_URL: 'http://127.0.0.1:9/inbound',
      INBOUND_DEAD_LETTER_QUEUE_URL: 'http://127.0.0.1:9/dead-letters',
      WEBHOOK_AUTH: JSON.stringify(auth),
      WINDOW_PER: 'user',
      CHAT_PLATFORM: 'chat',
      RETENTION_DAYS: JSON.stringify(RETENTION_DAYS),
    },
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    handle: (batch) =>
      new Promise((resolve, reject) => {
        const fail = (): void => reject(new Error('The function ended.'));
        child.once('exit', fail).once('message', (result: BatchResult) => {
          child.off('exit', fail);
          resolve(result);
        });
        child.send(batch);
      }),
    async [Symbol.asyncDispose]() {
      child.kill();
      await exited;
    },
  };
};
