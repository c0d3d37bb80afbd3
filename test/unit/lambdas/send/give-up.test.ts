import { beforeEach, describe, expect, it, vi } from 'vitest';
import { DamagedItemError, WriteRefusedError } from '../../../../lambdas/domain/errors.ts';
import { addMs } from '../../../../lambdas/domain/instant.ts';
import { serializeDueMessage } from '../../../../lambdas/domain/send-request.ts';
import { DONE } from '../../../../lambdas/runtime/queue-handler.ts';
import { queueLimitReached } from '../../../../lambdas/send/give-up.ts';
import { NOW, sendRequest, USER } from '../../../support/builders.ts';
import { putSendInState } from '../../../support/send-states.ts';
import { sqsRecord } from '../../../support/sqs-record.ts';
import { testTables } from '../../../support/test-tables.ts';
import { createSendHarness, type RunningSend, type SendHarness } from './send-harness.ts';

const DAY_SECONDS = 24 * 3600;
const BODY = JSON.stringify(sendRequest());
const broken = Object.assign(new Error('The item with the text Hi is broken.'), { name: 'ValidationException' });
const queuedDaysAgo = (days: number) => ({ SentTimestamp: String(Date.parse(NOW) - days * DAY_SECONDS * 1000) });

const tables = testTables();
let harness: SendHarness;
let sender: RunningSend;

beforeEach(async () => {
  harness = await createSendHarness(tables);
  sender = harness.startFunction();
  await harness.openWindow(USER);
});

/** Fails a message every half hour for a day. Returns what is decided at the end of the day. */
const failForDay = async (body: string) => {
  for (let passed = 0; passed < DAY_SECONDS; passed += 1_800) {
    expect(await sender.giveUp(body, broken)).toBeUndefined();
    harness.advance(1_800);
  }
  return sender.giveUp(body, broken);
};

describe('a request that cannot be processed', () => {
  it('is retried for a day, then dead-lettered with the reason and refused', async () => {
    expect(await failForDay(BODY)).toEqual(DONE);

    expect(harness.deadLetters).toEqual(['PROCESSING_FAILED: ValidationException']);
    expect(harness.counted).toEqual(['SendProcessingFailed']);
    expect(await harness.sendItem()).toMatchObject({
      state: 'refused',
      code: 'PROCESSING_FAILED',
      decision: `It has failed since ${NOW}: ValidationException`,
    });
  });

  it('is sent when it is redriven', async () => {
    await failForDay(BODY);
    await harness.openWindow(USER, { lastInboundAt: harness.now() });

    expect(await sender.receive(BODY, { SentTimestamp: String(Date.parse(harness.now())) })).toEqual(DONE);

    expect(await harness.sendItem()).toMatchObject({ state: 'accepted' });
    expect(await harness.sendItem()).not.toHaveProperty('code');
  });

  it('is not dead-lettered for failures far apart, between which it waited', async () => {
    await harness.putContact(USER, { optInAt: '2026-01-01T00:00:00.000Z' });
    await harness.openWindow(USER);
    harness.answers = [{ kind: 'answered', httpStatus: 403, body: { error: { code: 101, message: 'No credit' } } }];
    await sender.send(sendRequest({ requestId: 'other' }));
    await sender.receive(BODY);
    await sender.giveUp(BODY, broken);
    // It waits for the same open circuit breaker as before.
    await sender.receive(BODY);
    harness.advance(2 * DAY_SECONDS);

    expect(await sender.giveUp(BODY, broken)).toBeUndefined();

    expect(harness.deadLetters).toEqual([]);
  });

  it('is not dead-lettered while the table is unavailable, because every request fails', async () => {
    vi.spyOn(harness.sends, 'recordFailure').mockRejectedValue(new Error('table unavailable'));
    harness.advance(5 * DAY_SECONDS);
    await expect(sender.giveUp(BODY, broken)).rejects.toThrow('table unavailable');
    expect(harness.deadLetters).toEqual([]);
  });

  it('is not dead-lettered without a record while a retry can still write the record', async () => {
    await putSendInState(harness.sends, 'scheduled');
    const write = vi.spyOn(harness.sends, 'recordWithoutCall').mockRejectedValue(new Error('table unavailable'));
    await expect(failForDay(BODY)).rejects.toThrow('table unavailable');
    expect(harness.deadLetters).toEqual([]);
    write.mockRestore();

    expect(await sender.giveUp(BODY, broken)).toEqual(DONE);

    expect(harness.deadLetters).toHaveLength(1);
    expect(await harness.sendItem()).toMatchObject({ state: 'refused', code: 'PROCESSING_FAILED' });
  });

  it('is dead-lettered even if the table can never accept its item', async () => {
    vi.spyOn(harness.sends, 'recordWithoutCall').mockRejectedValue(new WriteRefusedError('too large'));
    expect(await failForDay(BODY)).toEqual(DONE);
    expect(harness.deadLetters).toHaveLength(1);
  });

  it('keeps its state if it has already ended', async () => {
    await putSendInState(harness.sends, 'accepted');
    expect(await failForDay(BODY)).toEqual(DONE);
    expect(await harness.sendItem()).toMatchObject({ state: 'accepted' });
    expect(await sender.receive(BODY, { SentTimestamp: String(Date.parse(harness.now())) })).toEqual(DONE);
    expect(harness.calls).toEqual([]);
  });

  it('waits a second if it is redriven to a function with a clock that is behind, and is then sent', async () => {
    await failForDay(BODY);
    const gaveUpAt = harness.now();
    await harness.openWindow(USER, { lastInboundAt: gaveUpAt });
    const redriven = () => harness.startFunction().receive(BODY, { SentTimestamp: String(Date.parse(harness.now())) });
    harness.setNow(addMs(gaveUpAt, -1));
    expect(await redriven()).toEqual({ kind: 'retry', afterMs: 1_000 });
    expect(harness.calls).toEqual([]);

    harness.setNow(addMs(gaveUpAt, 999));
    expect(await redriven()).toEqual(DONE);
    expect(harness.calls).toHaveLength(1);
  });

  it('is the request that a due message refers to', async () => {
    await putSendInState(harness.sends, 'scheduled');
    const due = serializeDueMessage('request-1');
    expect(await failForDay(due)).toEqual(DONE);
    expect(await harness.sendItem()).toMatchObject({ state: 'refused', code: 'PROCESSING_FAILED' });
  });

  it('is dead-lettered after a day although its item cannot be read', async () => {
    vi.spyOn(harness.sends, 'read').mockRejectedValue(new DamagedItemError('An item cannot be read.'));
    expect(await failForDay(serializeDueMessage('request-1'))).toEqual(DONE);
    expect(harness.deadLetters).toHaveLength(1);
  });

  it('is not dead-lettered for two failures a month apart with nothing recorded in between', async () => {
    await putSendInState(harness.sends, 'scheduled');
    await sender.giveUp(BODY, broken);
    harness.advance(30 * DAY_SECONDS);
    const due = { SentTimestamp: String(Date.parse(harness.now())) };
    expect(await sender.giveUp(serializeDueMessage('request-1'), broken, due)).toBeUndefined();
    expect(harness.deadLetters).toEqual([]);
  });

  it('is not dead-lettered for the failures of another request with its id', async () => {
    await sender.receive(BODY);
    const other = JSON.stringify(sendRequest({ messageText: 'another text' }));
    await sender.giveUp(other, broken);
    expect(await harness.sendItem()).not.toHaveProperty('failingSince');
  });
});

