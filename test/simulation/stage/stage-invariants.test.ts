import { describe, expect, it } from 'vitest';
import { serializeDueMessage } from '../../../lambdas/domain/send-request.ts';
import type { Item } from '../../../lambdas/table/item.ts';
import { CLAIMED, ERASED, MAIN } from './invariants/stories.ts';
import {
  actStep,
  at,
  CONTACT,
  changed,
  ended,
  inserted,
  invoked,
  KEY,
  REQUEST,
  REQUEST_BODY,
  runOf,
  START_MS,
  type Step,
  step,
  USER,
  without,
  writeStep,
  written,
} from './invariants/tiny-story.ts';
import { examineRun, type StageInvariantName, type Violation } from './stage-invariants.ts';

// ./defects shows that each invariant can be violated. These tests show the limits of what invariants allow.

/** What differs in a story, and whether an invariant then holds. */
type Case = readonly [what: string, verdict: 'holds' | 'violated', steps: readonly Step[]];

const violationsOf = (steps: readonly Step[], features: object = {}): readonly Violation[] =>
  examineRun(runOf(steps, { features })).violations;

const itJudges = (invariant: StageInvariantName, cases: readonly Case[], features: object = {}): void => {
  it.each(cases)(`${invariant}: %s: %s`, (_what, verdict, steps) => {
    const violated = violationsOf(steps, features).some((violation) => violation.invariant === invariant);
    expect(violated ? 'violated' : 'holds').toBe(verdict);
  });
};

const SEND = 'SEND#request-1 SEND';
const call = (seconds: number, changes: object = {}): Step => {
  const original = MAIN.find(({ name }) => name === 'call');
  if (original === undefined) throw new Error('The main story has no call.');
  return { ...original, name: 'another call', seconds, event: { ...original.event, ...changes } as Step['event'] };
};
const effect = { id: 'out-2', at: 0, contact: '541155550000', endpoint: 'message/v3', body: {} };
const asRequest = (changes: object): string => JSON.stringify({ ...REQUEST, ...changes });
/** The main story with another request. */
const requesting = (changes: object): readonly Step[] => {
  const body = asRequest(changes);
  const claimed = { ...CLAIMED, body };
  return changed(
    changed(changed(written(written(MAIN, 'claim', claimed), 'accept', { body }), 'queued', { body }), 'deleted', {
      body,
    }),
    'request',
    { act: { atMs: START_MS, kind: 'request', via: 'queue', body, groupId: USER, deduplicationId: 'request-1' } },
  );
};
const refused = (attributes: object): readonly Step[] =>
  without(
    written(
      changed(MAIN, 'accept', { before: undefined }),
      'accept',
      // Nothing of the call is left.
      { state: 'refused', refusedAt: at(13), messageId: undefined, claimId: undefined, ...attributes },
    ),
    'claim',
    'read again',
    'call',
    'sent message',
  );
const uncertain = (isAnswered: boolean): readonly Step[] =>
  written(changed(MAIN, 'call', { isAnswered }), 'accept', { state: 'uncertain', uncertainAt: at(13) });
const secondRequest = (callAt: number, queue = 'send'): readonly Step[] => {
  const body = asRequest({ requestId: 'request-2', messageText: 'request-2: Really.' });
  const claimed = { ...CLAIMED, body, claimId: 'claim-2' };
  const added = [
    actStep('second request', 10, { kind: 'request', via: 'queue', body, groupId: USER, deduplicationId: 'request-2' }),
    step('second queued', 10, { kind: 'queued', queue, body } as Step['event']),
    writeStep('second claim', 11, { process: 'send-1', key: 'SEND#request-2 SEND', after: claimed }),
  ];
  const second = call(callAt, { requestId: 'request-2', claimId: 'claim-2', effect });
  return callAt < 12
    ? MAIN.flatMap((one) => (one.name === 'call' ? [second, one] : one.name === 'queued' ? [one, ...added] : [one]))
    : inserted(inserted(MAIN, 'queued', ...added), 'call', second);
};
const dueIn = (queue: 'send' | 'bulk', process?: string) =>
  inserted(
    MAIN,
    'queued',
    ...(process === undefined ? [] : [invoked(process, 'manage', 11)]),
    step('due', 11, { kind: 'queued', queue, body: serializeDueMessage('request-1'), ...(process && { process }) }),
  );

