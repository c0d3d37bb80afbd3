import { describe, expect, it } from 'vitest';
import { serializeDueMessage } from '../../../lambdas/domain/send-request.ts';
import type { Item } from '../../../lambdas/table/item.ts';
import { CLAIMED, DEFERRED, ERASED, MAIN, OPT_OUT, PROBE, UNAUTHENTICATED } from './invariants/stories.ts';
import {
  actStep,
  after,
  at,
  CONTACT,
  changed,
  DELIVERED_BODY,
  ended,
  enveloped,
  invoked,
  KEY,
  MESSAGE_BODY,
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
import { examineRun, STAGE_INVARIANT_NAMES, type StageInvariantName } from './stage-invariants.ts';

type RunOptions = Parameters<typeof runOf>[1];

/** A story in which an invariant holds, and the same story with one change that violates it. */
interface Example {
  readonly holds: readonly Step[];
  readonly breaks: readonly Step[];
  readonly options?: RunOptions;
  /** @default those of `holds` */
  readonly breaksWith?: RunOptions;
}

const SEND = 'SEND#request-1 SEND';
const call = (seconds: number, changes: object = {}): Step => {
  const original = MAIN.find(({ name }) => name === 'call');
  if (original === undefined) throw new Error('The main story has no call.');
  return { ...original, name: 'another call', seconds, event: { ...original.event, ...changes } as Step['event'] };
};
const effect = { id: 'out-2', at: 0, contact: '541155550000', endpoint: 'message/v3', body: {} };
const optedOut = { lastInboundAt: at(0), userOptOutAt: at(5) };
const consent = writeStep('opt-out', 5, {
  process: 'manage-9',
  key: `${CONTACT} CONSENT`,
  after: { userOptOutAt: at(5), userOptOutSource: 'call' },
});
const stopAt = (seconds: number): Step =>
  writeStep('stop', seconds, {
    process: 'manage-9',
    key: 'ACCOUNT#chat#+5491100000000 ACCOUNT',
    after: { stoppedAt: at(seconds), stopNote: 'Wrong template' },
  });
const KEYWORD = { process: 'receive-1', key: `${CONTACT} CONSENT` };
/** The user's message is one of an operator instead. */
const OPERATOR_WROTE = MAIN.map((one) => {
  const text = JSON.stringify(one);
  return JSON.parse(
    text.includes('Where is it?')
      ? text.replaceAll(/\\"FROM\\":\\"(\d+)\\"/g, '\\"FROM\\":\\"me\\",\\"TO\\":\\"$1\\",\\"OPERATOR_ID\\":\\"ana\\"')
      : text,
  );
});
/** The user writes STOP. */
const STOPPED = MAIN.map((one) => JSON.parse(JSON.stringify(one).replaceAll('Where is it?', 'STOP')));
const STOP_STORED = { userOptOutAt: at(0), userOptOutOwnAt: at(0) };
const WITH_START = { keywords: true, optInKeyword: true };
/** The user writes STOP, and then START, which arrives at 20 seconds. */
const changesMind = (startOwnAt: string, consents: Item): readonly Step[] => {
  const body = JSON.stringify({ _id_: 'in-2', FROM: USER.slice(1), MESSAGE: 'START', CREATION_TIME: startOwnAt });
  return [
    ...after(STOPPED, 'window', writeStep('consent', 1, { ...KEYWORD, after: STOP_STORED })),
    step('start', 20, { kind: 'event', eventId: 'start', body, isUnauthenticated: false }),
    step('start delivery', 20, { kind: 'delivery', eventId: 'start', attempt: 1 }),
    writeStep('start stored', 20, { ...KEYWORD, before: STOP_STORED, after: { ...STOP_STORED, ...consents } }),
    step('start answer', 20, { kind: 'delivery-answer', eventId: 'start', status: 200, isHeard: true }),
  ];
};
const START_STORED = { userOptInAt: at(20), userOptInOwnAt: at(20) };
const CONFIRMING = { keywords: true, rules: { optOutConfirmation: 'You get no more messages.' } };
const CONFIRMED = after(
  STOPPED,
  'window',
  writeStep('consent', 1, { ...KEYWORD, after: { userOptOutAt: at(0) } }),
  step('confirmation', 1, {
    kind: 'queued',
    queue: 'send',
    body: JSON.stringify({ requestId: 'opt-out-1', platformContactId: USER, confirmsOptOut: true }),
  }),
);
const confirms = (requestId: string): Step =>
  call(12, { requestId, body: { platformContactId: USER, messageText: CONFIRMING.rules.optOutConfirmation } });
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
/** The chat service reports that the message failed. */
const failedStory = (send: Item): readonly Step[] => {
  const body = JSON.stringify({ ...JSON.parse(DELIVERED_BODY), STATUS: 'failed', REASON: '131026.0' });
  const reported = written(changed(MAIN, 'status', { body }), 'delivered', { failedAt: at(40) });
  const failed = { ...CLAIMED, state: 'failed', code: '131026', messageId: 'out-1', ...send };
  return after(reported, 'delivered', writeStep('fail', 41, { process: 'receive-2', key: SEND, after: failed }));
};
/** The answer names only a job, which the status of the message names as well. */
const jobStory = (accepted: Item): readonly Step[] => {
  const { _id_: messageId, FROM: contactId } = JSON.parse(DELIVERED_BODY);
  const body = JSON.stringify({
    v: '1.1',
    type: 'status',
    contactId,
    messageId,
    status: 'delivered',
    intentTxId: 'job-1',
  });
  const effect = { id: 'out-1', transactionId: 'job-1', at: 0, contact: KEY, endpoint: 'message/v3', body: {} };
  const reported = changed(changed(MAIN, 'call', { effect }), 'status', { body, source: JSON.parse(DELIVERED_BODY) });
  return written(written(reported, 'delivered', { statusBodies: new Set([body]) }), 'accept', accepted);
};
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
    : after(after(MAIN, 'queued', ...added), 'call', second);
};
const deadLetterIn = (queue: 'send-dead-letters' | 'bulk-dead-letters'): readonly Step[] =>
  after(MAIN, 'queued', step('letter', 11, { kind: 'queued', queue, body: REQUEST_BODY, reason: 'MALFORMED' }));
