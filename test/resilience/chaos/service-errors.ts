import type { PartName } from './parts.ts';

/** An HTTP response of a service. */
export interface ServiceAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const json = (status: number, body: object, headers: Readonly<Record<string, string>> = {}): ServiceAnswer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

/**
 * An error of an AWS API with a JSON protocol.
 * Source: https://smithy.io/2.0/aws/protocols/aws-json-1_1-protocol.html, "Operation error serialization"
 */
const aws = (status: number, code: string, headers: Readonly<Record<string, string>> = {}): ServiceAnswer =>
  json(status, { __type: code, message: 'Injected by the chaos run.' }, { 'x-amzn-errortype': code, ...headers });

const DYNAMODB = 'com.amazonaws.dynamodb.v20120810#';
const PLAIN = { 'content-type': 'text/plain' };

/** The throttling error and the server error of each part, in its own format. */
export const SERVICE_ERRORS: Readonly<
  Record<PartName, { readonly throttled: ServiceAnswer; readonly failed: ServiceAnswer }>
> = {
  dynamodb: {
    throttled: aws(400, `${DYNAMODB}ProvisionedThroughputExceededException`),
    failed: aws(500, `${DYNAMODB}InternalServerError`),
  },
  streamMappings: {
    throttled: aws(400, `${DYNAMODB}LimitExceededException`),
    failed: aws(500, `${DYNAMODB}InternalServerError`),
  },
  // Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html, "Errors"
  sqs: {
    throttled: aws(400, 'com.amazonaws.sqs#RequestThrottled', { 'x-amzn-query-error': 'RequestThrottled;Sender' }),
    failed: aws(503, 'ServiceUnavailable', { 'x-amzn-query-error': 'ServiceUnavailable;Receiver' }),
  },
  queueMappings: {
    throttled: aws(400, 'com.amazonaws.sqs#RequestThrottled', { 'x-amzn-query-error': 'RequestThrottled;Sender' }),
    failed: aws(503, 'ServiceUnavailable', { 'x-amzn-query-error': 'ServiceUnavailable;Receiver' }),
  },
  // Source: https://docs.aws.amazon.com/eventbridge/latest/APIReference/CommonErrors.html
  eventBridge: { throttled: aws(400, 'ThrottlingException'), failed: aws(500, 'InternalException') },
  // Source: https://docs.aws.amazon.com/scheduler/latest/APIReference/API_CreateSchedule.html, "Errors"
  scheduler: { throttled: aws(429, 'ThrottlingException'), failed: aws(500, 'InternalServerException') },
  // Source: https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html, "Errors"
  secrets: { throttled: aws(400, 'ThrottlingException'), failed: aws(500, 'InternalServiceError') },
  signingKeys: {
    throttled: { status: 429, headers: PLAIN, body: 'Too Many Requests' },
    failed: { status: 503, headers: PLAIN, body: 'Service Unavailable' },
  },
  chatService: {
    throttled: { status: 429, headers: { ...PLAIN, 'retry-after': '1' }, body: 'Too Many Requests' },
    failed: { status: 502, headers: PLAIN, body: 'Bad Gateway' },
  },
  // The responses of API Gateway itself.
  webhook: {
    throttled: json(429, { message: 'Too Many Requests' }),
    failed: json(503, { message: 'Service Unavailable' }),
  },
};
