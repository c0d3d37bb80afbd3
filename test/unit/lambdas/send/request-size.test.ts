import { beforeEach, describe, expect, it } from 'vitest';
import type { AddressedRequest } from '../../../../lambdas/domain/addressed-request.ts';
import type { Resolution } from '../../../../lambdas/domain/send.ts';
import { parseSendRequest } from '../../../../lambdas/domain/send-request.ts';
import { DONE } from '../../../../lambdas/runtime/queue-handler.ts';
import { queuedSend, sendRequest } from '../../../support/builders.ts';
import { testTables } from '../../../support/test-tables.ts';
import { ANSWERS, createSendHarness, type SendHarness } from './send-harness.ts';

const tables = testTables();
let harness: SendHarness;

/** The longest address that a request can name. It is also the contact's key. */
const ADDRESS = '€'.repeat(256);
const MAX_REQUEST_BYTES = 128 * 1024;

/** The largest request: its text makes up almost all of it, and so of each call built from it. */
const largest = (changes: Partial<AddressedRequest> = {}): AddressedRequest => {
  const common = sendRequest({ platformContactId: ADDRESS, requestId: 'r'.repeat(128), ...changes });
  const rest = Buffer.byteLength(JSON.stringify({ ...common, messageText: '' }));
  return { ...common, messageText: 'x'.repeat(MAX_REQUEST_BYTES - rest) };
};

const REQUEST = largest({ onUncertain: 'resend' });
const { requestId } = REQUEST;
/** The longest message ID that Parley stores. */
const messageId = (n: number) => `${n}`.repeat(1024);

beforeEach(async () => {
  harness = await createSendHarness(tables, { rules: { clientPayload: 'all' } });
  await harness.openWindow(ADDRESS);
});

// A function that has seen several unknown outcomes in a row would open the circuit breaker.
const send = () => harness.startFunction().send(REQUEST);

const read = async () => {
  const stored = await harness.sends.read(requestId);
  if (stored === undefined) throw new Error('The send is missing.');
  return stored;
};

const confirm = async (n: number) => {
  const message = await harness.sends.confirm(requestId, { messageId: messageId(n), at: harness.now() });
  if (message !== undefined) await harness.messages.recordOutbound(message);
  return message;
};

const resolve = async (outcome: 'failed' | 'resend') => {
  const resolution: Resolution = {
    outcome,
    at: harness.now(),
    why: 'An operator resolved it.',
    note: '€'.repeat(1024),
  };
  return harness.sends.resolve(await read(), resolution);
};

describe('the largest request', () => {
  it('is one byte shorter than a request that is refused', () => {
    const body = JSON.stringify(REQUEST);
    expect(parseSendRequest(body).kind).toBe('request');
    expect(parseSendRequest(`${body} `).kind).toBe('malformed');
  });

  it('fits in its item with an earlier call through unknown outcomes, resends, and resolutions', async () => {
    const longProblem = {
      kind: 'answered' as const,
      httpStatus: 200,
      body: { problems: { code: 304, message: '€'.repeat(500) } },
    };
    harness.answers = [
      ...Array.from({ length: 5 }, () => ANSWERS.unknown),
      longProblem,
      longProblem,
      ANSWERS.unavailable(),
    ];
    expect(await harness.sends.register(queuedSend(REQUEST), harness.now())).toEqual({ kind: 'applied' });
    for (let call = 1; call <= 4; call += 1) expect(await send()).toMatchObject({ kind: 'retry' });
    expect(await send()).toEqual(DONE);
    expect(await read()).toMatchObject({ state: 'uncertain', unknownCall: { attempt: 4 } });

    expect(await resolve('failed')).toEqual({ kind: 'applied' });
    for (let call = 6; call <= 7; call += 1) {
      expect(await resolve('resend')).toEqual({ kind: 'applied' });
      expect(await send()).toEqual(DONE);
      expect(await read()).toMatchObject({ state: 'rejected', unknownCall: { attempt: 4 } });
    }
    expect(await resolve('resend')).toEqual({ kind: 'applied' });
    expect(await send()).toMatchObject({ kind: 'retry' });

    expect(await confirm(1)).toMatchObject({ attempt: 4 });
    harness.advance(-1);
    expect(await confirm(2)).toMatchObject({ attempt: 4 });
    expect(await read()).toMatchObject({ state: 'accepted', messageId: messageId(2) });
    expect(harness.calls).toHaveLength(8);
  });
});
