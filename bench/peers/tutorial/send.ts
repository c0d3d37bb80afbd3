import { processPartialResponse, SqsFifoPartialProcessorAsync } from '@aws-lambda-powertools/batch';
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { logMetrics } from '@aws-lambda-powertools/metrics/middleware';
import { getSecret } from '@aws-lambda-powertools/parameters/secrets';
import { Tracer } from '@aws-lambda-powertools/tracer';
import { captureLambdaHandler } from '@aws-lambda-powertools/tracer/middleware';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import middy from '@middy/core';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { z } from 'zod';
import { contactKey } from './contact-key.ts';
import { required } from './environment.ts';
import { type SendRequest, sendRequestSchema } from './send-request.ts';

const logger = new Logger();
const metrics = new Metrics();
const tracer = new Tracer();
const client = tracer.captureAWSv3Client(new DynamoDBClient({}));
const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
const tableName = required('TABLE_NAME');
const retentionSeconds = Number(required('RETENTION_DAYS')) * 24 * 60 * 60;
const route = { chatPlatform: required('CHAT_PLATFORM'), chatChannelNumber: required('CHAT_CHANNEL_NUMBER') };
const WINDOW_MS = 24 * 60 * 60 * 1000;

const processor = new SqsFifoPartialProcessorAsync();
const persistenceStore = new DynamoDBPersistenceLayer({
  tableName: required('IDEMPOTENCY_TABLE_NAME'),
  awsSdkV3Client: client,
});
const idempotency = new IdempotencyConfig({ eventKeyJmesPath: 'powertools_json(body).requestId' });

const answerSchema = z.object({ id: z.string() });

const isWindowOpen = async (contact: string): Promise<boolean> => {
  const { Item } = await documents.send(
    new GetCommand({ TableName: tableName, Key: { pk: contact, sk: 'CONTACT' }, ConsistentRead: true }),
  );
  return Item !== undefined && Date.now() - Date.parse(Item.lastInboundAt) < WINDOW_MS;
};

const chooseCall = (request: SendRequest, windowOpen: boolean) => {
  const { platformContactId, messageText, ruleNameOrId, params } = request;
  const addressed = { ...route, platformContactId };
  if (windowOpen && messageText !== undefined) {
    return { endpoint: 'message/v3', body: { ...addressed, messageText } };
  }
  if (ruleNameOrId === undefined) return undefined;
  return { endpoint: 'intent/v2', body: { ...addressed, ruleNameOrId, params } };
};

/** @throws Error if the chat service does not accept the message, so that the queue message is retried. */
const callService = async (endpoint: string, body: unknown): Promise<string> => {
  const accessToken = await getSecret(required('ACCESS_TOKEN_SECRET_ID'));
  const response = await fetch(`${required('CHAT_SERVICE_URL')}/api/v1.0/${endpoint}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      'access-token': String(accessToken),
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`The chat service answered ${response.status}: ${await response.text()}`);
  return answerSchema.parse(await response.json()).id;
};

const storeSend = async (request: SendRequest, result: Record<string, unknown>): Promise<void> => {
  await documents.send(
    new PutCommand({
      TableName: tableName,
      Item: {
        pk: `SEND#${request.requestId}`,
        sk: 'SEND',
        platformContactId: request.platformContactId,
        ...result,
        body: JSON.stringify(request),
        createdAt: new Date().toISOString(),
        expiresAt: Math.floor(Date.now() / 1000) + retentionSeconds,
      },
    }),
  );
};

/** Updates the message, because its Delivered may already be stored. */
const storeMessage = async (request: SendRequest, contact: string, messageId: string): Promise<void> => {
  await documents.send(
    new UpdateCommand({
      TableName: tableName,
      Key: { pk: `MESSAGE#${messageId}`, sk: 'MESSAGE' },
      UpdateExpression:
        'SET direction = :direction, contact = :contact, #text = :text, requestId = :requestId, createdAt = :at, expiresAt = :expiresAt',
      ExpressionAttributeNames: { '#text': 'text' },
      ExpressionAttributeValues: {
        ':direction': 'outbound',
        ':contact': contact,
        ':text': request.messageText ?? '',
        ':requestId': request.requestId,
        ':at': new Date().toISOString(),
        ':expiresAt': Math.floor(Date.now() / 1000) + retentionSeconds,
      },
    }),
  );
};

const sendMessage = async ({ body }: SQSRecord): Promise<{ state: string }> => {
  const request = sendRequestSchema.parse(JSON.parse(body));
  const contact = contactKey(request.platformContactId);
  const call = chooseCall(request, await isWindowOpen(contact));
  if (call === undefined) {
    await storeSend(request, { state: 'refused', code: 'WINDOW_CLOSED' });
    logger.info('Send refused', { requestId: request.requestId });
    metrics.addMetric('SendRefused', MetricUnit.Count, 1);
    return { state: 'refused' };
  }
  const messageId = await callService(call.endpoint, call.body);
  await storeSend(request, { state: 'accepted', endpoint: call.endpoint, messageId });
  await storeMessage(request, contact, messageId);
  logger.info('Message sent', { requestId: request.requestId, endpoint: call.endpoint, messageId });
  metrics.addMetric('SendAccepted', MetricUnit.Count, 1);
  return { state: 'accepted' };
};

const processIdempotently = makeIdempotent(sendMessage, { persistenceStore, config: idempotency });

export const handler = middy<SQSEvent, SQSBatchResponse>()
  .use(captureLambdaHandler(tracer))
  .use(injectLambdaContext(logger))
  .use(logMetrics(metrics, { captureColdStartMetric: true }))
  .handler(async (event: SQSEvent, context: Context) => {
    idempotency.registerLambdaContext(context);
    return processPartialResponse(event, processIdempotently, processor, { context });
  });
