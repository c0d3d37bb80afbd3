import { describe, expect, it } from 'vitest';
import { NOW, sendRequest, templateRequest, USER } from '../../support/builders.ts';
import { FAULTS } from '../world/faults.ts';
import { LIMITS } from '../world/send-process.ts';
import type { Act, Features, History } from './history.ts';
import type { LedgerEntry, LedgerKind } from './ledger.ts';
import { playHistory } from './play-history.ts';
import type { StageMutation, StageRun } from './stage-run.ts';

const START_MS = Date.parse(NOW);

/** A stage without faults, whose delivery is prompt and orderly. */
const features = (changes: Partial<Features> = {}): Features => ({
  faultRates: {},
  delivery: { duplicateRate: 0, lateRate: 0, maxLateMs: 0, lostAnswerRate: 0, withoutTimeRate: 0 },
  windowPer: 'user',
  rules: { clientPayload: 'all' },
  content: true,
  batchSize: { send: 10, inbound: 10, stream: 100 },
  sendConcurrency: 2,
  clockAheadMs: 0,
  maxAnswerMs: 500,
  ...changes,
});

type ActLater = Act extends infer Each ? (Each extends Act ? Omit<Each, 'atMs'> & { afterMs: number } : never) : never;

const history = (acts: readonly ActLater[], changes: Partial<History> = {}): History => ({
  seed: 1,
  features: features(),
  // An act without its time, and a time, are an act.
  acts: acts.map(({ afterMs, ...act }) => ({ ...act, atMs: START_MS + afterMs }) as Act),
  ...changes,
});

const request = (body: object, { requestId = 'request-1', afterMs = 0, via = 'queue' as 'queue' | 'api' } = {}) => ({
  kind: 'request' as const,
  afterMs,
  via,
  body: JSON.stringify({ ...body, requestId }),
  groupId: USER,
  deduplicationId: requestId,
});

const writes = (afterMs = 0) => ({ kind: 'user-writes' as const, contact: USER, text: 'Where is it?', afterMs });

const entriesOf = <Kind extends LedgerKind>({ ledger }: StageRun, kind: Kind) =>
  ledger.entries.filter((entry): entry is Extract<LedgerEntry, { kind: Kind }> => entry.kind === kind);

const MAIN_JOB = history([
  writes(),
  request(sendRequest({ messageText: 'request-1: It is on its way.' }), { afterMs: 5_000 }),
  { kind: 'user-reads', contact: USER, afterMs: 120_000 },
]);

const sendOf = ({ items }: StageRun, requestId = 'request-1') => items.get(`SEND#${requestId} SEND`);

const statesOf = (run: StageRun, requestId = 'request-1'): readonly unknown[] =>
  entriesOf(run, 'write').flatMap(({ key, after }) => (key === `SEND#${requestId} SEND` ? [after?.state] : []));

const answersOf = (run: StageRun) => entriesOf(run, 'api-answer').map(({ act, status }) => [act.kind, status]);

const eventsOn = (run: StageRun) => entriesOf(run, 'published').map(({ detailType }) => detailType);

const freeForm = sendRequest({ messageText: 'request-1: It is on its way.' });
const template = templateRequest({ params: { name: 'request-1' } });
const consent = (changes: Partial<Extract<ActLater, { kind: 'consent' }>> = {}) => ({
  kind: 'consent' as const,
  contact: USER,
  consent: 'opt-in' as const,
  origin: 'user' as const,
  agoMs: 0,
  afterMs: 0,
  ...changes,
});

describe('playing a history', () => {
  it('answers a user, and publishes all that happened', async () => {
    const run = await playHistory(MAIN_JOB);

    expect(run.how).toBe('quiet');
    expect(run.items.get('SEND#request-1 SEND')).toMatchObject({ state: 'accepted' });
    expect(run.items.get('MESSAGE#message-of-request-1-1 MESSAGE')).toMatchObject({
      deliveredAt: expect.any(String),
      readAt: expect.any(String),
    });
    expect(entriesOf(run, 'published').map(({ detailType }) => detailType)).toEqual([
      'MessageReceived',
      'SendAccepted',
      'MessageDelivered',
      'MessageRead',
    ]);
    expect(Object.values(run.queued).flat()).toEqual([]);
  });

  it('refuses a template without an opt-in', async () => {
    const run = await playHistory(history([request(templateRequest())]));

    expect(run.items.get('SEND#request-1 SEND')).toMatchObject({ state: 'refused', code: 'NO_OPT_IN' });
  });

  it('gives the same ledger for the same history, and another one for another seed', async () => {
    const [one, again, other] = [
      await playHistory(MAIN_JOB),
      await playHistory(MAIN_JOB),
      await playHistory({ ...MAIN_JOB, seed: 2 }),
    ];

    expect(again).toEqual(one);
    expect(other.ledger).not.toEqual(one.ledger);
  });
});

