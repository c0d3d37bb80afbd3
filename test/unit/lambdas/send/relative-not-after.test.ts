import { beforeEach, describe, expect, it } from 'vitest';
import { addMs } from '../../../../lambdas/domain/instant.ts';
import { DONE } from '../../../../lambdas/runtime/queue-handler.ts';
import { NOW, sendRequest, USER } from '../../../support/builders.ts';
import { testTables } from '../../../support/test-tables.ts';
import { createSendHarness, type RunningSend, type SendHarness } from './send-harness.ts';

const MINUTE_MS = 60_000;
const tables = testTables();
const BODY = JSON.stringify(sendRequest({ notAfter: 'PT10M' }));
let harness: SendHarness;
let sender: RunningSend;

beforeEach(async () => {
  harness = await createSendHarness(tables);
  sender = harness.startFunction();
  await harness.openWindow(USER);
});

const sentAgo = (minutes: number) => ({ SentTimestamp: String(Date.parse(harness.now()) - minutes * MINUTE_MS) });

describe('a notAfter of PT10M', () => {
  it('counts from when the request was queued', async () => {
    expect(await sender.receive(BODY, sentAgo(9))).toEqual(DONE);
    expect(harness.calls).toHaveLength(1);
    expect(await harness.sendItem()).toMatchObject({ state: 'accepted', body: BODY });
  });

  it('lets a request expire that has waited longer', async () => {
    expect(await sender.receive(BODY, sentAgo(11))).toEqual(DONE);
    expect(harness.calls).toEqual([]);
    expect(await harness.sendItem()).toMatchObject({
      state: 'expired',
      decision: `The request had to be sent by ${addMs(NOW, -MINUTE_MS)} (notAfter); it is now ${NOW}.`,
    });
  });

  it('does not start again when the request is redriven, because it was dead-lettered with its time', async () => {
    await harness.sends.recordFailure({ requestId: 'request-1', body: BODY }, NOW);
    for (let hour = 1; hour <= 25; hour += 1) {
      harness.advance(60 * 60);
      await sender.giveUp(BODY, new Error('A defect.'), sentAgo(60 * hour));
    }
    expect(harness.deadLetters).toHaveLength(1);

    expect(await sender.receive(BODY, sentAgo(0))).toEqual(DONE);
    expect(harness.calls).toEqual([]);
    expect(await harness.sendItem()).toMatchObject({ state: 'expired', firstQueuedAt: NOW });
  });

  it('counts from the sendAt, if there is one', async () => {
    const sendAt = addMs(NOW, -5 * MINUTE_MS);
    expect(await sender.receive(JSON.stringify(sendRequest({ notAfter: 'PT10M', sendAt })), sentAgo(60))).toEqual(DONE);
    expect(harness.calls).toHaveLength(1);
  });

  it('is not that of another request with the same ID', async () => {
    await sender.receive(BODY, sentAgo(11));
    const other = JSON.stringify(sendRequest({ notAfter: 'PT10M', messageText: 'Other' }));
    await sender.receive(other, sentAgo(0));
    expect(await harness.sendItem()).toMatchObject({ state: 'expired', body: BODY });
  });
});

describe("the stage's notAfter", () => {
  beforeEach(async () => {
    harness = await createSendHarness(tables, { defaultNotAfter: 'PT1H' });
    sender = harness.startFunction();
    await harness.openWindow(USER);
  });

  it('applies to a request without one', async () => {
    expect(await sender.receive(JSON.stringify(sendRequest()), sentAgo(61))).toEqual(DONE);
    expect(await harness.sendItem()).toMatchObject({ state: 'expired' });
  });

  it("gives way to the request's own", async () => {
    expect(await sender.receive(JSON.stringify(sendRequest({ notAfter: 'PT2H' })), sentAgo(61))).toEqual(DONE);
    expect(harness.calls).toHaveLength(1);
  });
});
