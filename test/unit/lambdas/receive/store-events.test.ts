import { describe, expect, it } from 'vitest';
import type { Consent } from '../../../../lambdas/domain/consent.ts';
import { ms } from '../../../../lambdas/domain/duration.ts';
import { ItemBusyError, WriteRefusedError } from '../../../../lambdas/domain/errors.ts';
import type { OperatorEchoes } from '../../../../lambdas/domain/handovers/operator-echo.ts';
import type { Keywords } from '../../../../lambdas/domain/keywords/keywords.ts';
import type { VerifiedRequest } from '../../../../lambdas/domain/webhook-request.ts';
import type { FifoMessage } from '../../../../lambdas/ports.ts';
import { createConfirmOptOut } from '../../../../lambdas/receive/keywords/confirm-opt-out.ts';
import { createStoreEvents } from '../../../../lambdas/receive/store-events.ts';
import { NOW, PLAIN_RECEIVER, TRACEPARENT, USER, wireMessage, wireStatus } from '../../../support/builders.ts';
import { singly } from '../../../support/single-event.ts';

const requestOf = (event: unknown): VerifiedRequest => ({
  rawBody: Buffer.from(JSON.stringify(event)),
  receivedAt: NOW,
});
const STATUS = requestOf(wireStatus());
const MESSAGE = requestOf(wireMessage());

type Write = 'recordMessage' | 'openWindow' | 'recordStatus' | 'recordConsent' | 'queueConfirmation';

type Options = Partial<Parameters<typeof createStoreEvents>[0]> & { readonly confirms?: boolean };

/** A table whose writes succeed except where a test makes them fail, and the clock beside it. */
const createSituation = ({ confirms = false, ...changes }: Options = {}) => {
  const turnsOfMessages: unknown[] = [];
  const confirmations: FifoMessage[] = [];
  const operatorMessages: unknown[] = [];
  const writes: Write[] = [];
  const signals: AbortSignal[] = [];
  const times = new Map<string, string>();
  const consents: Consent[] = [];
  const failures = new Map<Write, () => Promise<void>>();
  const time = { nowMs: Date.parse(NOW) };
  const write = (name: Write) => async () => {
    writes.push(name);
    await failures.get(name)?.();
  };
  const unexpected = () => Promise.reject(new Error('This event needs no such write.'));
  const repositories: Parameters<typeof createStoreEvents>[0]['repositories'] = (signal) => {
    signals.push(signal);
    return {
      contacts: {
        async openWindow() {
          await write('openWindow')();
          return [];
        },
        linkCustomer: async () => undefined,
        async recordOperatorMessage(contact, message) {
          operatorMessages.push([contact.key, message]);
        },
        async recordConsent(subject, consent) {
          if ('customerId' in subject) return;
          consents.push(consent);
          await write('recordConsent')();
        },
      },
      messages: {
        async recordInbound({ id, time }, turn) {
          turnsOfMessages.push(turn);
          await write('recordMessage')();
          const storedAt = times.get(id) ?? time.at;
          times.set(id, storedAt);
          return { at: storedAt };
        },
        async recordStatus() {
          await write('recordStatus')();
          return { traceparent: TRACEPARENT };
        },
        recordEcho: async () => '2026-11-20T11:00:00.000Z',
        recordOutbound: unexpected,
        recordUnknown: unexpected,
        recordUnknownName: unexpected,
      },
      sends: { confirm: unexpected, fail: unexpected, linkMessage: unexpected },
    };
  };
  const confirmationQueue = {
    async put(message: FifoMessage) {
      confirmations.push(message);
      await write('queueConfirmation')();
    },
  };
  const storeEvent = singly(
    createStoreEvents({
      ...PLAIN_RECEIVER,
      repositories,
      clock: { now: () => new Date(time.nowMs).toISOString() },
      budgetMs: ms(5_000),
      chatPlatform: 'chat',
      windowPer: 'user',
      chatChannelNumber: '+5491100000000',
      followUpOf: confirms
        ? createConfirmOptOut({ keywords: changes.keywords, openQueue: () => confirmationQueue })
        : undefined,
      ...changes,
    }),
  );
  return { turnsOfMessages, confirmations, operatorMessages, writes, signals, consents, failures, time, storeEvent };
};

