import { isDeepStrictEqual } from 'node:util';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { contactName, contactSort, sendKey, stateShard } from '../../../../../lambdas/adapters/dynamodb/keys.ts';
import { contactRef } from '../../../../../lambdas/domain/contact.ts';
import type { Claim, QueuedSend, Resolution, SendRecord, SendResult } from '../../../../../lambdas/domain/send.ts';
import {
  canStartFrom,
  type FromState,
  SEND_STATES,
  SEND_TRANSITIONS,
  type SendGuard,
  type SendTransition,
  type SendTransitionName,
} from '../../../../../lambdas/domain/send-transitions.ts';
import { sendRequest, USER } from '../../../../support/builders.ts';
import type { Item } from '../../../../support/emulated-table.ts';
import { testTables } from '../../../../support/test-tables.ts';
import { createRepositories, type Repositories } from './repositories.ts';

const STATES: readonly FromState[] = ['none', ...SEND_STATES];
const contact = contactRef('chat', USER);
const call = { endpoint: 'message/v3' as const, body: { messageText: 'Hi' } };

const BODY = 'the body of the request';
const CLAIM_ID = 'claim-1';
/** When the item came to its state, and when the transitions are tried. */
const SINCE = '2026-11-20T11:00:00.000Z';
const AT = '2026-11-20T11:30:00.000Z';

const tables = testTables();
let tableName: string;
let repositories: Repositories;

beforeAll(async () => {
  tableName = await tables.createTable();
  repositories = createRepositories(tables, tableName);
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
});
const claimOf = ({ at }: Trial): Claim => ({
  claimId: 'claim-2',
  claimedAt: at,
  leaseUntil: '2026-11-20T11:33:00.000Z',
  call,
  why: 'open',
});
const resultOf = (state: SendResult['state'], at: string): SendResult => {
  switch (state) {
    case 'accepted':
      return { state, at, why: 'accepted', messageId: 'message-1', call };
    case 'refused':
      return { state, at, why: 'refused', code: 'OPTED_OUT' };
    default:
      return { state, at, why: state };
  }
};

const claim = async (trial: Trial, resend: boolean) =>
  (await repositories.sends.claim(queued(trial), claimOf(trial), { resend })).kind;
const recordWithoutCall = (state: SendResult['state']) => async (trial: Trial) =>
  (await repositories.sends.recordWithoutCall(queued(trial), resultOf(state, trial.at))).kind;
const recordResult = (state: SendResult['state']) => async (trial: Trial) =>
  (await repositories.sends.recordResult(trial.requestId, trial.claimId ?? '', resultOf(state, trial.at))).kind;
const resolve = (outcome: Resolution['outcome']) => async (trial: Trial) => {
  const { requestId, claimId, at } = trial;
  const send: SendRecord = { requestId, state: 'uncertain', body: BODY, attempts: 1, claimId };
  const common = { at, why: 'An operator resolved it.' };
  const resolution = outcome === 'accepted' ? { outcome, messageId: 'message-1', ...common } : { outcome, ...common };
  return (await repositories.sends.resolve(send, resolution)).kind;
};

/** What the writer of a transition knows: the request's body, the id of the claim, or no more than the request id. */
type Shows = 'body' | 'claim' | 'nothing';

interface Writer {
  readonly shows: Shows;
  readonly write: (trial: Trial) => Promise<string>;
}

/** Every way to make each transition. `cancelErased` is part of an erasure and has its own tests below. */
const WRITERS: Record<Exclude<SendTransitionName, 'cancelErased'>, readonly Writer[]> = {
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
  cancel: [
    { shows: 'nothing', write: async ({ requestId, at }) => (await repositories.sends.cancel(requestId, at)).kind },
  ],
  resolveAccepted: [{ shows: 'claim', write: resolve('accepted') }],
  resolveFailed: [{ shows: 'claim', write: resolve('failed') }],
  resend: [{ shows: 'claim', write: resolve('resend') }],
};

/** The guards' evidence, right or wrong, and whether a status confirmed the stored send. */
interface Situation {
  readonly from: FromState;
  readonly evidence: 'right' | 'wrong' | 'missing';
  readonly isConfirmed: boolean;
  readonly acceptedAt: 'earlier' | 'same' | 'later';
}

const situations = (shows: Shows): readonly Situation[] =>
  STATES.flatMap((from) =>
    (shows === 'nothing' ? (['right'] as const) : (['right', 'wrong', 'missing'] as const)).flatMap((evidence) =>
      (from === 'accepted' ? [false, true] : [false]).flatMap((isConfirmed) =>
        (isConfirmed ? (['earlier', 'same', 'later'] as const) : (['earlier'] as const)).map((acceptedAt) => ({
          from,
          evidence,
          isConfirmed,
          acceptedAt,
        })),
      ),
    ),
  );

const ACCEPTED_AT = { earlier: SINCE, same: AT, later: '2026-11-20T11:45:00.000Z' };

const holds = (guard: SendGuard, shows: Shows, { evidence, isConfirmed, acceptedAt }: Situation): boolean => {
  switch (guard) {
    case 'same-request':
      return shows === 'body' && evidence === 'right';
    case 'own-claim':
      return shows === 'claim' && evidence === 'right';
    case 'confirmed-by-status':
      return isConfirmed;
    case 'confirmed-no-earlier':
      return isConfirmed && acceptedAt !== 'earlier';
  }
};