describe('a request that nears a limit of SQS', () => {
  it.each([
    ['13 days in the queue', queuedDaysAgo(13), 'SQS keeps a message for 14 days'],
    ['990 receives', { ApproximateReceiveCount: '990' }, 'SQS delivers a message at most 1,000 times'],
  ])('after %s expires with a record and without a call', async (_case, attributes, sentence) => {
    expect(await sender.receive(BODY, attributes)).toEqual(DONE);
    expect(harness.calls).toEqual([]);
    expect(await harness.sendItem()).toMatchObject({ state: 'expired', decision: expect.stringContaining(sentence) });
    expect(harness.counted).toEqual(['SendExpired']);
  });

  it('and fails is dead-lettered with a record', async () => {
    expect(await sender.giveUp(BODY, broken, queuedDaysAgo(13))).toEqual(DONE);
    expect(harness.deadLetters).toEqual(['PROCESSING_FAILED: ValidationException']);
    expect(await harness.sendItem()).toMatchObject({ state: 'refused', code: 'PROCESSING_FAILED' });
  });

  it('and fails is dead-lettered even while the table is unavailable', async () => {
    vi.spyOn(harness.sends, 'recordWithoutCall').mockRejectedValue(new Error('table unavailable'));
    expect(await sender.giveUp(BODY, broken, queuedDaysAgo(13))).toEqual(DONE);
    expect(harness.deadLetters).toHaveLength(1);
  });

  it('keeps its state if it has ended or its outcome is unknown', async () => {
    await putSendInState(harness.sends, 'uncertain');
    expect(await sender.receive(BODY, queuedDaysAgo(13))).toEqual(DONE);
    expect(await harness.sendItem()).toMatchObject({ state: 'uncertain' });
  });

  it('is recognized only by its age and its receives', () => {
    const limit = (attributes: object) => queueLimitReached(sqsRecord(BODY, attributes), NOW);
    expect(limit({})).toBeUndefined();
    expect(limit(queuedDaysAgo(12.99))).toBeUndefined();
    expect(limit(queuedDaysAgo(13))).toContain(addMs(NOW, -13 * DAY_SECONDS * 1000));
    expect(limit({ ApproximateReceiveCount: '989' })).toBeUndefined();
    expect(limit({ ApproximateReceiveCount: '990' })).toContain('990 times');
  });
});

describe('a due message', () => {
  it.each([
    [
      'of an erased send',
      async () => {
        await putSendInState(harness.sends, 'uncertain');
        await harness.erase('request-1');
      },
    ],
    ['of a send that is gone', async () => {}],
  ])('%s is acknowledged, and nothing is dead-lettered', async (_case, prepare) => {
    await prepare();
    expect(await sender.receive(serializeDueMessage('request-1'))).toEqual(DONE);
    expect([harness.calls, harness.deadLetters]).toEqual([[], []]);
  });
});
