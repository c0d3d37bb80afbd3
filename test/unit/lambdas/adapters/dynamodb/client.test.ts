import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import {
  BatchGetItemCommand,
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  conditionFailure,
  createDynamodbClient,
  type DynamodbClient,
  type InputOf,
  type OperationName,
} from '../../../../../lambdas/adapters/dynamodb/client.ts';
import { listenLocally } from '../../../../../local/base/listen-locally.ts';
import { testTables } from '../../../../support/test-tables.ts';

// The SDK's own client is the reference: both must give the same answers, and retry these failures equally often.

const tables = testTables();
const credentials = { accessKeyId: 'id', secretAccessKey: 'secret', sessionToken: 'session' };

/** Creates both clients for one endpoint. */
const createClients = (
  endpoint: string,
  { requestTimeout, maxAttempts = 2 }: { readonly requestTimeout?: number; readonly maxAttempts?: number } = {},
) => {
  const requestHandler = { requestTimeout, throwOnRequestTimeout: true };
  const options = { endpoint, region: 'us-east-1', credentials, maxAttempts };
  const sdk = new DynamoDBClient({ ...options, requestHandler });
  onTestFinished(() => sdk.destroy());
  const own = createDynamodbClient({ ...options, requestHandler });
  return { sdk, own };
};

const callSdk = (client: DynamoDBClient, name: OperationName, input: object): Promise<object> => {
  // The tests give each operation its own input.
  const commands = {
    GetItem: () => client.send(new GetItemCommand(input as InputOf<'GetItem'>)),
    BatchGetItem: () => client.send(new BatchGetItemCommand(input as InputOf<'BatchGetItem'>)),
    UpdateItem: () => client.send(new UpdateItemCommand(input as InputOf<'UpdateItem'>)),
    DeleteItem: () => client.send(new DeleteItemCommand(input as InputOf<'DeleteItem'>)),
    Query: () => client.send(new QueryCommand(input as InputOf<'Query'>)),
    TransactWriteItems: () => client.send(new TransactWriteItemsCommand(input as InputOf<'TransactWriteItems'>)),
  };
  return commands[name]();
};

const callOwn = (client: DynamodbClient, name: OperationName, input: object): Promise<object> =>
  client.call(name, input as InputOf<typeof name>);

/** What a caller sees of an answer or an error. */
const resultOf = async (call: Promise<object>) => {
  try {
    const { $metadata, ...output } = { $metadata: undefined, ...(await call) };
    return { output };
  } catch (error) {
    const { name, message, Item, $metadata } = {
      Item: undefined,
      $metadata: {},
      ...Object(error),
      ...conditionFailure(error),
    };
    return {
      name: Object(error).name ?? name,
      message: Object(error).message ?? message,
      Item,
      status: $metadata.httpStatusCode,
    };
  }
};

