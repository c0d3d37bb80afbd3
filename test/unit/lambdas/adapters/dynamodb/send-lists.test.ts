import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { contactRef } from '../../../../../lambdas/domain/contact.ts';
import { InvalidPositionError } from '../../../../../lambdas/domain/errors.ts';
import { addMs } from '../../../../../lambdas/domain/instant.ts';
import type { SendState } from '../../../../../lambdas/domain/send-transitions.ts';
import type { ListPosition, SendCountFilter, SendFilter } from '../../../../../lambdas/ports.ts';
import {
  broadcastShard,
  broadcastSort,
  contactSort,
  stateShard,
  stateSort,
} from '../../../../../lambdas/table/indexes.ts';
import { contactName, sendKey } from '../../../../../lambdas/table/keys.ts';
import { NOW, USER } from '../../../../support/builders.ts';
import { contractTables } from '../../../../support/contract-tables.ts';
import { type Repositories, repositoriesOf } from './repositories.ts';

const tables = contractTables();
let tableName: string;
let lists: Repositories['lists'];

const useNewTable = async () => {
  tableName = await tables.createTable();
  lists = repositoriesOf(tables.tableOf(tableName)).lists;
};

beforeEach(useNewTable);

const CONTACT = contactRef('chat', USER);
const USER_PARTS = [{ subject: CONTACT }];

interface Stored {
  readonly requestId: string;
  readonly state: SendState;
  readonly at: string;
  readonly code?: string;
  readonly broadcastId?: string;
}

/** Stores a send, as its latest transition leaves it. `changes` are those of another version. */
const put = async (send: Stored, changes: Record<string, unknown> = {}) => {
  const { requestId, state, at, code, broadcastId } = send;
  await tables.put(tableName, {
    ...sendKey(requestId),
    ...{ state, body: '{}', [`${state}At`]: at, attempts: 1 },
    ...{ contact: contactName(CONTACT), contactSort: contactSort('SEND', at), createdAt: at },
    ...{ stateShard: stateShard(state, requestId), stateAt: stateSort({ at, code }) },
    ...(code !== undefined && { code }),
    ...(broadcastId !== undefined && { broadcastId, broadcastShard: broadcastShard(broadcastId, requestId) }),
    broadcastState: broadcastSort(state, { at, code }),
    ...changes,
  });
};

const refused = (index: number, changes: Partial<Stored> = {}): Stored => ({
  requestId: `request-${index}`,
  state: 'refused',
  at: addMs(NOW, index),
  code: index % 3 === 0 ? 'OPTED_OUT' : 'NO_OPT_IN',
  broadcastId: index % 2 === 0 ? 'broadcast#1' : 'broadcast',
  ...changes,
});

const putAll = (sends: readonly Stored[]) => Promise.all(sends.map((send) => put(send)));

const listAll = async (filter: SendFilter, limit: number) => {
  const found: string[] = [];
  let after: ListPosition | undefined;
  do {
    const page = await lists.list(filter, { limit, ...(after && { after }) });
    expect(page.sends.length).toBeLessThanOrEqual(limit);
    found.push(...page.sends.map(({ requestId }) => requestId));
    after = page.next;
  } while (after);
  return found;
};

const countAll = async (filter: SendCountFilter) => {
  const { counts, next } = await lists.count(filter);
  expect(next).toBeUndefined();
  return Object.fromEntries(
    counts.map(({ state, code, count }) => [code === undefined ? state : `${state} ${code}`, count]),
  );
};

const MANY = Array.from({ length: 60 }, (_, index) => refused(index));
const idsOf = (sends: readonly Stored[]) => sends.map(({ requestId }) => requestId);

