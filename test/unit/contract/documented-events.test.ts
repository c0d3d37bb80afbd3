import { request } from 'node:http';
import type { _Record } from '@aws-sdk/client-dynamodb-streams';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import { describe, expect, it } from 'vitest';
import { CREDENTIALS, REGION } from '../../../local/base/aws-environment.ts';
import { createMovableClock } from '../../../local/base/clock.ts';
import { isObject } from '../../../local/base/json.ts';
import { startQueueMapping } from '../../../local/event-sources/queue-mapping.ts';
import { streamRecord } from '../../../local/event-sources/stream-records.ts';
import { type RouteAuthorization, startHttpApi } from '../../../local/http-api/http-api.ts';
import {
  ALL_TYPES,
  fifoQueueEvent,
  httpApiEvent,
  signedHttpApiEvent,
  standardQueueEvent,
  streamEvent,
} from '../../contract/lambda/documented-events.ts';
import { recordOf } from '../../simulation/world/invocations.ts';
import { contractQueues } from '../../support/contract-queues.ts';
import { eventually } from '../../support/eventually.ts';

/** Members whose names the sender chooses. */
const OPEN = ['headers', 'queryStringParameters', 'pathParameters', 'stageVariables', 'messageAttributes'];

/** Returns the paths of a value's members with their types. */
const shapeOf = (value: unknown, path = ''): readonly string[] => {
  if (!isObject(value)) return [`${path}: ${Array.isArray(value) ? 'array' : typeof value}`];
  return Object.entries(value)
    .flatMap(([name, member]) =>
      OPEN.includes(name) ? [`${path}.${name}: open`] : shapeOf(member, path === '' ? name : `${path}.${name}`),
    )
    .toSorted();
};

const queues = contractQueues();

/** Returns the first record that the local run passes to a function for a message. */
const receivedRecord = async (attributes: Record<string, string>, message: object): Promise<unknown> => {
  const queueUrl = await queues.createQueue(attributes);
  const invoked: string[] = [];
  const mapping = startQueueMapping(
    {
      logicalId: 'Mapping',
      queueArn: 'arn:aws:sqs:local:000000000000:queue',
      functionNameOrArn: 'fake',
      batchSize: 1,
      batchingWindowMs: 0,
      reportsBatchItemFailures: true,
      maximumConcurrency: undefined,
    },
    {
      sqs: queues.client,
      queueUrl,
      invoke: async (event) => {
        invoked.push(event);
        return { ok: true, payload: 'null' };
      },
      concurrency: 1,
      warn: () => undefined,
    },
  );
  await queues.client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: 'a', ...message }));
  const event = await eventually(() => invoked[0]);
  mapping.stop();
  await mapping.ended;
  return JSON.parse(event).Records[0];
};

describe("the local run's events have the members that AWS documents", () => {
  it('for a message of a standard queue', async () => {
    const MessageAttributes = { myAttribute: { DataType: 'String', StringValue: 'myValue' } };
    const record = await receivedRecord({}, { MessageAttributes });
    const [documented] = standardQueueEvent('a').Records;
    // The example has no digest of the attributes, which SQS returns with them.
    expect(shapeOf(record)).toEqual([...shapeOf(documented), 'md5OfMessageAttributes: string'].toSorted());
    expect(record).toMatchObject({ messageAttributes: documented?.messageAttributes });
  });

  it('for a message of a FIFO queue', async () => {
    const group = { MessageGroupId: 'group', MessageDeduplicationId: 'once' };
    const record = await receivedRecord({ FifoQueue: 'true' }, group);
    expect(shapeOf(record)).toEqual(shapeOf(fifoQueueEvent('group', 'a').Records[0]));
  });

  it('for a change of an item, with every type of attribute', () => {
    const after = { pk: { S: 'a' }, sk: { S: 'a' }, ...ALL_TYPES };
    const [documented] = streamEvent({ after }).Records;
    expect(streamRecord(readFromStream(documented), documented?.eventSourceARN ?? '', 0)).toEqual({
      ...documented,
      awsRegion: 'local',
    });
  });

  it('for an item that expired', () => {
    const [documented] = streamEvent({ before: { pk: { S: 'a' }, sk: { S: 'a' } }, isExpired: true }).Records;
    const record = streamRecord(readFromStream(documented), documented?.eventSourceARN ?? '', 0);
    expect(record).toEqual({ ...documented, awsRegion: 'local' });
    expect(record).toHaveProperty('userIdentity', { type: 'Service', principalId: 'dynamodb.amazonaws.com' });
  });

  it('for a request to the HTTP API, with cookies, repeated headers, and a body in base64', async () => {
    const received = await requestToApi({ 'content-type': 'application/octet-stream' }, Buffer.from([0, 255]));
    expect(received).toMatchObject({
      cookies: ['cookie1=value1', 'cookie2=value2'],
      headers: { 'x-repeated': 'value1,value2' },
      rawQueryString: 'parameter1=value1&parameter1=value2&parameter2=value',
      queryStringParameters: { parameter1: 'value1,value2', parameter2: 'value' },
      body: 'AP8=',
      isBase64Encoded: true,
    });
    expect(shapeOf(received)).toEqual(shapeOf(httpApiEvent()));
  });

  it('for a signed request to the HTTP API', async () => {
    const headers = await sign({ host: 'localhost' });
    const received = await requestToApi(headers, undefined, 'AWS_IAM');
    expect(isObject(received) && shapeOf(received.requestContext)).toEqual(
      // The organization of the principal is null outside of an organization.
      shapeOf(signedHttpApiEvent('POST /webhook/{parameter1}').requestContext).map((member) =>
        member.replace('principalOrgId: string', 'principalOrgId: object'),
      ),
    );
  });

  it('for a request without a query, cookies, or a body', async () => {
    const received = await requestToApi({});
    const { cookies: _cookies, queryStringParameters: _query, body: _body, ...documented } = httpApiEvent();
    expect(shapeOf(received, '').filter((member) => !/^(cookies|body)|queryString/.test(member))).toEqual(
      shapeOf({ ...documented }).filter((member) => !/^(cookies|body)/.test(member)),
    );
  });
});

