import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDynamodbAccountStore } from '../../../../lambdas/aws/dynamodb-account-store.ts';
import { createDynamodbEventStore } from '../../../../lambdas/aws/dynamodb-event-store.ts';
import { createDynamodbSendStore } from '../../../../lambdas/aws/dynamodb-send-store.ts';
import { contactRef } from '../../../../lambdas/domain/contact.ts';
import type { SendCall, SendRules } from '../../../../lambdas/domain/send-decision.ts';
import type { ChatServiceAnswer } from '../../../../lambdas/domain/send-outcome.ts';
import type { SendRequest } from '../../../../lambdas/domain/send-request.ts';
import type { MetricName, SendStore } from '../../../../lambdas/ports.ts';
import { createStoreEvent } from '../../../../lambdas/receive/store-event.ts';
import { createSendMessage } from '../../../../lambdas/send/send-message.ts';
import { ACCOUNT, NOW, sendRequest, sendRules, templateRequest, USER, wireMessage } from '../../../support/builders.ts';
import { countingMetrics, silentLog } from '../../../support/silent.ts';
import { type EmulatedTables, type Item, startEmulatedTables } from '../aws/emulated-table.ts';

const LEASE_MS = 180_000;
const ACCEPTED: ChatServiceAnswer = { kind: 'answered', httpStatus: 200, body: { id: 'message-out', problems: null } };
const WINDOW_CLOSED: ChatServiceAnswer = {
  kind: 'answered',
  httpStatus: 403,
  body: { error: { code: 201, message: 'User window is over 24 hours' } },
};
const UNKNOWN: ChatServiceAnswer = { kind: 'unknown', cause: 'ECONNRESET' };

let tables: EmulatedTables;
let tableName: string;
let store: SendStore;
let nowMs: number;
let answers: ChatServiceAnswer[];
let calls: SendCall[];
let checks: (readonly string[])[];
let checkAnswer: ChatServiceAnswer;
let rules: SendRules;
let deadLetters: string[];
let counted: readonly MetricName[];
let send: (request: SendRequest) => Promise<unknown>;

beforeAll(async () => {
  tables = await startEmulatedTables();
});
afterAll(() => tables.close());

beforeEach(async () => {
  tableName = await tables.createTable();
  const options = { client: tables.client, tableName, retentionDays: 400 };
  store = createDynamodbSendStore({ ...options, account: ACCOUNT });
  nowMs = Date.parse(NOW);
  answers = [];
  calls = [];
  deadLetters = [];
  checks = [];
  checkAnswer = { kind: 'answered', httpStatus: 200, body: { problems: null, result: {} } };
  rules = sendRules();
  const metrics = countingMetrics();
  counted = metrics.counted;
  const storeEvent = createStoreEvent({
    store: createDynamodbEventStore({ ...options, budgetMs: 10_000 }),
    defaultPlatform: 'chat',
    windowPer: 'user',
  });
  await storeEvent({ rawBody: Buffer.from(JSON.stringify(wireMessage())), receivedAt: NOW });
  let ids = 0;
  const sendMessage = createSendMessage({
    store,
    accounts: createDynamodbAccountStore({ ...options, account: ACCOUNT }),
    chatService: {
      async send(call) {
        calls.push(call);
        return answers.shift() ?? ACCEPTED;
      },
      async checkContacts(_channel, contacts) {
        checks.push(contacts);
        return checkAnswer;
      },
    },
    deadLetters: {
      async put(_message, reason) {
        deadLetters.push(reason);
      },
    },
    clock: { now: () => new Date(nowMs).toISOString() },
    randomness: { newId: () => `claim-${++ids}`, fraction: () => 0 },
    log: silentLog,
    metrics,
    rules,
    leaseMs: LEASE_MS,
    probeLeaseMs: 60_000,
  });
  send = (request) =>
    sendMessage({
      request,
      body: JSON.stringify(request),
      contact: contactRef('chat', request.platformContactId),
      groupId: request.platformContactId,
      deduplicationId: request.requestId,
    });
});

const items = (): Promise<Record<string, Item>> => tables.items(tableName);
const storedSend = async () => (await items())['SEND#request-1 SEND'];
const DONE = { kind: 'done' };

