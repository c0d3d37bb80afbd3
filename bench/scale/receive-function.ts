import { fileURLToPath } from 'node:url';
import { writeBundle } from '../../lib/constructs/bundled-code.ts';
import { RETENTION_DAYS } from '../../test/support/builders.ts';
import { AUDIENCE, SERVICE_ACCOUNT } from '../../test/support/issuer.ts';
import { startWarmFunction, type WarmFunction } from '../functions/warm-function.ts';

export interface ReceiveFunctionSettings {
  /** A folder for the bundle. */
  readonly folder: string;
  readonly tableUrl: string;
  readonly tableName: string;
  readonly jwksUrl: string;
}

const TIMEOUT_MS = 10_000;

/** Starts the function `receive`, bundled as it is deployed. */
export const startReceiveFunction = (settings: ReceiveFunctionSettings): WarmFunction => {
  const { folder, tableUrl, tableName, jwksUrl } = settings;
  writeBundle(fileURLToPath(new URL('../../lambdas/receive/entry.ts', import.meta.url)), folder);
  const auth = { kind: 'pubsub-jwt', audience: AUDIENCE, serviceAccountEmail: SERVICE_ACCOUNT, jwksUrl };
  const environment = {
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_REGION: 'us-east-1',
    AWS_ENDPOINT_URL_DYNAMODB: tableUrl,
    // No event of this measurement may need a secret or a queue.
    AWS_ENDPOINT_URL_SECRETS_MANAGER: 'http://127.0.0.1:9',
    POWERTOOLS_SERVICE_NAME: 'receive',
    POWERTOOLS_METRICS_NAMESPACE: 'Parley-bench',
    TABLE_NAME: tableName,

    INBOUND_QUEUE_URL: 'http://127.0.0.1:9/inbound',
    INBOUND_DEAD_LETTER_QUEUE_URL: 'http://127.0.0.1:9/dead-letters',
    WEBHOOK_AUTH: JSON.stringify(auth),
    WINDOW_PER: 'user',
    CHAT_PLATFORM: 'chat',
    RETENTION_DAYS: JSON.stringify(RETENTION_DAYS),
  };
  return startWarmFunction(folder, environment, TIMEOUT_MS);
};