describe('a START after a STOP', () => {
  const KEYWORD = { process: 'receive-1', key: `${CONTACT} CONSENT` };
  /** The user writes STOP. */
  const STOPPED = MAIN.map((one) => JSON.parse(JSON.stringify(one).replaceAll('Where is it?', 'STOP')));
  const STOP_STORED = { userOptOutAt: at(0), userOptOutOwnAt: at(0) };
  /** The user writes STOP, and then START, which arrives at 20 seconds. */
  const changesMind = (startOwnAt: string, consents: Item): readonly Step[] => {
    const body = JSON.stringify({ _id_: 'in-2', FROM: USER.slice(1), MESSAGE: 'START', CREATION_TIME: startOwnAt });
    return [
      ...inserted(STOPPED, 'window', writeStep('consent', 1, { ...KEYWORD, after: STOP_STORED })),
      step('start', 20, { kind: 'event', eventId: 'start', body, isUnauthenticated: false }),
      step('start delivery', 20, { kind: 'delivery', eventId: 'start', attempt: 1 }),
      writeStep('start stored', 20, { ...KEYWORD, before: STOP_STORED, after: { ...STOP_STORED, ...consents } }),
      step('start answer', 20, { kind: 'delivery-answer', eventId: 'start', status: 200, isHeard: true }),
    ];
  };
  const START_STORED = { userOptInAt: at(20), userOptInOwnAt: at(20) };
  const WITH_START = { keywords: true, optInKeyword: true };
  const reportedSince = [
    ...changesMind(at(20), START_STORED),
    actStep('opt-out', 30, { kind: 'consent', contact: USER, consent: 'opt-out', origin: 'user', agoMs: 0 }),
    writeStep('opted out', 30, {
      process: 'manage-9',
      key: `${CONTACT} CONSENT`,
      after: { ...STOP_STORED, ...START_STORED, userOptOutAt: at(30) },
    }),
  ];

  itJudges(
    'latestKeywordCounts',
    [
      ['it is stored with both times', 'holds', changesMind(at(20), START_STORED)],
      [
        'it is later, and stored as earlier',
        'violated',
        changesMind(at(20), { ...START_STORED, userOptInOwnAt: at(0) }),
      ],
      [
        'it is earlier, and stored as later',
        'violated',
        changesMind(at(-5), { ...START_STORED, userOptInOwnAt: at(20) }),
      ],
      ['somebody reported another opt-out since', 'holds', reportedSince],
    ],
    WITH_START,
  );
  const WITHOUT_START = { keywords: true };
  itJudges('latestKeywordCounts', [['not a keyword', 'violated', changesMind(at(20), START_STORED)]], WITHOUT_START);
  itJudges('consentsAreTrue', [['not a keyword', 'violated', changesMind(at(20), START_STORED)]], WITHOUT_START);
});

describe('a resend that the API confirms', () => {
  const key = SEND;
  const waiting = { ...CLAIMED, state: 'waiting' };
  const act = { atMs: START_MS, kind: 'resolve' as const, requestId: 'request-1', as: 'resend' as const };
  const resend: readonly Step[] = [
    step('resolve', 50, { kind: 'act', act }),
    invoked('manage-1', 'manage', 50),
    writeStep('resolved', 51, { process: 'manage-1', key, before: { ...CLAIMED, state: 'uncertain' }, after: waiting }),
    step('queued again', 52, { kind: 'queued', queue: 'send', body: REQUEST_BODY, process: 'manage-1' }),
    invoked('send-2', 'send', 53),
    writeStep('waits on', 53, { process: 'send-2', key, before: waiting, after: { ...waiting, waitingAt: at(53) } }),
    step('api answer', 54, { kind: 'api-answer', act, status: 200, body: {} }),
  ];
  const waited = [
    writeStep('waits', 40, { process: 'send-1', key, before: CLAIMED, after: waiting }),
    ...without(resend, 'resolved'),
  ];
  const accepted = written(written(waited, 'waits', { state: 'accepted' }), 'waits on', { state: 'accepted' });

  itJudges('answersAreTrue', [
    ['the request was received before the answer, and waits', 'holds', resend],
    ['it was never queued again', 'violated', without(resend, 'queued again')],
    ['the send waited already', 'holds', waited],
    ['the send waited already, and was never queued again', 'violated', without(waited, 'queued again')],
    ['the send was accepted', 'violated', accepted],
  ]);
});