const unavailable = () =>
  Promise.reject(Object.assign(new Error('The item with the text Hi was throttled.'), { name: 'ThrottlingException' }));
const refused = () => Promise.reject(new WriteRefusedError('The item is too large.'));

describe('a table that did not answer', () => {
  it('is left alone for a second, then tried again', async () => {
    const { storeEvent, writes, failures, time } = createSituation();
    failures.set('recordStatus', unavailable);
    for (let count = 0; count < 10; count += 1) {
      expect(await storeEvent(STATUS)).toMatchObject({ kind: 'unavailable' });
    }
    expect(writes).toHaveLength(1);
    time.nowMs += 999;
    expect(await storeEvent(STATUS)).toMatchObject({ kind: 'unavailable' });
    expect(writes).toHaveLength(1);
    time.nowMs += 1;
    failures.clear();
    expect(await storeEvent(STATUS)).toMatchObject({ kind: 'stored' });
    expect(await storeEvent(STATUS)).toMatchObject({ kind: 'stored' });
    expect(writes).toHaveLength(3);
  });

  it('is left alone for whole events: neither write of a message is attempted', async () => {
    const { storeEvent, writes, failures } = createSituation();
    failures.set('openWindow', unavailable);
    expect(await storeEvent(MESSAGE)).toMatchObject({
      kind: 'unavailable',
      reason: 'The table is unavailable: ThrottlingException',
    });
    expect(writes.toSorted()).toEqual(['openWindow', 'recordMessage']);
    expect(await storeEvent(MESSAGE)).toMatchObject({ kind: 'unavailable' });
    expect(await storeEvent(STATUS)).toMatchObject({ kind: 'unavailable' });
    expect(writes).toHaveLength(2);
  });

  it('is tried again with both writes of a message after that second', async () => {
    const { storeEvent, writes, failures, time } = createSituation();
    failures.set('recordMessage', unavailable);
    failures.set('openWindow', unavailable);
    await storeEvent(MESSAGE);
    time.nowMs += 1_000;
    failures.clear();
    expect(await storeEvent(MESSAGE)).toMatchObject({ kind: 'stored' });
    expect(writes).toHaveLength(4);
  });
});

describe('a table that answered', () => {
  it.each([
    ['accepting a write', undefined, 'stored'],
    ['refusing a write', refused, 'unstorable'],
  ])('%s is tried for every event', async (_case, failure, kind) => {
    const { storeEvent, writes, failures } = createSituation();
    if (failure) failures.set('recordStatus', failure);
    for (let count = 0; count < 3; count += 1) expect(await storeEvent(STATUS)).toMatchObject({ kind });
    expect(writes).toHaveLength(3);
  });
});

describe('an event whose time budget is spent', () => {
  it('is unavailable, and each of its writes is aborted', async () => {
    const never = () => new Promise<never>(() => undefined);
    const { storeEvent, failures, signals } = createSituation({ budgetMs: ms(20) });
    for (const name of ['recordMessage', 'openWindow'] as const) failures.set(name, never);

    expect(await storeEvent(MESSAGE)).toMatchObject({ kind: 'unavailable', reason: expect.stringContaining('20 ms') });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });
});

describe('an event of which one write fails', () => {
  it('is retried as a whole when the other write can never succeed', async () => {
    const { storeEvent, failures } = createSituation();
    failures.set('recordMessage', refused);
    failures.set('openWindow', unavailable);
    expect(await storeEvent(MESSAGE)).toMatchObject({
      kind: 'unavailable',
      reason: 'The table is unavailable: ThrottlingException',
    });
  });

  it('is reported as unstorable, with the reason, when the table can never accept it', async () => {
    const { storeEvent, failures } = createSituation();
    failures.set('recordMessage', refused);
    expect(await storeEvent(MESSAGE)).toMatchObject({ kind: 'unstorable', reason: 'The item is too large.' });
  });
});