const dueIn = (queue: 'send' | 'bulk', process?: string) =>
  after(
    MAIN,
    'queued',
    ...(process === undefined ? [] : [invoked(process, 'manage', 11)]),
    step('due', 11, { kind: 'queued', queue, body: serializeDueMessage('request-1'), ...(process && { process }) }),
  );
const MISDIRECTED = after(
  MAIN,
  'queued',
  step('misdirected', 11, { kind: 'misdirected', queue: 'send', body: REQUEST_BODY }),
);
const unknownOutcomes = (last: { readonly isOpened: boolean }): readonly Step[] => {
  const calls = [0, 1, 2, 3].flatMap((index) => {
    const requestId = `request-${index + 5}`;
    const claim = { ...CLAIMED, claimId: `claim-${requestId}` };
    return [
      writeStep(`claim ${index}`, 100 * index, { process: 'send-1', key: `SEND#${requestId} SEND`, after: claim }),
      call(100 * index, { requestId, claimId: claim.claimId, isAnswered: false, end: 'not-done', effect: undefined }),
    ];
  });
  const open = writeStep('open', 250, { process: 'send-1', key: 'ACCOUNT#chat#1 ACCOUNT', after: { circuit: 'open' } });
  const steps = [invoked('send-1', 'send', 0), ...calls];
  const ended = step('send-1 ends', 400, { kind: 'ended', function: 'send', how: 'answered', process: 'send-1' });
  return [...(last.isOpened ? after(steps, 'claim 2', open) : steps), ended];
};

const TURN = `${CONTACT} TURN`;
const OPEN_TURN = { firstMessageId: 'in-1', startedAt: at(1), messageIds: new Set(['in-1']) };
const turnEnded = (messageIds: readonly string[]): Step =>
  step('turn published', 20, {
    kind: 'published',
    id: 'turn-1',
    detailType: 'TurnEnded',
    detail: {
      contact: { platform: 'chat', channel: '*', key: CONTACT.split('#').at(-1) },
      at: at(10),
      messages: messageIds.map((messageId) => ({ messageId, at: at(0) })),
    },
  });
const turnEndsAt = (seconds: number): Step =>
  writeStep('turn ends', seconds, { process: 'publish-9', key: TURN, before: OPEN_TURN });
/** The user's message starts a turn, which ends. */
const TURN_STORY = [
  ...after(MAIN, 'message', writeStep('turn', 1, { process: 'receive-1', key: TURN, after: OPEN_TURN })),
  turnEndsAt(10),
  turnEnded(['in-1']),
];
const WITH_TURNS = { features: { turnSilenceSeconds: 8 } };