describe('a request within the window', () => {
  it('is claimed, sent, and kept as a message of the conversation', async () => {
    expect(await send(sendRequest())).toEqual(DONE);
    expect(calls).toMatchObject([{ endpoint: 'message/v3', body: { messageText: 'Your parcel is on its way.' } }]);
    expect(await items()).toMatchObject({
      'SEND#request-1 SEND': { state: 'accepted', messageId: 'message-out', attempts: 1, acceptedAt: NOW },
      'MESSAGE#message-out MESSAGE': {
        direction: 'outbound',
        contact: 'CONTACT#chat#*#541155550000',
        requestId: 'request-1',
        endpoint: 'message/v3',
        text: 'Your parcel is on its way.',
        createdAt: NOW,
      },
    });
  });

  it('that comes again is not sent again', async () => {
    await send(sendRequest());
    const before = await items();
    expect(await send(sendRequest())).toEqual(DONE);
    expect(calls).toHaveLength(1);
    expect(await items()).toEqual(before);
  });

  it('that two functions have at once is sent once', async () => {
    await Promise.all([send(sendRequest()), send(sendRequest()), send(sendRequest())]);
    expect(calls).toHaveLength(1);
  });

  it('falls back to its template on error 201, which is noted for the next', async () => {
    answers = [WINDOW_CLOSED];
    const both = { ...sendRequest(), ...templateRequest() };
    await send(both);
    await send({ ...both, requestId: 'request-2' });
    expect(calls.map(({ endpoint }) => endpoint)).toEqual(['message/v3', 'intent/v2', 'intent/v2']);
    expect(await storedSend()).toMatchObject({ state: 'accepted', call: { endpoint: 'intent/v2' } });
    expect(counted.filter((name) => name === 'WindowMisjudged')).toHaveLength(1);
  });

  it('without a template is refused on error 201', async () => {
    answers = [WINDOW_CLOSED];
    expect(await send(sendRequest())).toEqual(DONE);
    expect(await storedSend()).toMatchObject({ state: 'refused', code: 'WINDOW_CLOSED', refusedAt: NOW });
  });
});

describe('a request that may not be sent', () => {
  it('is refused with its code, and no call is made', async () => {
    nowMs += 25 * 3600 * 1000;
    expect(await send(sendRequest())).toEqual(DONE);
    expect(calls).toEqual([]);
    expect(await storedSend()).toMatchObject({ state: 'refused', code: 'WINDOW_CLOSED' });
  });

  it('stays refused when it comes again in better times', async () => {
    nowMs += 25 * 3600 * 1000;
    await send(sendRequest());
    nowMs -= 25 * 3600 * 1000;
    await send(sendRequest());
    expect(calls).toEqual([]);
  });

  it('expires after notAfter', async () => {
    await send(sendRequest({ notAfter: '2026-11-20T11:00:00Z' }));
    expect(await storedSend()).toMatchObject({ state: 'expired' });
  });

  it('goes to the dead-letter queue when another request had its id', async () => {
    await send(sendRequest());
    expect(await send(sendRequest({ messageText: 'Something else.' }))).toEqual(DONE);
    expect(deadLetters).toEqual([expect.stringContaining('REQUEST_ID_REUSED')]);
    expect(calls).toHaveLength(1);
  });
});

describe('an answer that is no acceptance', () => {
  it('rejects: recorded, and to the dead-letter queue with the reason', async () => {
    answers = [
      { kind: 'answered', httpStatus: 200, body: { problems: { code: 304, message: 'Invalid channel' }, result: {} } },
    ];
    expect(await send(sendRequest())).toEqual(DONE);
    expect(deadLetters).toEqual(['REJECTED: HTTP 200, code 304: Invalid channel']);
    expect(await storedSend()).toMatchObject({ state: 'rejected', why: 'HTTP 200, code 304: Invalid channel' });
  });

  it('makes it wait when the call was not done, and it goes out later', async () => {
    answers = [
      { kind: 'answered', httpStatus: 503, body: undefined, retryAfter: '7' },
      { kind: 'not-sent', cause: 'ECONNREFUSED' },
    ];
    expect(await send(sendRequest())).toEqual({ kind: 'again', afterMs: 7_000 });
    expect(await storedSend()).toMatchObject({ state: 'waiting', why: 'HTTP 503' });
    expect(await send(sendRequest())).toEqual({ kind: 'again', afterMs: 1_000 });
    expect(await send(sendRequest())).toEqual(DONE);
    expect(await storedSend()).toMatchObject({ state: 'accepted', attempts: 3 });
  });

  it('leaves it uncertain, and it is not tried again by itself', async () => {
    answers = [UNKNOWN];
    expect(await send(sendRequest())).toEqual(DONE);
    expect(await send(sendRequest())).toEqual(DONE);
    expect(calls).toHaveLength(1);
    expect(await storedSend()).toMatchObject({ state: 'uncertain', why: 'ECONNRESET' });
  });

  it('leaves it uncertain, and it is sent again where the request says so', async () => {
    answers = [UNKNOWN];
    const request = sendRequest({ onUncertain: 'resend' });
    expect(await send(request)).toMatchObject({ kind: 'again' });
    expect(await send(request)).toEqual(DONE);
    expect(await storedSend()).toMatchObject({ state: 'accepted', attempts: 2 });
  });
});