describe('a message without a time', () => {
  const WITHOUT_TIME = requestOf(wireMessage({ CREATION_TIME: undefined }));

  it('opens no window as of its arrival while its item, which may have an earlier time, cannot be written', async () => {
    const { storeEvent, writes, failures } = createSituation();
    failures.set('recordMessage', unavailable);
    expect(await storeEvent(WITHOUT_TIME)).toMatchObject({ kind: 'unavailable' });
    expect(writes).toEqual(['recordMessage']);
  });

  it('opens a window although the table can never accept it', async () => {
    const { storeEvent, writes, failures } = createSituation();
    failures.set('recordMessage', refused);
    expect(await storeEvent(WITHOUT_TIME)).toMatchObject({ kind: 'unstorable' });
    expect(writes).toEqual(['recordMessage', 'openWindow']);
  });
});

describe('a message that is a keyword', () => {
  const KEYWORDS = { optOut: ['STOP', 'DAR DE BAJA'], optIn: ['START'] };
  const saying = (MESSAGE: unknown, changes: object = {}) => requestOf(wireMessage({ MESSAGE, ...changes }));
  const consentsOf = async (request: VerifiedRequest, keywords: Keywords | undefined = KEYWORDS) => {
    const { storeEvent, consents } = createSituation({ keywords });
    expect(await storeEvent(request)).toMatchObject({ kind: 'stored' });
    return consents;
  };
  const optOut = (word: string) => {
    const at = '2026-11-20T11:00:00.000Z';
    const times = { at, recordedAt: at, ownAt: at };
    return { kind: 'opt-out', origin: 'user', source: `keyword ${word}`, messageId: 'message-1', ...times };
  };

  it.each([
    ['STOP', 'STOP'],
    [' stop! ', 'STOP'],
    ['¡Stóp! 🙏', 'STOP'],
    ['Dar de\nbaja.', 'DAR DE BAJA'],
  ])('%j is an opt-out as of the time of the message', async (text, word) => {
    expect(await consentsOf(saying(text))).toEqual([optOut(word)]);
  });

  it('is an opt-in if the stage says so', async () => {
    expect(await consentsOf(saying('Start'))).toMatchObject([{ kind: 'opt-in', source: 'keyword START' }]);
  });

  it.each([
    ['more than the keyword', saying('Please stop')],
    ['part of a word', saying('STOPS')],
    ['no text', saying('')],
    ['a caption', saying('STOP', { IMAGES_URLS: ['https://a.example/1.png'] })],
    ['an echo', requestOf(wireMessage({ FROM: 'me', TO: '5491155550000', MESSAGE: 'Where is my parcel?' }))],
  ])('is not one with %s', async (_case, request) => {
    const { storeEvent, consents } = createSituation({ keywords: KEYWORDS });
    await storeEvent(request);
    expect(consents).toEqual([]);
  });

  it('gives no consent without a time of its own, because an arrival says nothing about the user', async () => {
    expect(await consentsOf(saying('STOP', { CREATION_TIME: undefined }))).toEqual([]);
  });

  it("has the time of its arrival if the chat service's clock is ahead", async () => {
    const ahead = '2026-11-20T12:00:00.500Z';
    expect(await consentsOf(saying('STOP', { CREATION_TIME: ahead }))).toMatchObject([{ kind: 'opt-out', at: NOW }]);
  });

  it("has the time of the message's item if it is delivered again and the chat service's clock is ahead", async () => {
    const { storeEvent, consents } = createSituation({ keywords: KEYWORDS });
    const ahead = { ...saying('STOP', { CREATION_TIME: '2026-11-20T15:00:00.000Z' }) };
    await storeEvent(ahead);
    await storeEvent({ ...ahead, receivedAt: '2026-11-20T12:10:00.000Z' });
    await storeEvent({ ...ahead, receivedAt: '2026-11-20T15:10:00.000Z' });
    const asOfFirst = { kind: 'opt-out', at: NOW, recordedAt: NOW, ownAt: '2026-11-20T15:00:00.000Z' };
    expect(consents).toMatchObject([asOfFirst, asOfFirst, asOfFirst]);
  });

  it('does not keep a time that is more than a day ahead, because it must be wrong', async () => {
    const [consent] = await consentsOf(saying('STOP', { CREATION_TIME: '2099-01-01T00:00:00.000Z' }));
    expect(consent).toMatchObject({ kind: 'opt-out', at: NOW });
    expect(consent).not.toHaveProperty('ownAt');
  });

  it('is an opt-out although the table can never accept its message', async () => {
    for (const CREATION_TIME of ['2026-11-20T11:00:00.000Z', '2026-11-20T15:00:00.000Z']) {
      const { storeEvent, consents, failures } = createSituation({ keywords: KEYWORDS });
      failures.set('recordMessage', refused);
      expect(await storeEvent(saying('STOP', { CREATION_TIME }))).toMatchObject({ kind: 'unstorable' });
      expect(consents).toMatchObject([{ kind: 'opt-out' }]);
    }
  });

  it('does not wait for a turn that is busy', async () => {
    const { storeEvent, consents, failures } = createSituation({ keywords: KEYWORDS, turns: true });
    failures.set('recordMessage', () => Promise.reject(new ItemBusyError('The turn has too many messages.')));
    expect(await storeEvent(saying('STOP'))).toMatchObject({ kind: 'unavailable' });
    expect(consents).toMatchObject([{ kind: 'opt-out' }]);
  });

  it('means nothing in a stage without keywords', async () => {
    const { storeEvent, consents } = createSituation();
    await storeEvent(saying('STOP'));
    expect(consents).toEqual([]);
  });

  it('is not acknowledged until the consent is stored', async () => {
    const { storeEvent, failures } = createSituation({ keywords: KEYWORDS });
    failures.set('recordConsent', unavailable);
    expect(await storeEvent(saying('STOP'))).toMatchObject({ kind: 'unavailable' });
  });
});