describe('a status of a call with an unknown outcome, after another call', () => {
  /** The first call is a free-form message, and the second one a template. */
  const confirmed = (
    { state, ...second }: { state: string; end?: string; isAnswered?: boolean },
    shown: object = {},
  ) => {
    const { endpoint, confirmedBy } = { endpoint: 'message/v3', confirmedBy: 'status', ...shown };
    const again = { ...CLAIMED, claimId: 'claim-2' };
    const message = { direction: 'outbound', contact: CONTACT, requestId: 'request-1', call: { endpoint } };
    return [
      ...without(uncertain(false), 'sent message', 'delivered'),
      invoked('send-2', 'send', 20),
      writeStep('claim again', 20, { process: 'send-2', key: SEND, after: again }),
      call(21, { process: 'send-2', claimId: 'claim-2', endpoint: 'intent/v2', effect: undefined, ...second }),
      writeStep('end', 22, { process: 'send-2', key: SEND, before: again, after: { ...again, state } }),
      ended('send-2', 'send', 22),
      invoked('receive-3', 'receive', 30),
      writeStep('confirm', 30, {
        process: 'receive-3',
        key: SEND,
        before: again,
        after: { ...again, state: 'accepted', messageId: 'out-1', confirmedBy },
      }),
      writeStep('confirmed message', 30, { process: 'receive-3', key: 'MESSAGE#out-1 MESSAGE', after: message }),
      ended('receive-3', 'receive', 30),
    ];
  };
  const rejected = { state: 'rejected', end: 'rejected' };
  const unknown = { state: 'uncertain', isAnswered: false };

  itJudges('statesAreTrue', [
    ['the last call was rejected', 'holds', confirmed(rejected)],
    ['nothing confirmed the send', 'violated', confirmed(rejected, { confirmedBy: 'nothing' })],
  ]);
  itJudges('acceptedHasMessage', [
    ['it shows the first call', 'holds', confirmed(rejected)],
    ['it shows the last call, which sent nothing', 'violated', confirmed(rejected, { endpoint: 'intent/v2' })],
    ['it shows the last call, also of an unknown outcome', 'holds', confirmed(unknown, { endpoint: 'intent/v2' })],
  ]);
});

describe('a message that an operator resolves, after a claim whose function died', () => {
  /** The first call is a free-form message with an unknown outcome; the template of the second claim is never called. */
  const resolved = (state: 'uncertain' | 'waiting', endpoint = 'intent/v2'): readonly Step[] => {
    const again = { ...CLAIMED, claimId: 'claim-2', call: { endpoint: 'intent/v2' } };
    const end = { ...again, state };
    const message = { direction: 'outbound', contact: CONTACT, requestId: 'request-1', call: { endpoint } };
    return [
      ...without(uncertain(false), 'sent message', 'delivered'),
      writeStep('claim again', 20, { process: 'send-2', key: SEND, after: again }),
      writeStep('end', 22, { process: 'send-3', key: SEND, before: again, after: end }),
      invoked('manage-1', 'manage', 30),
      writeStep('resolved', 30, { process: 'manage-1', key: SEND, before: end, after: { ...end, state: 'accepted' } }),
      writeStep('message', 30, { process: 'manage-1', key: 'MESSAGE#out-1 MESSAGE', after: message }),
      ended('manage-1', 'manage', 30),
    ];
  };

  itJudges('acceptedHasMessage', [
    ['it shows the call that was claimed last, which may have been sent', 'holds', resolved('uncertain')],
    ['it shows that call, which is known to have sent nothing', 'violated', resolved('waiting')],
    ['it shows a call that was never claimed', 'violated', resolved('uncertain', 'other/v1')],
  ]);
});

