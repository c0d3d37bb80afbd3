import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDynamodbScheduledSendStore } from '../../../../lambdas/aws/dynamodb-scheduled-send-store.ts';
import { createDynamodbSendStore } from '../../../../lambdas/aws/dynamodb-send-store.ts';
import { createCancelScheduledSend } from '../../../../lambdas/cancel-scheduled-send.ts';
import { contactRef } from '../../../../lambdas/domain/contact.ts';
import { addMs } from '../../../../lambdas/domain/instant.ts';
import { writeWakeUp } from '../../../../lambdas/domain/wake-up.ts';
import { createScheduleSend } from '../../../../lambdas/send/schedule-send.ts';
import { createSendQueueMessage } from '../../../../lambdas/send/send-queue-message.ts';
import { createWakeScheduled } from '../../../../lambdas/send/wake-scheduled.ts';
import { NOW, sendRequest, USER } from '../../../support/builders.ts';
import { countingMetrics, silentLog } from '../../../support/silent.ts';
import { sqsRecord } from '../../../support/sqs-record.ts';
import { type EmulatedTables, startEmulatedTables } from '../aws/emulated-table.ts';

// The table is an emulator; the alarms and the sending itself are what a test makes of them.

const HOUR = 60 * 60 * 1000;
const IN_AN_HOUR = addMs(NOW, HOUR);
const DONE = { kind: 'done' };

let tables: EmulatedTables;
let tableName: string;
beforeAll(async () => {
  tables = await startEmulatedTables();
});
afterAll(() => tables.close());
beforeEach(async () => {
  tableName = await tables.createTable();
});

const setUp = () => {
  let now = NOW;
  let alarmsFail = false;
  const sent: string[] = [];
  const deadLetters: string[] = [];
  const alarms = new Map<string, string>();
  const metrics = countingMetrics();
  const table = { client: tables.client, tableName, retentionDays: 400 };
  const account = { platform: 'chat', channel: '+5491100000000' };
  const store = createDynamodbSendStore({ ...table, account });
  const scheduled = createDynamodbScheduledSendStore(table);
  const clock = { now: () => now };
  const ports = {
    scheduled,
    store,
    clock,
    log: silentLog,
    metrics,
    alarms: {
      async set({ requestId, at }: { requestId: string; at: string }) {
        if (alarmsFail) throw new Error('out of reach');
        alarms.set(requestId, at);
      },
      async remove(requestId: string) {
        if (alarmsFail) throw new Error('out of reach');
        alarms.delete(requestId);
      },
    },
    deadLetters: { put: async (_message: unknown, reason: string) => void deadLetters.push(reason) },
  };
  const scheduleSend = createScheduleSend({
    ...ports,
    async sendMessage(send) {
      const call = { endpoint: 'message/v3' as const, body: {} };
      const claim = { claimId: `claim-${sent.length}`, claimedAt: now, leaseUntil: addMs(now, HOUR), call, why: '' };
      const claimed = await store.claim(send, claim, { uncertainToo: false });
      sent.push(`${send.request.requestId} ${claimed.kind}`);
      return { kind: 'done' };
    },
  });
  const handleMessage = createWakeScheduled({
    ...ports,
    handleMessage: createSendQueueMessage({
      ...ports,
      sendMessage: scheduleSend,
      chatPlatform: account.platform,
      chatChannelNumber: account.channel,
      windowPer: 'user',
    }),
  });
  return {
    sent,
    alarms,
    deadLetters,
    scheduled,
    cancel: createCancelScheduledSend(ports),
    item: async () => (await tables.items(tableName))['SEND#request-1 SEND'],
    queue: (body: string) => handleMessage(sqsRecord(body, { MessageGroupId: USER }), () => true),
    setNow: (instant: string) => {
      now = instant;
    },
    failAlarms: (fail: boolean) => {
      alarmsFail = fail;
    },
  };
};
const body = (changes: Parameters<typeof sendRequest>[0] = {}) =>
  JSON.stringify(sendRequest({ sendAt: IN_AN_HOUR, ...changes }));
const wakeUp = writeWakeUp('request-1');