const EXAMPLES: Readonly<Record<StageInvariantName, Example>> = {
  everyEventKept: { holds: DEFERRED, breaks: without(DEFERRED, 'message', 'deferred', 'drained') },
  keptBeforeAcknowledged: {
    holds: MAIN,
    breaks: after(without(MAIN, 'message'), 'answer', ...MAIN.filter(({ name }) => name === 'message')),
  },
  drainedOnlyWhenKept: {
    holds: DEFERRED,
    breaks: after(without(DEFERRED, 'message'), 'drained', ...DEFERRED.filter(({ name }) => name === 'message')),
  },
  authenticIsNotRefused: { holds: MAIN, breaks: changed(MAIN, 'answer', { status: 400 }) },
  unauthenticatedLeavesNothing: {
    holds: UNAUTHENTICATED,
    breaks: after(
      UNAUTHENTICATED,
      'delivery',
      step('kept', 1, { kind: 'queued', queue: 'inbound', body: enveloped(MESSAGE_BODY) }),
    ),
  },
  quarantinedOnlyIfUnknown: {
    holds: DEFERRED,
    breaks: changed(DEFERRED, 'quarantine', { body: enveloped(MESSAGE_BODY) }),
  },
  messagesAreTrue: { holds: MAIN, breaks: written(MAIN, 'message', { createdAt: at(1) }) },
  windowsAreTrue: { holds: MAIN, breaks: written(MAIN, 'window', { lastInboundAt: at(1) }) },
  windowsStayOpen: { holds: MAIN, breaks: without(MAIN, 'window') },
  keywordsHold: {
    holds: after(STOPPED, 'window', writeStep('consent', 1, { ...KEYWORD, after: { userOptOutAt: at(0) } })),
    breaks: STOPPED,
    options: { features: { keywords: true } },
  },
  latestKeywordCounts: {
    holds: changesMind(at(20), START_STORED),
    breaks: without(changesMind(at(20), START_STORED), 'start'),
    options: { features: WITH_START },
  },
  optOutsConfirmed: {
    holds: CONFIRMED,
    breaks: without(CONFIRMED, 'confirmation'),
    options: { features: CONFIRMING },
  },
  confirmedOnce: {
    holds: after(CONFIRMED, 'call', confirms('opt-out-1')),
    breaks: after(CONFIRMED, 'call', confirms('opt-out-1'), confirms('opt-out-2')),
    options: { features: CONFIRMING },
  },
  operatorsNoticed: {
    holds: after(
      OPERATOR_WROTE,
      'window',
      writeStep('operator', 1, { process: 'receive-1', key: `${CONTACT} HANDOVER`, after: { operatorWroteAt: at(0) } }),
    ),
    breaks: OPERATOR_WROTE,
    options: { features: { rules: { operators: { echoes: true } } } },
  },
  everyMessageInOneTurn: { holds: TURN_STORY, breaks: without(TURN_STORY, 'turn'), options: WITH_TURNS },
  turnsEndAfterSilence: {
    holds: TURN_STORY,
    breaks: [...without(TURN_STORY, 'turn ends'), turnEndsAt(8)],
    options: WITH_TURNS,
  },
  everyTurnEnds: { holds: TURN_STORY, breaks: without(TURN_STORY, 'turn ends'), options: WITH_TURNS },
  turnsAreTrue: {
    holds: TURN_STORY,
    breaks: [...without(TURN_STORY, 'turn published'), turnEnded(['in-1', 'in-2'])],
    options: WITH_TURNS,
  },
  statusesAreTrue: { holds: MAIN, breaks: written(MAIN, 'delivered', { readAt: at(40) }) },

  onlyKnownTransitions: { holds: MAIN, breaks: changed(MAIN, 'accept', { before: { state: 'cancelled' } }) },
  claimedBeforeCall: {
    holds: MAIN,
    breaks: after(without(MAIN, 'claim'), 'call', ...MAIN.filter(({ name }) => name === 'claim')),
  },
  leaseRespected: {
    holds: uncertain(false),
    breaks: changed(after(uncertain(false), 'send-1 starts', invoked('send-2', 'send', 11)), 'accept', {
      process: 'send-2',
    }),
  },
  sentOnce: { holds: MAIN, breaks: after(MAIN, 'call', call(12, { effect })) },
  knownOutcomeKept: { holds: MAIN, breaks: after(MAIN, 'call', call(12, { effect: undefined, end: 'not-done' })) },
  uncertainOnlyAfterCall: { holds: uncertain(false), breaks: without(uncertain(false), 'call') },

  sentAsRequested: {
    holds: MAIN,
    breaks: changed(MAIN, 'call', { body: { platformContactId: USER, messageText: 'request-1: Hello.' } }),
  },
  windowObeyed: {
    holds: MAIN,
    breaks: changed(MAIN, 'read', { contact: { lastInboundAt: at(-100_000) } }).map((one) =>
      one.name === 'read again' ? { ...one, event: { ...one.event, contact: undefined } as Step['event'] } : one,
    ),
  },
  optOutObeyed: {
    holds: MAIN,
    breaks: changed(after(MAIN, 'received', consent), 'read again', { contact: optedOut }),
  },
  writtenFirstOnlyWithConsent: {
    holds: changed(
      changed(changed(requesting({ reason: 'payment' }), 'call', { endpoint: 'intent/v2' }), 'read', {
        contact: { userOptInAt: at(-100) },
      }),
      'read again',
      { contact: undefined },
    ),
    breaks: changed(
      changed(changed(requesting({ reason: 'payment' }), 'call', { endpoint: 'intent/v2' }), 'read', { contact: {} }),
      'read again',
      { contact: undefined },
    ),
  },
  conditionsObeyed: {
    holds: requesting({ unless: ['userWroteSince'], since: at(0) }),
    breaks: requesting({ unless: ['userWroteSince'], since: at(-1) }),
  },
  handoversObeyed: {
    holds: requesting({ automated: true }),
    breaks: changed(requesting({ automated: true }), 'read again', { contact: { handoverAt: at(0) } }),
    options: { features: { rules: { operators: { echoes: true } } } },
  },
  timesObeyed: { holds: requesting({ notAfter: at(60) }), breaks: requesting({ notAfter: at(9) }) },
  refusedForAReason: {
    holds: changed(after(refused({ code: 'OPTED_OUT' }), 'received', consent), 'read', { contact: optedOut }),
    breaks: refused({ code: 'OPTED_OUT' }),
  },

  statesAreTrue: { holds: MAIN, breaks: written(MAIN, 'accept', { state: 'refused' }) },
  acceptedReachedUser: { holds: MAIN, breaks: changed(MAIN, 'call', { effect: undefined }) },
  acceptedHasMessage: { holds: MAIN, breaks: without(MAIN, 'sent message', 'delivered') },
  trailNamesLastCall: { holds: MAIN, breaks: written(MAIN, 'accept', { call: { endpoint: 'intent/v2' } }) },
  statusConfirms: { holds: MAIN, breaks: uncertain(false) },
  failuresShown: { holds: failedStory({}), breaks: failedStory({ state: 'accepted' }) },
  jobsLinked: { holds: jobStory({}), breaks: jobStory({ messageId: undefined }) },
  orderKept: { holds: secondRequest(12), breaks: secondRequest(11) },
  lanesKept: { holds: deadLetterIn('send-dead-letters'), breaks: deadLetterIn('bulk-dead-letters') },
  cancelledStays: {
    holds: refused({ state: 'cancelled', cancelledAt: at(13) }),
    breaks: after(
      MAIN,
      'queued',
      writeStep('cancel', 10, { process: 'manage-1', key: SEND, after: { state: 'cancelled' } }),
    ),
  },

  onlyProbesWhileOpen: { holds: PROBE, breaks: without(PROBE, 'probe') },
  opensAfterUnknownOutcomes: {
    holds: unknownOutcomes({ isOpened: true }),
    breaks: unknownOutcomes({ isOpened: false }),
  },

  stopObeyed: { holds: after(MAIN, 'queued', stopAt(7)), breaks: after(MAIN, 'queued', stopAt(5)) },

  everyChangePublished: { holds: MAIN, breaks: without(MAIN, 'published status') },
  nothingElsePublished: { holds: MAIN, breaks: without(MAIN, 'delivered') },
  oneIdPerChange: {
    holds: MAIN,
    breaks: after(
      MAIN,
      'accepted',
      ...MAIN.filter(({ name }) => name === 'accepted').map((one) => ({
        ...one,
        event: { ...one.event, id: 'id-9' } as Step['event'],
      })),
    ),
  },
  oneChangePerId: { holds: MAIN, breaks: changed(MAIN, 'published status', { id: 'id-2' }) },
  contentOnlyIfAllowed: { holds: MAIN, breaks: MAIN, breaksWith: { features: { content: false } } },

  recordedBeforeAct: { holds: OPT_OUT, breaks: without(OPT_OUT, 'audit') },
  consentsAreTrue: { holds: OPT_OUT, breaks: written(OPT_OUT, 'consent', { userOptInAt: at(0) }) },
  answersAreTrue: { holds: OPT_OUT, breaks: without(OPT_OUT, 'consent') },
  deadLettersHaveReasons: { holds: DEFERRED, breaks: changed(DEFERRED, 'quarantine', { reason: undefined }) },
  erasureComplete: { holds: ERASED, breaks: without(ERASED, 'message erased') },
  othersKept: {
    holds: ERASED,
    breaks: changed(ERASED, 'message erased', { before: { pk: 'MESSAGE#in-1', contact: 'CONTACT#chat#*#542' } }),
  },

  lawsHold: { holds: MAIN, breaks: written(MAIN, 'window', { expiresAt: undefined }) },

  listsAreTrue: {
    holds: refused({ code: 'OPTED_OUT', stateShard: 'refused#7', stateAt: `${at(13)}#OPTED_OUT` }),
    breaks: refused({ code: 'OPTED_OUT' }),
  },

  everythingEnds: { holds: MAIN, breaks: without(MAIN, 'deleted') },
  everyRequestEnds: { holds: MAIN, breaks: without(MAIN, 'accept', 'accepted') },
  endsInTime: { holds: MAIN, breaks: changed(MAIN, 'accept', {}, 100_000) },
  everyEventAcknowledged: { holds: MAIN, breaks: changed(MAIN, 'status answer', { isHeard: false }) },
  erasuresEnd: { holds: ERASED, breaks: without(ERASED, 'erasure done') },
};