describe('the list of sends', () => {
  it('of a state has each once, on pages of any size: those that ended newest first, those that wait oldest first', async () => {
    await putAll(MANY);
    await putAll([0, 1, 2].map((index) => refused(100 + index, { state: 'waiting', code: undefined })));

    for (const limit of [1, 7, 59, 60, 61]) {
      expect(await listAll({ state: 'refused' }, limit)).toEqual(idsOf(MANY.toReversed()));
    }
    expect(await listAll({ state: 'waiting' }, 2)).toEqual(['request-100', 'request-101', 'request-102']);
    expect(await listAll({ state: 'rejected' }, 2)).toEqual([]);
  });

  it('of a state and a code, or since a time, has only those', async () => {
    await putAll(MANY);
    const optedOut = MANY.filter(({ code }) => code === 'OPTED_OUT').toReversed();

    for (const limit of [1, 7, 100]) {
      expect(await listAll({ state: 'refused', code: 'OPTED_OUT' }, limit)).toEqual(idsOf(optedOut));
    }
    const since = addMs(NOW, 55);
    expect(await listAll({ state: 'refused', since }, 2)).toEqual(idsOf(MANY.slice(55).toReversed()));
    expect(await listAll({ state: 'refused', since, code: 'OPTED_OUT' }, 2)).toEqual(['request-57']);
  });

  it('of a broadcast has only its sends, by state, code, and time', async () => {
    await putAll(MANY);
    await put(refused(100, { state: 'accepted', code: undefined, broadcastId: 'broadcast#1' }));
    const ofBroadcast = MANY.filter(({ broadcastId }) => broadcastId === 'broadcast#1');
    const byCode = ['NO_OPT_IN', 'OPTED_OUT'].flatMap((code) => ofBroadcast.filter((send) => send.code === code));
    const broadcastId = 'broadcast#1';

    for (const limit of [1, 5, 30, 100]) {
      expect(await listAll({ broadcastId }, limit)).toEqual(['request-100', ...idsOf(byCode)]);
      expect(await listAll({ broadcastId, state: 'refused' }, limit)).toEqual(idsOf(byCode));
      expect(await listAll({ broadcastId, state: 'refused', code: 'OPTED_OUT' }, limit)).toEqual(
        idsOf(byCode.filter(({ code }) => code === 'OPTED_OUT')),
      );
    }
    const since = addMs(NOW, 50);
    const late = byCode.filter(({ at }) => at >= since);
    expect(await listAll({ broadcastId, since, state: 'refused' }, 2)).toEqual(idsOf(late));
    expect(await listAll({ broadcastId, since, code: 'OPTED_OUT' }, 2)).toEqual(['request-54']);
    expect(await listAll({ broadcastId, since, state: 'refused', code: 'OPTED_OUT' }, 2)).toEqual(['request-54']);
    expect(await listAll({ broadcastId, state: 'accepted' }, 2)).toEqual(['request-100']);
  });

  it('of a contact has its sends, the latest first, and can be filtered by all the rest', async () => {
    await putAll(MANY.slice(0, 10));
    await put(refused(11), { contact: contactName(contactRef('chat', '+5491155550001')) });

    expect(await listAll({ user: USER_PARTS }, 3)).toEqual(idsOf(MANY.slice(0, 10).toReversed()));
    expect(await listAll({ user: USER_PARTS, code: 'OPTED_OUT' }, 3)).toEqual([
      'request-9',
      'request-6',
      'request-3',
      'request-0',
    ]);
    expect(await listAll({ user: USER_PARTS, since: addMs(NOW, 8) }, 1)).toEqual(['request-9', 'request-8']);
    const later = [{ subject: CONTACT, earlier: { until: addMs(NOW, 7), customerIds: [] } }];
    expect(await listAll({ user: later }, 1)).toEqual(['request-9', 'request-8']);
    expect(await listAll({ user: later, since: addMs(NOW, 9) }, 1)).toEqual(['request-9']);
    const filter = { user: USER_PARTS, state: 'refused', broadcastId: 'broadcast', code: 'OPTED_OUT' } as const;
    expect(await listAll(filter, 2)).toEqual(['request-9', 'request-3']);
    expect(await listAll({ user: USER_PARTS, state: 'accepted' }, 2)).toEqual([]);
  });

  it('of several addresses has the sends of all of them in one order, each since its own time', async () => {
    const other = contactRef('chat', '+5491155550001');
    await putAll(MANY.slice(0, 10));
    for (const index of [11, 12]) await put(refused(index), { contact: contactName(other) });
    const user = [{ subject: CONTACT, earlier: { until: addMs(NOW, 7), customerIds: [] } }, { subject: other }];

    for (const limit of [1, 2, 10]) {
      expect(await listAll({ user }, limit)).toEqual(['request-12', 'request-11', 'request-9', 'request-8']);
    }
  });

  it('of a user ends if the rest now belongs to an earlier user, and refuses a position of another list', async () => {
    await putAll(MANY.slice(0, 4));
    const { next: after } = await lists.list({ user: USER_PARTS }, { limit: 2 });
    const later = [{ subject: CONTACT, earlier: { until: addMs(NOW, 3), customerIds: [] } }];
    expect(await lists.list({ user: later }, { limit: 2, ...(after && { after }) })).toEqual({ sends: [] });
    const others: readonly ListPosition[] = [{ 'refused#1': `${NOW} request-1` }, {}];
    for (const position of others) {
      await expect(lists.list({ user: later }, { limit: 2, after: position })).rejects.toThrow(InvalidPositionError);
    }
  });

  it('does not show a send that was erased', async () => {
    await put(refused(1));
    await put(refused(2), { contact: undefined, contactSort: undefined });

    expect(await listAll({ user: USER_PARTS }, 10)).toEqual(['request-1']);
    expect(await listAll({ broadcastId: 'broadcast' }, 10)).toEqual(['request-1']);
  });

  it('leaves out an entry that the index still has under an earlier key', async () => {
    await putAll(MANY.slice(0, 3));
    const table = tables.tableOf(tableName);
    const { lists: lagging } = repositoriesOf({
      ...table,
      async query(query) {
        const found = await table.query(query);
        // Refused again, after a redrive.
        if (found.items.some(({ pk }) => pk === 'SEND#request-1')) await put(refused(1, { at: addMs(NOW, 500) }));
        return found;
      },
    });

    const [byState, byBroadcast] = [{ state: 'refused' as const }, { broadcastId: 'broadcast' }];
    const { sends } = await lagging.list(byState, { limit: 10 });
    expect(sends.map(({ requestId }) => requestId)).toEqual(['request-2', 'request-0']);
    await put(refused(1));
    expect(await lagging.list(byBroadcast, { limit: 10 })).toEqual({ sends: [] });
  });

  it('continues from any position without an error, even from one of another list', async () => {
    await putAll(MANY.slice(0, 20));
    const since = addMs(NOW, 10);
    const filters: readonly SendCountFilter[] = [
      { state: 'refused', since },
      { state: 'waiting' },
      { broadcastId: 'broadcast', state: 'refused', code: 'OPTED_OUT' },
    ];
    const shard = fc.constantFrom('refused#1', 'waiting#7', 'broadcast#1#3', 'broadcast#4', 'x');
    const value = fc.constantFrom(
      'exhausted',
      'x',
      '~',
      '!',
      `${NOW} request-1`,
      `${since}#A request-1`,
      `refused#~ a`,
      since,
    );
    await fc.assert(
      fc.asyncProperty(fc.dictionary(shard, value), fc.constantFrom(...filters), async (after, filter) => {
        const { sends } = await lists.list(filter, { limit: 5, after });
        expect(sends.length).toBeLessThanOrEqual(5);
        await lists.count(filter, after);
      }),
      { numRuns: 60 },
    );
  });
});

