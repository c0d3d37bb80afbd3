import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { messageOf } from '../base/local-error.ts';
import { stringAttributes } from '../base/string-attributes.ts';

/** Delivers an event, given as JSON. Rejects with a {@link TargetError} if the target does not accept it. */
export type DeliverEvent = (event: string) => Promise<void>;

/** A rule's target did not accept an event. `code` is one of EventBridge's error codes. */
export class TargetError extends Error {
  override readonly name = 'TargetError';
  readonly code: 'CONNECTION_FAILURE' | 'ERROR_FROM_TARGET' | 'NO_RESOURCE' | 'TIMEOUT' | 'THROTTLING';

  constructor(code: TargetError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** EventBridge does not retry if the target does not exist. */
  get isRetried(): boolean {
    return this.code !== 'NO_RESOURCE';
  }
}

/** Why an event became a dead letter. */
export interface UndeliveredEvent {
  readonly error: unknown;
  readonly retries: number;
}

/** Sends an event, given as JSON, to a dead-letter queue. */
export type DeadLetterEvent = (event: string, why: UndeliveredEvent) => Promise<void>;

/** Returns a target that sends events to a queue. */
export const createQueueTarget =
  (sqs: SQSClient, queueUrl: string): DeliverEvent =>
  async (event) => {
    try {
      await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: event }));
    } catch (error) {
      const code = NO_QUEUE.test(error instanceof Error ? error.name : '') ? 'NO_RESOURCE' : 'ERROR_FROM_TARGET';
      throw new TargetError(code, messageOf(error), { cause: error });
    }
  };

const NO_QUEUE = /NonExistentQueue|QueueDoesNotExist/;

/**
 * Creates the function that sends events that a rule's target did not accept to its dead-letter queue.
 *
 * Source: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-dlq.html
 */
export const createEventDeadLetters =
  (sqs: SQSClient, queueUrl: string, { ruleArn, targetArn }: { ruleArn: string; targetArn: string }): DeadLetterEvent =>
  async (event, { error, retries }) => {
    const { code, isRetried } = error instanceof TargetError ? error : { code: 'UNKNOWN', isRetried: true };
    const MessageAttributes = stringAttributes({
      RULE_ARN: ruleArn,
      TARGET_ARN: targetArn,
      ERROR_CODE: code,
      ERROR_MESSAGE: messageOf(error),
      // Only if retries ended the delivery.
      ...(isRetried && { EXHAUSTED_RETRY_CONDITION: 'MaximumRetryAttempts' }),
      RETRY_ATTEMPTS: String(retries),
    });
    await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: event, MessageAttributes }));
  };

/** The URLs that rules send events to, with the API keys for the requests. */
export interface ApiDestinations {
  addConnection(arn: string, key: ApiKey): void;
  add(arn: string, destination: ApiDestination): void;
  /** Posts an event, given as JSON. Rejects if the response is not 2xx. */
  post(arn: string, event: string): Promise<void>;
}

interface ApiKey {
  readonly header: string;
  readonly value: string;
}

interface ApiDestination {
  readonly url: string;
  readonly connectionArn: string;
}

/** EventBridge's own timeout. */
const TIMEOUT_MS = 5_000;

/**
 * Posts events like EventBridge's API destinations.
 *
 * Source: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-api-destinations.html
 */
export const createApiDestinations = (): ApiDestinations => {
  const connections = new Map<string, ApiKey>();
  const destinations = new Map<string, ApiDestination>();
  return {
    addConnection(arn, key) {
      connections.set(arn, key);
    },
    add(arn, destination) {
      destinations.set(arn, destination);
    },
    async post(arn, event) {
      const destination = destinations.get(arn);
      const key = destination && connections.get(destination.connectionArn);
      if (!destination || !key) {
        throw new TargetError('NO_RESOURCE', `There is no API destination ${arn} in this run.`);
      }
      const response = await fetch(destination.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json; charset=utf-8', [key.header]: key.value },
        body: event,
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      }).catch((error: unknown) => {
        const isTimeout = error instanceof Error && error.name === 'TimeoutError';
        throw new TargetError(isTimeout ? 'TIMEOUT' : 'CONNECTION_FAILURE', messageOf(error), { cause: error });
      });
      await response.arrayBuffer();
      if (!response.ok) {
        const code = response.status === 429 ? 'THROTTLING' : 'ERROR_FROM_TARGET';
        throw new TargetError(code, `The API destination responded with ${response.status}.`);
      }
    },
  };
};
