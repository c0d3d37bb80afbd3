import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { contactRef } from '../../../../../lambdas/domain/contact.ts';
import type { Claim, QueuedSend, Resolution, SendRecord, SendResult } from '../../../../../lambdas/domain/send.ts';
import { isInBroadcast, isListed } from '../../../../../lambdas/domain/send-index.ts';
import {
  canStartFrom,
  type FromState,
  SEND_STATES,
  SEND_TRANSITIONS,
  type SendGuard,
  type SendState,
  type SendTransition,
  type SendTransitionName,
} from '../../../../../lambdas/domain/send-transitions.ts';
import { broadcastSort, contactSort, stateShard, stateSort } from '../../../../../lambdas/table/indexes.ts';
import { contactName, sendKey } from '../../../../../lambdas/table/keys.ts';
import { sendRequest, sendResult, TRACEPARENT, USER } from '../../../../support/builders.ts';
import { contractTables } from '../../../../support/contract-tables.ts';
import type { Item } from '../../../../support/emulated-table.ts';
import { type Repositories, repositoriesOf } from './repositories.ts';

const STATES: readonly FromState[] = ['none', ...SEND_STATES];
const contact = contactRef('chat', USER);
const FIRST_CALL = { endpoint: 'message/v3' as const, body: { messageText: 'Hi' } };
const call = { endpoint: 'intent/v2' as const, body: { ruleNameOrId: 'hello' } };

const BODY = 'the body of the request';
const CLAIM_ID = 'claim-1';
const DECISION = 'The circuit breaker is open.';
/** When the item came to its state, and when the transitions are tried. */
const SINCE = '2026-11-20T11:00:00.000Z';
const AT = '2026-11-20T11:30:00.000Z';
const LATER = '2026-11-20T11:45:00.000Z';
const NEW_CLAIM_ID = 'claim-2';

const tables = contractTables();
let tableName: string;
let repositories: Repositories;

beforeAll(async () => {
  tableName = await tables.createTable();
  repositories = repositoriesOf(tables.tableOf(tableName));
});

/** One attempt at a transition, and what it shows for the guards. */
interface Trial {
  readonly requestId: string;
  readonly body: string;
  readonly claimId: string | undefined;
  readonly at: string;
}

const queued = ({ requestId, body }: Trial): QueuedSend => ({
  request: sendRequest({ requestId }),
  body,
  contact,
  groupId: USER,
  deduplicationId: requestId,
  traceparent: TRACEPARENT,
  endBy: '2026-11-20T11:32:00.000Z',
});
const claimOf = ({ at }: Trial): Claim => ({
  claimId: NEW_CLAIM_ID,
  claimedAt: at,
  leaseUntil: '2026-11-20T11:33:00.000Z',
  call,
  decision: DECISION,
});

const claim = async (trial: Trial, resend: boolean) =>
  (await repositories.sends.claim(queued(trial), claimOf(trial), { resend })).kind;
const recordWithoutCall = (state: 'waiting' | 'refused' | 'expired') => async (trial: Trial) => {
  const common = { at: trial.at, decision: DECISION };
  const result = state === 'refused' ? { state, code: 'OPTED_OUT' as const, ...common } : { state, ...common };
  return (await repositories.sends.recordWithoutCall(queued(trial), result)).kind;
};
const recordResult = (state: SendResult['state']) => async (trial: Trial) =>
  (await repositories.sends.recordResult(trial.requestId, trial.claimId ?? '', sendResult(state, trial.at))).kind;
const resolve =
  (outcome: Resolution['outcome'], { state = 'uncertain', note }: { state?: SendState; note?: string } = {}) =>
  async (trial: Trial) => {
    const { requestId, claimId, at } = trial;
    const send: SendRecord = { requestId, state, body: BODY, attempts: 1, unknownOutcomes: 1, claimId };
    const common = { at, why: 'An operator resolved it.', note };
    const resolution = outcome === 'accepted' ? { outcome, messageId: 'message-1', ...common } : { outcome, ...common };
    return (await repositories.sends.resolve(send, resolution)).kind;
  };

const fail =
  ({ failure }: { readonly failure: string }) =>
  async ({ requestId, at }: Trial) =>
    (await repositories.sends.fail(requestId, { messageId: 'message-1', at, failure })).kind;

const FAILURE = '131026 ';
const FAILED = { messageId: 'message-1', acceptedAt: SINCE, failure: FAILURE } as const;

/** What the writer of a transition knows: the request's body, the id of the claim, or no more than the request id. */
type Shows = 'body' | 'claim' | 'claim and note' | 'nothing';