/** What the data says: whether the transition applies. Only a writer that has the request can create its item. */
const isAllowed = (name: SendTransitionName, shows: Shows, situation: Situation): boolean => {
  const { from }: SendTransition = SEND_TRANSITIONS[name];
  if (situation.from === 'none' && shows !== 'body') return false;
  return from[situation.from]?.every((guard) => holds(guard, shows, situation)) ?? false;
};

/** Whether the item already says what the same claim records again, as when the SDK retries a write. */
const isRecordedAlready = (name: SendTransitionName, shows: Shows, { from, evidence, isConfirmed }: Situation) =>
  shows === 'claim' &&
  ['wait', 'refuse', 'expire', 'accept', 'reject', 'loseTrack'].includes(name) &&
  evidence === 'right' &&
  from === SEND_TRANSITIONS[name].to &&
  !isConfirmed;

const storedSend = (requestId: string, { from, isConfirmed, acceptedAt }: Situation): Item | undefined =>
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
        call,
        expiresAt: 1,
        [`${from}At`]: SINCE,
        ...(from === 'claimed' && { leaseUntil: AT }),
        ...(from === 'uncertain' && { stateShard: stateShard('uncertain', requestId), stateAt: SINCE }),
        ...(from === 'accepted' && { messageId: 'message-0', acceptedAt: ACCEPTED_AT[acceptedAt] }),
        ...(isConfirmed && { confirmedBy: 'status' }),
      };

const put = async (item: Item | undefined) => {
  if (item !== undefined) await tables.client.send(new PutItemCommand({ TableName: tableName, Item: marshall(item) }));
};

let trials = 0;

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
  expect(after).toMatchObject({
    state: to,
    [`${to}At`]: AT,
    body: expect.any(String),
    contact: contactName(contact),
    contactSort: contactSort('SEND', before === undefined ? AT : SINCE),
    createdAt: before === undefined ? AT : SINCE,
    expiresAt: expect.any(Number),
  });
  // Only uncertain sends are in the index by state.
  const { stateShard: shard, stateAt } = after ?? {};
  expect([shard, stateAt]).toEqual(to === 'uncertain' ? [stateShard(to, requestId), AT] : [undefined, undefined]);
  return { result, change: to };
};

const titleOf = ({ from, evidence, isConfirmed, acceptedAt }: Situation) =>
  `${from}, evidence ${evidence}${isConfirmed ? `, confirmed ${acceptedAt}` : ''}`;

const transitions = Object.entries(WRITERS).flatMap(([name, writers]) =>
  writers.map((writer) => ({ name: name as keyof typeof WRITERS, writer, shows: writer.shows })),
);

describe('a transition of a send', () => {
  it.each(transitions)(
    '$name by a writer that shows $shows applies exactly where the data allows it, and writes nothing else',
    async ({ name, writer, shows }) => {
      const tried = situations(shows).map(async (situation) => {
        const { to } = SEND_TRANSITIONS[name];
        const applied = name === 'claim' || name === 'claimAgain' ? 'claimed' : 'applied';
        // A confirmation reports only whether it changed anything.
        const refused = situation.from === 'none' && name !== 'confirm' ? 'missing' : 'conflict';
        const expected = isAllowed(name, shows, situation)
          ? { result: applied, change: to }
          : { result: isRecordedAlready(name, shows, situation) ? applied : refused, change: 'none' };
        const title = titleOf(situation);
        return { expected: [title, expected], actual: [title, await attempt(name, writer, situation)] };
      });
      const results = await Promise.all(tried);
      expect(results.map(({ actual }) => actual)).toEqual(results.map(({ expected }) => expected));
    },
  );

  it.each(SEND_STATES)(
    'by the erasure of its contact cancels a send only where the data allows it: %s',
    async (from) => {
      const requestId = `erased-${from}`;
      await put(storedSend(requestId, { from, evidence: 'right', isConfirmed: false, acceptedAt: 'earlier' }));

      const erased = await repositories.erasures.erase(contact, { kind: 'send', id: requestId }, addSecond(AT));

      const after = await repositories.table.get(sendKey(requestId));
      const isCancelled = canStartFrom('cancelErased', from);
      expect({ erased, state: after?.state }).toEqual({ erased: 'erased', state: isCancelled ? 'cancelled' : from });
      expect(after?.cancelledAt).toBe(isCancelled ? addSecond(AT) : from === 'cancelled' ? SINCE : undefined);
      expect(after).toMatchObject({ body: '', erasedAt: addSecond(AT) });
    },
  );

  it('by the erasure of its contact waits for a running claim', async () => {
    const situation: Situation = { from: 'claimed', evidence: 'right', isConfirmed: false, acceptedAt: 'earlier' };
    const before = storedSend('erased-while-claimed', situation);
    await put(before);

    const erased = await repositories.erasures.erase(contact, { kind: 'send', id: 'erased-while-claimed' }, AT);

    expect(erased).toBe('busy');
    expect(await repositories.table.get(sendKey('erased-while-claimed'))).toEqual(before);
  });
});

const addSecond = (instant: string) => instant.replace('00.000Z', '01.000Z');