describe('what is known of a call', () => {
  it('survives two writes that fail', async () => {
    const { conclude } = store;
    let failures = 2;
    vi.spyOn(store, 'conclude').mockImplementation((...parts) => {
      failures -= 1;
      return failures >= 0 ? Promise.reject(new Error('throttled')) : conclude(...parts);
    });
    expect(await send(sendRequest())).toEqual(DONE);
    expect(await storedSend()).toMatchObject({ state: 'accepted' });
  });

  it('ends the request when its item was removed meanwhile', async () => {
    expect(await store.conclude('nowhere', 'claim', { state: 'uncertain', at: NOW, why: '' })).toBe('lost');
  });

  it('is not followed by a sixth message where the request says resend', async () => {
    const request = sendRequest({ onUncertain: 'resend' });
    answers = Array.from({ length: 10 }, () => UNKNOWN);
    for (let attempt = 1; attempt < 5; attempt += 1) expect(await send(request)).toMatchObject({ kind: 'again' });
    expect(await send(request)).toEqual(DONE);
    expect(await storedSend()).toMatchObject({ state: 'uncertain', attempts: 5 });
  });

  it('waits for its own pause where Retry-After asks for none', async () => {
    answers = [{ kind: 'answered', httpStatus: 503, body: undefined, retryAfter: '0' }];
    expect(await send(sendRequest())).toEqual({ kind: 'again', afterMs: 500 });
  });
});

describe('a note on a contact', () => {
  it('gives way to a later one', async () => {
    const contact = contactRef('chat', USER);
    const later = '2026-11-20T12:00:01.000Z';
    await store.noteChecked(contact, { checkedAt: later, checkedAddress: '541155550000' });
    await store.noteChecked(contact, { checkedAt: NOW });
    await store.noteWindowDenied(contact, later);
    await store.noteWindowDenied(contact, NOW);
    expect((await items())['CONTACT#chat#*#541155550000 CONTACT']).toMatchObject({
      checkedAt: later,
      checkedAddress: '541155550000',
      windowDeniedAt: later,
    });
  });
});

describe('a function that died while it had the claim', () => {
  const claimAndDie = async (request: SendRequest) => {
    const queued = {
      request,
      body: JSON.stringify(request),
      contact: contactRef('chat', USER),
      groupId: 'group',
      deduplicationId: 'request-1',
    };
    const claim = {
      claimId: 'dead',
      claimedAt: NOW,
      leaseUntil: new Date(nowMs + LEASE_MS).toISOString(),
      call: { endpoint: 'message/v3' as const, body: {} },
      why: '',
    };
    await store.claim(queued, claim, { uncertainToo: false });
  };

  it('is waited for until its lease is over', async () => {
    await claimAndDie(sendRequest());
    nowMs += 60_000;
    expect(await send(sendRequest())).toEqual({ kind: 'again', afterMs: LEASE_MS - 60_000 });
    expect(calls).toEqual([]);
  });

  it('leaves an uncertain send, which is not sent again', async () => {
    await claimAndDie(sendRequest());
    nowMs += LEASE_MS;
    expect(await send(sendRequest())).toEqual(DONE);
    expect(calls).toEqual([]);
    expect(await storedSend()).toMatchObject({ state: 'uncertain' });
  });

  it('leaves one that is sent again where the request says so', async () => {
    const request = sendRequest({ onUncertain: 'resend' });
    await claimAndDie(request);
    nowMs += LEASE_MS;
    expect(await send(request)).toMatchObject({ kind: 'again' });
    expect(await send(request)).toEqual(DONE);
    expect(calls).toHaveLength(1);
  });

  it('settles what became uncertain meanwhile, if it lived after all', async () => {
    await claimAndDie(sendRequest());
    nowMs += LEASE_MS;
    await send(sendRequest());
    const accepted = {
      state: 'accepted' as const,
      at: NOW,
      why: '',
      messageId: 'message-late',
      call: { endpoint: 'message/v3' as const, body: {} },
    };
    expect(await store.conclude('request-1', 'dead', accepted)).toBe('concluded');
    expect(await storedSend()).toMatchObject({ state: 'accepted', messageId: 'message-late' });
  });

  it('after its answer was recorded leaves only the conversation to complete', async () => {
    await claimAndDie(sendRequest());
    const call = { endpoint: 'message/v3' as const, body: { messageText: 'Hi' } };
    await store.conclude('request-1', 'dead', { state: 'accepted', at: NOW, why: '', messageId: 'message-out', call });
    expect(await send(sendRequest())).toEqual(DONE);
    expect(calls).toEqual([]);
    expect((await items())['MESSAGE#message-out MESSAGE']).toMatchObject({ requestId: 'request-1', text: 'Hi' });
  });
});