interface Writer {
  readonly shows: Shows;
  /** The only state from which it applies. @default any state that the transition allows */
  readonly only?: SendState;
  readonly write: (trial: Trial) => Promise<string>;
}

/**
 * Every way to make each transition. `confirm` falls back to `confirmEarlier` and `identify`, and the transitions of an
 * accepted send to those of one whose message failed; `cancelErased` and `loseTrackErased` are parts of an erasure and have their own tests below.
 */
const WRITERS: Record<
  Exclude<
    SendTransitionName,
    | 'cancelErased'
    | 'loseTrackErased'
    | 'confirmEarlier'
    | 'identify'
    | 'acceptFailed'
    | 'confirmFailed'
    | 'identifyFailed'
    | 'identifyOther'
  >,
  readonly Writer[]
> = {
  register: [
    { shows: 'body', write: async (trial) => (await repositories.sends.register(queued(trial), trial.at)).kind },
  ],
  schedule: [
    {
      shows: 'body',
      write: async (trial) => (await repositories.sends.schedule(queued(trial), { at: trial.at, sendAt: SINCE })).kind,
    },
  ],
  claim: [{ shows: 'body', write: (trial) => claim(trial, false) }],
  claimAgain: [{ shows: 'body', write: (trial) => claim(trial, true) }],
  replaceCall: [
    {
      shows: 'claim',
      write: async ({ requestId, claimId }) =>
        (await repositories.sends.replaceCall(requestId, claimId ?? '', { call, decision: DECISION })).kind,
    },
  ],
  wait: [
    { shows: 'body', write: recordWithoutCall('waiting') },
    { shows: 'claim', write: recordResult('waiting') },
  ],
  refuse: [
    { shows: 'body', write: recordWithoutCall('refused') },
    { shows: 'claim', write: recordResult('refused') },
  ],
  expire: [
    { shows: 'body', write: recordWithoutCall('expired') },
    { shows: 'claim', write: recordResult('expired') },
  ],
  accept: [{ shows: 'claim', write: recordResult('accepted') }],
  reject: [{ shows: 'claim', write: recordResult('rejected') }],
  loseTrack: [{ shows: 'claim', write: recordResult('uncertain') }],
  confirm: [
    {
      shows: 'nothing',
      write: async ({ requestId, at }) =>
        (await repositories.sends.confirm(requestId, { messageId: 'message-1', at })) ? 'applied' : 'conflict',
    },
  ],
  fail: [
    { shows: 'nothing', write: fail({ failure: FAILURE }) },
    { shows: 'nothing', write: fail({ failure: `${FAILURE}cannot receive` }) },
  ],
  cancel: [
    { shows: 'nothing', write: async ({ requestId, at }) => (await repositories.sends.cancel(requestId, at)).kind },
  ],
  resolveAccepted: [
    { shows: 'claim', write: resolve('accepted') },
    { shows: 'claim and note', write: resolve('accepted', { note: 'Seen in the console.' }) },
  ],
  resolveFailed: [
    { shows: 'claim', write: resolve('failed') },
    { shows: 'claim and note', write: resolve('failed', { note: 'Not in the console.' }) },
  ],
  resend: [
    { shows: 'claim', only: 'uncertain', write: resolve('resend') },
    { shows: 'claim', only: 'rejected', write: resolve('resend', { state: 'rejected' }) },
  ],
};

