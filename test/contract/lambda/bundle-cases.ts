import { serializeRequest } from '../../../lambdas/domain/serialized-request.ts';
import { wireMessage, wireStatus } from '../../support/builders.ts';
import {
  ALL_TYPES,
  EVENT_SOURCES,
  fifoQueueEvent,
  httpApiEvent,
  SCHEDULED_RULE_EVENT,
  scheduleEvent,
  signedHttpApiEvent,
  standardQueueEvent,
  streamEvent,
} from './documented-events.ts';

/** The header of the webhook's token in the stage that the cases run on. */
export const TOKEN_HEADER = 'x-webhook-token';

/** An event in a documented shape for a bundled function. */
export interface BundleCase {
  readonly name: string;
  readonly source: string;
  /** The start of the function's logical id. */
  readonly functionName: 'Receiver' | 'Sender' | 'Publisher' | 'Management';
  readonly event: (stage: CaseStage) => object;
  /** The parts of the result that matter, or the name of the error. */
  readonly expected: unknown;
}

/** The stage that the cases run on. */
export interface CaseStage {
  /** The webhook's token. */
  readonly token: string;
  /** The start of the cases, in milliseconds since the epoch. */
  readonly now: number;
}

const CONTACT = '+5491155550001';
/** The user of the main job, whose conversation window is open. */
const WRITING_USER = '+5491155550000';
const DAY_MS = 24 * 60 * 60 * 1000;
const { headers } = httpApiEvent();

const webhookRequest = (token: string, body: string | undefined, isBase64Encoded = false): object =>
  httpApiEvent({ headers: { ...headers, [TOKEN_HEADER]: token }, body, isBase64Encoded });

/** A message that is two days old, so that its conversation window is closed. */
const event = ({ now }: CaseStage, id: string, changes: Record<string, unknown> = {}): string =>
  JSON.stringify(wireMessage({ _id_: id, FROM: CONTACT, CREATION_TIME: timeAt(now - 2 * DAY_MS), ...changes }));

const timeAt = (ms: number): string => new Date(ms).toISOString();

/** A batch of messages that were just sent. */
const queuedNow = ({ now }: CaseStage, groupId: string, ...bodies: readonly string[]) => {
  const { Records } = fifoQueueEvent(groupId, ...bodies);
  return {
    Records: Records.map((record) => ({
      ...record,
      attributes: { ...record.attributes, SentTimestamp: String(now), ApproximateFirstReceiveTimestamp: String(now) },
    })),
  };
};

const deferred = ({ now }: CaseStage, body: string): string =>
  serializeRequest({ rawBody: Buffer.from(body), receivedAt: timeAt(now) }) ?? '';

const send = (requestId: string, changes: object = {}): string =>
  JSON.stringify({ requestId, platformContactId: CONTACT, messageText: 'On its way.', ...changes });

const management = (routeKey: string, changes: Parameters<typeof signedHttpApiEvent>[1] = {}) =>
  signedHttpApiEvent(routeKey, { queryStringParameters: undefined, pathParameters: undefined, ...changes });

const message = { pk: { S: 'MESSAGE#stream' }, sk: { S: 'MESSAGE' } };
const stored = {
  ...message,
  direction: { S: 'inbound' },
  contact: { S: 'CONTACT#chat#*#541155550001' },
  createdAt: { S: '2026-11-20T11:00:00.000Z' },
  body: { S: JSON.stringify(wireMessage({ _id_: 'stream' })) },
  expiresAt: { N: '1798110000' },
};
const NONE_FAILED = { batchItemFailures: [] };

