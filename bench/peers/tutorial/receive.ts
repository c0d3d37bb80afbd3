import { IdempotencyConfig } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { makeHandlerIdempotent } from '@aws-lambda-powertools/idempotency/middleware';
import { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { logMetrics } from '@aws-lambda-powertools/metrics/middleware';
import { Tracer } from '@aws-lambda-powertools/tracer';
import { captureLambdaHandler } from '@aws-lambda-powertools/tracer/middleware';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { z } from 'zod';
import { contactKey } from './contact-key.ts';
import { required } from './environment.ts';
import { verifyPush } from './verify-push.ts';

const logger = new Logger();
const metrics = new Metrics();
const tracer = new Tracer();
const client = tracer.captureAWSv3Client(new DynamoDBClient({}));
const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
const tableName = required('TABLE_NAME');
const retentionSeconds = Number(required('RETENTION_DAYS')) * 24 * 60 * 60;

const persistenceStore = new DynamoDBPersistenceLayer({
  tableName: required('IDEMPOTENCY_TABLE_NAME'),
  awsSdkV3Client: client,
});
const idempotency = new IdempotencyConfig({
  // A message and its statuses have the same id.
  eventKeyJmesPath: 'powertools_json(powertools_base64(powertools_json(body).message.data)).[_id_, STATUS]',
});

const pushSchema = z.object({ message: z.object({ data: z.string() }) });
const eventSchema = z.looseObject({
  _id_: z.string(),
  FROM: z.string().optional(),
  FROM_NAME: z.string().optional(),
  MESSAGE: z.string().optional(),
  IMAGES_URLS: z.array(z.string()).optional(),
  AUDIOS_URLS: z.array(z.string()).optional(),
  FILES_URLS: z.array(z.string()).optional(),
  CREATION_TIME: z.string(),
  STATUS: z.string().optional(),
});
type ChatEvent = z.infer<typeof eventSchema>;

const parseEvent = (body = ''): ChatEvent => {
  const { message } = pushSchema.parse(JSON.parse(body));
  return eventSchema.parse(JSON.parse(Buffer.from(message.data, 'base64').toString()));
};

const storeMessage = async (event: ChatEvent): Promise<void> => {
  const contact = contactKey(event.FROM ?? '');
  await documents.send(
    new PutCommand({
      TableName: tableName,
      Item: {
        pk: `MESSAGE#${event._id_}`,
        sk: 'MESSAGE',
        direction: 'inbound',
        contact,
        text: event.MESSAGE,
        images: event.IMAGES_URLS,
        audios: event.AUDIOS_URLS,
        files: event.FILES_URLS,
        createdAt: event.CREATION_TIME,
        body: JSON.stringify(event),
        expiresAt: Math.floor(Date.now() / 1000) + retentionSeconds,
      },
    }),
  );
  await documents.send(
    new UpdateCommand({
      TableName: tableName,
      Key: { pk: contact, sk: 'CONTACT' },
      UpdateExpression: 'SET lastInboundAt = :at, address = :address, #name = :name',
      ExpressionAttributeNames: { '#name': 'name' },
      ExpressionAttributeValues: { ':at': event.CREATION_TIME, ':address': event.FROM, ':name': event.FROM_NAME ?? '' },
    }),
  );
};

const storeStatus = async (event: ChatEvent, status: string): Promise<void> => {
  await documents.send(
    new UpdateCommand({
      TableName: tableName,
      Key: { pk: `MESSAGE#${event._id_}`, sk: 'MESSAGE' },
      UpdateExpression: 'SET #time = :at',
      ExpressionAttributeNames: { '#time': `${status.toLowerCase()}At` },
      ExpressionAttributeValues: { ':at': event.CREATION_TIME },
    }),
  );
};

const receive = async (request: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> => {
  const event = parseEvent(request.body);
  if (event.STATUS === undefined) await storeMessage(event);
  else await storeStatus(event, event.STATUS);
  logger.info('Event stored', { id: event._id_, status: event.STATUS });
  metrics.addMetric(event.STATUS === undefined ? 'MessageReceived' : 'StatusReceived', MetricUnit.Count, 1);
  return { statusCode: 200, body: JSON.stringify({ message: 'OK' }) };
};

export const handler = middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>()
  .use(captureLambdaHandler(tracer))
  .use(injectLambdaContext(logger))
  .use(logMetrics(metrics, { captureColdStartMetric: true }))
  .use(
    verifyPush({
      jwksUrl: required('JWKS_URL'),
      issuer: required('TOKEN_ISSUER'),
      audience: required('TOKEN_AUDIENCE'),
      email: required('TOKEN_EMAIL'),
    }),
  )
  .use(makeHandlerIdempotent({ persistenceStore, config: idempotency }))
  .handler(receive);