/** The attributes of a stored send, besides its state, that guards depend on. */
const VARIANTS: { readonly [From in FromState]?: Readonly<Record<string, Item>> } = {
  waiting: {
    'with another decision': { decision: 'HTTP 503' },
    'with the same decision': { decision: DECISION },
    'with the same decision, failing since': { decision: DECISION, failingSince: SINCE },
    'after the same claim': { claimId: NEW_CLAIM_ID },
    'after a claim at the same time': { claimedAt: AT },
    'after a later claim': { claimedAt: LATER },
  },
  expired: { '': {}, 'after an unknown outcome': { unknownOutcomes: 1 } },
  refused: {
    'by a rule': { code: 'OPTED_OUT' },
    'by a rule, after an unknown outcome': { code: 'OPTED_OUT', unknownOutcomes: 1 },
    'because processing failed': { code: 'PROCESSING_FAILED' },
    'because processing failed, at the same time': { code: 'PROCESSING_FAILED', refusedAt: AT },
    'because processing failed, later': { code: 'PROCESSING_FAILED', refusedAt: LATER },
  },
  uncertain: {
    once: {},
    'after three others': { unknownOutcomes: 3 },
    'after four others': { unknownOutcomes: 4 },
    'after a 2xx': { isAnswered: true },
    'of an erased contact': { erasedAt: SINCE },
    'after the same claim': { claimId: NEW_CLAIM_ID },
    'after a later claim': { claimedAt: LATER },
  },
  rejected: {
    '': {},
    'after an unknown outcome': { unknownOutcomes: 1 },
    'of an erased contact': { erasedAt: SINCE },
  },
  failed: {
    'for another message': { ...FAILED, messageId: 'message-0' },
    earlier: FAILED,
    'at the same time': { ...FAILED, failedAt: AT },
    'at the same time, for a reason that sorts later': { ...FAILED, failedAt: AT, failure: '9 ' },
    later: { ...FAILED, failedAt: LATER },
    'later, of an erased contact': { ...FAILED, failedAt: LATER, erasedAt: SINCE },
    'later, by a status': { ...FAILED, failedAt: LATER, confirmedBy: 'status', acceptedAt: LATER, identifiedAt: LATER },
    'earlier, by a status': { ...FAILED, confirmedBy: 'status', identifiedAt: SINCE },
    'for another message, by a status': {
      ...FAILED,
      messageId: 'message-0',
      confirmedBy: 'status',
      identifiedAt: SINCE,
    },
    'without an id in the answer': { ...FAILED, identifiedAt: LATER },
  },
  accepted: {
    'with the id': { messageId: 'message-1' },
    'with the id, of an erased contact': { messageId: 'message-1', erasedAt: SINCE },
    'with an id': { messageId: 'message-0' },
    'without an id': {},
    'without an id, named earlier': { messageId: 'message-0', identifiedAt: SINCE },
    'without an id, named at the same time': { messageId: 'message-0', identifiedAt: AT },
    'without an id, named later': { messageId: 'message-0', identifiedAt: LATER },
    'by an earlier status': { messageId: 'message-0', confirmedBy: 'status', acceptedAt: SINCE, identifiedAt: SINCE },
    'by a status of the same time': {
      messageId: 'message-0',
      confirmedBy: 'status',
      acceptedAt: AT,
      identifiedAt: AT,
    },
    'by a later status': { messageId: 'message-0', confirmedBy: 'status', acceptedAt: LATER, identifiedAt: LATER },
  },
};

/** A stored send, and whether the writer's evidence matches it. */
interface Situation {
  readonly from: FromState;
  readonly variant: string;
  readonly stored: Item;
  readonly evidence: 'right' | 'wrong' | 'missing';
}

const situations = (shows: Shows): readonly Situation[] =>
  STATES.flatMap((from) =>
    Object.entries(VARIANTS[from] ?? { '': {} }).flatMap(([variant, stored]) =>
      (shows === 'nothing' ? (['right'] as const) : (['right', 'wrong', 'missing'] as const)).map((evidence) => ({
        from,
        variant,
        stored,
        evidence,
      })),
    ),
  );

const isOfClaim = ({ evidence, stored }: Situation): boolean => evidence === 'right' && stored.claimId === undefined;

/** The message that the writers name is `message-1`, at the time AT. */
const isNoEarlier = ({ messageId }: Item, at: unknown): boolean =>
  at === LATER || (at === AT && String(messageId) >= 'message-1');

const holds = (guard: SendGuard, shows: Shows, situation: Situation): boolean => {
  const { evidence, stored } = situation;
  switch (guard) {
    case 'same-request':
      return shows === 'body' && evidence === 'right';
    case 'own-claim':
      return shows.startsWith('claim') && isOfClaim(situation);
    case 'later-claim':
      return stored.claimId === undefined && stored.claimedAt !== LATER;
    case 'not-erased':
      return stored.erasedAt === undefined;
    case 'note-not-erased':
      return shows !== 'claim and note' || stored.erasedAt === undefined;
    case 'processing-failed':
      return stored.code === 'PROCESSING_FAILED' && stored.refusedAt !== LATER;
    case 'other-decision':
      return stored.decision !== DECISION || stored.failingSince !== undefined;
    case 'may-resend':
      return Number(stored.unknownOutcomes ?? 0) < 4 && stored.isAnswered === undefined;
    case 'unknown-earlier':
      return stored.unknownOutcomes !== undefined;
    case 'identified-no-earlier':
      return stored.messageId === undefined || isNoEarlier(stored, stored.identifiedAt);
    case 'confirmed-by-status':
      return stored.confirmedBy === 'status';
    case 'confirmed-no-earlier':
      return stored.confirmedBy === 'status' && isNoEarlier(stored, stored.acceptedAt);
    case 'same-message':
      return stored.messageId === 'message-1';
    case 'other-message':
      return stored.messageId !== 'message-1';
    case 'failed-later':
      return stored.failedAt === LATER || (stored.failedAt === AT && stored.failure === '9 ');
    // Only erasures have these, which have their own tests below.
    case 'same-contact':
    case 'lease-expired':
      return false;
  }
};

