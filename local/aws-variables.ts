/** The one account and region of a local run; the account is the one that the SQS emulator knows. */
export const ACCOUNT_ID = '000000000000';
/**
 * No region of AWS, so that nobody takes it for one; version 1 of the AWS CLI, besides, sends SQS calls in every region that
 * it knows to AWS itself, whatever AWS_ENDPOINT_URL_SQS says.
 */
export const REGION = 'local';

/** The run's one principal; the management API checks signatures made with them. */
export const CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };

/** Where the emulators listen. */
export interface EmulatorUrls {
  readonly dynamodb: string;
  readonly sqs: string;
  readonly secretsManager: string;
  readonly eventBridge: string;
  readonly scheduler: string;
}

/**
 * The variables with which any AWS SDK or the AWS CLI talks to the run.
 *
 * The general address answers for every service without a stand-in that it is not known here; without it a call would
 * leave the machine.
 *
 * Source: https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html
 */
export const awsVariables = ({
  dynamodb,
  sqs,
  secretsManager,
  eventBridge,
  scheduler,
}: EmulatorUrls): Readonly<Record<string, string>> => ({
  AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
  AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
  AWS_DEFAULT_REGION: REGION,
  AWS_REGION: REGION,
  AWS_ENDPOINT_URL: secretsManager,
  AWS_ENDPOINT_URL_DYNAMODB: dynamodb,
  AWS_ENDPOINT_URL_DYNAMODB_STREAMS: dynamodb,
  AWS_ENDPOINT_URL_EVENTBRIDGE: eventBridge,
  AWS_ENDPOINT_URL_SCHEDULER: scheduler,
  AWS_ENDPOINT_URL_SECRETS_MANAGER: secretsManager,
  AWS_ENDPOINT_URL_SQS: sqs,
});