describe("the simulated world's messages", () => {
  it('have the members that AWS documents for a message of a FIFO queue', () => {
    const record = recordOf({
      messageId: 'id',
      receiptHandle: 'handle',
      body: 'a',
      receiveCount: 1,
      sentAt: 0,
      firstReceivedAt: 0,
      groupId: 'group',
      deduplicationId: 'once',
      sequenceNumber: '1',
      attributes: {},
    });
    expect(shapeOf(record)).toEqual(shapeOf(fifoQueueEvent('group', 'a').Records[0]));
  });
});

type DocumentedRecord = ReturnType<typeof streamEvent>['Records'][number] | undefined;

/** Returns a record as the stream's client returns it: with dates and bytes. */
const readFromStream = (record: DocumentedRecord): _Record => {
  const { dynamodb, eventID, eventVersion, userIdentity } = record ?? {};
  return {
    eventID,
    eventVersion,
    eventName: record?.eventName,
    ...(userIdentity && { userIdentity: { Type: userIdentity.type, PrincipalId: userIdentity.principalId } }),
    dynamodb: JSON.parse(JSON.stringify(dynamodb), (name, value) => {
      if (name === 'ApproximateCreationDateTime') return new Date(value * 1000);
      if (name === 'B' && typeof value === 'string') return Buffer.from(value, 'base64');
      if (name === 'BS' && Array.isArray(value)) return value.map((bytes: string) => Buffer.from(bytes, 'base64'));
      return value;
    }),
  };
};

/** Signs an empty request to the path that {@link requestToApi} calls. */
const sign = async (headers: Record<string, string>): Promise<Record<string, string>> => {
  const signer = new SignatureV4({ service: 'execute-api', region: REGION, credentials: CREDENTIALS, sha256: Sha256 });
  const unsigned = { method: 'POST', protocol: 'http:', hostname: 'localhost', path: '/webhook/value1', headers };
  return (await signer.sign(unsigned)).headers;
};

const requestToApi = async (
  headers: Record<string, string>,
  body?: Buffer,
  authorization?: RouteAuthorization,
): Promise<unknown> => {
  let received: unknown;
  const invoke = async (event: string) => {
    received = JSON.parse(event);
    return { ok: true, payload: '{"statusCode":200}' } as const;
  };
  await using api = await startHttpApi('api', 'Api', {
    clock: createMovableClock(),
    credentials: CREDENTIALS,
    functionOf: () => invoke,
  });
  api.addStage({ name: '$default', variables: { stageVariable1: 'value1' } });
  api.addIntegration('one', { functionArn: 'arn', timeoutMs: 5_000 });
  api.addRoute('POST /webhook/{parameter1}', 'one', authorization);
  const query = body ? '?parameter1=value1&parameter1=value2&parameter2=value' : '';
  const { port } = new URL(api.url);
  const sent = body
    ? { ...headers, 'x-repeated': ['value1', 'value2'], cookie: 'cookie1=value1; cookie2=value2' }
    : headers;
  await new Promise<void>((resolve, reject) => {
    request({ host: '127.0.0.1', port, method: 'POST', path: `/webhook/value1${query}`, headers: sent }, (response) =>
      response.resume().on('end', resolve),
    )
      .on('error', reject)
      .end(body);
  });
  return received;
};
