import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { SigningCredentials } from './operations/signed-fetch.ts';

/** Where things are, by the names of the stack's outputs and of the local run's state. */
export const ADDRESSES = [
  'webhookUrl',
  'managementUrl',
  'sendQueueUrl',
  'sendDeadLetterQueueUrl',
  'inboundQueueUrl',
  'inboundDeadLetterQueueUrl',
  'accessTokenSecretId',
] as const;

export type Addresses = Readonly<Record<(typeof ADDRESSES)[number], string>>;

/** Where the command acts. */
export interface Surroundings {
  /** For sentences: `the local run`, `the stack Parley-prod in eu-west-1`. */
  readonly place: string;
  readonly isLocal: boolean;
  readonly region: string;
  readonly addresses: Addresses;
  readonly credentials: () => Promise<SigningCredentials>;
  readonly sqs: SQSClient;
  readonly secretsManager: SecretsManagerClient;
}
