import { beforeEach, describe, expect, it } from 'vitest';
import type { AddressedRequest } from '../../../../lambdas/domain/addressed-request.ts';
import { DONE } from '../../../../lambdas/runtime/queue-handler.ts';
import { claim, NOW, queuedSend, sendRequest, sendResult, USER } from '../../../support/builders.ts';
import { testTables } from '../../../support/test-tables.ts';
import { createSendHarness, LEASE_MS, type RunningSend, type SendHarness } from './send-harness.ts';

const tables = testTables();
let harness: SendHarness;
let sender: RunningSend;

beforeEach(async () => {
  harness = await createSendHarness(tables);
  sender = harness.startFunction();
  await harness.openWindow(USER);
});

describe('a request delivered more than once', () => {
  it('is sent once, and the second delivery changes nothing', async () => {
    await sender.send(sendRequest());
    const before = await harness.items();
    expect(await sender.send(sendRequest())).toEqual(DONE);
    expect(harness.calls).toHaveLength(1);
    expect(await harness.items()).toEqual(before);
  });

  it('is sent once when functions process it concurrently', async () => {
    const functions = [sender, sender, harness.startFunction()];
    await Promise.all(functions.map((each) => each.send(sendRequest())));
    expect(harness.calls).toHaveLength(1);
  });

  it('goes to the dead-letter queue when another request had its id', async () => {
    await sender.send(sendRequest());
    expect(await sender.send(sendRequest({ messageText: 'Something else.' }))).toEqual(DONE);
    expect(harness.deadLetters).toEqual([expect.stringContaining('REQUEST_ID_REUSED')]);
    expect(harness.calls).toHaveLength(1);
    expect(await harness.sendItem()).toMatchObject({ body: JSON.stringify(sendRequest()) });
  });
});

describe('a request whose function died during the call', () => {
  const claimAndDie = async (request: AddressedRequest = sendRequest()) => {
    const claimed = await harness.sends.claim(queuedSend(request), claim(), { resend: false });
    expect(claimed).toMatchObject({ kind: 'claimed', attempt: 1, unknownOutcomes: 0 });
  };
  const accepted = { state: 'accepted', at: NOW, outcome: 'Accepted.', messageId: 'message-out' } as const;

  it('waits until the lease has expired', async () => {
    await claimAndDie();
    harness.advance(60);
    expect(await sender.send(sendRequest())).toEqual({ kind: 'retry', afterMs: LEASE_MS - 60_000 });
    expect(harness.calls).toEqual([]);
  });

  it('then becomes uncertain and is not sent again', async () => {
    await claimAndDie();
    harness.advance(LEASE_MS / 1000);
    expect(await sender.send(sendRequest())).toEqual(DONE);
    expect(await sender.send(sendRequest())).toEqual(DONE);
    expect(harness.calls).toEqual([]);
    expect(await harness.sendItem()).toMatchObject({ state: 'uncertain' });
    expect(harness.counted).toEqual(['SendUncertain']);
  });

  it('is then sent again when it says resend', async () => {
    const request = sendRequest({ onUncertain: 'resend' });
    await claimAndDie(request);
    harness.advance(LEASE_MS / 1000);
    expect(await sender.send(request)).toMatchObject({ kind: 'retry' });
    expect(await sender.send(request)).toEqual(DONE);
    expect(harness.calls).toHaveLength(1);
  });

  it('is accepted after all when its function was only slow', async () => {
    await claimAndDie();
    harness.advance(LEASE_MS / 1000);
    await sender.send(sendRequest());
    expect(await harness.sends.recordResult('request-1', 'claim-1', accepted)).toEqual({ kind: 'applied' });
    expect(await harness.sendItem()).toMatchObject({ state: 'accepted', messageId: 'message-out' });
  });

  it('is added to the conversation when only that was left to do', async () => {
    await claimAndDie();
    await harness.sends.recordResult('request-1', 'claim-1', accepted);
    expect(await sender.send(sendRequest())).toEqual(DONE);
    expect(harness.calls).toEqual([]);
    expect(await harness.item('MESSAGE#message-out MESSAGE')).toMatchObject({
      requestId: 'request-1',
      call: { body: { messageText: 'Your parcel is on its way.' } },
    });
  });

  it('is added to the conversation as the call that a status confirmed', async () => {
    await claimAndDie();
    await harness.sends.recordResult('request-1', 'claim-1', sendResult('uncertain'));
    const template = { endpoint: 'intent/v2' as const, body: { ruleNameOrId: 'parcel_update' } };
    await harness.sends.claim(queuedSend(), claim({ claimId: 'claim-2', call: template }), { resend: true });
    await harness.sends.recordResult('request-1', 'claim-2', sendResult('rejected'));
    await harness.sends.confirm('request-1', { messageId: 'message-out', at: NOW });

    expect(await sender.send(sendRequest())).toEqual(DONE);

    expect(await harness.item('MESSAGE#message-out MESSAGE')).toMatchObject({
      call: { endpoint: 'message/v3', body: { messageText: 'Your parcel is on its way.' } },
    });
  });

  it('is only acknowledged if it was rejected', async () => {
    await claimAndDie();
    await harness.sends.recordResult('request-1', 'claim-1', sendResult('rejected'));
    const before = await harness.items();
    expect(await sender.send(sendRequest())).toEqual(DONE);
    expect([harness.calls, harness.deadLetters]).toEqual([[], []]);
    expect(await harness.items()).toEqual(before);
  });
});