describe('a keyword in a stage that confirms opt-outs', () => {
  const KEYWORDS = { optOut: ['STOP'], optIn: ['START'] };
  const saying = (MESSAGE: string, changes: object = {}) => requestOf(wireMessage({ MESSAGE, ...changes }));
  const createConfirming = () => createSituation({ keywords: KEYWORDS, confirms: true });

  it('is confirmed after it is stored, and by the same request at every delivery', async () => {
    const { storeEvent, writes, confirmations } = createConfirming();
    expect(await storeEvent(saying('STOP'))).toMatchObject({ kind: 'stored' });
    expect(writes.toSorted()).toEqual(['openWindow', 'queueConfirmation', 'recordConsent', 'recordMessage']);
    expect(writes.at(-1)).toBe('queueConfirmation');
    await storeEvent(saying('STOP'));
    expect(confirmations).toHaveLength(2);
    expect(confirmations[1]).toEqual(confirmations[0]);
  });

  it.each(['recordMessage', 'openWindow', 'recordConsent'] as const)(
    'is not confirmed while %s fails, and waits for all writes that are slow',
    async (name) => {
      const { storeEvent, failures, confirmations, time } = createConfirming();
      failures.set(name, unavailable);
      expect(await storeEvent(saying('STOP'))).toMatchObject({ kind: 'unavailable' });
      expect(confirmations).toEqual([]);

      time.nowMs += 1_000;
      let isStored = false;
      failures.set(name, async () => {
        await new Promise((resolve) => setImmediate(resolve));
        isStored = true;
      });
      failures.set('queueConfirmation', async () => expect(isStored).toBe(true));
      expect(await storeEvent(saying('STOP'))).toMatchObject({ kind: 'stored' });
      expect(confirmations).toHaveLength(1);
    },
  );

  it('is not confirmed if the table can never accept it', async () => {
    const { storeEvent, failures, confirmations } = createConfirming();
    failures.set('recordMessage', refused);
    expect(await storeEvent(saying('STOP'))).toMatchObject({ kind: 'unstorable' });
    expect(confirmations).toEqual([]);
  });

  it('is deferred if it cannot be confirmed, but the table is still used for other events', async () => {
    const { storeEvent, failures } = createConfirming();
    failures.set('queueConfirmation', unavailable);
    expect(await storeEvent(saying('STOP'))).toMatchObject({
      kind: 'unavailable',
      reason: 'The confirmation of the opt-out could not be queued: ThrottlingException',
    });
    expect(await storeEvent(MESSAGE)).toMatchObject({ kind: 'stored' });
  });

  it('is deferred if the writes have used up the time budget, which the queue shares', async () => {
    const { storeEvent, failures, time } = createConfirming();
    failures.set('recordMessage', async () => {
      time.nowMs += 5_000;
    });
    failures.set('queueConfirmation', () => new Promise(() => undefined));
    expect(await storeEvent(saying('STOP'))).toMatchObject({
      kind: 'unavailable',
      reason: expect.stringContaining('No answer within 0 ms.'),
    });
  });

  it.each([
    ['another message', saying('Hi')],
    ['an opt-in', saying('Start')],
    ['a caption', saying('STOP', { IMAGES_URLS: ['https://a.example/1.png'] })],
    ['a status', STATUS],
    ['a keyword without a time', saying('STOP', { CREATION_TIME: undefined })],
  ])('is not %s', async (_case, request) => {
    const { storeEvent, confirmations } = createConfirming();
    expect(await storeEvent(request)).toMatchObject({ kind: 'stored' });
    expect(confirmations).toEqual([]);
  });
});

