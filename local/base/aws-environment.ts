/** The account of the local cloud, which is also the account of the SQS emulator. */
export const ACCOUNT_ID = '000000000000';

/**
 * The region of the local cloud. No AWS region has this name, so it cannot be mistaken for a deployed one. Also, in
 * every region that it knows, version 1 of the AWS CLI ignores `AWS_ENDPOINT_URL_SQS` and calls AWS.
 */
export const REGION = 'local';

/** The credentials of the only principal. The management API verifies signatures with them. */
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
  readonly cloudWatch: string;
}

/**
 * Returns the environment variables that point any AWS SDK or the AWS CLI at the emulators.
 *
 * `AWS_ENDPOINT_URL` applies to services without an emulator, whose calls the Secrets Manager emulator rejects.
 * Otherwise, those calls would go to AWS.
 *
 * Source: https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html
 */
export const awsEnvironment = (urls: EmulatorUrls): Readonly<Record<string, string>> => ({
  AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
  AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
  AWS_DEFAULT_REGION: REGION,
  AWS_REGION: REGION,
  AWS_ENDPOINT_URL: urls.secretsManager,
  AWS_ENDPOINT_URL_CLOUDWATCH: urls.cloudWatch,
  AWS_ENDPOINT_URL_DYNAMODB: urls.dynamodb,
  AWS_ENDPOINT_URL_DYNAMODB_STREAMS: urls.dynamodb,
  AWS_ENDPOINT_URL_EVENTBRIDGE: urls.eventBridge,
  AWS_ENDPOINT_URL_SCHEDULER: urls.scheduler,
  AWS_ENDPOINT_URL_SECRETS_MANAGER: urls.secretsManager,
  AWS_ENDPOINT_URL_SQS: urls.sqs,
});
