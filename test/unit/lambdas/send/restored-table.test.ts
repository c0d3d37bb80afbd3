import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { serializeDueMessage } from '../../../../lambdas/domain/send-request.ts';
import { DONE } from '../../../../lambdas/runtime/queue-handler.ts';
import { claim, queuedSend, sendRequest, USER } from '../../../support/builders.ts';
import type { Item } from '../../../support/emulated-table.ts';
import { testTables } from '../../../support/test-tables.ts';
import { createSendHarness, LEASE_MS, type SendHarness } from './send-harness.ts';

// What docs/restoring.md says of requests that come again after a restore. A restored table has the items of an earlier
// time, and nothing that was written since.

const tables = testTables();
let live: SendHarness;
let restored: SendHarness;
let liveTable: string;
let restoredTable: string;

const put = async (item: Item) => {
  await tables.client.send(new PutItemCommand({ TableName: restoredTable, Item: marshall(item) }));
};

beforeEach(async () => {
  liveTable = await tables.createTable();
  live = await createSendHarness(tables, { tableName: liveTable });
  await live.openWindow(USER);
  restoredTable = await tables.createTable();
  for (const item of Object.values(await live.items())) await put(item);
  restored = await createSendHarness(tables, { tableName: restoredTable });
});

const copyBack = async (requestId = 'request-1') => {
  const item = await live.sendItem(requestId);
  if (item === undefined) throw new Error('The live table does not have the send.');
  await put(item);
};

describe('a request that was sent after the time to which a table was restored', () => {
  beforeEach(async () => {
    await live.startFunction().send(sendRequest());
    expect(live.calls).toHaveLength(1);
  });

  it('is sent a second time if it is queued again: its claim is lost', async () => {
    await restored.startFunction().send(sendRequest());

    expect(restored.calls).toHaveLength(1);
  });

  it('is not sent again if it is cancelled while sending is stopped', async () => {
    await restored.stops.stop({ stoppedAt: restored.now(), note: 'Restored' });
    await restored.startFunction().send(sendRequest());
    await restored.sends.cancel('request-1', restored.now());
    await restored.stops.resume(restored.now());
    restored.advance(10);
    await restored.startFunction().send(sendRequest());

    expect(restored.calls).toEqual([]);
    expect(await restored.sendItem()).toMatchObject({ state: 'cancelled' });
  });

  it('is not sent again once its item is copied back', async () => {
    await copyBack();
    await restored.startFunction().send(sendRequest());

    expect(restored.calls).toEqual([]);
    expect(await restored.sendItem()).toMatchObject({ state: 'accepted' });
  });
});

describe('a request that was scheduled after the time to which a table was restored', () => {
  const sendAt = '2026-11-21T12:00:00.000Z';
  const due = serializeDueMessage('request-1');

  beforeEach(async () => {
    await live.startFunction().receive(JSON.stringify(sendRequest({ sendAt })));
    restored.setNow(sendAt);
    await restored.openWindow(USER, { lastInboundAt: '2026-11-21T11:00:00.000Z' });
  });

  it('is lost without a trace when it becomes due: its schedule has only its ID', async () => {
    expect(await restored.startFunction().receive(due)).toEqual(DONE);

    expect(restored.calls).toEqual([]);
    expect(restored.deadLetters).toEqual([]);
    expect(await restored.sendItem()).toBeUndefined();
  });

  it('is sent when it becomes due once its item is copied back', async () => {
    await copyBack();
    await restored.startFunction().receive(due);

    expect(restored.calls).toHaveLength(1);
  });
});

describe('the scan in docs/restoring.md', () => {
  it('saves sends that were sent, scheduled, or cancelled since, and no other items', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../../../docs/restoring.md'), 'utf8');
    const filter = /--filter-expression[\s\\]+'(begins_with[^']*)'/.exec(page)?.[1];
    const sender = live.startFunction();
    await sender.send(sendRequest({ requestId: 'before' }));
    await sender.receive(JSON.stringify(sendRequest({ requestId: 'cancelled', sendAt: '2026-11-21T12:00:00.000Z' })));
    live.advance(60);
    const since = live.now();
    live.advance(60);
    await sender.send(sendRequest({ requestId: 'sent' }));
    await sender.receive(JSON.stringify(sendRequest({ requestId: 'scheduled', sendAt: '2026-11-21T12:00:00.000Z' })));
    await live.sends.cancel('cancelled', live.now());
    const { Items: saved = [] } = await tables.client.send(
      new ScanCommand({
        TableName: liveTable,
        FilterExpression: filter,
        ExpressionAttributeValues: marshall({ ':send': 'SEND#', ':since': since }),
      }),
    );

    expect(saved.map((item) => unmarshall(item).pk).toSorted()).toEqual([
      'SEND#cancelled',
      'SEND#scheduled',
      'SEND#sent',
    ]);
  });
});

describe('a request that was being sent when the table was lost', () => {
  it('becomes uncertain if its claim is in the restored table, as a system backup has it', async () => {
    await live.sends.claim(queuedSend(), claim(), { resend: false });
    await copyBack();
    restored.advance(LEASE_MS / 1000 + 1);
    await restored.startFunction().send(sendRequest());

    expect(restored.calls).toEqual([]);
    expect(await restored.sendItem()).toMatchObject({ state: 'uncertain' });
  });
});

describe('while sending is stopped before a restore', () => {
  it('a request that was called leaves the queue: one that was accepted, and one whose function died', async () => {
    await live.startFunction().send(sendRequest());
    await live.sends.claim(queuedSend(sendRequest({ requestId: 'died' })), claim(), { resend: false });
    await live.stops.stop({ stoppedAt: live.now(), note: 'Restoring the table' });
    live.advance(LEASE_MS / 1000 + 1);
    const sender = live.startFunction();

    expect(await sender.send(sendRequest())).toEqual(DONE);
    expect(await sender.send(sendRequest({ requestId: 'died' }))).toEqual(DONE);
    expect(await live.sendItem('died')).toMatchObject({ state: 'uncertain' });
  });
});