describe('a send', () => {
  const confirmedAfterDays = (seconds: number): readonly Step[] => {
    const before = { ...CLAIMED, state: 'uncertain' };
    const after = { ...before, state: 'accepted' };
    return [
      ...changed(written(MAIN, 'accept', { state: 'uncertain' }), 'accept', {}, seconds),
      writeStep('confirm', 200_000, { process: 'receive-3', key: SEND, before, after }),
    ];
  };
  itJudges('endsInTime', [
    ['a status confirms it after days, and it became uncertain in time', 'holds', confirmedAfterDays(13)],
    ['a status confirms it after days, and it stayed claimed for hours', 'violated', confirmedAfterDays(100_000)],
  ]);

  const uncalled = without(uncertain(false), 'call');
  const failing = (seconds: number, what: string): readonly Step[] => {
    const id = `send ${what} fails-before`;
    const fault = { kind: 'fault', id, function: 'send', call: 'write SEND', fault: 'fails-before' } as const;
    return inserted(uncalled, 'claim', step(id, seconds, { ...fault, process: 'send-1' }));
  };
  itJudges('uncertainOnlyAfterCall', [
    ['a read of the contact failed', 'violated', failing(12, 'read CONTACT#chat#*#541155550000 1')],
    ['a write failed, with time for another', 'violated', failing(12, 'write SEND#request-1 as waiting 1')],
    ['a late write of another send failed', 'violated', failing(125, 'write SEND#request-2 as waiting 1')],
    ['its last write before the timeout failed', 'holds', failing(125, 'write SEND#request-1 as waiting 50')],
    ['its function died', 'holds', changed(uncalled, 'send-1 ends', { how: 'died' })],
  ]);
});

describe('an erasure', () => {
  /** Its last pass removes a contact check that is newer than its request. */
  const erasedCheck = (...created: readonly Step[]): readonly Step[] => {
    const before = { checkedAt: at(200.5), checkedAddress: USER };
    const check = writeStep('check erased', 210, { process: 'manage-3', key: `${CONTACT} CHECK`, before });
    return inserted(inserted(ERASED, 'manage-2 ends', ...created), 'manage-3 starts', check);
  };
  const newItem = (sk: string): Step =>
    writeStep('new item', 205, {
      process: 'receive-3',
      key: `${CONTACT} ${sk}`,
      after: { lastInboundAt: at(200.7), userOptInRecordedAt: at(200.7) },
    });
  itJudges('othersKept', [
    ['it removes a newer contact check', 'holds', erasedCheck()],
    ['the contact has written since', 'violated', erasedCheck(newItem('CONTACT'))],
    ['the contact has opted in since', 'violated', erasedCheck(newItem('CONSENT'))],
  ]);

  const BODY = JSON.stringify({ _id_: 'out-1', FROM: USER.slice(1), STATUS: 'delivered' });
  const report = (eventId: string, seconds: number, deliveredAt: number): readonly Step[] => [
    step(eventId, seconds, { kind: 'event', eventId, body: BODY, isUnauthenticated: false }),
    step(`${eventId} delivery`, deliveredAt, { kind: 'delivery', eventId, attempt: 1 }),
    step(`${eventId} answer`, deliveredAt, { kind: 'delivery-answer', eventId, status: 200, isHeard: true }),
  ];
  /** The same status is reported before and after it. */
  const rewritten = (...again: readonly Step[]): readonly Step[] => [
    ...report('first', 45, 46),
    ...ERASED,
    ...report('second', 50, 300),
    ...again,
    writeStep('status again', 300, {
      process: 'receive-9',
      key: 'MESSAGE#out-1 MESSAGE',
      after: { deliveredAt: at(50), statusBodies: new Set([BODY]) },
    }),
  ];
  const again = step('again', 299, { kind: 'delivery', eventId: 'first', attempt: 2 });
  itJudges('statusesAreTrue', [
    ['a repeated status has the time of the report that it did not remove', 'holds', rewritten()],
    ['a repeated status has that time although the earlier report came again', 'violated', rewritten(again)],
  ]);

  const earlier = actStep('erase', -10, { kind: 'erase', contact: USER });
  const unrecorded = without(MAIN, 'sent message', 'delivered', 'published status');
  itJudges('acceptedHasMessage', [
    ['it removed the message', 'holds', without(ERASED, 'send erased')],
    ['it was over before the message', 'violated', [earlier, ...unrecorded]],
  ]);

  const detail = { id: 'id-1', messageId: 'in-1', at: at(220) };
  const published = (seconds: number): Step =>
    step('published again', seconds, { kind: 'published', id: 'id-1', detailType: 'MessageReceived', detail });
  itJudges('oneChangePerId', [
    ['it removed the first change with an ID', 'holds', [...ERASED, published(221)]],
    ['it was over before the first change', 'violated', [earlier, ...MAIN, published(221)]],
    ['the second change came before it', 'violated', inserted(ERASED, 'calm', published(199))],
  ]);

  const WINDOW = { lastInboundAt: at(0) };
  const optOut = { userOptOutAt: at(-1), userOptOutSource: 'call' };
  /** It removes, before the call, what the user wrote after an opt-out. */
  const readBefore = (contact: Item): readonly Step[] => [
    writeStep('opt-out', -1, { process: 'manage-9', key: `${CONTACT} CONSENT`, after: optOut }),
    ...changed(
      inserted(
        changed(MAIN, 'read again', { contact: optOut }),
        'read',
        invoked('manage-1', 'erase', 11),
        writeStep('erased', 11, { process: 'manage-1', key: `${CONTACT} CONTACT`, before: WINDOW }),
      ),
      'read',
      { contact },
    ),
  ];
  itJudges('optOutObeyed', [
    ['the function has read that the user wrote since', 'holds', readBefore({ ...optOut, ...WINDOW })],
    ['the function has not read it', 'violated', readBefore(optOut)],
  ]);
});

