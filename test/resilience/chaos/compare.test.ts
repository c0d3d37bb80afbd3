import { describe, expect, it } from 'vitest';
import { CHECKS, compareFaults, compareLedgers, compareNothingIdle, NOTHING_IDLE, WITNESS } from './compare.ts';
import { createFaultCounts } from './fault-counts.ts';
import type { Ledgers } from './ledgers.ts';
import { CONTACT, call, claimOf, ERASED, event, request, validLedgers } from './valid-ledgers.ts';

/** Returns the names of the checks that fail, with the entries that are wrong. */
const failures = (ledgers: Ledgers): Record<string, readonly string[]> =>
  Object.fromEntries(
    compareLedgers(ledgers)
      .filter(({ violations }) => violations.length > 0)
      .map(({ name, violations }) => [name, violations.map(({ id }) => id)]),
  );

const valid = validLedgers();
const withItem = (key: string, changes: Readonly<Record<string, unknown>> | undefined): Partial<Ledgers> => {
  const { [key]: item, ...rest } = valid.table;
  return { table: changes === undefined ? rest : { ...rest, [key]: { ...item, ...changes } } };
};
/** The mark of an erased message, with a status that arrived later. */
const lateStatus = { pk: 'MESSAGE#old', sk: 'MESSAGE', erasedAt: '2026-11-20T12:00:02.000Z', contact: ERASED };
/** Returns ledgers in which the table and the bus agree that the request "one" was refused. */
const refused = (code: string, changes: Partial<Ledgers> = {}): Partial<Ledgers> => ({
  ...withItem('SEND#one SEND', { state: 'refused', code, refusedAt: '2026-11-20T12:05:00.000Z' }),
  ...changes,
});
const withBody = (fields: object): Partial<Ledgers> => ({
  requests: valid.requests.map((each) =>
    each.requestId === 'one' && each.expected === 'end' ? { ...each, body: JSON.stringify(fields) } : each,
  ),
});
const withEvent = (name: string, subject: string): Partial<Ledgers> => ({
  published: [...valid.published, { id: 'invented', name, subject, at: '2026-11-20T12:00:00.000Z' }],
});
const REFUSED = 'a request is refused only for a cause that Parley knew of';
const REJECTED = 'a request is rejected only by the chat service, and expires only after its notAfter';
const CAUSE = 'every published event has a cause';
const TIME = 'the time of every status is the earliest that the chat service reported';
const COMPLETE = 'every stored message has its direction and its request';
const UNCERTAIN = 'a send is uncertain only if a fault hit its call';
const DIED = { state: 'uncertain', outcome: 'The function that claimed the request died.' };
const [one, two] = valid.outbox;
if (one === undefined || two === undefined) throw new Error('The valid ledgers have two messages.');
const withLetters = (
  queue: keyof Ledgers['deadLetters'],
  letters: Ledgers['deadLetters']['sends'],
): Partial<Ledgers> => ({
  deadLetters: { ...valid.deadLetters, [queue]: letters },
});
const AGAIN: Partial<Ledgers> = { outbox: [...valid.outbox, { ...one, id: 'out-again' }] };
const RESENT: Partial<Ledgers> = { requests: valid.requests.map((each) => ({ ...each, isResent: true })) };
const killed = (requestId: string): Partial<Ledgers> => ({
  kills: [{ at: '2026-11-20T12:00:02.000Z', functionName: 'Sender', requestIds: [requestId] }],
});

