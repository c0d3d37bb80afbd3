import { describe, expect, it } from 'vitest';
import type { ChatServiceAnswer } from '../../../../lambdas/domain/send-outcome.ts';
import { claim, NOW, queuedSend, sendRequest, USER } from '../../../support/builders.ts';
import { testTables } from '../../../support/test-tables.ts';
import { repositoriesOf } from '../adapters/dynamodb/repositories.ts';
import { ANSWERS, createSendHarness } from './send-harness.ts';

const tables = testTables();
const BODY = JSON.stringify(sendRequest());

const ENVELOPE = { v: '1.1', chatPlatform: 'chat', contactId: USER };
const echoOf = (id: string, txId?: string) => ({
  ...ENVELOPE,
  type: 'message',
  txId,
  messages: [{ _id: id, date: '2026-11-20T11:59:59.000Z', message: 'On its way.', from: 'bot' }],
});
const statusOf = (id: string, status: string, more: object = {}) => ({
  ...ENVELOPE,
  type: 'status',
  messageId: id,
  status,
  ...more,
});

const JOB: ChatServiceAnswer = { kind: 'answered', httpStatus: 202, body: { webhookNotificationId: 'TX1' } };

const permutationsOf = <Element>(elements: readonly Element[]): readonly (readonly Element[])[] =>
  elements.length === 0
    ? [[]]
    : elements.flatMap((first, index) =>
        permutationsOf(elements.toSpliced(index, 1)).map((others) => [first, ...others]),
      );

/** Sends a request. Some events arrive while the call waits for its answer, and the others afterwards. */
const play = async (answer: ChatServiceAnswer, before: readonly object[], after: readonly object[]) => {
  const tableName = await tables.createTable();
  const harness = await createSendHarness(tables, { tableName });
  const { storeEvent } = repositoriesOf(tables.tableOf(tableName));
  const store = async (events: readonly object[]) => {
    for (const event of events) {
      const rawBody = Buffer.from(JSON.stringify(event));
      expect(await storeEvent({ rawBody, receivedAt: NOW })).toMatchObject({ kind: 'stored' });
    }
  };
  await harness.openWindow(USER);
  harness.answers = [
    async () => {
      await store(before);
      return answer;
    },
  ];
  const sender = harness.startFunction();
  await sender.receive(BODY);
  await store(after);
  const items = await itemsOf(tableName);
  // SQS delivers it again, and the service posts the events again.
  await sender.receive(BODY);
  await store([...after, ...before]);
  expect(await itemsOf(tableName)).toEqual(items);
  expect(harness.calls).toHaveLength(1);
  return items;
};

/** A link expires a while after whatever came first. */
const itemsOf = async (tableName: string) => {
  const items = await tables.items(tableName);
  for (const [key, item] of Object.entries(items)) if (key.startsWith('TRANSACTION#')) delete item.expiresAt;
  return items;
};

const situations = (events: readonly object[]) =>
  permutationsOf(events).flatMap((order) =>
    [...Array(order.length + 1).keys()].map((count) => [order.slice(0, count), order.slice(count)] as const),
  );