/** What the bundled functions do with the events that AWS documents. */
export const BUNDLE_CASES: readonly BundleCase[] = [
  {
    name: 'the webhook: an authentic event',
    source: EVENT_SOURCES.httpApi,
    functionName: 'Receiver',
    event: (stage) => webhookRequest(stage.token, event(stage, 'text')),
    expected: { statusCode: 200 },
  },
  {
    name: 'the webhook: an authentic event in base64',
    source: EVENT_SOURCES.httpApi,
    functionName: 'Receiver',
    event: (stage) =>
      webhookRequest(stage.token, Buffer.from(event(stage, 'base64', { MESSAGE: 'ñ 🎉' })).toString('base64'), true),
    expected: { statusCode: 200 },
  },
  {
    name: 'the webhook: the same event again',
    source: EVENT_SOURCES.httpApi,
    functionName: 'Receiver',
    event: (stage) => webhookRequest(stage.token, event(stage, 'text')),
    expected: { statusCode: 200 },
  },
  {
    name: 'the webhook: a status',
    source: EVENT_SOURCES.httpApi,
    functionName: 'Receiver',
    event: ({ token, now }) =>
      webhookRequest(
        token,
        JSON.stringify(wireStatus({ _id_: 'text', FROM: CONTACT, CREATION_TIME: timeAt(now - DAY_MS) })),
      ),
    expected: { statusCode: 200 },
  },
  {
    name: 'the webhook: a token that is not valid',
    source: EVENT_SOURCES.httpApi,
    functionName: 'Receiver',
    event: (stage) => webhookRequest(`${stage.token}x`, event(stage, 'unauthenticated')),
    expected: { statusCode: 401 },
  },
  {
    name: 'the webhook: an authentic request that is not JSON is quarantined',
    source: EVENT_SOURCES.httpApi,
    functionName: 'Receiver',
    event: ({ token }) => webhookRequest(token, 'no JSON'),
    expected: { statusCode: 200 },
  },
  {
    name: 'the webhook: an authentic request without a body',
    source: EVENT_SOURCES.httpApi,
    functionName: 'Receiver',
    event: ({ token }) => webhookRequest(token, undefined),
    expected: { statusCode: 200 },
  },
  {
    name: 'the webhook: a request without additional headers',
    source: EVENT_SOURCES.httpApi,
    functionName: 'Receiver',
    event: () => httpApiEvent({ headers: {}, cookies: undefined, queryStringParameters: undefined }),
    expected: { statusCode: 401 },
  },
  {
    name: 'the inbound queue: deferred events',
    source: EVENT_SOURCES.sqs,
    functionName: 'Receiver',
    event: (stage) => standardQueueEvent(deferred(stage, event(stage, 'deferred')), deferred(stage, 'no JSON')),
    expected: NONE_FAILED,
  },
  {
    name: 'the inbound queue: a message that is not a request is quarantined',
    source: EVENT_SOURCES.sqs,
    functionName: 'Receiver',
    event: () => standardQueueEvent('no request'),
    expected: NONE_FAILED,
  },
  {
    name: 'the send queue: several requests of a message group, one of them malformed',
    source: EVENT_SOURCES.sqs,
    functionName: 'Sender',
    event: (stage) =>
      queuedNow(stage, CONTACT, send('fixture-1'), '{"requestId":', send('fixture-2', { videoURL: 'x' })),
    expected: NONE_FAILED,
  },
  {
    name: 'the send queue: a request whose notAfter has passed, delivered twice',
    source: EVENT_SOURCES.sqs,
    functionName: 'Sender',
    event: (stage) => {
      const expired = send('fixture-3', { notAfter: timeAt(stage.now - DAY_MS) });
      return queuedNow(stage, CONTACT, expired, expired);
    },
    expected: NONE_FAILED,
  },
  {
    name: 'the send queue: a request that the chat service accepts, delivered twice',
    source: EVENT_SOURCES.sqs,
    functionName: 'Sender',
    event: (stage) => {
      const accepted = send('fixture-4', { platformContactId: WRITING_USER });
      return queuedNow(stage, WRITING_USER, accepted, accepted);
    },
    expected: NONE_FAILED,
  },
  {
    name: 'the send queue: a request from the time of the documented example, which ends as expired',
    source: EVENT_SOURCES.sqs,
    functionName: 'Sender',
    event: () => fifoQueueEvent(CONTACT, send('fixture-5')),
    expected: NONE_FAILED,
  },
  {
    name: 'the stream: a new message, its expiry, and irrelevant items with every type of attribute',
    source: EVENT_SOURCES.stream,
    functionName: 'Publisher',
    event: () =>
      streamEvent(
        { after: stored },
        { before: stored, after: { ...stored, ...ALL_TYPES, readAt: { S: '2026-11-20T11:00:05.000Z' } } },
        { before: stored, isExpired: true },
        { after: { pk: { S: 'OTHER#1' }, sk: { S: 'OTHER' }, ...ALL_TYPES } },
      ),
    expected: NONE_FAILED,
  },
  {
    name: 'the stream: a record that cannot be read goes to the dead-letter queue',
    source: EVENT_SOURCES.stream,
    functionName: 'Publisher',
    event: () => streamEvent({ after: { ...stored, createdAt: { N: '1' } } }),
    expected: NONE_FAILED,
  },
  {
    name: 'the management API: reads a contact',
    source: EVENT_SOURCES.httpApi,
    functionName: 'Management',
    event: () =>
      management('GET /v1/contacts/{platformContactId+}', { pathParameters: { platformContactId: CONTACT } }),
    expected: { statusCode: 200 },
  },
  {
    name: 'the management API: a contact that does not exist',
    source: EVENT_SOURCES.httpApi,
    functionName: 'Management',
    event: () =>
      management('GET /v1/contacts/{platformContactId+}', { pathParameters: { platformContactId: '+5491155559999' } }),
    expected: { statusCode: 404 },
  },
  {
    name: 'the management API: a malformed body',
    source: EVENT_SOURCES.httpApi,
    functionName: 'Management',
    event: () => management('POST /v1/opt-ins', { body: '{' }),
    expected: { statusCode: 400 },
  },
  {
    name: 'the management API: an opt-in',
    source: EVENT_SOURCES.httpApi,
    functionName: 'Management',
    event: ({ now }) =>
      management('POST /v1/opt-ins', {
        body: Buffer.from(
          JSON.stringify({ platformContactId: CONTACT, at: timeAt(now - DAY_MS), source: 'form' }),
        ).toString('base64'),
        isBase64Encoded: true,
      }),
    expected: { statusCode: 200 },
  },
  {
    name: 'the management API: a route that the function does not have',
    source: EVENT_SOURCES.httpApi,
    functionName: 'Management',
    event: () => management('GET /v1/no-such-route'),
    expected: { statusCode: 500 },
  },
  {
    name: 'the daily schedule: keeps dead letters',
    source: EVENT_SOURCES.schedule,
    functionName: 'Management',
    event: () => scheduleEvent({ keepDeadLetters: true }),
    expected: null,
  },
  {
    name: 'the daily schedule: the event of a rule, which the stack does not have, is an error',
    source: EVENT_SOURCES.scheduledRule,
    functionName: 'Management',
    event: () => ({ ...SCHEDULED_RULE_EVENT }),
    expected: { error: 'TypeError' },
  },
  {
    name: 'the erasure queue: a message that is not an erasure is retried until SQS moves it',
    source: EVENT_SOURCES.sqs,
    functionName: 'Management',
    event: () => standardQueueEvent('no erasure'),
    expected: { batchItemFailures: [{ itemIdentifier: '<id>' }] },
  },
  {
    name: 'the webhook: an event that no source sends fails the invocation',
    source: EVENT_SOURCES.httpApi,
    functionName: 'Receiver',
    event: () => ({ unknown: true }),
    expected: { error: 'InvocationFailedError' },
  },
];
