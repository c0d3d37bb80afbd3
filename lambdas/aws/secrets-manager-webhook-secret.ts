import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { WebhookSecret } from '../ports.ts';
import { withinBudget } from './within-budget.ts';

export interface SecretsManagerWebhookSecretOptions {
  readonly client: SecretsManagerClient;
  readonly secretId: string;
  /** What one reading may take, the SDK's own repetitions included. */
  readonly budgetMs: number;
}

/** Reads the webhook's secret. Its text stands in no log and no error. */
export const createSecretsManagerWebhookSecret = ({
  client,
  secretId,
  budgetMs,
}: SecretsManagerWebhookSecretOptions): WebhookSecret => ({
  async read() {
    const command = new GetSecretValueCommand({ SecretId: secretId });
    const { SecretString } = await withinBudget(budgetMs, (abortSignal) => client.send(command, { abortSignal }));
    return SecretString ?? '';
  },
});