describe('a call of an invocation that started before the circuit breaker opened', () => {
  const opened = (readAt: number, ...earlier: readonly Step[]): readonly Step[] => {
    const circuit = { circuit: 'open', reason: 'no-credit', openedAt: at(3), nextProbeAt: at(60) };
    const open = writeStep('open', 3, { process: 'send-0', key: 'ACCOUNT#chat#1 ACCOUNT', after: circuit });
    const started = changed(changed(MAIN, 'send-1 starts', {}, 2), 'read', {}, readAt);
    return inserted(started, 'send-1 starts', ...earlier, open);
  };
  const read = { kind: 'read-contact', process: 'send-1', name: CONTACT, contact: {} } as const;
  const earlierRead = step('earlier read', 2.5, read);
  const body = JSON.stringify({ ...REQUEST, requestId: 'request-0' });
  const earlierCall = [
    actStep('earlier request', 1, { kind: 'request', via: 'queue', body, groupId: USER, deduplicationId: 'request-0' }),
    earlierRead,
    call(2.6, { requestId: 'request-0', claimId: undefined, effect: undefined, end: 'not-done' }),
  ];

  itJudges('onlyProbesWhileOpen', [
    ['it relied on its own earlier read', 'holds', opened(7)],
    ["it relied on another request's earlier read", 'holds', opened(11, earlierRead)],
    ['it must have read the open circuit breaker', 'violated', opened(11)],
    ['the earlier read was for a request of its message group', 'violated', opened(11, ...earlierCall)],
  ]);
});

describe('an event', () => {
  const contact = { platform: 'chat', channel: '*', key: KEY };
  /** It is about an acceptance after a rejection. */
  const accepted = (call: object | undefined, endpoint?: string): readonly Step[] => {
    const before = { ...CLAIMED, state: 'rejected', rejectedAt: at(20), unsentClaimId: CLAIMED.claimId, call };
    const detail = { id: 'id-8', requestId: 'request-1', contact, at: at(49), messageId: 'out-1', endpoint };
    return [
      ...MAIN,
      writeStep('late', 50, {
        process: 'receive-9',
        key: SEND,
        before,
        after: { ...before, state: 'accepted', acceptedAt: at(49), messageId: 'out-1' },
      }),
      step('late event', 51, {
        kind: 'published',
        id: 'id-8',
        detailType: 'SendAccepted',
        detail: JSON.parse(JSON.stringify(detail)),
      }),
    ];
  };
  const naming = (name: string, fields: object): readonly Step[] =>
    MAIN.map((one) =>
      one.name === name && one.event.kind === 'published'
        ? { ...one, event: { ...one.event, detail: Object.assign({}, one.event.detail, fields) } }
        : one,
    );
  const other = { contact: { ...contact, key: '549' } };

  itJudges('nothingElsePublished', [
    ['it names the endpoint of the call that sent', 'holds', accepted({ endpoint: 'intent/v2' }, 'message/v3')],
    ['it names the endpoint of the rejected call', 'violated', accepted({ endpoint: 'intent/v2' }, 'intent/v2')],
    ['it names no endpoint of an erased contact', 'holds', accepted(undefined)],
    ['it names the endpoint of an erased contact', 'violated', accepted(undefined, 'message/v3')],
    ['a message of another address', 'violated', naming('received', { platformContactId: 'somebody-else' })],
    ['a message of another contact', 'violated', naming('received', other)],
    ['a status of another request', 'violated', naming('published status', { requestId: 'request-2' })],
    ['a status of another contact', 'violated', naming('published status', other)],
  ]);
});