describe('the counts of sends', () => {
  it('are by state and code, of a state or of a broadcast, and can be of a code or since a time', async () => {
    await putAll(MANY);
    await put(refused(100, { state: 'accepted', code: undefined, broadcastId: 'broadcast#1' }));
    const broadcastId = 'broadcast#1';

    expect(await countAll({ state: 'refused' })).toEqual({ 'refused OPTED_OUT': 20, 'refused NO_OPT_IN': 40 });
    expect(await countAll({ state: 'refused', since: addMs(NOW, 57), code: 'NO_OPT_IN' })).toEqual({
      'refused NO_OPT_IN': 2,
    });
    expect(await countAll({ broadcastId })).toEqual({ accepted: 1, 'refused OPTED_OUT': 10, 'refused NO_OPT_IN': 20 });
    expect(await countAll({ broadcastId, code: 'OPTED_OUT' })).toEqual({ 'refused OPTED_OUT': 10 });
    expect(await countAll({ broadcastId, state: 'accepted' })).toEqual({ accepted: 1 });
    expect(await countAll({ broadcastId: 'broadcast-2' })).toEqual({});
  });

  it('continue where a call ended, so that each send is counted once', async () => {
    await putAll(MANY);
    const table = tables.tableOf(tableName);
    // Pages of three keys per shard.
    const { lists: small } = repositoriesOf({ ...table, query: (query) => table.query({ ...query, Limit: 3 }) });
    let [total, calls] = [0, 0];
    let after: ListPosition | undefined;
    do {
      const { counts, next } = await small.count({ state: 'refused' }, after);
      total += counts.reduce((sum, { count }) => sum + count, 0);
      calls += 1;
      after = next;
    } while (after);

    expect(total).toBe(60);
    expect(calls).toBeGreaterThan(1);
  });
});