/** Changes of the valid ledgers by the check that must find them, with the entry that the check must name. */
const DOCTORED: Readonly<Record<string, readonly (readonly [what: string, id: string, changes: Partial<Ledgers>])[]>> =
  {
    'every event is stored once or quarantined': [
      ['an event that is not stored', 'in', withItem('MESSAGE#in MESSAGE', undefined)],
      ['an event with the body of another', 'in', withItem('MESSAGE#in MESSAGE', { body: '{"MESSAGE":"mark-echo"}' })],
      ['an echo that is not stored', 'echo', withItem('MESSAGE#echo ECHO', undefined)],
      ['a status that is not stored', 'status', withItem('MESSAGE#status MESSAGE', { readAt: undefined })],
      ['an unreadable event that is not quarantined', 'unreadable', withLetters('inbound', [])],
    ],
    'every stored message was produced': [
      [
        'a stored message that nobody produced',
        'other',
        withItem('MESSAGE#other MESSAGE', { pk: 'MESSAGE#other', sk: 'MESSAGE' }),
      ],
    ],
    'only unreadable events are quarantined, with a reason': [
      [
        'a quarantined event without a reason',
        '{"MARK":"mark-unreadable"}',
        withLetters('inbound', [{ body: '{"MARK":"mark-unreadable"}', reason: undefined }]),
      ],
      [
        'a readable event in quarantine',
        '{"MESSAGE":"mark-in"}',
        withLetters('inbound', [...valid.deadLetters.inbound, { body: '{"MESSAGE":"mark-in"}', reason: 'unknown' }]),
      ],
    ],
    'every status of a sent message is stored': [
      ['a sent message without its status', 'out-one', withItem('MESSAGE#out-one MESSAGE', { deliveredAt: undefined })],
    ],
    'every request ends in one state or as a dead letter': [
      ['a request without a send', 'later', withItem('SEND#later SEND', undefined)],
      ['a send that has not ended', 'later', withItem('SEND#later SEND', { state: 'claimed' })],
      ['a malformed request that is no dead letter', 'bad', withLetters('sends', valid.deadLetters.sends.slice(1))],
    ],
    'every dead letter of a request is expected and has a reason': [
      [
        'a valid request that is a dead letter',
        '{"requestId":"two"}',
        withLetters('sends', [
          ...valid.deadLetters.sends,
          { body: '{"requestId":"two"}', reason: 'PROCESSING_FAILED' },
        ]),
      ],
    ],
    'nothing is sent twice, unless the request says resend and the outcome was unknowable': [
      ['a request that was sent twice', 'one', AGAIN],
      ['a request that was resent after a known outcome', 'one', { ...AGAIN, ...RESENT }],
      [
        'a request that was resent after an acceptance that the function knew, because an earlier outcome was unknown',
        'one',
        {
          ...AGAIN,
          ...RESENT,
          calls: [
            call({ at: '2026-11-20T12:00:00.500Z', messageId: undefined, answeredStatus: undefined }),
            ...valid.calls,
            call({ at: '2026-11-20T12:00:02.000Z', messageId: 'out-again' }),
          ],
        },
      ],
      [
        'a message that was sent again more often than its claims were abandoned',
        'one',
        {
          ...RESENT,
          ...killed('one'),
          outbox: [...valid.outbox, ...['a', 'b'].map((id) => ({ ...one, id, status: 'accepted' }))],
        },
      ],
    ],
    [UNCERTAIN]: [
      [
        'a send that is uncertain after an answer that says that nothing was done',
        'one',
        {
          ...withItem('SEND#one SEND', { state: 'uncertain', outcome: 'It is unknown.' }),
          calls: [call({ messageId: undefined, answeredStatus: 503 }), ...valid.calls],
        },
      ],
      ['an uncertain send whose call was answered', 'one', withItem('SEND#one SEND', { state: 'uncertain' })],
      [
        'an uncertain send whose function was said to have died, but did not',
        'one',
        withItem('SEND#one SEND', { state: 'uncertain', outcome: 'The function that claimed the request died.' }),
      ],
      [
        'a claim that is said to be abandoned after a process with other requests was killed',
        'one',
        {
          ...withItem('SEND#one SEND', DIED),
          ...killed('two'),
        },
      ],
      [
        'a claim that is said to be abandoned, but was never written',
        'one',
        {
          ...withItem('SEND#one SEND', DIED),
          sendWrites: [claimOf('one', { isApplied: false, isLost: true })],
          ...killed('one'),
        },
      ],
    ],
    'accepted sends and the outbox agree': [
      ['an accepted send that the service does not know', 'one', { outbox: [two] }],
      ['an accepted send with the id of another message', 'one', withItem('SEND#one SEND', { messageId: 'out-two' })],
      ['an accepted send with another endpoint', 'one', withItem('SEND#one SEND', { call: { endpoint: 'intent/v2' } })],
    ],
    'every message in the outbox has an accepted or uncertain send': [
      ['a sent message whose send was refused', 'one', withItem('SEND#one SEND', { state: 'refused' })],
    ],
    "a contact's messages are sent in the order of its requests": [
      ['messages in another order than their requests', CONTACT, { outbox: [two, one] }],
    ],
    'no free-form call outside the window': [
      ['a free-form call a day after the message', 'one', { calls: [call({ at: '2026-11-21T12:00:00.000Z' })] }],
      ['a free-form call before the message', 'one', { calls: [call({ at: '2026-11-20T11:59:59.000Z' })] }],
    ],
    'opt-outs are obeyed from the time that they are recorded': [
      [
        'a template after an opt-out',
        'one',
        {
          calls: [call({ endpoint: 'intent/v2' })],
          consents: [
            {
              contact: CONTACT,
              consent: 'opt-out',
              at: '2026-11-20T12:00:00.000Z',
              recordedAt: '2026-11-20T12:00:00.500Z',
            },
          ],
          published: [
            ...valid.published,
            { id: 'e10', name: 'ContactOptedOut', subject: '', at: '2026-11-20T12:00:00.000Z' },
          ],
        },
      ],
    ],
    'cancelled sends are not sent': [
      [
        'a cancelled request that was sent',
        'later',
        {
          outbox: [
            ...valid.outbox,
            { id: 'out-later', requestId: 'later', endpoint: 'message/v3', status: 'accepted' },
          ],
        },
      ],
    ],
    'every change is published': [
      [
        'a message that was not published',
        'in',
        { published: valid.published.filter(({ subject }) => subject !== 'in') },
      ],
      [
        'an end of a send that was not published',
        'later',
        { published: valid.published.filter(({ subject }) => subject !== 'later') },
      ],
      [
        'a consent that was not published',
        CONTACT,
        { published: valid.published.filter(({ name }) => name !== 'ContactOptedIn') },
      ],
    ],
    'a change has one id, however often it is published': [
      [
        'a message that was published with two ids',
        'MessageReceived in',
        { published: [...valid.published, { id: 'other', name: 'MessageReceived', subject: 'in', at: '' }] },
      ],
      [
        'two changes with the same id',
        'MessageRead in',
        { published: [...valid.published, { id: 'e1', name: 'MessageRead', subject: 'in', at: '' }] },
      ],
    ],
    [REFUSED]: [
      ['a refusal for a closed window, although the window was open', 'one', refused('WINDOW_CLOSED')],
      [
        'a refusal for a closed window, although the request has a template',
        'one',
        refused('WINDOW_CLOSED', { windows: [], ...withBody({ ruleNameOrId: 'rule' }) }),
      ],
      ['a refusal without an opt-in, although the user wrote', 'one', refused('NO_OPT_IN', { consents: [] })],
      [
        'a refusal without an opt-in, although one was stored before the run',
        'one',
        refused('NO_OPT_IN', { consents: [], windows: [], optedIn: [CONTACT] }),
      ],
      ['a refusal after an opt-out that nobody recorded', 'one', refused('OPTED_OUT')],
      [
        'a refusal for a missing reason, although there is one',
        'one',
        refused('REASON_MISSING', withBody({ reason: 'x' })),
      ],
      ['a refusal of media that the request does not have', 'one', refused('MEDIA_UNSUPPORTED')],
      ['a refusal for which the run gave no cause', 'one', refused('PROCESSING_FAILED')],
    ],
    [REJECTED]: [
      ['a rejection that the chat service did not make', 'one', withItem('SEND#one SEND', { state: 'rejected' })],
      [
        'an expired request without an end',
        'one',
        withItem('SEND#one SEND', { state: 'expired', expiredAt: '2026-11-20T12:05:00.000Z' }),
      ],
    ],
    "every contact's window starts at the user's latest message": [
      [
        'a window that starts before the latest message',
        '541150000000',
        withItem('CONTACT#chat#*#541150000000 CONTACT', { lastInboundAt: '2026-11-20T11:00:00.000Z' }),
      ],
      ['a window that no function recorded', '541150000000', { windows: [] }],
    ],
    'an erased contact leaves no data in the table': [
      [
        "an erased contact's message",
        ERASED,
        withItem('MESSAGE#old MESSAGE', { contact: 'CONTACT#chat#*#541159999999' }),
      ],
      [
        "an erased contact's number in what a function wrote before the request",
        ERASED,
        {
          ...withItem('MESSAGE#old MESSAGE', { statusBodies: new Set([`{"FROM":"${ERASED}"}`]) }),
          lastWrites: { 'MESSAGE#old MESSAGE': '2026-11-20T11:59:59.000Z' },
        },
      ],
      [
        'an emptied send that still names its contact',
        ERASED,
        {
          ...withItem('SEND#one SEND', { erasedAt: '2026-11-20T12:00:02.000Z', body: ERASED }),
          lastWrites: { 'SEND#one SEND': '2026-11-20T12:00:02.000Z' },
        },
      ],
      [
        'an emptied message that still names its contact beside its request',
        ERASED,
        {
          ...withItem('MESSAGE#old MESSAGE', { ...lateStatus, requestId: 'one' }),
          lastWrites: { 'MESSAGE#old MESSAGE': '2026-11-20T12:00:02.000Z' },
        },
      ],
    ],
    [CAUSE]: [
      ['a published message that nobody wrote', 'MessageReceived other', withEvent('MessageReceived', 'other')],
      ['a published status that nobody reported', 'MessageRead out-one', withEvent('MessageRead', 'out-one')],
      ['a published end of a send that ended otherwise', 'SendRefused one', withEvent('SendRefused', 'one')],
      ['a published send that nobody requested', 'SendAccepted none', withEvent('SendAccepted', 'none')],
      [
        'a published opt-out that nobody recorded',
        'ContactOptedOut 541150000000',
        withEvent('ContactOptedOut', '541150000000'),
      ],
      ['an account on hold although every call succeeded', 'AccountHeld +1', withEvent('AccountHeld', '+1')],
    ],
    [TIME]: [
      [
        'a time of a status that the chat service did not report',
        'status',
        withItem('MESSAGE#status MESSAGE', { readAt: '2026-11-20T12:00:00.001Z' }),
      ],
      [
        'a status that the chat service reported of another message',
        'out-one',
        withItem('MESSAGE#out-one MESSAGE', { readAt: '2026-11-20T12:00:00.000Z' }),
      ],
    ],
    [COMPLETE]: [
      ['a message without its direction', 'in', withItem('MESSAGE#in MESSAGE', { direction: undefined })],
      [
        'a sent message without its direction',
        'out-one',
        withItem('MESSAGE#out-one MESSAGE', { direction: undefined }),
      ],
      ['a sent message without its request', 'out-one', withItem('MESSAGE#out-one MESSAGE', { requestId: undefined })],
    ],
    'nothing waits': [
      ['a message left on a queue', 'messages on the send queue', { waiting: { 'messages on the send queue': 1 } }],
      ['an event that the chat service gave up', 'expired events', { deliveries: { pending: 0, expired: 1 } }],
    ],
    'every erasure ends': [
      [
        'an erasure that goes on',
        'erasure',
        { erasures: valid.erasures.map((each) => ({ ...each, state: 'running' })) },
      ],
    ],
    'no erasure, schedule, or change is a dead letter': [
      [
        'a change that could not be published',
        '{"change":1}',
        withLetters('publishing', [{ body: '{"change":1}', reason: 'REFUSED' }]),
      ],
    ],
    'the table keeps its laws': [
      [
        'a broken law of the table',
        'SEND#one SEND',
        {
          laws: {
            ...valid.laws,
            violations: [{ law: 'item-is-known', key: { pk: 'SEND#one', sk: 'SEND' }, fault: 'The item is unknown.' }],
          },
        },
      ],
    ],
  };