describe('an act', () => {
  it.each([
    ['queue', []],
    ['api', [['request', 202]]],
  ] as const)('queues a request by the %s', async (via, answers) => {
    const run = await playHistory(history([writes(), request(freeForm, { afterMs: 5_000, via })]));

    expect(answersOf(run)).toEqual(answers);
    expect(statesOf(run).at(-1)).toBe('accepted');
    expect(entriesOf(run, 'call')).toEqual([
      expect.objectContaining({
        requestId: 'request-1',
        endpoint: 'message/v3',
        end: 'accepted',
        isAnswered: true,
        claimId: expect.any(String),
        effect: expect.objectContaining({ id: 'message-of-request-1-1' }),
      }),
    ]);
  });

  it('delivers an echo, which opens no window', async () => {
    const echo = { kind: 'echo' as const, contact: USER, text: 'Hello', afterMs: 0 };
    const run = await playHistory(history([echo, request(freeForm, { afterMs: 5_000 })]));

    expect(eventsOn(run)).toEqual(['MessageEchoed', 'SendRefused']);
    expect(sendOf(run)).toMatchObject({ code: 'WINDOW_CLOSED' });
  });

  it('quarantines an unknown event, moves it to the table after a week, and redrives it', async () => {
    const event = { kind: 'unknown-event' as const, body: '{"_id_":7}', afterMs: 0 };
    const kept = await playHistory(history([event]));
    const redriven = await playHistory(
      history([event, { kind: 'redrive', queue: 'inbound', afterMs: 9 * 24 * 60 * 60 * 1000 }]),
    );

    expect(entriesOf(kept, 'queued')).toEqual([expect.objectContaining({ queue: 'inbound-dead-letters' })]);
    expect(kept.endedAtMs - kept.calmAtMs).toBeGreaterThan(7 * 24 * 60 * 60 * 1000);
    expect([...kept.items.keys()].filter((key) => key.startsWith('DEADLETTER#'))).not.toEqual([]);
    expect(kept.queued['inbound-dead-letters']).toEqual([]);
    expect(answersOf(redriven)).toEqual([['redrive', 200]]);
    expect(entriesOf(redriven, 'queued').map(({ queue }) => queue)).toEqual([
      'inbound-dead-letters',
      'inbound',
      'inbound-dead-letters',
    ]);
  });

  it('posts an event that nobody signed, which is refused', async () => {
    const unsigned = { kind: 'forged-event' as const, contact: USER, text: 'Hello', afterMs: 0 };
    const run = await playHistory(history([unsigned]));

    expect(entriesOf(run, 'delivery-answer').map(({ status }) => status)).toEqual([401]);
    expect(run.items.size).toBe(0);
  });

  it('records consents, which decide about templates', async () => {
    const run = await playHistory(
      history([
        consent(),
        request(template, { afterMs: 5_000 }),
        consent({ consent: 'opt-out', afterMs: 60_000 }),
        request({ ...template, params: { name: 'request-2' } }, { requestId: 'request-2', afterMs: 65_000 }),
      ]),
    );

    expect(answersOf(run)).toEqual([
      ['consent', 200],
      ['consent', 200],
    ]);
    expect([sendOf(run)?.state, sendOf(run, 'request-2')?.code]).toEqual(['accepted', 'OPTED_OUT']);
  });

  it('cancels a scheduled request, or else its schedule makes it due', async () => {
    const scheduled = request(
      { ...template, sendAt: new Date(START_MS + 7_200_000).toISOString() },
      { afterMs: 5_000 },
    );
    const cancel = { kind: 'cancel' as const, requestId: 'request-1', afterMs: 60_000 };
    const cancelled = await playHistory(history([consent(), scheduled, cancel]));
    const due = await playHistory(history([consent(), scheduled]));

    expect(answersOf(cancelled)).toContainEqual(['cancel', 200]);
    expect(entriesOf(cancelled, 'unscheduled')).toHaveLength(1);
    expect(sendOf(cancelled)?.state).toBe('cancelled');
    expect(entriesOf(due, 'schedule-fired')).toHaveLength(1);
    expect(sendOf(due)?.state).toBe('accepted');
  });

  it('resolves a send whose outcome is unknown', async () => {
    const outage = {
      kind: 'outage' as const,
      part: 'chat-service' as const,
      how: 'bad-gateway' as const,
      forMs: 10_000,
    };
    const resolve = { kind: 'resolve' as const, requestId: 'request-1', afterMs: 600_000 };
    const acts = [writes(), { ...outage, afterMs: 4_000 }, request(freeForm, { afterMs: 5_000 })];
    const rules = { features: features({ rules: { clientPayload: 'off' } }) };
    const failed = await playHistory(history([...acts, { ...resolve, as: 'failed' }], rules));
    const accepted = await playHistory(history([...acts, { ...resolve, as: 'accepted' }], rules));
    const resent = await playHistory(history([...acts, { ...resolve, as: 'resend' }], rules));

    for (const run of [failed, accepted, resent]) {
      expect(answersOf(run)).toEqual([['resolve', 200]]);
      expect(statesOf(run)).toContain('uncertain');
    }
    expect([failed, accepted, resent].map((run) => sendOf(run)?.state)).toEqual(['rejected', 'accepted', 'accepted']);
  });

  it('erases a contact', async () => {
    const run = await playHistory(
      history([writes(), request(freeForm, { afterMs: 5_000 }), { kind: 'erase', contact: USER, afterMs: 600_000 }]),
    );

    expect(answersOf(run)).toEqual([['erase', 202]]);
    expect([...run.items.keys()].filter((key) => /^(MESSAGE|CONTACT)#/.test(key))).toEqual([]);
    expect(sendOf(run)).toMatchObject({ body: '', state: 'accepted' });
  });

  it('takes the credit, and gives it again', async () => {
    const credit = (hasCredit: boolean, afterMs: number) => ({ kind: 'credit' as const, hasCredit, afterMs });
    const run = await playHistory(
      history([writes(), credit(false, 1), request(freeForm, { afterMs: 5_000 }), credit(true, 600_000)]),
    );

    expect(statesOf(run)).toContain('waiting');
    expect(eventsOn(run)).toEqual(
      expect.arrayContaining(['AccountHeld', 'AccountResumed', 'SendAccepted', 'MessageDelivered']),
    );
  });

  it('rotates the token, which the secret follows', async () => {
    const rotation = { kind: 'rotate-token' as const, secretFollowsMs: 900_000, afterMs: 1_000 };
    const run = await playHistory(history([writes(), rotation, request(freeForm, { afterMs: 5_000 })]));

    const [first] = entriesOf(run, 'call');
    expect(first?.end).toBe('not-done');
    expect(sendOf(run)?.state).toBe('accepted');
  });

  it('approves and withdraws a template', async () => {
    const withdrawal = { kind: 'template' as const, name: 'parcel_update', isApproved: false, afterMs: 1 };
    const run = await playHistory(history([consent(), withdrawal, request(template, { afterMs: 5_000 })]));

    expect(sendOf(run)?.state).toBe('rejected');
  });

  it('moves a user off the platform, whom messages do not reach', async () => {
    const leaves = { kind: 'platform' as const, contact: USER, isOnPlatform: false, afterMs: 1 };
    const run = await playHistory(history([consent(), leaves, request(template, { afterMs: 5_000 })]));
    const checks = { features: features({ rules: { contactCheck: 'beforeFirstTemplate' } }) };
    const checked = await playHistory(history([consent(), leaves, request(template, { afterMs: 5_000 })], checks));

    expect(eventsOn(run)).toContain('MessageFailed');
    expect(sendOf(checked)?.code).toBe('NOT_ON_PLATFORM');
  });

  it.each([
    ['chat-service', 'refused'],
    ['chat-service', 'bad-gateway'],
    ['chat-service', 'throttled'],
    ['chat-service', 'unanswered'],
    ['table', 'throttled'],
    ['table', 'unanswered'],
    ['queues', 'refused'],
    ['queues', 'unanswered'],
    ['bus', 'throttled'],
    ['bus', 'unanswered'],
    ['scheduler', 'refused'],
  ] as const)('makes the %s %s for a while', async (part, how) => {
    const scheduled = {
      ...template,
      params: { name: 'request-2' },
      sendAt: new Date(START_MS + 7_200_000).toISOString(),
    };
    const run = await playHistory(
      history([
        consent(),
        { kind: 'outage', part, how, forMs: 120_000, afterMs: 5_000 },
        writes(6_000),
        { kind: 'unknown-event', body: 'ping', afterMs: 7_000 },
        request({ ...template, onUncertain: 'resend' }, { afterMs: 8_000 }),
        request(scheduled, { requestId: 'request-2', afterMs: 9_000 }),
      ]),
    );

    expect(run.how).toBe('quiet');
    expect(sendOf(run)?.state).toBe('accepted');
    expect(sendOf(run, 'request-2')?.state).toBe('accepted');
    expect(eventsOn(run)).toEqual(expect.arrayContaining(['MessageReceived', 'SendAccepted']));
    const before = await playHistory(
      history([consent(), writes(6_000), request({ ...template, onUncertain: 'resend' }, { afterMs: 8_000 })]),
    );
    const duration = ({ endedAtMs, history: { acts } }: StageRun) => endedAtMs - (acts[0]?.atMs ?? 0);
    expect(duration(run)).toBeGreaterThan(duration(before));
  });
});

describe('what AWS does for the functions', () => {
  const withFaults = (faults: readonly string[]) => playHistory({ ...MAIN_JOB, faults });

  it('retries the same records of the stream if the function dies, so that an event is published twice', async () => {
    const run = await withFaults(['publish respond 1 dies-before']);

    const published = entriesOf(run, 'published').filter(({ detailType }) => detailType === 'MessageReceived');
    expect(published.map(({ id }) => id)).toEqual([published[0]?.id, published[0]?.id]);
    expect(entriesOf(run, 'ended')).toContainEqual(expect.objectContaining({ function: 'publish', how: 'died' }));
  });

  it('publishes an event once if the call fails without effect', async () => {
    const run = await withFaults(['publish publish MessageReceived 1 fails-before']);

    expect(entriesOf(run, 'fault')).toHaveLength(1);
    expect(eventsOn(run)).toEqual(eventsOn(await playHistory(MAIN_JOB)));
  });

  it('gives up an overdue call, which takes effect later', async () => {
    const run = await withFaults(['publish publish MessageReceived 1 overdue']);

    const times = entriesOf(run, 'published').filter(({ detailType }) => detailType === 'MessageReceived');
    expect(times).toHaveLength(2);
    expect(entriesOf(run, 'fault')).toHaveLength(1);
  });

  it('puts records that are too old on the queue for publish failures', async () => {
    const outage = { kind: 'outage' as const, part: 'bus' as const, how: 'refused' as const, afterMs: 0 };
    const run = await playHistory(history([{ ...outage, forMs: 13 * 60 * 60 * 1000 }, writes(1_000)]));

    expect(eventsOn(run)).toEqual([]);
    const [left] = run.queued['publish-dead-letters'];
    expect(JSON.parse(left?.body ?? '{}')).toMatchObject({ requestContext: { condition: 'RecordAgeExceeded' } });
  });

  it('delivers a message again after its visibility timeout if the function dies', async () => {
    const run = await withFaults(['send respond 1 dies-before']);

    expect(entriesOf(run, 'invoked').filter((entry) => entry.function === 'send')).toHaveLength(2);
    expect(entriesOf(run, 'call')).toHaveLength(1);
    expect(sendOf(run)?.state).toBe('accepted');
  });

  it('delivers a message again if Lambda could not delete it', async () => {
    const run = await withFaults(['send delete from send 1 fails-before']);

    expect(entriesOf(run, 'invoked').filter((entry) => entry.function === 'send')).toHaveLength(2);
    expect(entriesOf(run, 'deleted')).toHaveLength(1);
  });

  it('ends an invocation at its timeout', async () => {
    const run = await withFaults(['send respond 1 late']);

    const [invoked] = entriesOf(run, 'invoked').filter((entry) => entry.function === 'send');
    const [ended] = entriesOf(run, 'ended').filter((entry) => entry.function === 'send');
    expect(ended).toMatchObject({ how: 'timed-out', atMs: (invoked?.atMs ?? 0) + LIMITS.timeoutSeconds * 1000 });
  });

  it('keeps a FIFO group in order while a message of it waits', async () => {
    const credit = (hasCredit: boolean, afterMs: number) => ({ kind: 'credit' as const, hasCredit, afterMs });
    const second = { ...freeForm, messageText: 'request-2: It has arrived.' };
    const run = await playHistory(
      history([
        writes(),
        credit(false, 1),
        request(freeForm, { afterMs: 5_000 }),
        request(second, { requestId: 'request-2', afterMs: 6_000 }),
        credit(true, 900_000),
      ]),
    );

    const accepted = entriesOf(run, 'call').filter(({ end }) => end === 'accepted');
    expect(accepted.map(({ requestId }) => requestId)).toEqual(['request-1', 'request-2']);
  });

  it('delivers an event until it is acknowledged, and again if the answer is lost', async () => {
    const failing = await withFaults(['receive respond 1 dies-before']);
    const lost = features({ delivery: { ...MAIN_JOB.features.delivery, lostAnswerRate: 1 } });
    const unheard = await playHistory({ ...MAIN_JOB, features: lost });

    const attempts = (run: StageRun) =>
      entriesOf(run, 'delivery-answer').filter(({ eventId }) => eventId.startsWith('written'));
    expect(attempts(failing).map(({ status }) => status)).toEqual([500, 200]);
    expect(attempts(unheard).length).toBeGreaterThan(2);
    expect(attempts(unheard).map(({ isHeard }) => isHeard)).toEqual([
      ...attempts(unheard)
        .slice(1)
        .map(() => false),
      true,
    ]);
    expect(eventsOn(unheard).filter((name) => name === 'MessageReceived')).toHaveLength(1);
  });

  it('redrives requests, which fail again if they must', async () => {
    const malformed = { ...request({}), body: '{', afterMs: 0 };
    const run = await playHistory(history([malformed, { kind: 'redrive', queue: 'send', afterMs: 60_000 }]));

    expect(answersOf(run)).toEqual([['redrive', 200]]);
    expect(entriesOf(run, 'api-answer')[0]?.body).toMatchObject({ moved: 1 });
    // The redrive puts what has failed again behind the others of its group.
    expect(entriesOf(run, 'queued').map(({ queue }) => queue)).toEqual([
      'send',
      'send-dead-letters',
      'send',
      'send-dead-letters',
      'send-dead-letters',
    ]);
  });
});

const RATES = Object.fromEntries(FAULTS.map((fault) => [fault, 0.06]));

/** Twenty requests to five users who write. */
const busy = (seed: number, changes: Partial<Features> = {}): History => {
  const numbers = Array.from({ length: 20 }, (_, index) => index + 1);
  const acts = numbers.flatMap((number): ActLater[] => {
    const contact = `+549115555000${number % 5}`;
    const body = { ...sendRequest({ messageText: `request-${number}: Hello.` }), platformContactId: contact };
    return [
      { kind: 'user-writes', contact, text: 'Hello', afterMs: number * 1_000 },
      {
        ...request(
          { ...body, onUncertain: 'resend' },
          { requestId: `request-${number}`, afterMs: number * 1_000 + 500 },
        ),
        groupId: contact,
      },
    ];
  });
  return history(
    [
      ...acts,
      consent({ afterMs: 30_000 }),
      { kind: 'unknown-event', body: 'ping', afterMs: 31_000 },
      { kind: 'erase', contact: '+5491155550001', afterMs: 40_000 },
    ],
    {
      seed,
      features: features({
        delivery: { duplicateRate: 0.2, lateRate: 0.2, maxLateMs: 600_000, lostAnswerRate: 0.1, withoutTimeRate: 0.1 },
        ...changes,
      }),
    },
  );
};

const faultsIn = (run: StageRun) => entriesOf(run, 'fault').map(({ id }) => id);

describe('faults', () => {
  const runs = Promise.all(Array.from({ length: 12 }, (_, seed) => playHistory(busy(seed, { faultRates: RATES }))));

  it.each(FAULTS)('happen at the calls of ports and are reported: %s', async (fault) => {
    const found = (await runs).flatMap((run) => entriesOf(run, 'fault').filter((entry) => entry.fault === fault));

    expect(found).not.toEqual([]);
  });

  it('are possible where the run says so', async () => {
    for (const run of await runs) {
      for (const { function: name, call, fault } of entriesOf(run, 'fault')) {
        expect(run.possibleFaults.get(`${name} ${call}`)).toContain(fault);
      }
    }
  });

  it('end processes, and their invocations', async () => {
    const ends = (await runs).flatMap((run) => entriesOf(run, 'ended').map(({ how }) => how));

    expect(new Set(ends)).toEqual(new Set(['answered', 'died', 'timed-out']));
  });

  it('stop after the last act, and then everything ends', async () => {
    for (const run of await runs) {
      const calm = run.ledger.entries.findIndex(({ kind }) => kind === 'calm');
      expect(run.how).toBe('quiet');
      expect(run.ledger.entries.slice(calm).filter(({ kind }) => kind === 'fault' || kind === 'act')).toEqual([]);
    }
  });

  it('happen again if they are given, and only they', async () => {
    const [drawn] = await runs;
    if (drawn === undefined) throw new Error('There is no run.');
    const faults = faultsIn(drawn);
    const [kept] = faults;
    const again = await playHistory({ ...drawn.history, faults });
    const one = await playHistory({ ...drawn.history, faults: faults.slice(0, 1) });

    expect(faults.length).toBeGreaterThan(10);
    expect(again.ledger).toEqual(drawn.ledger);
    expect(faultsIn(one)).toEqual([kept]);
  });

  it('mostly stay the same when an act is left out', async () => {
    const [drawn] = await runs;
    if (drawn === undefined) throw new Error('There is no run.');
    const acts = drawn.history.acts.filter((_, index) => index !== 20);
    const without = await playHistory({ ...drawn.history, acts });
    const before = new Set(faultsIn(drawn));
    const kept = faultsIn(without).filter((id) => before.has(id));

    expect(kept.length).toBeGreaterThan(before.size / 2);
  });
});

describe('a mutation', () => {
  it.each(['receive', 'send', 'publish', 'manage'] as const)('breaks the function %s', async (lambda) => {
    const broken: string[] = [];
    const note = (name: string) => void broken.push(name);
    const run = await playHistory(busy(1), {
      createMutation: (): StageMutation => ({
        table: (table, name) => ({
          update(update, options) {
            note(`${name} table`);
            return table.update(update, options);
          },
        }),
        send: {
          ports: () => {
            note('send');
            return {};
          },
        },
        receive: {
          storeEvent: (storeEvent) => {
            note('receive');
            return storeEvent;
          },
        },
        publish: {
          bus: () => {
            note('publish');
            return {};
          },
        },
        manage: {
          ports: () => {
            note('manage');
            return {};
          },
        },
      }),
    });

    expect(run.how).toBe('quiet');
    expect(broken).toContain(lambda);
    if (lambda !== 'publish') expect(broken).toContain(`${lambda} table`);
  });

  it('changes what happens', async () => {
    const run = await playHistory(MAIN_JOB, {
      createMutation: () => ({ publish: { bus: () => ({ publish: async (events) => events.map(() => PUBLISHED) }) } }),
    });

    expect(eventsOn(run)).toEqual([]);
  });
});

const PUBLISHED = { kind: 'published' as const };

describe('the ledger', () => {
  it('is in the order of its times, and reports each entry at once', async () => {
    const seen: LedgerEntry[] = [];
    const run = await playHistory(busy(3), { onEntry: (entry) => void seen.push(entry) });

    expect(seen).toEqual(run.ledger.entries);
    const times = seen.map(({ atMs }) => atMs);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
  });

  it('has every change of the table', async () => {
    const run = await playHistory(busy(4, { faultRates: RATES }));
    const items = new Map<string, unknown>();
    for (const { key, before, after } of entriesOf(run, 'write')) {
      expect(items.get(key)).toEqual(before);
      if (after === undefined) items.delete(key);
      else items.set(key, after);
    }

    expect(items).toEqual(new Map(run.items));
  });

  it('has every message of a queue', async () => {
    const run = await playHistory(busy(5, { faultRates: RATES }));
    const bodies = (kind: 'queued' | 'deleted') => entriesOf(run, kind).map(({ queue, body }) => `${queue} ${body}`);
    const left = Object.entries(run.queued).flatMap(([queue, messages]) =>
      messages.map(({ body }) => `${queue} ${body}`),
    );

    expect([...bodies('deleted'), ...left].toSorted()).toEqual(bodies('queued').toSorted());
  });
});
