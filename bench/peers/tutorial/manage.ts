import { NotFoundError, Router } from '@aws-lambda-powertools/event-handler/http';
import { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { logMetrics } from '@aws-lambda-powertools/metrics/middleware';
import { Tracer } from '@aws-lambda-powertools/tracer';
import { captureLambdaHandler } from '@aws-lambda-powertools/tracer/middleware';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { contactKey } from './contact-key.ts';
import { required } from './environment.ts';
import { sendRequestSchema } from './send-request.ts';

/*
 * Three routes, where Parley has more than twenty. They do less than Parley's: no consents, no cursors, and a send's id is
 * not registered before it is queued. So a comparison favors them.
 */

const logger = new Logger();
const metrics = new Metrics();
const tracer = new Tracer();
const documents = DynamoDBDocumentClient.from(tracer.captureAWSv3Client(new DynamoDBClient({})));
const sqs = tracer.captureAWSv3Client(new SQSClient({}));
const tableName = required('TABLE_NAME');
const WINDOW_MS = 24 * 60 * 60 * 1000;
const PAGE_SIZE = 50;

const app = new Router({ logger });

app.get('/v1/contacts/:platformContactId', async ({ params: { platformContactId = '' } }) => {
  const { Item } = await documents.send(
    new GetCommand({ TableName: tableName, Key: { pk: contactKey(platformContactId), sk: 'CONTACT' } }),
  );
  if (Item === undefined) throw new NotFoundError(`There is no contact with the id ${platformContactId}.`);
  const { address, name, lastInboundAt } = Item;
  const open = Date.now() - Date.parse(lastInboundAt) < WINDOW_MS;
  return { platformContactId: address, name, window: { open, lastInboundAt } };
});

app.get('/v1/conversations/:platformContactId', async ({ params: { platformContactId = '' } }) => {
  const { Items = [] } = await documents.send(
    new QueryCommand({
      TableName: tableName,
      IndexName: 'byContact',
      KeyConditionExpression: 'contact = :contact',
      ExpressionAttributeValues: { ':contact': contactKey(platformContactId) },
      ScanIndexForward: false,
      Limit: PAGE_SIZE,
    }),
  );
  return {
    messages: Items.map(({ pk, direction, text, createdAt, deliveredAt, readAt }) => ({
      id: String(pk).slice('MESSAGE#'.length),
      direction,
      text,
      createdAt,
      deliveredAt,
      readAt,
    })),
  };
});

app.post(
  '/v1/sends',
  async ({ valid }) => {
    const request = valid.req.body;
    await sqs.send(
      new SendMessageCommand({
        QueueUrl: required('SEND_QUEUE_URL'),
        MessageBody: JSON.stringify(request),
        MessageGroupId: request.platformContactId,
        MessageDeduplicationId: request.requestId,
      }),
    );
    metrics.addMetric('SendEnqueued', MetricUnit.Count, 1);
    return { statusCode: 202, body: JSON.stringify({ requestId: request.requestId, state: 'queued' }) };
  },
  { validation: { req: { body: sendRequestSchema } } },
);

export const handler = middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>()
  .use(captureLambdaHandler(tracer))
  .use(injectLambdaContext(logger))
  .use(logMetrics(metrics, { captureColdStartMetric: true }))
  .handler((event: APIGatewayProxyEventV2, context: Context) => app.resolve(event, context));