describe('a request whose since names a message', () => {
  const condition = { unless: ['userWroteSince'], since: 'in-1' };
  const named = requesting(condition);
  const refusedFor = (contact: string): readonly Step[] =>
    refused({ code: 'SINCE_UNKNOWN', body: asRequest(condition), contact });
  const ANOTHER = 'CONTACT#chat#*#541155559999';

  itJudges('conditionsObeyed', [
    ['the message is of the same user', 'holds', named],
    ['the message is of another user', 'violated', written(named, 'message', { contact: ANOTHER })],
  ]);
  itJudges('refusedForAReason', [
    ['it is refused, and the message is of another user', 'holds', refusedFor(ANOTHER)],
    ['it is refused, and the message is of the same user', 'violated', refusedFor(CONTACT)],
  ]);
});

describe('the send queue and the bulk queue', () => {
  const fromBulk = (steps: readonly Step[]) =>
    steps.flatMap((one) => (one.name === 'queued' ? changed([one], 'queued', { queue: 'bulk' }) : [one]));
  const misdirected = step('misdirected', 11, { kind: 'misdirected', queue: 'send', body: REQUEST_BODY });

  itJudges('orderKept', [
    ['a later request of the bulk queue came first', 'holds', secondRequest(11, 'bulk')],
    ['both requests are on the bulk queue', 'violated', fromBulk(secondRequest(11, 'bulk'))],
  ]);
  itJudges('lanesKept', [
    ['a scheduled request returns', 'holds', dueIn('send')],
    ['a scheduled request of the bulk queue changes its queue', 'violated', fromBulk(dueIn('send'))],
    ['the management API queues it on the send queue', 'holds', fromBulk(dueIn('send', 'manage-1'))],
    ['the management API queues it on the bulk queue', 'violated', dueIn('bulk', 'manage-1')],
    ["a receipt handle of the other queue's is used", 'violated', inserted(MAIN, 'queued', misdirected)],
  ]);
});

describe('a request that becomes a dead letter without a record of its end', () => {
  const deadLettered = (seconds: number, hindered = 'request-1'): readonly Step[] => {
    const id = `send write SEND#${hindered} SEND as refused 1`;
    const failed = { id, function: 'send', call: 'write SEND as refused', fault: 'fails-before' } as const;
    const waiting = { state: 'waiting', waitingAt: at(13), messageId: undefined };
    const letter = { queue: 'send-dead-letters', body: REQUEST_BODY, reason: 'PROCESSING_FAILED: Error' } as const;
    return [
      ...written(changed(without(MAIN, 'sent message', 'delivered'), 'call', { effect: undefined }), 'accept', waiting),
      invoked('send-9', 'send', seconds),
      step('refusal', seconds, { kind: 'fault', ...failed, process: 'send-9' }),
      step('letter', seconds, { kind: 'queued', ...letter, process: 'send-9' }),
      ended('send-9', 'send', seconds),
    ];
  };
  const DAYS_13 = 13 * 86_400;

  itJudges('everyRequestEnds', [
    ['it was in the queue for 13 days', 'holds', deadLettered(DAYS_13 + 10)],
    ['it was not', 'violated', deadLettered(DAYS_13 - 10)],
    ['nothing prevented the record', 'violated', deadLettered(DAYS_13 + 10, 'request-2')],
  ]);
});

