import type { APIGatewayProxyEventV2, DynamoDBStreamEvent, SQSEvent } from 'aws-lambda';

/** Events in the shapes that AWS documents. Tests change their contents. */

const LAMBDA_GUIDE = 'https://docs.aws.amazon.com/lambda/latest/dg';
const DYNAMODB_GUIDE = 'https://docs.aws.amazon.com/amazondynamodb/latest';

export const EVENT_SOURCES = {
  httpApi: 'https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html',
  sqs: `${LAMBDA_GUIDE}/with-sqs.html`,
  stream: `${LAMBDA_GUIDE}/with-ddb.html`,
  streamRecord: `${DYNAMODB_GUIDE}/APIReference/API_streams_StreamRecord.html`,
  expired: `${DYNAMODB_GUIDE}/developerguide/time-to-live-ttl-streams.html`,
  schedule: 'https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-schedule-context-attributes.html',
  scheduledRule: 'https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-run-lambda-schedule.html',
} as const;

/** A request in payload format 2.0, as {@link EVENT_SOURCES.httpApi} shows it, without an authorizer. */
export const httpApiEvent = (changes: Partial<APIGatewayProxyEventV2> = {}): APIGatewayProxyEventV2 => ({
  version: '2.0',
  routeKey: 'POST /webhook',
  rawPath: '/webhook',
  rawQueryString: 'parameter1=value1&parameter1=value2&parameter2=value',
  cookies: ['cookie1=value1', 'cookie2=value2'],
  headers: {
    'content-type': 'application/json',
    // Duplicate headers are combined with commas.
    'x-repeated': 'value1,value2',
    host: 'id.execute-api.us-east-1.amazonaws.com',
    'x-forwarded-for': '192.0.2.1',
  },
  queryStringParameters: { parameter1: 'value1,value2', parameter2: 'value' },
  requestContext: {
    accountId: '123456789012',
    apiId: 'api-id',
    domainName: 'id.execute-api.us-east-1.amazonaws.com',
    domainPrefix: 'id',
    http: { method: 'POST', path: '/webhook', protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'agent' },
    requestId: 'JKJaXmPLvHcESHA=',
    routeKey: 'POST /webhook',
    stage: '$default',
    time: '12/Mar/2020:19:03:58 +0000',
    timeEpoch: 1583348638390,
  },
  body: '{}',
  pathParameters: { parameter1: 'value1' },
  isBase64Encoded: false,
  stageVariables: { stageVariable1: 'value1', stageVariable2: 'value2' },
  ...changes,
});

/** The `requestContext.authorizer` of a route with IAM authorization, as {@link EVENT_SOURCES.httpApi} shows it. */
export const IAM_AUTHORIZER = {
  iam: {
    accessKey: 'AKIAEXAMPLE',
    accountId: '111122223333',
    callerId: 'AIDAEXAMPLE',
    cognitoIdentity: null,
    principalOrgId: 'o-example',
    userArn: 'arn:aws:iam::111122223333:user/example-user',
    userId: 'AIDAEXAMPLE',
  },
} as const;

/** The event of a route with IAM authorization. */
export const signedHttpApiEvent = (routeKey: string, changes: Partial<APIGatewayProxyEventV2> = {}) => {
  const event = httpApiEvent({ routeKey, ...changes });
  return { ...event, requestContext: { ...event.requestContext, routeKey, authorizer: IAM_AUTHORIZER } };
};

/** A batch of a standard queue, as {@link EVENT_SOURCES.sqs} shows it. */
export const standardQueueEvent = (...bodies: readonly string[]): SQSEvent => ({
  Records: bodies.map((body, index) => ({
    messageId: `059f36b4-87a3-44ab-83d2-66197500000${index}`,
    receiptHandle: `AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a${index}`,
    body,
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: '1545082649183',
      SenderId: 'AIDAIENQZJOLO23YVJ4VO',
      ApproximateFirstReceiveTimestamp: '1545082649185',
    },
    messageAttributes: {
      myAttribute: { stringValue: 'myValue', stringListValues: [], binaryListValues: [], dataType: 'String' },
    },
    md5OfBody: 'e4e68fb7bd0e697a0ae8f1bb342846b3',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:us-east-2:123456789012:my-queue',
    awsRegion: 'us-east-2',
  })),
});

