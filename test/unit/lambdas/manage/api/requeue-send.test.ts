import { beforeEach, describe, expect, it } from 'vitest';
import { serializeDueMessage } from '../../../../../lambdas/domain/send-request.ts';
import { sendRequest, USER } from '../../../../support/builders.ts';
import { testTables } from '../../../../support/test-tables.ts';
import { createSendHarness, type RunningSend, type SendHarness } from '../../send/send-harness.ts';
import { createManagedStage, type ManagedStage, OPERATOR } from '../managed-stage.ts';

// The management API beside the function `send`, on one table.

const tables = testTables();
let stage: ManagedStage;
let harness: SendHarness;
let sender: RunningSend;
beforeEach(async () => {
  stage = await createManagedStage(tables);
  harness = await createSendHarness(tables, { tableName: stage.tableName });
  sender = harness.startFunction();
  await harness.openWindow(USER);
});

const IN_AN_HOUR = '2026-11-20T13:00:00.000Z';
const BODY = JSON.stringify(sendRequest({ sendAt: IN_AN_HOUR }));
const DUE = serializeDueMessage('request-1');
const requeue = (requestId = 'request-1') => stage.call('requeueSend', { body: { requestId } });
const becomeOverdue = async () => {
  await sender.receive(BODY);
  for (const { setNow } of [stage, harness]) setNow(IN_AN_HOUR);
};

describe('a scheduled send whose schedule is lost', () => {
  it('is queued by an operator, and sent', async () => {
    await becomeOverdue();

    expect(await requeue()).toMatchObject({ status: 200, body: { requestId: 'request-1', state: 'scheduled' } });

    expect(stage.queued).toMatchObject([{ body: DUE }]);
    await sender.receive(stage.queued[0]?.body ?? '');
    expect(await stage.sendItem()).toMatchObject({ state: 'accepted' });
    expect(Object(await stage.call('listAudit')).body.entries).toMatchObject([
      { action: 'requeue', requestId: 'request-1', caller: OPERATOR.arn },
    ]);
  });

  it('is sent once, although two operators queue it and its schedule is only late', async () => {
    await becomeOverdue();
    await Promise.all([requeue(), requeue()]);

    const messages = [...stage.queued.map(({ body }) => body), DUE];
    for (const message of messages) await sender.receive(message);

    expect(messages).toHaveLength(3);
    expect(harness.calls).toHaveLength(1);
    expect(await requeue()).toMatchObject({ status: 200, body: { state: 'accepted' } });
    expect(stage.queued).toHaveLength(2);
  });

  it('is queued in the message group of its contact, with an ID that SQS deduplicates', async () => {
    await becomeOverdue();
    await requeue();
    await requeue();

    const [first, second] = stage.queued;
    expect(first).toEqual(second);
    expect(first?.groupId).not.toBe('');
  });
});

describe('nothing is queued for a send', () => {
  it.each([
    ['that is not due yet', async () => void (await sender.receive(BODY)), `is due at ${IN_AN_HOUR}`],
    [
      'that was cancelled',
      async () => {
        await becomeOverdue();
        await stage.call('cancelSend', { body: { requestId: 'request-1' } });
      },
      'is cancelled',
    ],
    [
      'that was never scheduled',
      async () => void (await stage.call('enqueueSend', { body: sendRequest() })),
      'was never scheduled',
    ],
  ])('%s', async (_case, prepare, why) => {
    await prepare();
    stage.queued.length = 0;

    expect(await requeue()).toMatchObject({
      status: 409,
      body: { code: 'NOT_OVERDUE', message: expect.stringContaining(why) },
    });
    expect(stage.queued).toEqual([]);
  });

  it('that does not exist', async () => {
    expect(await requeue('nothing')).toMatchObject({ status: 404, body: { code: 'SEND_NOT_FOUND' } });
  });
});
