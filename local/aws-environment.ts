/** The account of the local cloud, which is the one that the SQS emulator uses. */
export const ACCOUNT_ID = '000000000000';

/**
 * The region of the local cloud. No AWS region has this name, for two reasons: nobody mistakes it for a deployed one, and
 * version 1 of the AWS CLI ignores `AWS_ENDPOINT_URL_SQS` in every region it knows and calls AWS itself.
 */
export const REGION = 'local';

/** The credentials of the only principal; the management API verifies signatures with them. */
export const CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };

/** Returns the ARN of a resource in the local account and region. */
export const arnOf = (service: string, resource: string): string =>
  `arn:aws:${service}:${REGION}:${ACCOUNT_ID}:${resource}`;

/** The emulators' base URLs. */
export interface EmulatorUrls {
  readonly dynamodb: string;
  readonly sqs: string;
  readonly secretsManager: string;
  readonly eventBridge: string;
  readonly scheduler: string;
}

/**
 * Returns the environment variables that point any AWS SDK or the AWS CLI at the emulators.
 *
 * Services without an emulator use `AWS_ENDPOINT_URL`, where the Secrets Manager emulator rejects their calls. Without it
 * they would call AWS.
 *
 * Source: https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html
 */
export const awsEnvironment = (urls: EmulatorUrls): Readonly<Record<string, string>> => ({
  AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
  AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
  AWS_DEFAULT_REGION: REGION,
  AWS_REGION: REGION,
  AWS_ENDPOINT_URL: urls.secretsManager,
  AWS_ENDPOINT_URL_DYNAMODB: urls.dynamodb,
  AWS_ENDPOINT_URL_DYNAMODB_STREAMS: urls.dynamodb,
  AWS_ENDPOINT_URL_EVENTBRIDGE: urls.eventBridge,
  AWS_ENDPOINT_URL_SCHEDULER: urls.scheduler,
  AWS_ENDPOINT_URL_SECRETS_MANAGER: urls.secretsManager,
  AWS_ENDPOINT_URL_SQS: urls.sqs,
});