describe('each invariant', () => {
  const examples = STAGE_INVARIANT_NAMES.map((name) => [name, EXAMPLES[name]] as const);

  it.each(examples)('holds in a story, and does not when one thing is different: %s', (name, example) => {
    const good = examineRun(runOf(example.holds, example.options));
    const bad = examineRun(runOf(example.breaks, example.breaksWith ?? example.options));

    expect(good.violations.filter(({ invariant }) => invariant === name)).toEqual([]);
    expect(good.checks[name]).toBeGreaterThan(0);
    expect(bad.violations.map(({ invariant }) => invariant)).toContain(name);
  });
});

describe('a START after a STOP', () => {
  const violates = (steps: readonly Step[], features: object = WITH_START): readonly string[] =>
    examineRun(runOf(steps, { features })).violations.map(({ invariant }) => invariant);

  it('must end the opt-out if it is later by all times', () => {
    expect(violates(changesMind(at(20), { userOptInAt: at(20), userOptInOwnAt: at(0) }))).toContain(
      'latestKeywordCounts',
    );
  });

  it("must not end the opt-out if it is earlier by the chat service's own times", () => {
    const start = changesMind(at(-5), { userOptInAt: at(20), userOptInOwnAt: at(20) });
    expect(violates(start)).toContain('latestKeywordCounts');
  });

  it('must not end the opt-out in a stage without that keyword', () => {
    const found = violates(changesMind(at(20), START_STORED), { keywords: true });
    expect(found).toContain('latestKeywordCounts');
    expect(found).toContain('consentsAreTrue');
  });

  it('need not have ended the opt-out if an operator or internal system reported another one since', () => {
    const reported = actStep('opt-out', 30, {
      kind: 'consent',
      contact: USER,
      consent: 'opt-out',
      origin: 'user',
      agoMs: 0,
    });
    const optedOut = { ...STOP_STORED, ...START_STORED, userOptOutAt: at(30) };
    const steps = [
      ...changesMind(at(20), START_STORED),
      reported,
      writeStep('opted out', 30, { process: 'manage-9', key: `${CONTACT} CONSENT`, after: optedOut }),
    ];
    expect(violates(steps)).not.toContain('latestKeywordCounts');
  });
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
  const invariantsOf = (steps: readonly Step[]) =>
    examineRun(runOf(steps)).violations.map(({ invariant }) => invariant);

  it('is true although the request was received before the answer, and waits', () => {
    expect(invariantsOf(resend)).not.toContain('answersAreTrue');
  });

  it('is not true if the request was never queued again', () => {
    expect(invariantsOf(without(resend, 'queued again'))).toContain('answersAreTrue');
  });

  describe('of a send that was waiting already', () => {
    const waited = [
      writeStep('waits', 40, { process: 'send-1', key, before: CLAIMED, after: waiting }),
      ...without(resend, 'resolved'),
    ];

    it('is true if the request was queued again', () => {
      expect(invariantsOf(waited)).not.toContain('answersAreTrue');
    });

    it('is not true if the request was never queued again', () => {
      expect(invariantsOf(without(waited, 'queued again'))).toContain('answersAreTrue');
    });

    it('is not true if the send was accepted', () => {
      const accepted = written(written(waited, 'waits', { state: 'accepted' }), 'waits on', { state: 'accepted' });
      expect(invariantsOf(accepted)).toContain('answersAreTrue');
    });
  });
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
    const accepted = { ...again, state: 'accepted', messageId: 'out-1', confirmedBy };
    return [
      ...written(changed(without(MAIN, 'sent message', 'delivered'), 'call', { isAnswered: false }), 'accept', {
        state: 'uncertain',
      }),
      invoked('send-2', 'send', 20),
      writeStep('claim again', 20, { process: 'send-2', key: SEND, after: again }),
      call(21, { process: 'send-2', claimId: 'claim-2', endpoint: 'intent/v2', effect: undefined, ...second }),
      writeStep('end', 22, { process: 'send-2', key: SEND, before: again, after: { ...again, state } }),
      ended('send-2', 'send', 22),
      invoked('receive-3', 'receive', 30),
      writeStep('confirm', 30, { process: 'receive-3', key: SEND, before: again, after: accepted }),
      writeStep('confirmed message', 30, { process: 'receive-3', key: 'MESSAGE#out-1 MESSAGE', after: message }),
      ended('receive-3', 'receive', 30),
    ];
  };
  const invariantsOf = (steps: readonly Step[]) =>
    examineRun(runOf(steps)).violations.map(({ invariant }) => invariant);
  const rejected = { state: 'rejected', end: 'rejected' };

  it('makes the send accepted, and shows the first call', () => {
    const violated = invariantsOf(confirmed(rejected));
    expect(violated).not.toContain('statesAreTrue');
    expect(violated).not.toContain('acceptedHasMessage');
  });

  it('is needed for a send to be accepted after its last call was rejected', () => {
    expect(invariantsOf(confirmed(rejected, { confirmedBy: 'nothing' }))).toContain('statesAreTrue');
  });

  it('does not show the last call, which is known to have sent nothing', () => {
    expect(invariantsOf(confirmed(rejected, { endpoint: 'intent/v2' }))).toContain('acceptedHasMessage');
  });

  it('may show the last call if its outcome is unknown, too', () => {
    const unknown = { state: 'uncertain', isAnswered: false };
    expect(invariantsOf(confirmed(unknown, { endpoint: 'intent/v2' }))).not.toContain('acceptedHasMessage');
  });
});