describe('a redrive', () => {
  const redriven = (queue: 'send' | 'inbound', moved: number, ...between: readonly Step[]): readonly Step[] => {
    const act = { kind: 'redrive', queue, atMs: START_MS + 50_000 } as const;
    const letter = (name: string) =>
      step(name, 40, { kind: 'queued', queue: `${queue}-dead-letters`, body: name, reason: 'MALFORMED' });
    const answer = { kind: 'api-answer', act, status: 200, body: { moved, deleted: 0, left: 0 } } as Step['event'];
    const asked = step('asked', 50, { kind: 'act', act });
    return [letter('letter-1'), letter('letter-2'), asked, ...between, step('redriven', 60, answer)];
  };
  const sent = (body: string, queue: 'send' | 'inbound' = 'send', seconds = 55): readonly Step[] => [
    invoked('manage-6', 'manage', seconds),
    step(`${body} sent`, seconds, { kind: 'queued', queue, body, process: 'manage-6' }),
    ended('manage-6', 'manage', seconds),
  ];
  const byAnother = step('sent', 55, { kind: 'queued', queue: 'inbound', body: 'letter-1' });
  const [one, two] = [sent('letter-1'), sent('letter-2')];
  itJudges('answersAreTrue', [
    ['both dead letters are back on the send queue', 'holds', redriven('send', 2, ...one, ...two)],
    ['one is back on the inbound queue', 'holds', redriven('inbound', 1, ...sent('letter-1', 'inbound'))],
    ['fewer are', 'violated', redriven('send', 2, ...one)],
    ['one of them was not a dead letter', 'violated', redriven('send', 2, ...one, ...sent('request-9'))],
    ['a process other than the management API put it there', 'violated', redriven('inbound', 1, byAnother)],
    ['it was put there an hour earlier', 'violated', redriven('send', 1, ...sent('letter-1', 'send', -3_600))],
  ]);

  const gone = { kind: 'deleted', queue: 'send-dead-letters', body: 'letter-1', process: 'manage-6' } as const;
  const entry = { action: 'redrive', queue: 'send' };
  const audit = writeStep('audit', 54, { process: 'manage-6', key: 'AUDIT#1 AUDIT', after: entry });
  const deletes = (...recorded: readonly Step[]): readonly Step[] => {
    const between = [...recorded, step('deleted', 55, gone), ended('manage-6', 'manage', 56)];
    return redriven('send', 0, invoked('manage-6', 'manage', 53), ...between);
  };
  itJudges('recordedBeforeAct', [
    ['it is in the audit trail before a dead letter is deleted', 'holds', deletes(audit)],
    ['it is not', 'violated', deletes()],
  ]);
});

describe('a part of a dead letter without the dead letter', () => {
  const part = { key: 'DEADLETTER#letter-1 PART#0', after: { data: Buffer.from('{}') } };
  const keptWith = (failed: string, how: 'answered' | 'died' = 'answered'): readonly Step[] => {
    const id = `keep ${failed} fails-before`;
    return [
      invoked('manage-5', 'keep', 50),
      step(id, 50, { kind: 'fault', id, function: 'keep', call: id, fault: 'fails-before', process: 'manage-5' }),
      writeStep('part', 50, { process: 'manage-5', ...part }),
      step('manage-5 ends', 50, { kind: 'ended', function: 'keep', how, process: 'manage-5' }),
    ];
  };

  itJudges('lawsHold', [
    ['a write of a dead letter failed', 'holds', keptWith('write DEADLETTER 2')],
    ['the function died', 'holds', keptWith('count sendDeadLetters 1', 'died')],
    ['the delete failed', 'violated', keptWith('delete from sendDeadLetters 1')],
    ['the count failed', 'violated', keptWith('count sendDeadLetters 1')],
  ]);
});

describe('a violation', () => {
  it('says what is different, and where', () => {
    const entryIndex = MAIN.findIndex(({ name }) => name === 'answer');
    expect(violationsOf(MAIN)).toEqual([]);
    expect(violationsOf(ERASED)).toEqual([]);
    expect(violationsOf(changed(MAIN, 'answer', { status: 400 }))).toEqual([
      { invariant: 'authenticIsNotRefused', what: 'written was answered 400.', entryIndex },
      { invariant: 'everyEventAcknowledged', what: 'written was never acknowledged.', entryIndex: 1 },
    ]);
  });
});
