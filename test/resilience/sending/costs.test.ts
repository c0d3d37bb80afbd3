import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CountingProxy, startCountingProxy } from '../../support/counting-proxy.ts';
import { sqsRecord } from '../../support/sqs-record.ts';
import {
  contactNumber,
  type SendingStage,
  startSendingStage,
  type TestRequest,
  templateRequest,
} from './sending-stage.ts';

// The function's own entry in this process, with a proxy in front of each service that counts the calls.

let stage: SendingStage;
let table: CountingProxy;
let secrets: CountingProxy;
let chatService: CountingProxy;
let handler: (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;
const environment = { ...process.env };

beforeAll(async () => {
  stage = await startSendingStage();
  const { env, chatServiceUrl } = stage.cloud;
  table = await startCountingProxy(env.AWS_ENDPOINT_URL_DYNAMODB ?? '');
  secrets = await startCountingProxy(env.AWS_ENDPOINT_URL_SECRETS_MANAGER ?? '');
  chatService = await startCountingProxy(chatServiceUrl, ({ url }) => String(url));
  Object.assign(process.env, stage.send.declaration.variables, env, {
    AWS_ENDPOINT_URL_DYNAMODB: table.url,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url,
    CHAT_SERVICE_URL: chatService.url,
    POWERTOOLS_LOG_LEVEL: 'SILENT',
    POWERTOOLS_METRICS_DISABLED: 'true',
  });
  ({ handler } = await import('../../../lambdas/send/entry.ts'));
});
afterAll(async () => {
  process.env = environment;
  for (const proxy of [table, secrets, chatService]) await proxy?.close();
  await stage?.close();
});

const invoke = (requests: readonly TestRequest[]) => {
  const Records = requests.map((request) => ({
    ...sqsRecord(JSON.stringify(request), {
      MessageGroupId: request.platformContactId,
      MessageDeduplicationId: request.requestId,
    }),
    messageId: request.requestId,
    receiptHandle: request.requestId,
  }));
  // The handler and its middlewares read nothing that is missing here.
  return handler({ Records }, { getRemainingTimeInMillis: () => 120_000 } as Context);
};
const user = async (index: number) => {
  await stage.optIn(contactNumber(index));
  return contactNumber(index);
};
/** Returns the calls made while `act` ran. */
const countCalls = async (act: () => Promise<unknown>) => {
  const before = [table, secrets, chatService].map(({ calls }) => calls.length);
  await act();
  const [tableCalls, secretCalls, serviceCalls] = [table, secrets, chatService].map(({ calls }, index) =>
    calls.slice(before[index]),
  );
  return { tableCalls: tableCalls?.toSorted(), secretCalls, serviceCalls };
};
const UPDATE = 'UpdateItem';
const INTENT = '/api/v1.0/intent/v2';

describe('a send', () => {
  it('of a template costs two reads and three writes besides the HTTP call, and the first one reads the token', async () => {
    const contact = await user(1);
    const cold = await countCalls(() => invoke([templateRequest('cold', contact)]));
    // The first read includes the circuit breaker. The second one, of the consents and customers, follows the claim.
    expect(cold).toEqual({
      tableCalls: ['BatchGetItem', 'BatchGetItem', UPDATE, UPDATE, UPDATE],
      secretCalls: ['GetSecretValue'],
      serviceCalls: [INTENT],
    });
    const warm = await countCalls(() => invoke([templateRequest('warm', contact)]));
    expect(warm).toEqual({ ...cold, secretCalls: [] });
  });

  it('of a free-form message costs the same, and a read of the customers that the user is', async () => {
    const contact = await user(5);
    await stage.client.userWrites(contact, { text: 'Where is my parcel?' });
    await stage.delivered();
    const request = { requestId: 'free-form', platformContactId: contact, messageText: 'It is on its way.' };
    expect(await countCalls(() => invoke([request]))).toEqual({
      tableCalls: ['BatchGetItem', 'BatchGetItem', 'BatchGetItem', UPDATE, UPDATE, UPDATE],
      secretCalls: [],
      serviceCalls: ['/api/v1.0/message/v3'],
    });
  });

  it('that is delivered again costs a read and two writes, and no HTTP call', async () => {
    const contact = await user(2);
    await invoke([templateRequest('again', contact)]);
    const again = await countCalls(() => invoke([templateRequest('again', contact)]));
    expect(again.tableCalls?.filter((action) => action === UPDATE)).toHaveLength(2);
    expect(again.serviceCalls).toEqual([]);
  });
});