describe('an echo in a stage with operators', () => {
  const ECHOES = { field: 'OPERATOR_ID', handoverMinutes: 30 };
  const echoing = (fields: object) => requestOf(wireMessage({ FROM: 'me', TO: USER, ...fields }));

  /** Stores an echo, and returns what is recorded of the operator. */
  const operatorOf = async (request: VerifiedRequest, operatorEchoes: OperatorEchoes | undefined) => {
    const { storeEvent, operatorMessages } = createSituation({ operatorEchoes });
    expect(await storeEvent(request)).toMatchObject({ kind: 'stored', event: 'echo' });
    return operatorMessages;
  };

  it("moves the contact's operator time to that of the echo's item, and says until when it hands over", async () => {
    expect(await operatorOf(echoing({ OPERATOR_ID: 'ana', CREATION_TIME: undefined }), ECHOES)).toEqual([
      ['541155550000', { at: '2026-11-20T11:00:00.000Z', until: '2026-11-20T11:30:00.000Z' }],
    ]);
  });

  it.each([
    ['that is not an operator’s', echoing({}), ECHOES],
    ['whose field says that it is not', echoing({ OPERATOR_ID: false }), ECHOES],
    ['that names no user', echoing({ TO: undefined, OPERATOR_ID: 'ana' }), ECHOES],
    ['in a stage that does not recognize operators', echoing({ OPERATOR_ID: 'ana' }), undefined],
  ])('moves nothing for one %s', async (_case, request, echoes) => {
    expect(await operatorOf(request, echoes)).toEqual([]);
  });
});

describe('the turn of a message', () => {
  const withoutTime = requestOf(wireMessage({ CREATION_TIME: undefined }));

  it.each([
    ['a message', MESSAGE],
    ['a message without a time of its own', withoutTime],
    ['a message from days ago', requestOf(wireMessage({ CREATION_TIME: '2026-11-14T11:00:00.000Z' }))],
  ])('starts when the message is stored: %s', async (_what, request) => {
    const { storeEvent, turnsOfMessages } = createSituation({ turns: true });
    await storeEvent(request);
    expect(turnsOfMessages).toEqual([{ startedAt: NOW }]);
  });

  it('does not contain a copy from a status, which may not be a message of the user', async () => {
    const { storeEvent, turnsOfMessages } = createSituation({ turns: true });
    await storeEvent(requestOf({ ...wireMessage(), STATUS: 'queued' }));
    expect(turnsOfMessages).toEqual([undefined]);
  });

  it('defers its event, and no other, if other calls keep writing the turn', async () => {
    const { storeEvent, failures } = createSituation({ turns: true });
    failures.set('recordMessage', () => Promise.reject(new ItemBusyError('Other calls keep writing the item.')));
    expect(await storeEvent(MESSAGE)).toMatchObject({
      kind: 'unavailable',
      reason: 'Other calls keep writing the item.',
    });
    failures.clear();
    expect(await storeEvent(requestOf(wireMessage({ _id_: 'other' })))).toMatchObject({ kind: 'stored' });
  });

  it('is none in a stage without turns', async () => {
    const { storeEvent, turnsOfMessages } = createSituation();
    await storeEvent(MESSAGE);
    await storeEvent(withoutTime);
    expect(turnsOfMessages).toEqual([undefined, undefined]);
  });
});