describe('the answers of the client are those of the SDK', () => {
  const ITEM = {
    pk: { S: 'MESSAGE#1' },
    sk: { S: 'MESSAGE' },
    contact: { S: 'CONTACT#1' },
    contactSort: { S: '1' },
    text: { S: 'Ñandú 日本語 🎉 "quoted" \\ \u2028' },
    number: { N: '12345678901234567890.5' },
    numbers: { NS: ['1', '2'] },
    texts: { SS: ['a', 'b'] },
    binary: { B: new Uint8Array([0, 255, 128, 10]) },
    map: { M: { B: { S: 'not binary' }, list: { L: [{ BOOL: true }, { NULL: true }, { B: new Uint8Array([1]) }] } } },
  };
  const Key = { pk: ITEM.pk, sk: ITEM.sk };
  let TableName: string;
  beforeEach(async () => {
    TableName = await tables.createTable();
  });
  const { pk: _pk, sk: _sk, ...attributes } = ITEM;
  const names = Object.keys(attributes);
  const put = () => ({
    TableName,
    Key,
    UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join(', ')}`,
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: Object.fromEntries(
      Object.entries(attributes).map(([name, value]) => [`:${name}`, value]),
    ),
    ReturnValues: 'ALL_NEW',
  });
  const conditional = () => ({
    TableName,
    Key,
    UpdateExpression: 'SET a = :a',
    ConditionExpression: 'a = :a',
    ExpressionAttributeValues: { ':a': { S: 'a' } },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });

  it.each<[what: string, name: OperationName, input: () => object]>([
    ['an update', 'UpdateItem', put],
    ['an update whose condition fails', 'UpdateItem', conditional],
    [
      'an update of an item that does not exist, whose condition fails',
      'UpdateItem',
      () => ({ ...conditional(), Key: { pk: { S: 'a' }, sk: { S: 'b' } } }),
    ],
    ['an update with an invalid expression', 'UpdateItem', () => ({ TableName, Key, UpdateExpression: 'SET' })],
    ['a read', 'GetItem', () => ({ TableName, Key, ConsistentRead: true })],
    ['a read of an item that does not exist', 'GetItem', () => ({ TableName, Key: { ...Key, sk: { S: 'other' } } })],
    ['a read of a table that does not exist', 'GetItem', () => ({ TableName: 'other', Key })],
    [
      'a read of several items',
      'BatchGetItem',
      () => ({ RequestItems: { [TableName]: { Keys: [Key, { ...Key, sk: { S: 'other' } }] } } }),
    ],
    [
      'a query of an index',
      'Query',
      () => ({
        TableName,
        IndexName: 'byContact',
        KeyConditionExpression: 'contact = :contact',
        ExpressionAttributeValues: { ':contact': ITEM.contact },
        Limit: 1,
      }),
    ],
    [
      'a transaction',
      'TransactWriteItems',
      () => ({
        TransactItems: [
          {
            Update: { TableName, Key, UpdateExpression: 'SET a = :a', ExpressionAttributeValues: { ':a': { S: 'a' } } },
          },
        ],
      }),
    ],
    ['a deletion', 'DeleteItem', () => ({ TableName, Key, ReturnValues: 'ALL_OLD' })],
  ])('%s', async (_what, name, input) => {
    const { sdk, own } = createClients(tables.url);
    await callOwn(own, 'UpdateItem', put());
    const answer = await resultOf(callSdk(sdk, name, input()));
    // A deletion changes what the second one returns.
    await callOwn(own, 'UpdateItem', put());
    expect(await resultOf(callOwn(own, name, input()))).toEqual(answer);
  });

  it('contain binary values as bytes, also in the item of a failed condition', async () => {
    const { own } = createClients(tables.url);
    await callOwn(own, 'UpdateItem', put());
    const { Item } = await resultOf(callOwn(own, 'UpdateItem', conditional()));
    expect(Item.binary.B).toEqual(new Uint8Array([0, 255, 128, 10]));
    expect(Item.map.M.B).toEqual({ S: 'not binary' });
  });
});

/** Starts a server that answers each call with the next answer, and the last one again and again. */
const startServer = async (answers: readonly ((response: ServerResponse) => void)[]) => {
  const requests: IncomingHttpHeaders[] = [];
  const server = await listenLocally(
    createServer((request, response) => {
      requests.push(request.headers);
      request.resume().on('end', () => answers[Math.min(requests.length, answers.length) - 1]?.(response));
    }),
  );
  onTestFinished(() => server.close());
  return { url: server.url, requests };
};

const answer = (status: number, body: string) => (response: ServerResponse) =>
  void response.writeHead(status, { 'x-amzn-requestid': 'REQUEST-1' }).end(body);
const failure = (status: number, type: string) =>
  answer(status, JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'No.' }));
const body = (text: string) => answer(400, text);
/** Ends the connection in the middle of the answer. */
const truncated = (response: ServerResponse) => {
  response.writeHead(200, { 'content-length': '100' }).write('{', () => response.socket?.destroy());
};
/** Sends the headers of an answer, but not its body. */
const stalled = (response: ServerResponse) => void response.writeHead(200, { 'content-length': '2' }).flushHeaders();
const reset = (response: ServerResponse) => void response.socket?.destroy();
const UPDATE = { TableName: 't', Key: { pk: { S: 'a' } } };

describe('a call that fails', () => {
  it.each([
    ['is throttled', failure(400, 'ProvisionedThroughputExceededException'), 2],
    ['is throttled by the account', failure(400, 'RequestLimitExceeded'), 2],
    ['is throttled with another exception', failure(400, 'ThrottlingException'), 2],
    ['is throttled by its HTTP status', failure(429, 'Unknown'), 2],
    ['fails in DynamoDB', failure(500, 'InternalServerError'), 2],
    ['is answered by a load balancer', answer(503, '<html>Busy</html>'), 2],
    ['loses its connection', reset, 2],
    ['loses its connection in the middle of the answer', truncated, 2],
    ['is throttled without a message', body('{"__type":"x#ThrottlingException","message":null}'), 2],
    ['is throttled with a link', body('{"__type":"x#ThrottlingException:http://internal/"}'), 2],
    [
      'finds a failed condition without a message',
      body('{"__type":"x#ConditionalCheckFailedException","message":null,"Item":{"a":{"S":"b"}}}'),
      1,
    ],
    ['finds a failed condition', failure(400, 'ConditionalCheckFailedException'), 1],
    ['is invalid', failure(400, 'ValidationException'), 1],
    ['is denied', failure(400, 'AccessDeniedException'), 1],
  ])('is repeated as often as by the SDK if it %s', async (_what, fault, attempts) => {
    const server = await startServer([fault]);
    const { sdk, own } = createClients(server.url);
    const expected = await resultOf(callSdk(sdk, 'UpdateItem', UPDATE));
    expect(server.requests).toHaveLength(attempts);
    const result = await resultOf(callOwn(own, 'UpdateItem', UPDATE));
    expect(server.requests).toHaveLength(2 * attempts);
    // The SDK describes an answer that is not DynamoDB's by a parser's error.
    if (fault !== reset && fault !== truncated && 'status' in expected && expected.name !== 'SyntaxError') {
      expect(result).toMatchObject({ name: expected.name, status: expected.status });
    }
  });

  it('is tried three times by default', async () => {
    const server = await startServer([reset]);
    const options = { endpoint: server.url, region: 'us-east-1', credentials, requestHandler: {} };
    await expect(createDynamodbClient(options).call('UpdateItem', UPDATE)).rejects.toThrow();
    expect(server.requests).toHaveLength(3);
  });

  it('is retried in a process that has already retried many calls, which succeeded', async () => {
    const answers = Array.from({ length: 40 }, () => [failure(500, 'InternalServerError'), answer(200, '{}')]);
    const server = await startServer(answers.flat());
    const { own } = createClients(server.url);
    for (const _call of answers) expect(await own.call('UpdateItem', UPDATE)).toEqual({});
  });

  it('ends at once when its signal is aborted, also while its answer arrives or before a retry', async () => {
    for (const fault of [() => undefined, stalled, failure(400, 'ThrottlingException')]) {
      const server = await startServer([fault]);
      const abort = new AbortController();
      // A slow machine may notice the first attempt only after a retry.
      const { own } = createClients(server.url, { maxAttempts: 20 });
      const call = own.call('UpdateItem', UPDATE, { abortSignal: abort.signal });
      await vi.waitUntil(() => server.requests.length > 0, 30_000);
      abort.abort();
      const attempts = server.requests.length;
      await expect(call).rejects.toMatchObject({ name: 'AbortError' });
      expect(server.requests).toHaveLength(attempts);
    }
  });

  it('returns the answer of a later attempt, and signs every attempt', async () => {
    const server = await startServer([failure(400, 'ThrottlingException'), reset, answer(200, '{}')]);
    expect(await createClients(server.url, { maxAttempts: 3 }).own.call('UpdateItem', UPDATE)).toEqual({});
    expect(server.requests).toHaveLength(3);
    for (const { authorization } of server.requests) expect(authorization).toMatch(/Signature=[0-9a-f]{64}$/);
  });

  it('has the status and the id of the request, for the log', async () => {
    const server = await startServer([failure(400, 'ValidationException')]);
    await expect(createClients(server.url).own.call('UpdateItem', UPDATE)).rejects.toMatchObject({
      name: 'ValidationException',
      message: 'No.',
      $metadata: { httpStatusCode: 400, requestId: 'REQUEST-1' },
    });
  });

  it.each([
    ['does not begin', () => undefined],
    ['does not end', stalled],
  ])('ends after its timeout, in each attempt, if the answer %s', async (_what, fault) => {
    const server = await startServer([fault]);
    const { own } = createClients(server.url, { requestTimeout: 30 });
    await expect(own.call('UpdateItem', UPDATE)).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(server.requests).toHaveLength(2);
  });
});

describe('a request', () => {
  it('is signed for DynamoDB, with all headers that matter and the session of the role', async () => {
    const server = await startServer([answer(200, '{}')]);
    await createClients(server.url).own.call('UpdateItem', UPDATE);
    const [headers] = server.requests;
    expect(headers).toMatchObject({
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'DynamoDB_20120810.UpdateItem',
      'x-amz-security-token': 'session',
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=id\/\d{8}\/us-east-1\/dynamodb\/aws4_request, SignedHeaders=content-length;content-type;host;x-amz-content-sha256;x-amz-date;x-amz-security-token;x-amz-target, /,
      ),
    });
  });
});
