import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { logMetrics } from '@aws-lambda-powertools/metrics/middleware';
import { Tracer } from '@aws-lambda-powertools/tracer';
import { captureLambdaHandler } from '@aws-lambda-powertools/tracer/middleware';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import middy from '@middy/core';
import type { Context, DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { required } from './environment.ts';

const logger = new Logger();
const metrics = new Metrics();
const tracer = new Tracer();
const eventBridge = tracer.captureAWSv3Client(new EventBridgeClient({}));
const processor = new BatchProcessor(EventType.DynamoDBStreams);
const eventBusName = required('EVENT_BUS_NAME');

/** The kinds of items that are published. */
const PUBLISHED: Readonly<Record<string, string>> = { MESSAGE: 'Message', SEND: 'Send' };

const publishChange = async ({ eventName, eventID, dynamodb }: DynamoDBRecord): Promise<void> => {
  if (dynamodb?.NewImage === undefined) return;
  // The types of a stream's records and of the SDK describe the same JSON.
  const { pk, sk, ...detail } = unmarshall(dynamodb.NewImage as Record<string, AttributeValue>);
  const kind = PUBLISHED[sk];
  if (kind === undefined) return;
  const { FailedEntryCount, Entries } = await eventBridge.send(
    new PutEventsCommand({
      Entries: [
        {
          EventBusName: eventBusName,
          Source: 'tutorial',
          DetailType: `${kind}${eventName === 'INSERT' ? 'Created' : 'Updated'}`,
          Detail: JSON.stringify({ id: String(pk).slice(sk.length + 1), ...detail }),
        },
      ],
    }),
  );
  if (FailedEntryCount) throw new Error(`The event was not accepted: ${Entries?.[0]?.ErrorCode}`);
  logger.info('Event published', { kind, eventName, eventID });
  metrics.addMetric('EventPublished', MetricUnit.Count, 1);
};

export const handler = middy<DynamoDBStreamEvent, DynamoDBBatchResponse>()
  .use(captureLambdaHandler(tracer))
  .use(injectLambdaContext(logger))
  .use(logMetrics(metrics, { captureColdStartMetric: true }))
  .handler((event: DynamoDBStreamEvent, context: Context) =>
    processPartialResponse(event, publishChange, processor, { context }),
  );
