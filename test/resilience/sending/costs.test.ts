import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { awsAction, type CountingProxy, startCountingProxy } from './counting-proxy.ts';
import {
  contactNumber,
  type SendingStage,
  startSendingStage,
  type TrialRequest,
  templateRequest,
} from './sending-stage.ts';

// The function's own entry in this process, so that its calls can be counted on their way to the emulators.

let stage: SendingStage;
let table: CountingProxy;
let secrets: CountingProxy;
let chatService: CountingProxy;
let handler: (event: SQSEvent, context: { getRemainingTimeInMillis(): number }) => Promise<SQSBatchResponse>;
const environment = { ...process.env };

beforeAll(async () => {
  stage = await startSendingStage();
  const { env, chatServiceUrl } = stage.cloud;
  table = await startCountingProxy(env.AWS_ENDPOINT_URL_DYNAMODB ?? '', awsAction);
  secrets = await startCountingProxy(env.AWS_ENDPOINT_URL_SECRETS_MANAGER ?? '', awsAction);
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

const invoke = (requests: readonly TrialRequest[]) =>
  handler(
    {
      Records: requests.map((request) => ({
        messageId: request.requestId,
        receiptHandle: request.requestId,
        body: JSON.stringify(request),
        attributes: {
          ApproximateReceiveCount: '1',
          SentTimestamp: '0',
          SenderId: 'test',
          ApproximateFirstReceiveTimestamp: '0',
          MessageGroupId: request.platformContactId,
          MessageDeduplicationId: request.requestId,
        },
        messageAttributes: {},
        md5OfBody: '',
        eventSource: 'aws:sqs',
        eventSourceARN: 'arn:aws:sqs:local:000000000000:queue',
        awsRegion: 'local',
      })),
    },
    { getRemainingTimeInMillis: () => 120_000 },
  );
const user = async (index: number) => {
  await stage.optIn(contactNumber(index));
  return contactNumber(index);
};
/** What passed while `act` ran. */
const counted = async (act: () => Promise<unknown>) => {
  const before = [table, secrets, chatService].map(({ passed }) => passed.length);
  await act();
  const [tableCalls, secretCalls, serviceCalls] = [table, secrets, chatService].map(({ passed }, index) =>
    passed.slice(before[index]),
  );
  return { tableCalls: tableCalls?.toSorted(), secretCalls, serviceCalls };
};
const UPDATE = 'UpdateItem';
const INTENT = '/api/v1.0/intent/v2';

describe('a send', () => {
  it('costs one read and three writes besides the HTTP call, the first one the token too', async () => {
    const contact = await user(1);
    const cold = await counted(() => invoke([templateRequest('cold', contact)]));
    // The first read brings the account along.
    expect(cold).toEqual({
      tableCalls: ['BatchGetItem', UPDATE, UPDATE, UPDATE],
      secretCalls: ['GetSecretValue'],
      serviceCalls: [INTENT],
    });
    const warm = await counted(() => invoke([templateRequest('warm', contact)]));
    expect(warm.tableCalls?.filter((action) => action !== UPDATE)).toHaveLength(1);
    expect(warm.tableCalls?.filter((action) => action === UPDATE)).toHaveLength(3);
    expect([warm.secretCalls, warm.serviceCalls]).toEqual([[], [INTENT]]);
  });

  it('that comes again costs a read and two writes, and no call', async () => {
    const contact = await user(2);
    await invoke([templateRequest('again', contact)]);
    const again = await counted(() => invoke([templateRequest('again', contact)]));
    expect(again.tableCalls?.filter((action) => action === UPDATE)).toHaveLength(2);
    expect(again.serviceCalls).toEqual([]);
  });
});

describe('a rotation of the token in mid-stream', () => {
  const rotate = async (token: string) => {
    const { secrets: store } = stage.cloud.emulators;
    const secret = store.find(stage.cloud.accessTokenSecretId);
    if (secret) store.put(secret, token);
    await stage.client.control('PUT', '/tokens', { accessTokens: [token] });
  };

  it('costs one extra call, one reading of the secret, and no send', async () => {
    const contact = await user(3);
    const stream = Array.from({ length: 10 }, (_, index) => templateRequest(`rotated-${index}`, contact));
    await invoke(stream.slice(0, 5));
    await rotate('token-2');
    const rest = await counted(async () => {
      expect(await invoke(stream.slice(5))).toEqual({ batchItemFailures: [] });
    });
    expect(rest.serviceCalls).toHaveLength(6);
    expect(rest.secretCalls).toEqual(['GetSecretValue']);
    const accepted = await stage.accepted();
    expect(accepted.filter((id) => id.startsWith('rotated'))).toEqual(stream.map(({ requestId }) => requestId));
  });

  it('is met by sends side by side with one reading of the secret', async () => {
    const contacts = await Promise.all(Array.from({ length: 10 }, (_, index) => user(10 + index)));
    await invoke(contacts.map((contact) => templateRequest(`before ${contact}`.replace(' ', '-'), contact)));
    await rotate('token-3');
    const batch = await counted(() => invoke(contacts.map((contact) => templateRequest(`after-${contact}`, contact))));
    expect(batch.secretCalls).toEqual(['GetSecretValue']);
    expect((await stage.accepted()).filter((id) => id.startsWith('after'))).toHaveLength(10);
  });

  it('leaves no token in any log', async () => {
    await stage.enqueue([templateRequest('logged', await user(4))]);
    await stage.drain(60);
    const logs = await stage.logs();
    expect(logs).toContain('logged');
    const tokens = stage.cloud.emulators.secrets.find(stage.cloud.accessTokenSecretId)?.versions ?? [];
    for (const { secretString } of tokens) expect(logs).not.toContain(secretString);
  });
});