describe('the comparison of the ledgers', () => {
  it('finds nothing wrong in the ledgers of a run without a fault', () => {
    expect(failures(valid)).toEqual({});
    // These checks have no entries if there are no faults.
    const empty = compareLedgers(valid).filter(({ compared }) => compared === 0);
    expect(empty.map(({ name }) => name)).toEqual(['a send is uncertain only if a fault hit its call']);
  });

  describe.each(Object.entries(DOCTORED))('%s', (check, changed) => {
    it.each(changed)('finds %s', (_what, id, changes) => {
      expect(failures(validLedgers(changes))).toHaveProperty([check], expect.arrayContaining([id]));
    });
  });

  it('finds a run in which every request was refused for a closed window', () => {
    const refusedAt = '2026-11-20T12:05:00.000Z';
    const sends = Object.entries(valid.table).map(([key, item]) =>
      item.sk === 'SEND' ? [key, { ...item, state: 'refused', code: 'WINDOW_CLOSED', refusedAt }] : [key, item],
    );
    const ends = valid.requests.filter(({ expected }) => expected === 'end').map(({ requestId }) => requestId);
    const published = [
      ...valid.published.filter(({ name }) => !name.startsWith('Send') && name !== 'MessageDelivered'),
      ...ends.map((subject) => ({ id: `refused ${subject}`, name: 'SendRefused', subject, at: refusedAt })),
    ];
    const table = Object.fromEntries(sends.filter(([key]) => !String(key).startsWith('MESSAGE#out')));
    const nothing = { outbox: [], calls: [], sendWrites: [], cancelled: [] };
    expect(failures(validLedgers({ ...nothing, table, published }))).toEqual({ [REFUSED]: ends });
  });

  it('has a doctored ledger for every check', () => {
    expect(CHECKS.map(({ name }) => name).filter((name) => !Object.hasOwn(DOCTORED, name))).toEqual([]);
  });

  it('excuses what a fault explains', () => {
    const lost = { calls: [...valid.calls, call({ answeredStatus: undefined, fault: 'reset after' })] };
    const again = { outbox: [...valid.outbox, { ...one, id: 'out-again', status: 'accepted' }] };
    expect(failures(validLedgers({ ...RESENT, ...lost, ...again }))).toEqual({});

    const uncertain = withItem('SEND#one SEND', { state: 'uncertain', outcome: 'reset' });
    const published = [
      ...valid.published.filter(({ name, subject }) => name !== 'SendAccepted' || subject !== 'one'),
      { id: 'e10', name: 'SendUncertain', subject: 'one', at: '', outcome: 'reset' },
    ];
    expect(failures(validLedgers({ ...uncertain, ...lost, published }))).toEqual({});

    const outcome = 'The function that claimed the request died; it may or may not have called the chat service.';
    const died = withItem('SEND#one SEND', { state: 'uncertain', outcome });
    const at = '2026-11-20T12:00:02.000Z';
    const killed = { kills: [{ at, functionName: 'Sender' as const, requestIds: ['one'] }] };
    const answerLost = { sendWrites: [claimOf('one'), claimOf('one', { claimedAt: undefined, at, isLost: true })] };
    const refusing = { tableOutages: [{ from: at, to: '2026-11-20T12:00:05.000Z' }] };
    const diedPublished = published.map((each) => ('outcome' in each ? { ...each, outcome } : each));
    for (const cause of [killed, answerLost, refusing]) {
      expect(failures(validLedgers({ ...died, ...cause, published: diedPublished }))).toEqual({});
    }
  });

  it('excuses events and malformed requests of an erased contact', () => {
    const [erasure] = valid.erasures;
    const contact = erasure?.contact;
    expect(contact).toBeDefined();
    const events = [...valid.events, event({ id: 'erased', contact })];
    const requests = [
      ...valid.requests,
      request({ requestId: 'erased', body: '{"a":1}', contact, expected: 'malformed' }),
    ];
    expect(failures(validLedgers({ events, requests }))).toEqual({});
  });

  it('excuses a status that arrived after its message was erased', () => {
    const name = 'an erased contact leaves no data in the table';
    const lastWrites = { 'MESSAGE#old MESSAGE': '2026-11-20T12:00:03.000Z' };
    const late = validLedgers({ ...withItem('MESSAGE#old MESSAGE', lateStatus), lastWrites });
    expect(failures(late)[name]).toBeUndefined();
    expect(failures({ ...late, lastWrites: {} })[name]).toEqual([ERASED]);
  });
});

describe('a run of full length', () => {
  it('names each check that had nothing to compare', () => {
    const { compared, violations } = compareNothingIdle(compareLedgers(valid));
    expect([compared, violations]).toEqual([
      CHECKS.length,
      [{ id: 'a send is uncertain only if a fault hit its call', why: 'compared nothing' }],
    ]);
    expect(compareNothingIdle([]).name).toBe(NOTHING_IDLE);
  });

  it('names each fault that was never injected', () => {
    const counts = createFaultCounts();
    const all = counts.rows();
    expect(compareFaults(all).violations).toHaveLength(all.length);
    for (const { part, fault } of all.slice(1)) counts.add(part, fault);
    expect(compareFaults(counts.rows())).toEqual({
      name: WITNESS,
      compared: all.length,
      violations: [{ id: 'functions → DynamoDB: late request', why: 'was never injected' }],
    });
  });
});