describe('a message that fails after the chat service accepted it', () => {
  const FAILED = { state: 'failed', code: '131049', failedAt: NOW, failure: '131049 ' };

  it.each([
    [
      'named by the answer',
      ANSWERS.accepted,
      [statusOf('message-out', 'sent'), statusOf('message-out', 'error', { reason: '131049.0' })],
      FAILED,
    ],
    [
      'named by the transaction of a status',
      JOB,
      [
        statusOf('message-out', 'sent', { intentTxId: 'TX1' }),
        statusOf('message-out', 'error', { intentTxId: 'TX1', reason: '131049.0', error: 'Not delivered.' }),
      ],
      { ...FAILED, failure: '131049 Not delivered.' },
    ],
    [
      'named by the transaction of its echo',
      JOB,
      [echoOf('message-out', 'TX1'), statusOf('message-out', 'failed', { error: 131049 })],
      FAILED,
    ],
    [
      'named by the answer, and by the request id of its statuses',
      ANSWERS.accepted,
      [
        statusOf('message-out', 'delivered', { clientPayload: 'request-1' }),
        statusOf('message-out', 'error', { clientPayload: 'request-1', reason: '131049.0' }),
      ],
      FAILED,
    ],
    [
      'named by its request id, after an unknown outcome',
      ANSWERS.unknown,
      [statusOf('message-out', 'error', { clientPayload: 'request-1', reason: '131049.0' })],
      FAILED,
    ],
  ])('makes its send failed, whatever comes first: %s', async (_case, answer, events, expected) => {
    const played = [];
    for (const [before, after] of situations(events)) played.push(await play(answer, before, after));

    const [first] = played;
    expect(first?.['SEND#request-1 SEND']).toMatchObject({ ...expected, messageId: 'message-out' });
    expect(first?.['MESSAGE#message-out MESSAGE']).toMatchObject({ requestId: 'request-1', failedAt: NOW });
    for (const items of played) expect(items).toEqual(first);
  });

  it.each([
    ['that was earlier', 'm-2'],
    ['that has the same time and the lesser id', 'm-0'],
  ])('leaves a send accepted that has another message %s, whatever comes first', async (_case, other) => {
    const date = other === 'm-0' ? NOW : '2026-11-20T11:59:59.000Z';
    const echo = { ...echoOf(other, 'TX1'), messages: [{ _id: other, date, message: 'First.', from: 'bot' }] };
    const played = [];
    for (const [before, after] of situations([echo, statusOf('m-1', 'error', { intentTxId: 'TX1' })])) {
      played.push(await play(JOB, before, after));
    }

    // `messageIds` says which messages have ever been recorded for the send.
    const sends = played.map((items) => ({ ...items['SEND#request-1 SEND'], messageIds: undefined }));
    expect(sends[0]).toMatchObject({ state: 'accepted', messageId: other });
    for (const send of sends) expect(send).toEqual(sends[0]);
  });

  it('is found when the request is received again, if the function died before it linked its transaction', async () => {
    const tableName = await tables.createTable();
    const harness = await createSendHarness(tables, { tableName });
    const { storeEvent, sends } = repositoriesOf(tables.tableOf(tableName));
    const failed = statusOf('message-out', 'error', { intentTxId: 'TX1', reason: '131049.0' });
    await storeEvent({ rawBody: Buffer.from(JSON.stringify(failed)), receivedAt: NOW });
    await sends.claim(queuedSend(), claim(), { resend: false });
    const accepted = { state: 'accepted', at: NOW, outcome: 'Accepted.', transactionIds: ['TX1'] } as const;
    await sends.recordResult('request-1', claim().claimId, accepted);

    await harness.startFunction().receive(BODY);

    expect((await itemsOf(tableName))['SEND#request-1 SEND']).toMatchObject({ ...FAILED, messageId: 'message-out' });
  });

  it('leaves the send of another message as it was', async () => {
    const items = await play(ANSWERS.accepted, [], [statusOf('another', 'error', { clientPayload: 'request-1' })]);

    expect(items['SEND#request-1 SEND']).toMatchObject({ state: 'accepted', messageId: 'message-out' });
    expect(items['SEND#request-1 SEND']).not.toHaveProperty('failedAt');
  });
});

describe('a send that the chat service accepted as a job', () => {
  it('is confirmed by whichever event names its message, before or after the answer', async () => {
    const delivered = statusOf('message-out', 'delivered', { intentTxId: 'TX1' });
    for (const [before, after] of situations([echoOf('message-out', 'TX1'), delivered])) {
      const items = await play(JOB, before, after);
      expect(items['SEND#request-1 SEND']).toMatchObject({ state: 'accepted', messageId: 'message-out' });
      expect(items['MESSAGE#message-out MESSAGE']).toMatchObject({ requestId: 'request-1', deliveredAt: NOW });
    }
  });

  it('is confirmed even if the answer left the outcome unknown', async () => {
    const contradictory = { webhookNotificationId: 'TX1', problems: { code: 1, message: 'Odd' } };
    const answer: ChatServiceAnswer = { kind: 'answered', httpStatus: 200, body: contradictory };
    for (const [before, after] of situations([echoOf('message-out', 'TX1')])) {
      const items = await play(answer, before, after);
      expect(items['SEND#request-1 SEND']).toMatchObject({ state: 'accepted', messageId: 'message-out' });
    }
  });

  it("is not confirmed by another request's message, if the service uses a transaction's id twice", async () => {
    const tableName = await tables.createTable();
    const { sends } = repositoriesOf(tables.tableOf(tableName));
    await sends.linkRequest('TX1', 'request-1', NOW);
    await sends.linkMessage('TX1', { messageId: 'message-out', at: NOW });

    expect(await sends.linkRequest('TX1', 'request-1', NOW)).toEqual({ messageId: 'message-out', at: NOW });
    expect(await sends.linkRequest('TX1', 'request-2', NOW)).toBeUndefined();
  });

  it('is not confirmed by the message of another transaction', async () => {
    const items = await play(JOB, [echoOf('another', 'TX2')], [statusOf('other', 'read', { intentTxId: 'TX3' })]);

    expect(items['SEND#request-1 SEND']).toMatchObject({ state: 'accepted' });
    expect(items['SEND#request-1 SEND']).not.toHaveProperty('messageId');
  });
});