/** What the data says: whether the transition applies. Only a writer that has the request can create its item. */
const isAllowed = (name: SendTransitionName, shows: Shows, situation: Situation): boolean => {
  const { from }: SendTransition = SEND_TRANSITIONS[name];
  if (situation.from === 'none' && shows !== 'body') return false;
  return from[situation.from]?.every((guard) => holds(guard, shows, situation)) ?? false;
};

/**
 * Which transition applies. A status that cannot confirm a send may still add its message ID, and a request that says
 * resend is claimed like any other unless it is uncertain.
 */
const allowedOf = (name: SendTransitionName, shows: Shows, situation: Situation): SendTransitionName | undefined => {
  return [name, ...(FALLBACKS[name] ?? [])].find((each) => isAllowed(each, shows, situation));
};

const FALLBACKS: { readonly [Name in SendTransitionName]?: readonly SendTransitionName[] } = {
  accept: ['acceptFailed'],
  confirm: ['confirmEarlier', 'confirmFailed', 'identifyFailed', 'identifyOther', 'identify'],
  claimAgain: ['claim'],
};

/** Whether the item already says what the same claim records again, as when the SDK retries a write. */
const isRecordedAlready = (name: SendTransitionName, shows: Shows, situation: Situation) =>
  shows === 'claim' &&
  ['wait', 'refuse', 'expire', 'accept', 'reject', 'loseTrack'].includes(name) &&
  isOfClaim(situation) &&
  (situation.from === SEND_TRANSITIONS[name].to || (name === 'accept' && situation.from === 'failed')) &&
  situation.stored.confirmedBy === undefined;

/** Whether a status has already named the send's message, which then may still have to be recorded. */
const isNamedAlready = (name: SendTransitionName, { from, stored }: Situation) =>
  name === 'confirm' &&
  (from === 'accepted' || from === 'failed') &&
  stored.messageId === 'message-1' &&
  stored.identifiedAt !== undefined;

/** Whether the result says that the call sent nothing, although a status has confirmed the send. */
const isUnsentCall = (name: SendTransitionName, shows: Shows, { evidence, stored }: Situation): boolean =>
  shows === 'claim' &&
  ['wait', 'refuse', 'expire', 'reject'].includes(name) &&
  evidence === 'right' &&
  stored.confirmedBy === 'status';

const storedSend = (requestId: string, { from, stored }: Pick<Situation, 'from' | 'stored'>): Item | undefined =>
  from === 'none'
    ? undefined
    : {
        ...sendKey(requestId),
        state: from,
        body: BODY,
        contact: contactName(contact),
        contactSort: contactSort('SEND', SINCE),
        createdAt: SINCE,
        attempts: 1,
        claimId: CLAIM_ID,
        claimedAt: SINCE,
        call: FIRST_CALL,
        expiresAt: 1,
        [`${from}At`]: SINCE,
        ...(from === 'claimed' && { leaseUntil: AT }),
        ...(isListed(from) && { stateShard: stateShard(from, requestId), stateAt: SINCE }),
        ...(isInBroadcast(from) && { broadcastState: broadcastSort(from, { at: SINCE }) }),
        ...stored,
      };

const put = async (item: Item | undefined) => {
  if (item !== undefined) await tables.put(tableName, item);
};

let trials = 0;

/** The transitions that do not change the send's state, so the state's time remains. */
const KEEPS_TIME: readonly SendTransitionName[] = [
  'replaceCall',
  'identify',
  'acceptFailed',
  'confirmFailed',
  'identifyFailed',
];

const pickLists = ({ stateShard, stateAt, broadcastState }: Readonly<Record<string, unknown>>) => ({
  stateShard,
  stateAt,
  broadcastState,
});