describe('a message that an operator resolves, after a claim whose function died', () => {
  /** The first call is a free-form message with an unknown outcome; the template of the second claim is never called. */
  const resolved = (isAbandoned: boolean): readonly Step[] => {
    const call = { endpoint: 'intent/v2' };
    const again = { ...CLAIMED, claimId: 'claim-2', call };
    const end = { ...again, state: isAbandoned ? 'uncertain' : 'waiting' };
    const message = { direction: 'outbound', contact: CONTACT, requestId: 'request-1', call };
    return [
      ...written(changed(without(MAIN, 'sent message', 'delivered'), 'call', { isAnswered: false }), 'accept', {
        state: 'uncertain',
      }),
      writeStep('claim again', 20, { process: 'send-2', key: SEND, after: again }),
      writeStep('end', 22, { process: 'send-3', key: SEND, before: again, after: end }),
      invoked('manage-1', 'manage', 30),
      writeStep('resolved', 30, { process: 'manage-1', key: SEND, before: end, after: { ...end, state: 'accepted' } }),
      writeStep('message', 30, { process: 'manage-1', key: 'MESSAGE#out-1 MESSAGE', after: message }),
      ended('manage-1', 'manage', 30),
    ];
  };
  const invariantsOf = (steps: readonly Step[]) =>
    examineRun(runOf(steps)).violations.map(({ invariant }) => invariant);

  it('may show the call that was claimed last, which may have been sent', () => {
    expect(invariantsOf(resolved(true))).not.toContain('acceptedHasMessage');
  });

  it('does not show that call if it is known to have sent nothing', () => {
    expect(invariantsOf(resolved(false))).toContain('acceptedHasMessage');
  });

  it('does not show a call that was never claimed', () => {
    const steps = written(resolved(true), 'message', { call: { endpoint: 'other/v1' } });
    expect(invariantsOf(steps)).toContain('acceptedHasMessage');
  });
});

/** The last pass of an erasure removes a contact check that is newer than the erasure's request. */
const erasedCheck = (...created: readonly Step[]): readonly Step[] => {
  const before = { checkedAt: at(200.5), checkedAddress: USER };
  const check = writeStep('check erased', 210, { process: 'manage-3', key: `${CONTACT} CHECK`, before });
  return ERASED.flatMap((each) => {
    if (each.name === 'manage-2 ends') return [each, ...created];
    return each.name === 'manage-3 starts' ? [each, check] : [each];
  });
};

describe('an erasure that removes a contact check that is newer than its request', () => {
  const invariantsOf = (steps: readonly Step[]) =>
    examineRun(runOf(steps)).violations.map(({ invariant }) => invariant);

  it('removes nothing of a new contact', () => {
    expect(invariantsOf(erasedCheck())).not.toContain('othersKept');
  });

  it.each(['CONTACT', 'CONSENT'])('should have kept it if the contact has a new item: %s', (sk) => {
    const item = { lastInboundAt: at(200.7), userOptInRecordedAt: at(200.7) };
    const key = `${CONTACT} ${sk}`;
    const created = writeStep('new item', 205, { process: 'receive-3', key, after: item });
    expect(invariantsOf(erasedCheck(created))).toContain('othersKept');
  });
});

describe('a send that a status confirms after a day', () => {
  const uncertainAt = (seconds: number): readonly Step[] => {
    const uncertain = changed(written(MAIN, 'accept', { state: 'uncertain' }), 'accept', {}, seconds);
    const before = { ...CLAIMED, state: 'uncertain' };
    const accepted = { ...before, state: 'accepted' };
    return [...uncertain, writeStep('confirm', 200_000, { process: 'receive-3', key: SEND, before, after: accepted })];
  };
  const invariantsOf = (steps: readonly Step[]) =>
    examineRun(runOf(steps)).violations.map(({ invariant }) => invariant);

  it('ends in time if it becomes uncertain in time', () => {
    expect(invariantsOf(uncertainAt(13))).not.toContain('endsInTime');
  });

  it('does not end in time if it stays claimed for hours', () => {
    expect(invariantsOf(uncertainAt(100_000))).toContain('endsInTime');
  });
});

describe('a send that becomes uncertain without a call', () => {
  const uncalled = without(uncertain(false), 'call');
  const fault = (seconds: number, id: string): Step =>
    step(id, seconds, {
      kind: 'fault',
      id,
      function: 'send',
      call: 'write SEND',
      fault: 'fails-before',
      process: 'send-1',
    });
  const invariantsOf = (steps: readonly Step[]) =>
    examineRun(runOf(steps)).violations.map(({ invariant }) => invariant);
  const invariantsWith = (excuse: Step) => invariantsOf(after(uncalled, 'claim', excuse));

  it.each([
    ['a read of the contact', fault(12, 'send read CONTACT#chat#*#541155550000 1 fails-before')],
    ['a write of the send, with time for another', fault(12, 'send write SEND#request-1 as waiting 1 fails-before')],
    ['a late write of another send', fault(125, 'send write SEND#request-2 as waiting 1 fails-before')],
  ])('is not excused by a fault: %s', (_, excuse) => {
    expect(invariantsWith(excuse)).toContain('uncertainOnlyAfterCall');
  });

  it('is excused if the last write of the send before the timeout fails', () => {
    const excuse = fault(125, 'send write SEND#request-1 as waiting 50 fails-before');
    expect(invariantsWith(excuse)).not.toContain('uncertainOnlyAfterCall');
  });

  it('is excused if the function died', () => {
    const died = changed(uncalled, 'send-1 ends', { how: 'died' });
    expect(invariantsOf(died)).not.toContain('uncertainOnlyAfterCall');
  });
});