/** A batch of a FIFO queue, as {@link EVENT_SOURCES.sqs} shows it: all messages of one group. */
export const fifoQueueEvent = (MessageGroupId: string, ...bodies: readonly string[]): SQSEvent => ({
  Records: standardQueueEvent(...bodies).Records.map((record, index) => ({
    ...record,
    attributes: {
      ...record.attributes,
      SequenceNumber: `1884949667639698022${index}`,
      MessageGroupId,
      MessageDeduplicationId: `deduplication-${index}`,
    },
    messageAttributes: {},
    eventSourceARN: 'arn:aws:sqs:us-east-2:123456789012:fifo.fifo',
  })),
});

/** All types of attributes, in the form of a record: bytes as base64, numbers as strings. */
export const ALL_TYPES = {
  S: { S: 'text' },
  N: { N: '123.45' },
  B: { B: 'AP8=' },
  SS: { SS: ['one', 'two'] },
  NS: { NS: ['1', '2'] },
  BS: { BS: ['AP8='] },
  M: { M: { inner: { L: [{ S: 'text' }, { B: 'AP8=' }] } } },
  L: { L: [{ N: '1' }, { M: { bytes: { B: 'AP8=' } } }] },
  NULL: { NULL: true },
  BOOL: { BOOL: false },
} satisfies StreamImage;

type StreamImage = NonNullable<NonNullable<DynamoDBStreamEvent['Records'][number]['dynamodb']>['NewImage']>;

interface DocumentedChange {
  readonly before?: StreamImage;
  readonly after?: StreamImage;
  /** Whether the item expired, as {@link EVENT_SOURCES.expired} shows it. */
  readonly isExpired?: boolean;
}

/** A batch of a table's stream, as {@link EVENT_SOURCES.stream} and {@link EVENT_SOURCES.streamRecord} show it. */
export const streamEvent = (...changes: readonly DocumentedChange[]): DynamoDBStreamEvent => ({
  Records: changes.map(({ before, after, isExpired }, index) => {
    const { pk, sk } = after ?? before ?? {};
    return {
      eventID: `c4ca4238a0b923820dcc509a6f75849${index}`,
      eventName: before === undefined ? 'INSERT' : after === undefined ? 'REMOVE' : 'MODIFY',
      eventVersion: '1.1',
      eventSource: 'aws:dynamodb',
      awsRegion: 'us-east-2',
      dynamodb: {
        ApproximateCreationDateTime: 1763640000,
        Keys: { ...(pk && { pk }), ...(sk && { sk }) },
        ...(after && { NewImage: after }),
        ...(before && { OldImage: before }),
        SequenceNumber: `442158400000000000${index}`,
        SizeBytes: 59,
        StreamViewType: 'NEW_AND_OLD_IMAGES',
      },
      eventSourceARN: 'arn:aws:dynamodb:us-east-2:123456789012:table/t/stream/2026-11-20T12:00:00.000',
      ...(isExpired && { userIdentity: { type: 'Service', principalId: 'dynamodb.amazonaws.com' } }),
    };
  }),
});

/** A schedule of EventBridge Scheduler passes its input and nothing else; see {@link EVENT_SOURCES.schedule}. */
export const scheduleEvent = (input: object): object => input;

/** The event of a rule with a schedule, as {@link EVENT_SOURCES.scheduledRule} shows it. */
export const SCHEDULED_RULE_EVENT = {
  version: '0',
  id: '53dc4d37-cffa-4f76-80c9-8b7d4a4d2eaa',
  'detail-type': 'Scheduled Event',
  source: 'aws.events',
  account: '123456789012',
  time: '2026-11-20T12:00:00Z',
  region: 'us-east-1',
  resources: ['arn:aws:events:us-east-1:123456789012:rule/my-scheduled-rule'],
  detail: {},
} as const;
