import { beforeEach, describe, expect, it, vi } from 'vitest';
import { sendRequest, USER } from '../../../support/builders.ts';
import { testTables } from '../../../support/test-tables.ts';
import { ANSWERS, createSendHarness, type RunningSend, type SendHarness } from './send-harness.ts';

const tables = testTables();
let harness: SendHarness;
let sender: RunningSend;

beforeEach(async () => {
  harness = await createSendHarness(tables);
  sender = harness.startFunction();
  await harness.openWindow(USER);
});

const send = (requestId: string) => sender.send(sendRequest({ requestId }));
const DONE = { kind: 'done' };

/** Delays the answer to the next read of the account. Returns a function that lets it arrive. */
const delayRead = (): (() => void) => {
  const { readWithAccount } = harness.contacts;
  const { promise, resolve } = Promise.withResolvers<void>();
  vi.spyOn(harness.contacts, 'readWithAccount').mockImplementationOnce(async (...parameters) => {
    const read = await readWithAccount(...parameters);
    await promise;
    return read;
  });
  return resolve;
};

/** Starts a request whose read of the account is answered only after a later read. */
const startEarlierRead = async () => {
  const arrive = delayRead();
  const earlier = send('earlier');
  await expect.poll(() => harness.contacts.readWithAccount).toHaveBeenCalledTimes(1);
  harness.advance(1);
  return async () => {
    arrive();
    return earlier;
  };
};

describe('of two reads of the account that overlap, the later one counts', () => {
  it('if it finds a stop', async () => {
    const endEarlierRead = await startEarlierRead();
    await harness.stops.stop({ stoppedAt: harness.now(), note: 'Wrong template' });
    expect(await send('later')).toMatchObject({ kind: 'retry' });

    expect(await endEarlierRead()).toMatchObject({ kind: 'retry' });

    expect(await send('last')).toMatchObject({ kind: 'retry' });
    expect(harness.calls).toEqual([]);
  });

  it('if it finds that the circuit breaker has closed', async () => {
    harness.answers = [ANSWERS.noCredit];
    await harness.startFunction().send(sendRequest({ requestId: 'rejected' }));
    const endEarlierRead = await startEarlierRead();
    harness.advance(5);
    expect(await harness.startFunction().send(sendRequest({ requestId: 'probe' }))).toEqual(DONE);
    expect(await send('later')).toEqual(DONE);
    harness.samples.length = 0;

    expect(await endEarlierRead()).toEqual(DONE);

    expect(harness.samples).not.toContainEqual(expect.objectContaining({ name: 'AccountHeld', value: 1 }));
  });
});
