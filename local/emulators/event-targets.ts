import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';

/** Delivers an event, given as JSON. Rejects if the target does not accept it. */
export type DeliverEvent = (event: string) => Promise<void>;

/** The maximum length of a dead letter's reason, in characters. */
const MAX_REASON_LENGTH = 500;

/**
 * Returns a target that sends events to a queue.
 *
 * @param reason Why the event is a dead letter, if the queue is a dead-letter queue.
 */
export const createQueueTarget =
  (sqs: SQSClient, queueUrl: string, reason?: string): DeliverEvent =>
  async (event) => {
    const ERROR_MESSAGE = { DataType: 'String', StringValue: reason?.slice(0, MAX_REASON_LENGTH) };
    const attributes = reason && { MessageAttributes: { ERROR_MESSAGE } };
    await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: event, ...attributes }));
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
      if (!destination || !key) throw new Error(`There is no API destination ${arn} in this run.`);
      const response = await fetch(destination.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json; charset=utf-8', [key.header]: key.value },
        body: event,
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`The API destination responded with ${response.status}.`);
    },
  };
};