describe('a status that is reported twice with the same body, before and after an erasure', () => {
  const BODY = JSON.stringify({ _id_: 'out-1', FROM: USER.slice(1), STATUS: 'delivered' });
  const report = (eventId: string, seconds: number, deliveredAt: number): readonly Step[] => [
    step(eventId, seconds, { kind: 'event', eventId, body: BODY, isUnauthenticated: false }),
    step(`${eventId} delivery`, deliveredAt, { kind: 'delivery', eventId, attempt: 1 }),
    step(`${eventId} answer`, deliveredAt, { kind: 'delivery-answer', eventId, status: 200, isHeard: true }),
  ];
  const stored = { deliveredAt: at(50), statusBodies: new Set([BODY]) };
  const rewritten = (...again: readonly Step[]): readonly Step[] => [
    ...report('first', 45, 46),
    ...ERASED,
    ...report('second', 50, 300),
    ...again,
    writeStep('status again', 300, { process: 'receive-9', key: 'MESSAGE#out-1 MESSAGE', after: stored }),
  ];
  const invariantsOf = (steps: readonly Step[]) =>
    examineRun(runOf(steps)).violations.map(({ invariant }) => invariant);

  it('has the time of the report that the erasure did not remove', () => {
    expect(invariantsOf(rewritten())).not.toContain('statusesAreTrue');
  });

  it('has the earlier time if that report is delivered again', () => {
    const again = step('again', 299, { kind: 'delivery', eventId: 'first', attempt: 2 });
    expect(invariantsOf(rewritten(again))).toContain('statusesAreTrue');
  });
});

describe('an erasure of the contact', () => {
  const invariantsOf = (steps: readonly Step[]) =>
    examineRun(runOf(steps)).violations.map(({ invariant }) => invariant);
  const earlier = actStep('erase', -10, { kind: 'erase', contact: USER });
  const again = { id: 'id-1', detailType: 'MessageReceived', detail: { id: 'id-1', messageId: 'in-1', at: at(220) } };

  it('excuses a missing message only if it removed the message', () => {
    expect(invariantsOf(without(ERASED, 'send erased'))).not.toContain('acceptedHasMessage');
    const unrecorded = without(MAIN, 'sent message', 'delivered', 'published status');
    expect(invariantsOf([earlier, ...unrecorded])).toContain('acceptedHasMessage');
  });

  it('excuses a second change with the same ID only if it removed the first one', () => {
    const published = step('published again', 221, { kind: 'published', ...again });
    expect(invariantsOf([...ERASED, published])).not.toContain('oneChangePerId');
    expect(invariantsOf([earlier, ...MAIN, published])).toContain('oneChangePerId');
    const tooEarly = step('published again', 199, { kind: 'published', ...again });
    expect(invariantsOf(after(ERASED, 'calm', tooEarly))).toContain('oneChangePerId');
  });
});

describe('an opt-out, and a later message of the user that an erasure removes before the call', () => {
  const WINDOW = { lastInboundAt: at(0) };
  const optOut = { userOptOutAt: at(-1), userOptOutSource: 'call' };
  const optedOutBefore = [
    writeStep('opt-out', -1, { process: 'manage-9', key: `${CONTACT} CONSENT`, after: optOut }),
    ...changed(MAIN, 'read again', { contact: optOut }),
  ];
  const erased = after(
    optedOutBefore,
    'read',
    invoked('manage-1', 'erase', 11),
    writeStep('erased', 11, { process: 'manage-1', key: `${CONTACT} CONTACT`, before: WINDOW }),
  );
  const invariantsOf = (steps: readonly Step[]) =>
    examineRun(runOf(steps)).violations.map(({ invariant }) => invariant);

  it('allow a free-form message if the function has read that the user wrote', () => {
    expect(invariantsOf(changed(erased, 'read', { contact: { ...optOut, ...WINDOW } }))).not.toContain('optOutObeyed');
  });

  it('do not allow it if the function has not', () => {
    expect(invariantsOf(changed(erased, 'read', { contact: optOut }))).toContain('optOutObeyed');
  });
});

describe('a call of an invocation that started before the circuit breaker opened', () => {
  const opened = (readAt: number, ...earlier: readonly Step[]): readonly Step[] => {
    const circuit = { circuit: 'open', reason: 'no-credit', openedAt: at(3), nextProbeAt: at(60) };
    const open = writeStep('open', 3, { process: 'send-0', key: 'ACCOUNT#chat#1 ACCOUNT', after: circuit });
    const started = changed(changed(MAIN, 'send-1 starts', {}, 2), 'read', {}, readAt);
    return after(started, 'send-1 starts', ...earlier, open);
  };
  const invariantsOf = (steps: readonly Step[]) =>
    examineRun(runOf(steps)).violations.map(({ invariant }) => invariant);
  const earlierRead = step('earlier read', 2.5, {
    kind: 'read-contact',
    process: 'send-1',
    name: CONTACT,
    contact: {},
  });

  it('is excused if it relied on an earlier read of the circuit breaker', () => {
    expect(invariantsOf(opened(7))).not.toContain('onlyProbesWhileOpen');
    expect(invariantsOf(opened(11, earlierRead))).not.toContain('onlyProbesWhileOpen');
  });

  it('is not excused if the process must have read the open circuit breaker first', () => {
    expect(invariantsOf(opened(11))).toContain('onlyProbesWhileOpen');
  });

  it('is not excused by an earlier request of its message group', () => {
    const act = { ...REQUEST, requestId: 'request-0' };
    const requested = actStep('earlier request', 1, {
      ...{ kind: 'request', via: 'queue', body: JSON.stringify(act), groupId: USER, deduplicationId: 'request-0' },
    });
    const earlierCall = call(2.6, { requestId: 'request-0', claimId: undefined, effect: undefined, end: 'not-done' });
    const steps = opened(11, requested, earlierRead, earlierCall);
    expect(invariantsOf(steps)).toContain('onlyProbesWhileOpen');
  });
});