describe('a request with sendAt', () => {
  it('waits in the table, with an alarm at its time', async () => {
    const { queue, item, alarms, sent } = setUp();

    expect(await queue(body())).toEqual(DONE);

    expect(await item()).toMatchObject({ state: 'scheduled', sendAt: IN_AN_HOUR, scheduledAt: NOW, body: body() });
    expect([...alarms]).toEqual([['request-1', IN_AN_HOUR]]);
    expect(sent).toEqual([]);
  });

  it('is kept for as long after its time as a send is after it was queued', async () => {
    const sendAt = addMs(NOW, 300 * 24 * HOUR);
    const { queue, item } = setUp();

    await queue(body({ sendAt }));

    expect(await item()).toMatchObject({ expiresAt: Date.parse(sendAt) / 1000 + 400 * 24 * 3600 });
  });

  it('goes out when its alarm rings, and not again when it rings again', async () => {
    const { queue, setNow, sent } = setUp();
    await queue(body());
    setNow(IN_AN_HOUR);

    await queue(wakeUp);
    await queue(wakeUp);
    await queue(body());

    expect(sent).toEqual(['request-1 claimed', 'request-1 held', 'request-1 held']);
  });

  it('goes out at once when its time has passed, or there is none', async () => {
    const { queue, sent, alarms } = setUp();

    await queue(body({ sendAt: addMs(NOW, -1) }));
    await queue(body({ requestId: 'request-2', sendAt: undefined }));

    expect(sent).toEqual(['request-1 claimed', 'request-2 claimed']);
    expect(alarms.size).toBe(0);
  });

  it('waits in the queue for what is left of a minute, which a schedule cannot tell', async () => {
    const { queue, alarms, item } = setUp();

    expect(await queue(body({ sendAt: addMs(NOW, 59_000) }))).toEqual({ kind: 'again', afterMs: 59_000 });

    expect(alarms.size).toBe(0);
    expect(await item()).toMatchObject({ state: 'scheduled' });
  });

  it('has its alarm set by the next receive when the first one died before that', async () => {
    const { queue, failAlarms, alarms, item } = setUp();
    failAlarms(true);
    await expect(queue(body())).rejects.toThrow('out of reach');
    expect(await item()).toMatchObject({ state: 'scheduled' });
    failAlarms(false);

    expect(await queue(body())).toEqual(DONE);

    expect(alarms.size).toBe(1);
  });

  it('is not taken for due by an alarm whose clock is ahead of ours', async () => {
    const { queue, setNow, sent } = setUp();
    await queue(body());
    setNow(addMs(IN_AN_HOUR, -90_000));

    expect(await queue(wakeUp)).toEqual({ kind: 'again', afterMs: 90_000 });

    expect(sent).toEqual([]);
  });

  it('does not go out when it was erased from the table meanwhile', async () => {
    const { queue, setNow, sent } = setUp();
    setNow(IN_AN_HOUR);

    expect(await queue(wakeUp)).toEqual(DONE);

    expect(sent).toEqual([]);
  });

  it('that has the id of another is refused for that', async () => {
    const { queue, deadLetters, alarms } = setUp();
    await queue(body());

    await queue(body({ messageText: 'Something else' }));

    expect(deadLetters).toEqual([expect.stringContaining('REQUEST_ID_REUSED')]);
    expect(alarms.size).toBe(1);
  });

  it.each([
    { sendAt: addMs(NOW, 367 * 24 * HOUR), says: 'sendAt: must be at most a year ahead' },
    { sendAt: 'tomorrow', says: 'sendAt: must be an ISO 8601 time' },
    { sendAt: IN_AN_HOUR, notAfter: NOW, says: 'sendAt: must not be later than notAfter' },
  ])('of $sendAt and notAfter $notAfter goes to the dead-letter queue: $says', async ({ says, ...times }) => {
    const { queue, deadLetters, item } = setUp();

    expect(await queue(body(times))).toEqual(DONE);

    expect(deadLetters).toEqual([expect.stringContaining(says)]);
    expect(await item()).toBeUndefined();
  });
});

describe('cancelling', () => {
  it('ends a scheduled send, takes its alarm back, and may come again', async () => {
    const { queue, cancel, item, alarms, setNow, sent } = setUp();
    await queue(body());

    expect([await cancel('request-1'), await cancel('request-1')]).toEqual([
      { kind: 'cancelled' },
      { kind: 'cancelled' },
    ]);

    expect(await item()).toMatchObject({ state: 'cancelled', cancelledAt: NOW });
    expect(alarms.size).toBe(0);
    setNow(IN_AN_HOUR);
    await queue(wakeUp);
    expect(sent).toEqual([]);
  });

  it('holds although the alarm could not be taken back', async () => {
    const { queue, cancel, failAlarms, setNow, sent } = setUp();
    await queue(body());
    failAlarms(true);
    await expect(cancel('request-1')).rejects.toThrow('out of reach');
    setNow(IN_AN_HOUR);

    await queue(wakeUp);
    await queue(body());

    expect(sent).toEqual(['request-1 held']);
  });

  it('holds when the request is queued again', async () => {
    const { queue, cancel, alarms } = setUp();
    await queue(body());
    await cancel('request-1');

    expect(await queue(body())).toEqual(DONE);

    expect(alarms.size).toBe(0);
  });

  it('comes too late for a send that has begun, and knows of no other', async () => {
    const { queue, cancel, setNow } = setUp();
    await queue(body());
    setNow(IN_AN_HOUR);
    await queue(wakeUp);

    expect(await cancel('request-1')).toEqual({ kind: 'too-late', state: 'claimed' });
    expect(await cancel('request-2')).toEqual({ kind: 'unknown' });
  });

  it('and the send’s beginning at one time leave one of the two', async () => {
    const { queue, cancel, setNow, sent, item } = setUp();
    await queue(body());
    setNow(IN_AN_HOUR);

    const [cancelled] = await Promise.all([cancel('request-1'), queue(wakeUp)]);

    const wasSent = sent.includes('request-1 claimed');
    expect(cancelled.kind).toBe(wasSent ? 'too-late' : 'cancelled');
    expect((await item())?.state).toBe(wasSent ? 'claimed' : 'cancelled');
  });
});

describe('the table', () => {
  it('tells a send that is not scheduled from one that is not there', async () => {
    const { scheduled } = setUp();
    const send = {
      request: sendRequest(),
      body: body(),
      contact: contactRef('chat', USER),
      groupId: 'g',
      deduplicationId: 'd',
    };
    await scheduled.schedule(send, { at: NOW, sendAt: IN_AN_HOUR });

    expect(await scheduled.schedule(send, { at: NOW, sendAt: IN_AN_HOUR })).toMatchObject({
      kind: 'held',
      send: { state: 'scheduled', body: send.body },
    });
    expect(await scheduled.readScheduled('request-1')).toMatchObject({ sendAt: IN_AN_HOUR });
    expect(await scheduled.readScheduled('request-2')).toBeUndefined();
  });
});