/** Tries a transition from a stored send. Returns the writer's result and what the table then holds. */
const attempt = async (name: SendTransitionName, { write }: Writer, situation: Situation) => {
  trials += 1;
  const requestId = `request-${trials}`;
  const before = storedSend(requestId, situation);
  await put(before);
  const { evidence } = situation;
  const result = await write({
    requestId,
    body: evidence === 'right' ? BODY : 'another body',
    claimId: evidence === 'right' ? CLAIM_ID : evidence === 'wrong' ? 'claim-0' : undefined,
    at: AT,
  });
  const after = await repositories.table.get(sendKey(requestId));
  if (isDeepStrictEqual(before, after)) return { result, change: 'none' };
  const { to } = SEND_TRANSITIONS[name];
  if (after?.unsentClaimId !== undefined && (situation.from === 'accepted' || situation.from === 'failed')) {
    const { decision } = after;
    const unsent = { unsentClaimId: CLAIM_ID, [`${to}At`]: AT, ...(decision !== undefined && { decision }) };
    expect(after).toEqual({ ...before, ...unsent });
    return { result, change: 'unsent' };
  }
  expect(after).toMatchObject({
    state: to,
    [`${to}At`]: KEEPS_TIME.includes(name) ? before?.[`${to}At`] : AT,
    body: expect.any(String),
    contact: contactName(contact),
    contactSort: contactSort('SEND', before === undefined ? AT : SINCE),
    createdAt: before === undefined ? AT : SINCE,
    expiresAt: expect.any(Number),
  });
  // Every transition ends a series of failures.
  expect(after).not.toHaveProperty('failingSince');
  const code = typeof after?.code === 'string' ? after.code : undefined;
  const at = to === 'scheduled' ? String(after?.sendAt) : AT;
  const lists = {
    ...(isListed(to) && { stateShard: stateShard(to, requestId), stateAt: stateSort({ at, code }) }),
    ...(isInBroadcast(to) && { broadcastState: broadcastSort(to, { at, code }) }),
  };
  // A transition within a state leaves the send where it is listed.
  const expected = KEEPS_TIME.includes(name) ? (before ?? {}) : lists;
  expect(pickLists(after ?? {})).toEqual(pickLists(expected));
  return { result, change: to };
};

const titleOf = ({ from, variant, evidence }: Situation) => `${from} ${variant}, evidence ${evidence}`;

const transitions = Object.entries(WRITERS).flatMap(([name, writers]) =>
  writers.map((writer) => ({ name: name as keyof typeof WRITERS, writer, shows: writer.shows })),
);

describe('a transition of a send', () => {
  it.each(transitions)(
    '$name by a writer that shows $shows applies exactly where the data allows it, and writes nothing else',
    async ({ name, writer, shows }) => {
      const tried = situations(shows).map(async (situation) => {
        const isOther = writer.only !== undefined && writer.only !== situation.from;
        const allowed = isOther ? undefined : allowedOf(name, shows, situation);
        const applied = name === 'claim' || name === 'claimAgain' ? 'claimed' : 'applied';
        // A confirmation reports only whether the send has its message now.
        const refused = situation.from === 'none' && name !== 'confirm' ? 'missing' : 'conflict';
        const expected =
          allowed !== undefined
            ? { result: applied, change: SEND_TRANSITIONS[allowed].to }
            : isUnsentCall(name, shows, situation)
              ? { result: refused, change: 'unsent' }
              : {
                  result:
                    isRecordedAlready(name, shows, situation) || isNamedAlready(name, situation) ? applied : refused,
                  change: 'none',
                };
        const title = titleOf(situation);
        return { expected: [title, expected], actual: [title, await attempt(allowed ?? name, writer, situation)] };
      });
      const results = await Promise.all(tried);
      expect(results.map(({ actual }) => actual)).toEqual(results.map(({ expected }) => expected));
    },
  );

  it.each(SEND_STATES)('by the erasure of its contact ends a send only where the data allows it: %s', async (from) => {
    const requestId = `erased-${from}`;
    await put(storedSend(requestId, { from, stored: {} }));

    const erased = await repositories.erasures.erase(contact, { kind: 'send', id: requestId }, addSecond(AT));

    const after = await repositories.table.get(sendKey(requestId));
    const isCancelled = canStartFrom('cancelErased', from);
    const isLost = canStartFrom('loseTrackErased', from);
    const endsAs = isCancelled ? 'cancelled' : isLost ? 'uncertain' : from;
    expect({ erased, state: after?.state }).toEqual({ erased: isLost ? 'lost' : 'erased', state: endsAs });
    if (isLost) expect(after?.uncertainAt).toBe(addSecond(AT));
    expect(after?.cancelledAt).toBe(isCancelled ? addSecond(AT) : from === 'cancelled' ? SINCE : undefined);
    expect(after).toMatchObject({ body: '', erasedAt: addSecond(AT) });
  });

  it('by the erasure of its contact waits for a running claim', async () => {
    const before = storedSend('erased-while-claimed', { from: 'claimed', stored: {} });
    await put(before);

    const erased = await repositories.erasures.erase(contact, { kind: 'send', id: 'erased-while-claimed' }, AT);

    expect(erased).toBe('busy');
    expect(await repositories.table.get(sendKey('erased-while-claimed'))).toEqual(before);
  });
});

const addSecond = (instant: string) => instant.replace('00.000Z', '01.000Z');