describe('the event of an acceptance after a rejection', () => {
  const accepted = (call: object | undefined, endpoint?: string): readonly Step[] => {
    const before = { ...CLAIMED, state: 'rejected', rejectedAt: at(20), unsentClaimId: CLAIMED.claimId, call };
    const detail = {
      id: 'id-8',
      requestId: 'request-1',
      contact: { platform: 'chat', channel: '*', key: '541155550000' },
    };
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
        detail: { ...detail, at: at(49), messageId: 'out-1', ...(endpoint && { endpoint }) },
      }),
    ];
  };
  const invariantsOf = (steps: readonly Step[]) =>
    examineRun(runOf(steps)).violations.map(({ invariant }) => invariant);

  it('names the endpoint of the call that sent the message', () => {
    expect(invariantsOf(accepted({ endpoint: 'intent/v2' }, 'message/v3'))).not.toContain('nothingElsePublished');
    expect(invariantsOf(accepted({ endpoint: 'intent/v2' }, 'intent/v2'))).toContain('nothingElsePublished');
  });

  it('names no endpoint if the contact was erased, along with the calls', () => {
    expect(invariantsOf(accepted(undefined))).not.toContain('nothingElsePublished');
    expect(invariantsOf(accepted(undefined, 'message/v3'))).toContain('nothingElsePublished');
  });
});

describe('a request whose since names a message', () => {
  const named = requesting({ unless: ['userWroteSince'], since: 'in-1' });
  const refusedAs = (code: string, contact: string): readonly Step[] =>
    refused({ code, body: asRequest({ unless: ['userWroteSince'], since: 'in-1' }), contact });
  const violationsOf = (steps: readonly Step[], invariant: StageInvariantName) =>
    examineRun(runOf(steps)).violations.filter((one) => one.invariant === invariant);
  const ANOTHER = 'CONTACT#chat#*#541155559999';

  it('may be sent if the message is one of the same user', () => {
    expect(violationsOf(named, 'conditionsObeyed')).toEqual([]);
    expect(violationsOf(written(named, 'message', { contact: ANOTHER }), 'conditionsObeyed')).toHaveLength(1);
  });

  it('may be refused as unknown if the message is one of another user', () => {
    expect(violationsOf(refusedAs('SINCE_UNKNOWN', ANOTHER), 'refusedForAReason')).toEqual([]);
    expect(violationsOf(refusedAs('SINCE_UNKNOWN', CONTACT), 'refusedForAReason')).toHaveLength(1);
  });
});

describe('the send queue and the bulk queue', () => {
  const violationsOf = (steps: readonly Step[], invariant: StageInvariantName) =>
    examineRun(runOf(steps)).violations.filter((one) => one.invariant === invariant);

  const fromBulk = (steps: readonly Step[]) =>
    steps.map((one) =>
      one.name === 'queued' ? { ...one, event: { ...one.event, queue: 'bulk' } as Step['event'] } : one,
    );

  it('have no order between them', () => {
    expect(violationsOf(secondRequest(11, 'bulk'), 'orderKept')).toEqual([]);
  });

  it('keep the order of each contact on the bulk queue, too', () => {
    expect(violationsOf(fromBulk(secondRequest(11, 'bulk')), 'orderKept')).toHaveLength(1);
  });

  it('keep a scheduled request, unless the management API queues it', () => {
    expect(violationsOf(dueIn('send'), 'lanesKept')).toEqual([]);
    expect(violationsOf(fromBulk(dueIn('send')), 'lanesKept')).toHaveLength(1);
    expect(violationsOf(fromBulk(dueIn('send', 'manage-1')), 'lanesKept')).toEqual([]);
    expect(violationsOf(dueIn('bulk', 'manage-1'), 'lanesKept')).toHaveLength(1);
  });

  it("never use each other's receipt handles", () => {
    expect(violationsOf(MISDIRECTED, 'lanesKept')).toHaveLength(1);
  });
});

describe('a request that becomes a dead letter without a record of its end', () => {
  const deadLettered = (seconds: number, isHindered = true): readonly Step[] => {
    const id = `send write SEND#request-${isHindered ? 1 : 2} SEND as refused 1`;
    const failed = { id, function: 'send', call: 'write SEND as refused', fault: 'fails-before' } as const;
    const waiting = { state: 'waiting', waitingAt: at(13), messageId: undefined };
    return [
      ...written(changed(without(MAIN, 'sent message', 'delivered'), 'call', { effect: undefined }), 'accept', waiting),
      invoked('send-9', 'send', seconds),
      step('refusal', seconds, { kind: 'fault', ...failed, process: 'send-9' }),
      step('letter', seconds, {
        kind: 'queued',
        queue: 'send-dead-letters',
        body: REQUEST_BODY,
        reason: 'PROCESSING_FAILED: Error',
        process: 'send-9',
      }),
      ended('send-9', 'send', seconds),
    ];
  };
  const invariantsOf = (steps: readonly Step[]) =>
    examineRun(runOf(steps)).violations.map(({ invariant }) => invariant);

  it('ends only if it was in the queue for 13 days', () => {
    expect(invariantsOf(deadLettered(13 * 86_400 + 10))).not.toContain('everyRequestEnds');
    expect(invariantsOf(deadLettered(13 * 86_400 - 10))).toContain('everyRequestEnds');
  });

  it('does not end if nothing prevented the record', () => {
    expect(invariantsOf(deadLettered(13 * 86_400 + 10, false))).toContain('everyRequestEnds');
  });
});

describe('the answer to a redrive', () => {
  const redriven = (queue: 'send' | 'inbound', moved: number, ...between: readonly Step[]): readonly Step[] => {
    const act = { kind: 'redrive', queue, atMs: START_MS + 50_000 };
    const letter = (name: string) =>
      step(name, 40, { kind: 'queued', queue: `${queue}-dead-letters`, body: name, reason: 'MALFORMED' });
    const asked = step('asked', 50, { kind: 'act', act } as Step['event']);
    const answer = { kind: 'api-answer', act, status: 200, body: { moved, deleted: 0, left: 0 } } as Step['event'];
    return [letter('letter-1'), letter('letter-2'), asked, ...between, step('redriven', 60, answer)];
  };
  const sent = (body: string, queue: 'send' | 'inbound' = 'send', seconds = 55): readonly Step[] => [
    invoked('manage-6', 'manage', seconds),
    step(`${body} sent`, seconds, { kind: 'queued', queue, body, process: 'manage-6' }),
    ended('manage-6', 'manage', seconds),
  ];
  const byAnother = step('sent', 55, { kind: 'queued', queue: 'inbound', body: 'letter-1' });
  const invariantsOf = (steps: readonly Step[]) =>
    examineRun(runOf(steps)).violations.map(({ invariant }) => invariant);
  const [one, two] = [sent('letter-1'), sent('letter-2')];

  it('is true if that many dead letters are back on their queue', () => {
    expect(invariantsOf(redriven('send', 2, ...one, ...two))).not.toContain('answersAreTrue');
    expect(invariantsOf(redriven('inbound', 1, ...sent('letter-1', 'inbound')))).not.toContain('answersAreTrue');
  });

  it.each([
    ['fewer are', redriven('send', 2, ...one)],
    ['one of them was not a dead letter', redriven('send', 2, ...one, ...sent('request-9'))],
    ['a process other than the management API put them there', redriven('inbound', 1, byAnother)],
    ['they were put there an hour earlier', redriven('send', 1, ...sent('letter-1', 'send', -3_600))],
  ])('is not true if %s', (_, steps) => {
    expect(invariantsOf(steps)).toContain('answersAreTrue');
  });

  it.each([true, false])('is in the audit trail before a dead letter is deleted: %s', (isRecorded) => {
    const deleted = step('deleted', 55, {
      kind: 'deleted',
      queue: 'send-dead-letters',
      body: 'letter-1',
      process: 'manage-6',
    });
    const entry = { action: 'redrive', queue: 'send' };
    const audit = writeStep('audit', 54, { process: 'manage-6', key: 'AUDIT#1 AUDIT', after: entry });
    const steps = redriven(
      'send',
      0,
      invoked('manage-6', 'manage', 53),
      ...(isRecorded ? [audit] : []),
      deleted,
      ended('manage-6', 'manage', 56),
    );
    expect(invariantsOf(steps).includes('recordedBeforeAct')).toBe(!isRecorded);
  });
});

describe('a part of a dead letter without the dead letter', () => {
  const part = { key: 'DEADLETTER#letter-1 PART#0', after: { data: Buffer.from('{}') } };
  const keptWith = (id: string, how = 'answered'): readonly Step[] => [
    invoked('manage-5', 'keep', 50),
    step(id, 50, { kind: 'fault', id, function: 'keep', call: id, fault: 'fails-before', process: 'manage-5' }),
    writeStep('part', 50, { process: 'manage-5', ...part }),
    step('manage-5 ends', 50, { kind: 'ended', function: 'keep', how: how as 'answered', process: 'manage-5' }),
  ];
  const invariantsOf = (steps: readonly Step[]) =>
    examineRun(runOf(steps)).violations.map(({ invariant }) => invariant);

  it('is excused if a write of a dead letter failed, or the function died', () => {
    expect(invariantsOf(keptWith('keep write DEADLETTER 2 fails-before'))).not.toContain('lawsHold');
    expect(invariantsOf(keptWith('keep count sendDeadLetters 1 fails-before', 'died'))).not.toContain('lawsHold');
  });

  it.each(['keep delete from sendDeadLetters 1 fails-before', 'keep count sendDeadLetters 1 fails-before'])(
    'is not excused by another fault: %s',
    (id) => {
      expect(invariantsOf(keptWith(id))).toContain('lawsHold');
    },
  );
});

describe('an event about a message', () => {
  const contact = { platform: 'chat', channel: '*', key: '549' };
  it.each([
    ['received', { platformContactId: 'somebody-else' }],
    ['received', { contact }],
    ['published status', { requestId: 'request-2' }],
    ['published status', { contact }],
  ])('is not true if it names somebody else, or another request: %s %o', (name, fields) => {
    const detail = MAIN.flatMap(({ name: each, event }) =>
      each === name && event.kind === 'published' ? [event.detail] : [],
    );
    const steps = changed(MAIN, name, { detail: Object.assign({}, ...detail, fields) });

    const { violations } = examineRun(runOf(steps));

    expect(violations.map(({ invariant }) => invariant)).toContain('nothingElsePublished');
  });
});

describe('the stories', () => {
  it.each([
    ['the main story', MAIN],
    ['an event with an invalid signature', UNAUTHENTICATED],
    ['an opt-out', OPT_OUT],
    ['a probe', PROBE],
    ['an erasure', ERASED],
  ])('contradict no invariant: %s', (_, story) => {
    const { violations } = examineRun(runOf(story));
    expect(violations).toEqual([]);
  });

  it('contradict an invariant if they never end', () => {
    const { violations } = examineRun(runOf(MAIN, { how: 'endless' }));
    expect(violations.map(({ invariant }) => invariant)).toEqual(['everythingEnds']);
  });

  it('say what is different, and where', () => {
    const { violations } = examineRun(runOf(changed(MAIN, 'answer', { status: 400 })));
    const entryIndex = MAIN.findIndex(({ name }) => name === 'answer');
    expect(violations).toEqual([
      { invariant: 'authenticIsNotRefused', what: 'written was answered 400.', entryIndex },
      { invariant: 'everyEventAcknowledged', what: 'written was never acknowledged.', entryIndex: 1 },
    ]);
  });
});
